"""One text, three machines, the same numbers: reference, emitted loops, straight-line code for one model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.passes.exact import exact_turns
from polybody.codegen.physics import aba, crba, energy, integrate, kinematics, ltl, passive, rnea
from polybody.generated.kernels import dynamics, layout

from .machines import Reference, Specialised
from .trees import NV, Array, Body, Joint, chain, columns, random_state, random_tree

ALGORITHMS: dict[str, tuple[Callable[..., None], Callable[..., None], list[str]]] = {
    "forward_kinematics": (kinematics.forward_kinematics, dynamics.forward_kinematics, ["xpos", "xmat"]),
    "bias": (rnea.bias, dynamics.bias, ["qfrc_bias"]),
    "passive": (passive.passive, dynamics.passive, ["qfrc_passive"]),
    "acceleration": (aba.acceleration, dynamics.acceleration, ["qacc"]),
    "inverse": (rnea.inverse, dynamics.inverse, ["qfrc_inverse"]),
    "mass_matrix": (crba.mass_matrix, dynamics.mass_matrix, ["qM"]),
    "factor": (ltl.factor, dynamics.factor, ["qLD", "qLDiagInv"]),
    "solve": (ltl.solve, dynamics.solve, ["qacc"]),
    "energy": (energy.energy, dynamics.energy, ["energy"]),
}  # fmt: skip
OPTIONS = {"armature": 0.2, "damping": 0.5, "stiffness": 4.0, "regularization": 1e-3, "timestep": 0.01}


def columns_of(seed: int, integrator: int = 0) -> dict[str, Array]:
    """Of a random tree that moves, by its seed."""
    trees = (random_tree(s, 8) for s in range(100 * seed, 100 * seed + 100))
    bodies = next(tree for tree in trees if sum(len(b.joints) for b in tree) > 3)
    return columns(bodies, seed, integrator=integrator, **OPTIONS)


def close(a: Array, b: Array, tolerance: float = 1e-11) -> bool:
    return bool(
        np.abs(np.asarray(a).ravel() - np.asarray(b).ravel()).max() <= tolerance * (1 + np.abs(b).max())
    )


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


@pytest.mark.parametrize("integrator", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_steps_are_the_references(seed: int, integrator: int) -> None:
    c = columns_of(seed, integrator)
    reference, model = Reference(c), layout.KernelModel(c)
    data = layout.KernelData(model)
    for column, x in random_state(c, np.random.default_rng(seed), 0.3).items():
        data.array(column)[...] = x
        reference.data[column][...] = x
    assert dynamics.step(model, data, 5) == 5
    for _ in range(5):
        reference.call(integrate.rk4 if integrator else integrate.euler)
    assert data.array("time")[0] == pytest.approx(0.05)
    for column in ("qpos", "qvel", "qacc"):
        assert close(data.array(column), reference.data[column], 1e-9), column


@pytest.mark.parametrize(
    "name", ["acceleration", "bias", "mass_matrix", "forward_kinematics", "inverse", "passive"]
)
@pytest.mark.parametrize("seed", range(2))
def test_specialised_code_is_the_reference(seed: int, name: str, tmp_path: Path) -> None:
    c = columns_of(seed)
    algorithm, _, results = ALGORITHMS[name]
    special, reference = Specialised(c, algorithm, results, tmp_path), Reference(c)
    for k in range(3):
        for column, x in random_state(c, np.random.default_rng(k)).items():
            reference.data[column][...] = x
        reference.data["qacc"][...] = reference.data["qvel"][::-1]
        reference.data["qfrc_passive"][...] = 0.0
        inputs = {column: x.copy() for column, x in reference.data.items()}
        inputs["qsin"], inputs["qcos"] = np.sin(inputs["qpos"]), np.cos(inputs["qpos"])
        reference.call(algorithm)
        special.call(inputs)
        for column in results:
            moved = slice(1, None) if column.startswith("x") else slice(None)  # the world is not computed
            assert close(inputs[column][moved], reference.data[column][moved]), column


def test_specialising_folds_what_the_model_decides(tmp_path: Path) -> None:
    """A planar chain is found to be planar: what it takes is a fraction of what a chain in space takes."""
    counts = []
    bodies = [Body(b, [Joint("hinge")], np.array([1.0, 0, 0])) for b in range(4)]
    for name, tree in (("planar", bodies), ("spatial", chain(4))):
        (tmp_path / name).mkdir()
        made = Specialised(columns(tree), aba.acceleration, ["qacc"], tmp_path / name)
        counts.append(made.kernel.operations)
    assert counts[0] < 0.15 * counts[1]


def test_quarter_turns_are_exact(tmp_path: Path) -> None:
    """An arm whose frames are turned by quarter turns specialises as one, and computes the same."""
    half = 0.5**0.5
    bodies = [
        Body(b, [Joint("hinge")], np.array([0, 0.2, 0.1]), np.array([half, half, 0, 0])) for b in range(5)
    ]
    c = columns(bodies)
    special, reference = Specialised(c, aba.acceleration, ["qacc"], tmp_path), Reference(c)
    assert np.isin(exact_turns(reference.model)["link_base"][1:], (0.0, 1.0, -1.0)).all()
    for column, x in random_state(c, np.random.default_rng(0)).items():
        reference.data[column][...] = x
    inputs = {column: x.copy() for column, x in reference.data.items()}
    inputs["qsin"], inputs["qcos"] = np.sin(inputs["qpos"]), np.cos(inputs["qpos"])
    reference.call(aba.acceleration)
    special.call(inputs)
    assert close(inputs["qacc"], reference.data["qacc"])


def test_every_kind_of_joint_occurs() -> None:
    """The trees above are what they are for."""
    kinds = {int(t) for seed in range(8) for t in columns_of(seed)["jnt_type"]}
    assert len(kinds) == len(NV)
