"""One text, three machines, the same numbers: reference, generated loops, straight-line code for one
model.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from polybody.codegen.physics import (
    aba,
    crba,
    energy,
    forward,
    integrate,
    kinematics,
    ltl,
    passive,
    rnea,
)
from polybody.generated.kernels import dynamics, layout

from benchmarks.ours.reference import Reference

from .trees import NV, Array, columns, random_state, random_tree

ALGORITHMS: dict[str, tuple[Callable[..., None], Callable[..., None], list[str]]] = {
    "forward_kinematics": (kinematics.forward_kinematics, dynamics.forward_kinematics, ["xpos", "xmat"]),
    "bias": (rnea.bias, dynamics.bias, ["qfrc_bias"]),
    "passive": (passive.passive, dynamics.passive, ["qfrc_passive"]),
    "acceleration": (aba.acceleration, dynamics.acceleration, ["qacc"]),
    "inverse": (rnea.inverse, dynamics.inverse, ["qfrc_inverse"]),
    "mass_matrix": (crba.mass_matrix, dynamics.mass_matrix, ["qM"]),
    "forward": (
        forward.forward,
        dynamics.forward,
        [
            *("xipos", "ximat", "subtree_com", "xanchor", "xaxis", "cvel", "subtree_linvel"),
            *("subtree_angmom", "cacc", "cfrc_int", "qfrc_smooth", "qacc_smooth"),
        ],
    ),
    "factor": (ltl.factor, dynamics.factor, ["qLD", "qLDiagInv"]),
    "solve": (ltl.solve, dynamics.solve, ["qacc"]),
    "energy": (energy.energy, dynamics.energy, ["energy"]),
}  # fmt: skip
OPTIONS = {"armature": 0.2, "damping": 0.5, "stiffness": 4.0, "regularization": 1e-3, "timestep": 0.01}


def columns_of(seed: int, integrator: int = 0) -> dict[str, Array]:
    """Columns of a random tree that moves, given by its seed."""
    trees = (random_tree(s, 8) for s in range(100 * seed, 100 * seed + 100))
    bodies = next(tree for tree in trees if sum(len(b.joints) for b in tree) > 3)
    return columns(bodies, seed, integrator=integrator, **OPTIONS)


def close(a: Array, b: Array, tolerance: float = 1e-11) -> bool:
    apart = np.abs(np.asarray(a).ravel() - np.asarray(b).ravel()).max(initial=0.0)
    return bool(apart <= tolerance * (1 + np.abs(b).max(initial=0.0)))


@pytest.mark.parametrize("seed", range(8))
def test_the_loops_are_the_reference(seed: int) -> None:
    c = columns_of(seed)
    reference, model = Reference(c), layout.KernelModel(c)
    data = layout.KernelData(model)
    for name, x in model.arrays.items():
        if name in reference.model:
            assert close(x, reference.model[name]), name
    for column, x in random_state(c, np.random.default_rng(seed)).items():
        data.array(column)[...] = x
        reference.data[column][...] = x
    for name, (algorithm, kernel, results) in ALGORITHMS.items():
        kernel(model, data)
        reference.call(algorithm)
        for column in results:
            assert close(data.array(column), reference.data[column]), (name, column)


STEPS = (integrate.euler, integrate.rk4, integrate.implicit, integrate.implicitfast)


def in_wind(c: dict[str, Array]) -> dict[str, Array]:
    """The columns with a moving medium, in which every body with inertia is a box."""
    c["body_fluid"][...] = (c["body_mass"] > 0) & (c["body_lastdof"] >= 0)
    for name, value in (("fluid_acts", 1), ("wind_acts", 1), ("density", 3.0), ("viscosity", 0.4)):
        c[f"opt_{name}"][...] = value
    c["opt_wind"][...] = (0.4, -0.3, 0.2)
    return c


@pytest.mark.parametrize("integrator", range(4))
@pytest.mark.parametrize("seed", range(4))
def test_steps_are_the_references(seed: int, integrator: int) -> None:
    c = columns_of(seed, integrator)
    if seed % 2:
        in_wind(c)
    reference, model = Reference(c), layout.KernelModel(c)
    data = layout.KernelData(model)
    for column, x in random_state(c, np.random.default_rng(seed), 0.3).items():
        data.array(column)[...] = x
        reference.data[column][...] = x
    assert dynamics.step(model, data, 5) == 5
    for _ in range(5):
        reference.call(STEPS[integrator])
    assert data.array("time")[0] == pytest.approx(0.05)
    for column in ("qpos", "qvel", "qacc"):
        assert close(data.array(column), reference.data[column], 1e-9), column


def test_every_kind_of_joint_occurs() -> None:
    """The trees above have every kind of joint."""
    kinds = {int(t) for seed in range(8) for t in columns_of(seed)["jnt_type"]}
    assert len(kinds) == len(NV)
