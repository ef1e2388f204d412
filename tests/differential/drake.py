"""URDF and SDFormat against Drake 1.51, in Drake's coordinates."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polybody
from polybody.diagnostics.catalogue import CATALOGUE
from polybody.lowering import lowered

from tests.differential.alone import EngineError, each_alone
from tests.differential.report import ROUNDING, UNDECIDED, Comparison, condition
from tests.oracles import drake_plant

ENGINE = "Drake 1.51"
TOLERANCES = {
    "names": 0.0,  # of coordinates, velocities, bodies and actuators, in Drake's order
    "mass": 1e-12,
    "centre": 1e-12,
    "inertia": 1e-12,
    "start": 1e-10,  # all positions at the initial state
    "frames": 1e-10,
    "poses": 1e-10,
    "velocities": 1e-10,
    "mass matrix": 1e-9,
    "bias": 1e-9,
    "gravity": 1e-9,
    "forces": 1e-9,  # gravity, springs, dampers, bushings
    "acceleration": 1e-9,
}
LEAST = 1e-15
"""kg m^2: smaller inertias count as this large."""
FAULTS: dict[str, str] = {
    "a_number_in_part.urdf": "of `1,5` or `0x10` it reads what stands before the first sign of no number",
    "a_negative_rotor_inertia.urdf": "its mass matrix gets a negative entry",
    "a_quaternion_of_another_length.sdf": "the link's pose is normalised, the model's frame is not",
    "a_frame_on_a_joint.sdf": "the frame is at the child's origin instead of the joint",
    "a_zero_axis.dmd.yaml": "a turn about an axis of no length is a matrix that is no rotation",
}
"""Faults of Drake that prevent a comparison, each described in a sentence, by the end of a file's name.
`test_drake_faults.py` shows the faults; a file that has one is named accordingly.
"""


def packages_around(folder: Path) -> dict[str, str]:
    """Packages of the corpora: their folders are named after the repositories."""
    known = {
        "example-robot-data": "Gepetto+example-robot-data",
        "drake_models": "RobotLocomotion+models",
        "drake": "RobotLocomotion+drake",
        "box_model": "RobotLocomotion+drake/multibody/parsing/test/box_package",
    }
    return {name: str(folder / place) for name, place in known.items() if (folder / place).is_dir()}


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Compare each file in a process of its own: some files abort Drake's process."""
    del steps
    packages = packages_around(Path(os.path.commonpath([path.parent for path in paths])))
    preload = ["pydrake.multibody.parsing"]
    return each_alone(paths, workers, "Drake", ask_and_compare, seed, packages, preload=preload)


def ask_and_compare(path: Path, seed: int, packages: Mapping[str, str]) -> Comparison:
    """Drake's answer about a file, compared with ours."""
    try:
        answer = drake_plant.ask(path, seed=seed, packages=packages)
    except Exception as refusal:  # a message of its parser, or an assertion
        reason = " ".join(str(refusal).split())[-200:]
        raise EngineError(f"{type(refusal).__name__}: {reason}") from refusal
    return compare(path, answer, packages)


def compare(path: Path, answer: drake_plant.Answer, packages: Mapping[str, str] | None = None) -> Comparison:
    """Our reading, lowering and kernels on the file, against Drake's answer."""
    result = Comparison(str(path))
    fault = next((why for end, why in FAULTS.items() if str(path).endswith(end)), None)
    if fault is not None:
        result.skipped = f"a fault of Drake: {fault}"
        return result
    try:
        made = made_of(path, packages or {})
    except polybody.ValidationError as error:
        first = next(each for each in error.diagnostics if each.severity == "error")
        result.refused = f"{first.code}: {first.message}"
        return result
    if any(each.code == "PB047" for each in made.findings):
        result.notes.append("with inertia that is replaced")
    if answer.constraints:
        result.notes.append("with constraints, for which Drake has no acceleration")
    compare_lowered(made, answer, result)
    return result


