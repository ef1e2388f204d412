"""The kernels compared with Pinocchio, at random states of random trees."""

from __future__ import annotations

import numpy as np
import pytest
from polybody.generated.kernels import dynamics, layout

from .peers import JOINTS, reference
from .trees import Array, Body, Joint, chain, columns, dense, random_body, random_state, random_tree, unit

TREES = {
    **{f"random{seed}": random_tree(seed, types=tuple(JOINTS)) for seed in range(20)},
    **{f"all {t}": random_tree(7, types=(t,)) for t in JOINTS},
    "hinges only": random_tree(9, 30, ("hinge",)),
    "chain of 200": chain(200),
}


def alone(type_: str) -> list[Body]:
    rng = np.random.default_rng(3)
    return [random_body(rng, 0, [Joint(type_, unit(rng.normal(size=3)), 0.2 * rng.normal(size=3), 0.4)])]


TREES |= {f"one {t}": alone(t) for t in JOINTS}


def with_even_armature(c: dict[str, Array]) -> dict[str, Array]:
    """Pinocchio's free joints move in body axes, where armature has a different meaning: theirs is
    omitted.
    """
    for t, i in zip(c["jnt_type"], c["jnt_dofadr"], strict=True):
        if t == 0:
            c["dof_armature"][i : i + 6] = 0.0
    return c


def error(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-3))


@pytest.mark.parametrize("name", TREES)
def test_dynamics(name: str) -> None:
    bodies = TREES[name]
    c = with_even_armature(columns(bodies, armature=0.1))
    m = layout.KernelModel(c)
    d = layout.KernelData(m)
    for seed in range(3):
        state = random_state(c, np.random.default_rng(seed))
        theirs = reference(bodies, c, state)
        for column, x in state.items():
            d.array(column)[...] = x
        dynamics.forward_kinematics(m, d)
        assert error(d.array("xpos"), theirs["xpos"]) < 1e-12
        turns = d.array("xmat").reshape(-1, 3, 3)
        assert error(turns, theirs["xmat"]) < 1e-12
        dynamics.bias(m, d)
        assert error(d.array("qfrc_bias"), theirs["qfrc_bias"]) < 1e-10
        dynamics.mass_matrix(m, d)
        assert error(dense(c, d.array("qM")), theirs["M"]) < 1e-10
        if not m.nv:
            continue
        dynamics.acceleration(m, d)
        assert error(d.array("qacc"), theirs["qacc"]) < 1e-10
        dynamics.factor(m, d)
        dynamics.solve(m, d)
        assert error(d.array("qacc"), theirs["qacc"]) < 1e-10
        dynamics.energy(m, d)
        assert error(d.array("energy")[0, 1], 0.5 * state["qvel"] @ theirs["M"] @ state["qvel"]) < 1e-12
        fixed = sum(  # bodies welded to the world have weight, which Pinocchio's universe body lacks
            body.mass * c["opt_gravity"][0] @ (d.array("xpos")[b] + turns[b] @ body.com)
            for b, body in enumerate(bodies, 1)
            if m.arrays["body_linkid"][b] == 0
        )
        assert error(d.array("energy")[0, 0] + fixed, theirs["potential"]) < 1e-10
