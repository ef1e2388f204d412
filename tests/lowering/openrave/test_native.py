"""OpenRAVE's coordinates: conversions both ways, rates against finite differences, accelerations by their
map.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.lowering import lowered

from tests.amounts import some

from .documents import kinbody, low
from .random_documents import write

SEEDS = some(range(40), 8)


def made_of(folder: Path, seed: int) -> Any:
    document = pb.read(write(folder, seed), policy="warn", format="openrave")
    return lowered(document, disable=("constraint", "contact"))


def state(made: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Native coordinates within their bounds, a free base at a random pose, and velocities."""
    native = made.native
    low_, high = native.limits
    q = native.q(made.model.qpos0)
    for name, where in native.q_slices.items():
        if where.stop - where.start == 7:
            q[where] = [*unit_quaternion(rng), *rng.normal(size=3)]
        else:
            q[where] = 0.99 * rng.uniform(np.maximum(low_[where], -1), np.minimum(high[where], 1))
        assert name in native.v_slices
    return q, rng.normal(size=native.nv)


def unit_quaternion(rng: np.random.Generator) -> np.ndarray:
    quat = rng.normal(size=4)
    return quat / np.linalg.norm(quat)


def apart(native: Any, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The difference of native coordinates, quaternions up to their sign."""
    found = one - other
    for where in native.q_slices.values():
        if where.stop - where.start == 7:
            turn = slice(where.start, where.start + 4)
            found[turn] = one[turn] - np.sign(one[turn] @ other[turn]) * other[turn]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_there_and_back(tmp_path: Path, seed: int) -> None:
    made = made_of(tmp_path, seed)
    native, rng = made.native, np.random.default_rng(seed)
    q, v = state(made, rng)
    qpos = native.qpos(q)
    np.testing.assert_allclose(apart(native, native.q(qpos), q), 0, atol=1e-12)
    rigid = rigid_entries(native)
    back = native.v(qpos, native.qvel(q, v))
    np.testing.assert_allclose(np.delete(back, rigid), np.delete(v, rigid), atol=1e-12)
    np.testing.assert_allclose(native.qpos(np.stack([q, q])), np.stack([qpos, qpos]), atol=0)
    whole = native.qpos(native.q(made.model.qpos0))
    np.testing.assert_allclose(whole, made.model.qpos0, atol=1e-12)


def rigid_entries(native: Any) -> list[int]:
    """The velocities of joints whose bounds are equal."""
    lower, upper = native.limits
    return [
        native.v_slices[name].start + place
        for name, where in native.q_slices.items()
        for place in range(where.stop - where.start)
        if lower[where.start + place] == upper[where.start + place]
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_are_those_of_the_coordinates(tmp_path: Path, seed: int) -> None:
    """Also for joints that follow others: a small step of native coordinates is compared with the Model's
    velocity.
    """
    made = made_of(tmp_path, seed)
    model, native = made.model, made.native
    q, v = state(made, np.random.default_rng(seed))
    wide = [where for where in native.q_slices.values() if where.stop - where.start in (3, 7)]
    for where, name in ((native.v_slices[name], name) for name in native.q_slices):
        if native.q_slices[name] in wide:
            v[where] = 0.0  # a rotation vector's rate is not an angular velocity
    v[rigid_entries(native)] = 0.0
    step, rates = 1e-6, np.zeros(native.nq)
    for name, where in native.q_slices.items():
        if where not in wide:
            rates[where] = v[native.v_slices[name]]
    moved = pb.differentiate_pos(
        model, native.qpos(q - step * rates), native.qpos(q + step * rates), 2 * step
    )
    np.testing.assert_allclose(moved, native.qvel(q, v), atol=2e-8)


def test_native_coordinates_can_be_pickled(tmp_path: Path) -> None:
    links = '<body name="a" type="static"/><body name="b"/><body name="c"/>'
    joint = '<joint name="{}" type="hinge"><body>{}</body><body>{}</body><axis>0 0 1</axis></joint>'
    text = "".join(joint.format(*ends) for ends in ("jab", "kbc", "lac"))
    native = low(tmp_path, kinbody(links + text)).native
    again = pickle.loads(pickle.dumps(native))
    np.testing.assert_array_equal(again.q([0.2, 0.5]), native.q([0.2, 0.5]))
    assert native.nq == 3


def test_accelerations_are_those_of_the_data(tmp_path: Path) -> None:
    made = made_of(tmp_path, 3)
    model = made.model.replace(opt_gravity=(0, 0, -9.81))
    data = pb.Data(model)
    q, v = state(made, np.random.default_rng(1))
    data.qpos[:], data.qvel[:] = made.native.qpos(q), made.native.qvel(q, v)
    pb.forward(model, data)
    np.testing.assert_allclose(made.native.vdot(data), made.native.v(data.qpos, data.qacc))
    assert np.isfinite(made.native.vdot(data)).all()
    assert np.abs(made.native.vdot(data)).max() > 0.1


def test_formulas_that_bend_move_what_follows_with_their_second_derivatives(tmp_path: Path) -> None:
    text = (
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        '<joint name="j" type="slider"><body>a</body><body>b</body><axis>1 0 0</axis></joint>'
        '<joint name="k" type="hinge" mimic_pos="j^2" mimic_vel="|j 2*j"><body>b</body><body>c</body>'
        "<axis>0 0 1</axis></joint>"
    )
    native = low(tmp_path, kinbody(text)).native
    assert native.qpos([1.5]) == pytest.approx([1.5, 2.25])
    assert native.qvel([1.5], [2.0]) == pytest.approx([2, 6])
    assert native.qacc([1.5], [2.0], [0.5]) == pytest.approx([0.5, 2 * 4 + 3 * 0.5])
