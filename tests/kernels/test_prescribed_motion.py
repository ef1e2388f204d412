"""Joints with prescribed motion, and springs at the end of the step, compared with a dense solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from polybody.codegen.physics import forward, integrate
from polybody.codegen.specialised import Request
from polybody.codegen.specialised.program import COMPOSITE
from polybody.generated.kernels import dynamics, layout
from scipy.spatial.transform import Rotation

from benchmarks.ours.reference import Reference
from tests.amounts import some

from .machines import Specialised
from .test_lanes import call
from .test_machines import OPTIONS, close
from .trees import (
    NV,
    Array,
    columns,
    dense,
    matrix,
    random_state,
    random_tree,
    unit,
    with_controls,
    with_rest,
)

H = OPTIONS["timestep"]


def columns_of(seed: int, share: float, stiff: bool) -> dict[str, Array]:
    """A tree in which some joints have a prescribed acceleration or velocity, given by motors for joints with
    one degree of freedom. Odd seeds have so few joints that programs compute the mass matrix.
    """
    rng = np.random.default_rng(seed)
    size, types = (7, ("hinge", "slide")) if seed % 2 else (8, tuple(NV))
    trees = (random_tree(s, size, types) for s in range(100 * seed, 100 * seed + 100))
    c = columns(next(tree for tree in trees if sum(len(b.joints) for b in tree) > 4), seed, **OPTIONS)
    kinds = np.where(rng.random(len(c["jnt_type"])) < share, rng.integers(1, 3, len(c["jnt_type"])), 0)
    c["dof_prescribed"] = kinds[c["dof_jntid"]].astype(np.int32)
    c["opt_implicit_stiffness"] = np.array([int(stiff)], np.int32)
    free = c["jnt_type"] == 0
    c["dof_inparent"] = (free & (seed % 4 < 3))[c["dof_jntid"]].astype(np.int32)
    c["dof_armature"][c["dof_inparent"] > 0] = 0.0  # rejected with it
    c["opt_springs_inparent"] = np.array([int(c["dof_inparent"].any())], np.int32)
    c["jnt_quat"] = np.array([unit(rng.normal(size=4)) for _ in free])
    c["dof_bodyid"] = c["jnt_bodyid"][c["dof_jntid"]].astype(np.int32)
    c["jnt_offset"] = rng.normal(size=(len(free), 3))
    moved = np.flatnonzero(c["jnt_type"] > 1).astype(np.int32)
    motors = {"actuator_trntype": np.zeros(len(moved), np.int32), "actuator_target": moved}
    c = with_rest({k: x for k, x in c.items() if x.ndim and not k.startswith("actuator_")} | motors)
    c["actuator_acts"][:] = 1
    for name in ("act", "adhesion", "integral", "previous"):  # they have none
        c[f"actuator_{name}"][:] = -1
    with_controls(c)
    c["actuator_gear"][:, 0], c["actuator_gainprm"][:, 0] = rng.uniform(0.5, 2.0, len(moved)), 1.0
    return c


def state_of(c: dict[str, Array], seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return random_state(c, rng, 0.5) | {"ctrl": rng.normal(size=len(c["actuator_target"]))}


def along(c: dict[str, Array], qpos: Array) -> Array:
    """Velocities along the axes of springs and dampers, which may be fixed to the parent."""
    found = np.eye(len(c["dof_parentid"]))
    for joint in in_parent(c):
        a, i = c["jnt_qposadr"][joint], c["jnt_dofadr"][joint]
        back, turn = matrix(c["jnt_quat"][joint]).T, matrix(qpos[a + 3 : a + 7])
        offset = np.cross(c["jnt_offset"][joint], np.eye(3)).T  # the matrix of its cross product
        found[i : i + 3, i : i + 3] = back
        found[i : i + 3, i + 3 : i + 6] = -back @ offset @ turn
        found[i + 3 : i + 6, i + 3 : i + 6] = back @ turn
    return found


def in_parent(c: dict[str, Array]) -> Array:
    """Free joints whose springs and dampers act along axes of the parent."""
    found: Array = np.unique(c["dof_jntid"][c["dof_inparent"] > 0])
    return found


def frame(c: dict[str, Array], joint: int, coordinates: Array) -> tuple[Array, Array]:
    """The frame at jnt_offset and jnt_quat in the body: its position, and its rotation vector in the axes
    that it has if the body is at body_quat.
    """
    turn, own = matrix(unit(coordinates[3:])), matrix(c["jnt_quat"][joint])
    axes = matrix(c["body_quat"][c["jnt_bodyid"][joint]]) @ own
    displacement = axes.T @ (coordinates[:3] + turn @ c["jnt_offset"][joint])
    return displacement, Rotation.from_matrix(axes.T @ turn @ own).as_rotvec()


def solved(c: dict[str, Array], state: dict[str, Array]) -> Array:
    """The accelerations of a step of Euler's method, from the blocks of the mass matrix that are not
    prescribed.
    """
    model = layout.KernelModel(c)
    data = layout.KernelData(model)
    for column, x in state.items():
        data.array(column)[...] = x
    for kernel in (dynamics.passive, dynamics.bias, dynamics.mass_matrix):
        kernel(model, data)
    M, v = dense(c, data.array("qM")), state["qvel"]
    damping, stiffness = c["dof_damping"], c["dof_stiffness"] * c["opt_implicit_stiffness"]
    T = along(c, state["qpos"])
    left = M + T.T @ np.diag(c["opt_regularization"][0] + H * damping + H * H * stiffness) @ T
    told = np.zeros(len(v))
    np.add.at(told, c["jnt_dofadr"][c["actuator_target"]], c["actuator_gear"][:, 0] * state["ctrl"])
    kinds = c["dof_prescribed"]
    qacc = np.select([kinds == 1, kinds == 2], [told, (told - v) / H])
    force = state["qfrc_applied"] + data.array("qfrc_passive") - H * T.T @ (stiffness * (T @ v)) + told
    free, given = kinds == 0, kinds > 0
    right = force - data.array("qfrc_bias") - M[:, given] @ qacc[given]
    qacc[free] = np.linalg.solve(left[np.ix_(free, free)], right[free])
    return qacc


CASES = [
    (seed, share, stiff) for seed in range(12) for share, stiff in ((0.6, False), (0.6, True), (0.0, True))
]


@pytest.mark.parametrize("measures", [0, 2])
@pytest.mark.parametrize(("seed", "share", "stiff"), CASES)
def test_loops_and_reference_solve_the_equations(seed: int, share: float, stiff: bool, measures: int) -> None:
    """Also if sensors make steps solve for other accelerations as well."""
    c = columns_of(seed, share, stiff)
    c["opt_measures"] = np.array([measures], np.int32)
    reference, model = Reference(c), layout.KernelModel(c)
    data = layout.KernelData(model)
    state = state_of(c, seed)
    for column, x in state.items():
        data.array(column)[...] = x
        reference.data[column][...] = x
    expected = solved(c, state)
    assert dynamics.step(model, data, 1) == 1
    reference.call(integrate.euler)
    found = "qacc_late" if measures == 2 else "qacc"
    for memory in (data.array(found), reference.data[found]):
        assert close(memory, expected, 1e-9)
    assert close(data.array("qvel"), state["qvel"] + H * expected, 1e-9)


@pytest.mark.parametrize(("seed", "share", "stiff"), some(CASES, 6))
def test_programs_solve_them(seed: int, share: float, stiff: bool, tmp_path: Path) -> None:
    c = columns_of(seed, share, stiff)
    states = [state_of(c, k) | {"qacc": np.zeros(len(c["dof_parentid"]))} for k in range(4)]
    for lanes in (1, 4):
        folder = tmp_path / str(lanes)
        folder.mkdir()
        special = Specialised(c, Request(("step",), lanes=lanes), folder)
        for state, left in zip(states, call(special, "step", states[:lanes], "float64"), strict=False):
            assert close((left["qvel"] - state["qvel"]) / H, solved(c, state), 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_dampers_along_axes_of_the_parent(seed: int) -> None:
    """Also without springs, in each machine; springs act on DART's coordinates."""
    c = columns_of(seed, 0.0, True)
    reference, model, state = Reference(c), layout.KernelModel(c), state_of(c, seed)
    data = layout.KernelData(model)
    for column, x in state.items():
        data.array(column)[...] = x
        reference.data[column][...] = x
    T, v = along(c, state["qpos"]), state["qvel"]
    dynamics.evaluate(model, data)
    reference.call(forward.evaluate)
    displacement = -T.T @ (c["dof_stiffness"] * reference.data["dof_stretch"])
    for joint in in_parent(c):
        places = slice(c["jnt_qposadr"][joint], c["jnt_qposadr"][joint] + 7)
        here, rest = (frame(c, joint, x[places]) for x in (state["qpos"], c["qpos_spring"]))
        stretch = np.concatenate([x - y for x, y in zip(here, rest, strict=True)])
        i = c["jnt_dofadr"][joint]
        assert close(data.array("dof_stretch")[i : i + 6], stretch)
    for found in (data.array, reference.data.__getitem__):
        assert close(found("qfrc_damper"), -T.T @ (c["dof_damping"] * (T @ v)))
        assert close(found("qfrc_spring"), displacement)
        assert close(found("qfrc_passive"), found("qfrc_spring") + found("qfrc_damper"))


def test_few_and_many_degrees_of_freedom_occur() -> None:
    sizes = [len(columns_of(seed, 0.0, True)["dof_parentid"]) for seed in range(12)]
    assert sum(size <= COMPOSITE for size in sizes) > 1
    assert sum(size > COMPOSITE for size in sizes) > 1


def test_all_kinds_occur() -> None:
    made = [columns_of(seed, 0.6, True) for seed in range(12)]
    types: dict[int, set[int]] = {t: set() for t in range(5)}
    for c in made:
        for dof, kind in enumerate(c["dof_prescribed"].tolist()):
            types[int(c["jnt_type"][c["dof_jntid"][dof]])].add(kind)
    assert all(kinds == {0, 1, 2} for kinds in types.values()), types
    assert sum(c["dof_inparent"].any() for c in made) > 2
    assert sum((c["dof_inparent"] * (c["dof_depth"] >= 6)).any() for c in made) > 0, "of moving bodies"
