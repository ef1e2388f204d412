"""Programs specialised to one model compute the same as the reference machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.context.kernels import kernels
from polybody.codegen.physics import aba, crba, energy, integrate, jacobian, kinematics, passive, rnea
from polybody.codegen.physics.spatial import VALUES
from polybody.codegen.schema import SCHEMAS, load, physics
from polybody.codegen.specialised import ModelTooLarge, Request, program
from polybody.generated.kernels import dynamics, layout

from benchmarks.ours.reference import Reference, kernel_columns
from tests.amounts import some
from tests.waiting import PATIENCE

from .machines import Specialised, specialise
from .test_machines import STEPS, close, columns_of, in_wind
from .trees import (
    Array,
    Body,
    Joint,
    chain,
    columns,
    dense,
    matrix,
    quaternions,
    random_state,
    random_tree,
    unit,
)

Calls = tuple[Callable[..., None], ...]
KERNELS: dict[str, tuple[Calls, tuple[str, ...]]] = {
    "forward_kinematics": ((kinematics.forward_kinematics,), ("xpos", "xquat", "xmat")),
    "mass_matrix": ((crba.mass_matrix,), ("qM",)),
    "bias": ((rnea.bias,), ("qfrc_bias",)),
    "passive": ((passive.passive,), ("qfrc_passive",)),
    "inverse": ((rnea.inverse,), ("qfrc_inverse",)),
    "acceleration": ((passive.passive, aba.acceleration), ("qacc",)),
    "energy": ((energy.energy,), ("energy",)),
    "jacobian": ((jacobian.jacobian,), ("dof_xaxis", "dof_xanchor", "xpos", "xmat")),
    "step": ((integrate.euler,), ("qpos", "qvel", "qacc")),
}


def state_of(c: dict[str, Array], reference: Reference, seed: int) -> dict[str, Array]:
    """A random state in the reference, and a copy of its columns."""
    for column, x in random_state(c, np.random.default_rng(seed)).items():
        reference.data[column][...] = x
    reference.data["qacc"][...] = reference.data["qvel"][::-1]
    return {column: x.copy() for column, x in reference.data.items()}


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_every_kernel_is_the_reference(seed: int, tmp_path: Path) -> None:
    c = columns_of(seed)
    special, reference = Specialised(c, Request(tuple(KERNELS)), tmp_path), Reference(c)
    for k in range(3):
        for name, (algorithms, results) in KERNELS.items():
            arrays = state_of(c, reference, k)
            for algorithm in algorithms:
                reference.call(algorithm)
            special.call(name, arrays)
            for column in results:
                assert close(arrays[column], reference.data[column]), (name, column)


@pytest.mark.parametrize(("integrator", "windy"), some([(1, True), (2, False), (2, True), (3, True)], 2))
@pytest.mark.parametrize("seed", some(range(2), 1))
def test_steps_of_other_integrators(seed: int, integrator: int, windy: bool, tmp_path: Path) -> None:
    c = columns_of(seed, integrator=integrator)
    if windy:
        in_wind(c)
    special, reference = Specialised(c, Request(("step",)), tmp_path), Reference(c)
    arrays = state_of(c, reference, 0)
    reference.call(STEPS[integrator])
    special.call("step", arrays)
    for column in ("qpos", "qvel", "qacc"):
        assert close(arrays[column], reference.data[column]), column


def loop(c: dict[str, Array], state: dict[str, Array]) -> dict[str, Array]:
    """qacc, qM, qfrc_bias by the loop kernels."""
    model = layout.KernelModel(c)
    data = layout.KernelData(model)
    for column, x in state.items():
        data.array(column)[...] = x
    for kernel in (dynamics.passive, dynamics.bias, dynamics.mass_matrix, dynamics.acceleration):
        kernel(model, data)
    return {n: data.array(n).copy() for n in ("qacc", "qM", "qfrc_bias", "qfrc_passive")}


def relative(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def residual(c: dict[str, Array], state: dict[str, Array], looped: dict[str, Array], qacc: Array) -> float:
    """The residual of the equation of motion, relative to its terms."""
    M = dense(c, looped["qM"])
    force = state["qfrc_applied"] + looped["qfrc_passive"] - looped["qfrc_bias"]
    terms = np.abs(M) @ np.abs(qacc) + np.abs(state["qfrc_applied"])
    terms += np.abs(looped["qfrc_passive"]) + np.abs(looped["qfrc_bias"])
    return float((np.abs(M @ qacc - force) / terms).max())


TREES = {
    "few, so by factors": random_tree(31, 6),
    "all kinds": random_tree(17, 20),
    "hinges and slides": random_tree(23, 25, ("hinge", "slide")),
    "chain of 10": chain(10),
    "chain of 11": chain(11),
    "chain of 38": chain(38),
    "free chain of balls": [*chain(1, "free"), *[replace(b, parent=b.parent) for b in chain(6, "ball")[1:]]],
}


@pytest.mark.parametrize("name", TREES)
def test_the_loops_numbers(name: str, tmp_path: Path) -> None:
    """To 1e-12 of the largest number; the residual of the equation of motion is at most 1e-13 of its
    terms.
    """
    armature = 0.0 if name.startswith("chain") else 0.1
    c = columns(TREES[name], 5, armature=armature, damping=0.3, stiffness=2.0)
    special = Specialised(c, Request(("acceleration",)), tmp_path)
    for seed in range(5):
        state = random_state(c, np.random.default_rng(seed))
        looped = loop(c, state)
        arrays = {**{n: x.copy() for n, x in state.items()}, "qacc": np.zeros_like(state["qvel"])}
        special.call("acceleration", arrays)
        assert relative(arrays["qacc"], looped["qacc"]) < 1e-12
        assert residual(c, state, looped, arrays["qacc"]) < 1e-13


NAMED = (
    ("dof_armature", "dof_damping", "dof_stiffness", "qpos_spring", "opt_gravity", "opt_timestep"),
    ("body_mass", "body_ipos", "body_iquat", "body_inertia"),
    ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "jnt_pitch"),
    ("body_spatial",),
)  # fmt: skip


@pytest.mark.parametrize("named", NAMED)
def test_named_columns_are_inputs(named: tuple[str, ...], tmp_path: Path) -> None:
    """The same numbers as constants give, for the model's own parameters and for others."""
    c = with_principal_moments(columns_of(2))
    special = Specialised(c, Request(("step", "acceleration"), named=named), tmp_path)
    assert set(named) <= {n for k in special.program.kernels for n in k.columns}
    for other in (c, varied(c, named)):
        reference = Reference(other)
        for name in ("step", "acceleration"):
            arrays = state_of(other, reference, 1) | {n: other[n].copy() for n in named}
            algorithms, results = KERNELS[name]
            for algorithm in algorithms:
                reference.call(algorithm)
            special.call(name, arrays)
            for column in results:
                assert close(arrays[column], reference.data[column], 1e-10), (name, column)