def made_of(path: Path, packages: Mapping[str, str]) -> Any:
    """The result of lowering a file, with constraints and contacts disabled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", polybody.ModelWarning)
        document = polybody.read(path, policy="warn", packages=dict(packages))
        return lowered(document, policy="warn", disable=("constraint",))


def compare_lowered(made: Any, answer: drake_plant.Answer, result: Comparison) -> None:
    """Compare the result of lowering a file with Drake's answer."""
    names = _Names(answer)
    if made.model.ntendon:  # in Drake, springs beyond bounds are constraints
        made = made._replace(model=made.model.replace(tendon_stiffness=np.zeros(made.model.ntendon)))
    model, native = made.model, made.native
    theirs = (answer.q_names, answer.v_names, names.bodies[1:], names.of(answer.actuators))
    ours = (native.q_names, native.v_names, model.names["body"][1:], model.names["actuator"])
    same = [list(a) == list(b) for a, b in zip(ours[:2], theirs[:2], strict=True)]
    same += [sorted(a) == sorted(b) for a, b in zip(ours[2:], theirs[2:], strict=True)]
    if not all(same):
        what = [name for name, good in zip(("q", "v", "bodies", "actuators"), same, strict=True) if not good]
        differ = next((a, b) for a, b, good in zip(ours, theirs, same, strict=True) if not good)
        result.failure = (
            f"names of {', '.join(what)}: {list(differ[0])[:6]} for Drake's {list(differ[1])[:6]}"
        )
        return
    result.add_error("names", 0.0)
    rows = [0, *(model.names["body"].index(name) for name in names.bodies[1:])]
    _compare_bodies(model, rows, answer, result)
    data = polybody.Data(model)
    result.add("start", native.q(data.qpos), answer.states[0].q)
    still = model.replace(opt_gravity=np.zeros(3))
    control = names.of(answer.actuators)
    for state in answer.states:
        _compare_state(made, still, state, rows, control, result)
    _compare_frames(made, names, answer, result)


class _Names:
    """Names as ours: qualified if the file has several models."""

    def __init__(self, answer: drake_plant.Answer) -> None:
        self.several = any("::" in name for name in answer.instances) or len(answer.instances) > 2
        self.bodies = ["world", *self.of(answer.bodies[1:])]

    def of(self, names: Sequence[str]) -> list[str]:
        return [name if self.several else name.partition("::")[2] for name in names]


def _compare_bodies(model: Any, rows: list[int], answer: drake_plant.Answer, result: Comparison) -> None:
    mass, _, second = np.split(model.body_spatial[rows], [1, 4], axis=1)
    result.add("mass", mass[1:, 0], answer.mass[1:])
    centre = model.body_ipos[rows].copy()
    centre[model.body_mass[rows] == 0] = 0.0
    theirs = answer.centre.copy()
    theirs[answer.mass == 0] = 0.0
    result.add("centre", centre[1:], theirs[1:])
    lower = np.tril_indices(3)
    for ours, theirs in zip(second[1:], answer.inertia[1:, lower[0], lower[1]], strict=True):
        result.add_error("inertia", float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), LEAST)))


