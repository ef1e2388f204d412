"""Body Jacobians, checked by identities and finite differences."""

from __future__ import annotations

import numpy as np
import polybody
import pytest
from polybody import engine
from polybody.engine.data import Data
from polybody.rotations.arrays import matrix

from . import mjcf
from .test_engine import at_random, everything

KEPT = ("xpos", "xquat", "xmat", "qpos", "qvel")


@pytest.mark.parametrize("seed", range(3))
def test_the_mass_matrix_is_made_of_jacobians(seed: int) -> None:
    """M = sum of m Jc^T Jc + Jr^T I Jr over the bodies, Jc of the centre of mass."""
    model = everything()
    data = at_random(model, seed)
    total = np.diag(model.dof_armature).copy()
    for b in range(1, model.nbody):
        engine.forward_kinematics(model, data)
        turn = data.xmat[b].reshape(3, 3)
        jacp, jacr = engine.jacobian(model, data, b, data.xpos[b] + turn @ model.body_ipos[b])
        axes = turn @ matrix(model.body_iquat[b : b + 1])[0]
        inertia = axes @ np.diag(model.body_inertia[b]) @ axes.T
        total += model.body_mass[b] * jacp.T @ jacp + jacr.T @ inertia @ jacr
    assert total == pytest.approx(engine.mass_matrix(model, data), abs=1e-12)


def test_velocities_by_differences() -> None:
    """jacp qvel is the velocity of the body's origin: a step with qvel alone shows it."""
    model = everything()
    data = at_random(model, 4)
    h = 1e-6
    still = model.replace(opt_timestep=h, opt_gravity=[0.0, 0.0, 0.0])
    for body in range(model.nbody):
        jacp, _ = engine.jacobian(model, data, body)
        ends = []
        for sign in (1.0, -1.0):
            moved = Data(still)
            moved.qpos, moved.qvel = data.qpos, sign * data.qvel
            engine.step(still, moved)
            engine.forward_kinematics(still, moved)
            ends.append(moved.xpos[body].copy())
        assert jacp @ data.qvel == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-3)


def test_bodies_and_points() -> None:
    model = everything()
    data = at_random(model, 5)
    jacp, jacr = polybody.jacobian(model, data, 0)
    assert not jacp.any(), "the world keeps still"
    assert not jacr.any()
    name = model.names["body"][-1]
    jacp, jacr = polybody.jacobian(model, data, name)
    polybody.forward_kinematics(model, data)
    other, same = polybody.jacobian(model, data, name, data.xpos[-1] + [0.0, 0.0, 1.0])
    assert np.array_equal(jacr, same)
    assert other - jacp == pytest.approx(np.cross(jacr.T, [0.0, 0.0, 1.0]).T, abs=1e-12)
    with pytest.raises(KeyError):
        polybody.jacobian(model, data, "nobody")
    with pytest.raises(ValueError, match="shape"):
        polybody.jacobian(model, data, name, [1.0])


def test_what_is_kept_follows_the_state_and_no_column_changes() -> None:
    """Poses, the mass matrix and energies are kept between calls: in another state they are those of it."""
    model, data, *_ = mjcf.both(1)
    vector = np.arange(1.0, model.nv + 1)
    for change in (None, "qpos", None, "mocap_pos", "mocap_quat", "qvel"):
        if change:
            column = getattr(data, change)
            column[...] = column + 0.1
        for order in (1, -1):
            alone = polybody.Data(model)
            alone.set_state(data.get_state())
            for find in (
                lambda data: polybody.jacobian(model, data, "hand"),
                lambda data: polybody.jacobian(model, data, model.nbody - 1),
                lambda data: polybody.velocity(model, data, "hand"),
                lambda data: polybody.solve_m(model, data, [vector, -vector]),
                lambda data: polybody.mul_m(model, data, vector),
                lambda data: polybody.energy(model, data),
            )[::order]:
                before = [getattr(data, name).copy() for name in KEPT]
                for found, expected in zip(find(data), find(alone), strict=True):
                    np.testing.assert_array_equal(found, expected)
                assert all(map(np.array_equal, before, [getattr(data, name) for name in KEPT]))
        assert tuple(data.energy) == polybody.energy(model, data)