def with_principal_moments(c: dict[str, Array]) -> dict[str, Array]:
    """The columns from which body_spatial follows, and body_spatial derived from them."""
    rng = np.random.default_rng(6)
    nbody = len(c["body_mass"])
    c["body_inertia"] = 0.1 + 0.05 * rng.random((nbody, 3))
    c["body_iquat"] = np.array([unit(q) for q in rng.normal(size=(nbody, 4))])
    for b in range(1, nbody):
        turn, com, mass = matrix(c["body_iquat"][b]), c["body_ipos"][b], c["body_mass"][b]
        J = turn @ np.diag(c["body_inertia"][b]) @ turn.T
        J = J + mass * (com @ com * np.eye(3) - np.outer(com, com))
        c["body_spatial"][b] = [mass, *mass * com, *J[np.tril_indices(3)]]
    return c


def varied(c: dict[str, Array], named: tuple[str, ...]) -> dict[str, Array]:
    """Another model: these columns and those derived from them differ."""
    rng = np.random.default_rng(7)
    other = {n: x.copy() for n, x in c.items()}
    for n in named:
        other[n] *= 1.0 + 0.2 * rng.random(c[n].shape if n != "body_spatial" else (len(c[n]), 1))
    for n in {"body_quat", "body_iquat", "jnt_axis"} & set(named):
        other[n] = np.array([unit(x) for x in other[n]])
    for a in quaternions(other):
        other["qpos_spring"][a : a + 4] = unit(other["qpos_spring"][a : a + 4])
    if "body_mass" in named:
        for b in range(1, len(c["body_mass"])):
            turn, com, mass = matrix(other["body_iquat"][b]), other["body_ipos"][b], other["body_mass"][b]
            J = turn @ np.diag(other["body_inertia"][b]) @ turn.T
            J = J + mass * (com @ com * np.eye(3) - np.outer(com, com))
            other["body_spatial"][b] = [mass, *mass * com, *J[np.tril_indices(3)]]
    return other


def test_long_kernels_are_cut_into_functions(tmp_path: Path) -> None:
    """Also into translation units; a value that replaces an input is stored only after the input was read."""
    c = columns(chain(14), 3, armature=0.1, damping=0.2, stiffness=1.0, integrator=1)
    special, reference = Specialised(c, Request(("step",)), tmp_path), Reference(c)
    assert len(special.program.texts) > 2
    arrays = state_of(c, reference, 0)
    reference.call(integrate.rk4)
    special.call("step", arrays)
    for column in ("qpos", "qvel", "qacc"):
        assert close(arrays[column], reference.data[column], 1e-10), column


def test_models_that_are_too_large() -> None:
    with pytest.raises(ModelTooLarge, match="statements, which is more than"):
        specialise(columns(chain(700)), Request(("step",)))
    with pytest.raises(ModelTooLarge):
        specialise(columns(chain(150)), Request(("mass_matrix",)))