def _compare_state(
    made: Any, still: Any, state: drake_plant.State, rows: list[int], control: list[str], result: Comparison
) -> None:
    model, native = made.model, made.native
    data = polybody.Data(model)
    data.qpos[:], data.qvel[:] = native.qpos(state.q), native.qvel(state.q, state.v)
    for name, value in zip(control, state.u, strict=True):
        data.ctrl[model.names["actuator"].index(name)] = value
    polybody.forward(model, data)
    result.add("poses", data.xpos[rows], state.poses[:, :3, 3], scale=1.0)
    result.add("poses", data.xmat[rows].reshape(-1, 3, 3), state.poses[:, :3, :3])
    result.add("velocities", _velocities(model, data)[rows], state.velocities, scale=1.0)
    if not model.nv:
        return
    rates = native.rates(data.qpos)
    back = np.linalg.inv(rates)
    matrix = back.T @ polybody.mass_matrix(model, data) @ back
    result.add("mass matrix", matrix, state.mass_matrix)
    quiet = polybody.Data(still)
    quiet.qpos[:], quiet.qvel[:] = data.qpos, data.qvel
    polybody.forward(still, quiet)
    drift = native.accelerations(data.qpos, data.qvel, np.zeros(model.nv))
    weight, inertial = _terms(model, state)
    bias = back.T @ quiet.qfrc_bias - state.mass_matrix @ drift
    result.add("bias", bias, state.bias, scale=inertial.max())
    gravity = back.T @ (quiet.qfrc_bias - data.qfrc_bias)
    result.add("gravity", gravity, state.gravity, scale=weight.max())
    result.add("forces", gravity + back.T @ data.qfrc_passive, state.forces, scale=weight.max())
    solved = condition(state.mass_matrix)
    if state.acceleration is None:
        result.withheld["acceleration"] = f"Drake: {state.why_none}"
        return
    if ROUNDING * solved > UNDECIDED:
        result.withheld["acceleration"] = f"the mass matrix has condition number {solved:.1e}"
        return
    try:
        acceleration = native.vdot(data, state.desired)
    except polybody.ModelError as error:
        result.failure = f"acceleration: {error}"[:300]
        return
    scale = float((np.abs(np.linalg.inv(state.mass_matrix)) @ (weight + inertial)).max())
    result.add("acceleration", acceleration, state.acceleration, solved, scale)


def _terms(model: Any, state: drake_plant.State) -> tuple[np.ndarray, np.ndarray]:
    """Magnitudes of weights and inertial forces along each degree of freedom; their sums may cancel.

    By the Cauchy-Schwarz inequality the sum of m g.J is at most g sqrt(sum m, sum m J^2), and
    the second sum is at most the diagonal of M.
    """
    carried = np.sqrt(np.diagonal(state.mass_matrix).clip(0) * model.body_subtreemass[model.dof_bodyid])
    turning, moving = np.linalg.norm(state.velocities.reshape(-1, 2, 3), axis=2).max(axis=0)
    inertial = turning * (turning + moving) * carried + turning * turning * np.diagonal(state.mass_matrix)
    return np.linalg.norm(model.opt_gravity) * carried, inertial


def _velocities(model: Any, data: Any) -> np.ndarray:
    """Angular velocities and velocities of the origins, in the world frame, (nbody, 6)."""
    found = np.zeros((model.nbody, 6))
    root = data.subtree_com[model.body_rootid]
    angular, linear = data.cvel[:, :3], data.cvel[:, 3:]
    found[:, :3] = angular
    found[:, 3:] = linear + np.cross(angular, data.xpos - root)
    return found


def _compare_frames(made: Any, names: _Names, answer: drake_plant.Answer, result: Comparison) -> None:
    """Explicit frames are sites; a frame of the same name in Drake must have the same pose."""
    model, native = made.model, made.native
    data = polybody.Data(model)
    data.qpos[:] = native.qpos(answer.states[0].q)
    polybody.forward(model, data)
    known = dict(zip(names.of(list(answer.frames)), answer.frames.values(), strict=True))
    for row, name in enumerate(model.names["site"]):
        if name not in known:
            result.failure = f"Drake has no frame {name}"
            return
        result.add("frames", data.site_xpos[row], known[name][:3, 3], scale=1.0)
        result.add("frames", data.site_xmat[row].reshape(3, 3), known[name][:3, :3])


def table(found: Sequence[Comparison]) -> str:
    """How many files were lowered, and how many were rejected for which reason."""
    rows: Counter[str] = Counter()
    for each in found:
        if each.skipped:
            rows["not taken by Drake"] += 1
        elif each.refused:
            code = each.refused.partition(":")[0]
            rows[f"refused: {code} {CATALOGUE[code].title}"] += 1
        else:
            rows["lowered"] += 1
            rows.update(f"  of these {note}" for note in each.notes)
            rows["  of these with an acceleration in Drake"] += "acceleration" in each.measured
    return "\n".join(f"{count:>6}  {row}" for row, count in sorted(rows.items()))