def test_texts_are_the_same_everywhere() -> None:
    """Whatever the hash seed."""
    script = (
        "from tests.kernels.trees import columns, random_tree\n"
        "from polybody.codegen.specialised import Request\n"
        "from tests.kernels.machines import specialise\n"
        "request = Request(('step', 'forward_kinematics'), named=('opt_gravity', 'dof_damping'))\n"
        "print('\\n'.join(specialise(columns(random_tree(17, 8)), request).texts))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1
    assert b"polybody_program" in texts.pop()


def test_no_name_of_the_model_is_in_the_text() -> None:
    """Names cannot get in: columns are numbers, and each is printed from a float."""
    c = columns(chain(3)) | {"names": np.array(['"; system("rm -rf /"); /*', "*/"])}
    text = "".join(specialise(c, Request(("step",))).texts)
    assert "rm -rf" not in text


def test_what_the_model_decides_is_folded() -> None:
    """A planar chain is recognised as planar: it costs a fraction of a chain in space."""
    planar = columns([Body(b, [Joint("hinge")], np.array([1.0, 0, 0])) for b in range(4)])
    counts = [
        specialise(c, Request(("acceleration",))).kernels[0].operations for c in (planar, columns(chain(4)))
    ]
    assert counts[0] < 0.25 * counts[1]


def test_quarter_turns_are_exact(tmp_path: Path) -> None:
    """An arm whose frames are rotated by quarter turns specialises to the same operations and the same
    results.
    """
    half = 0.5**0.5
    bodies = [
        Body(b, [Joint("hinge")], np.array([0, 0.2, 0.1]), np.array([half, half, 0, 0])) for b in range(5)
    ]
    c = columns(bodies)
    special, reference = Specialised(c, Request(("acceleration",)), tmp_path), Reference(c)
    assert special.program.kernels[0].operations < 2000
    arrays = state_of(c, reference, 0)
    reference.call(passive.passive)
    reference.call(aba.acceleration)
    special.call("acceleration", arrays)
    assert close(arrays["qacc"], reference.data["qacc"])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    c = columns(chain(2))
    c["body_mass"][1] = value
    with pytest.raises(ValueError, match="body_mass has a number that is not finite"):
        specialise(c, Request(("step",)))


def test_numbers_that_lead_to_none_are_refused() -> None:
    c = columns(chain(3))
    c["body_spatial"][2] *= 1e300
    c["body_pos"][2] *= 1e20
    with pytest.raises(ValueError, match="inf, not finite, as double"):
        specialise(c, Request(("acceleration",)))
    c = columns(chain(3))
    c["body_quat"][1] = 0.0
    with pytest.raises(ValueError, match="cannot be computed with"):
        specialise(c, Request(("acceleration",)))


def test_a_joint_that_moves_nothing() -> None:
    """It has no acceleration; the loop kernels detect that at the first step."""
    c = columns([replace(chain(1, "slide")[0], mass=0.0, inertia=np.zeros((3, 3)))])
    with pytest.raises(ValueError, match="cannot be computed with: float division by zero"):
        specialise(c, Request(("acceleration",)))


def test_requests_for_what_there_is_not() -> None:
    c = columns(chain(2))
    for request, text in (
        (Request(("fly",)), "no kernel 'fly'"),
        (Request(("step",), precision="float16"), "precision"),
        (Request(("step",), lanes=3), "lanes"),
        (Request(("step",), named=("body_colour",)), "body_colour"),
    ):
        with pytest.raises(ValueError, match=text):
            specialise(c, request)


def test_what_was_emitted_before_leaves_no_trace() -> None:
    """Values that algorithms share, such as a joint's axis, do not depend on the graph in which they were
    last used.
    """
    c = columns_of(1)
    before = specialise(c, Request(tuple(KERNELS))).texts
    vocabulary = physics(SCHEMAS / "physics.xml")
    kernels(load(SCHEMAS / "model.xsd", vocabulary), vocabulary)
    assert specialise(c, Request(tuple(KERNELS))).texts == before


def test_every_column_has_the_values_that_the_schema_says() -> None:
    """Six numbers are a motion, a force or a wrench: the class does not follow from their number."""
    kernel = layout.KernelModel(columns(random_tree(3, 4)))
    machine = program.linked(kernel.arrays, layout.VALUES, Request(("step",)))
    said = {c.name: c.type for c in kernel_columns() if not isinstance(c.type, str)}
    assert {name: VALUES[value] for name, value in layout.VALUES.items()}.items() <= said.items()
    for name in ("cvel", "cfrc_int", "xfrc_constraint", "link_rates", "cinert", "actuator_gainprm"):
        machine.model.pop(name, None)
        cells = machine.column(name)
        assert type(cells[1]) is said[name], name
    machine.model["dof_armature"] = np.zeros((3, 2))
    with pytest.raises(TypeError, match="dof_armature has 2 numbers per row, not 1"):
        machine.column("dof_armature")[0]
