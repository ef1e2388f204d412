"""SKEL against DART 6.20, in DART's generalized coordinates (`tests/oracles/dart.py` describes the
queries).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polybody
from polybody.lowering import lowered
from polybody.lowering.result import Lowered
from polybody.lowering.skel import Native
from polybody.rotations.arrays import matrix

from tests.differential.report import Comparison, condition
from tests.oracles import dart

ENGINE = "DART 6.20"
SUFFIX = ".skel"
TOLERANCES = {
    "inertia": 1e-10,  # mass, centre of mass, moment of each body
    "poses": 1e-10,
    "mass matrix": 1e-9,
    "bias": 1e-9,  # Coriolis and gravity
    "gravity": 1e-9,
    "acceleration": 1e-9,  # dampers and springs at the end of the step, prescribed joints included
    "trajectory poses": 1e-8,
    "trajectory v": 1e-8,
}
REFUSED = ("is soft",)
"""Parts of messages about files that polybody rejects on purpose: see docs/skel.md."""


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Run DART on each file in a process of its own and compare."""
    with warnings.catch_warnings(), ThreadPoolExecutor(workers) as pool:
        warnings.simplefilter("ignore", polybody.ModelWarning)
        return list(pool.map(lambda path: compare_file(path, seed=seed, steps=steps), paths))


def compare_file(path: Path, *, seed: int, steps: int) -> Comparison:
    """Compare one file in both engines. Meshes may be anywhere below the folders above the file."""
    result = Comparison(str(path))
    try:
        answer = dart.ask(path, seed=seed, steps=steps)
    except dart.RefusedError as error:
        result.skipped = f"DART: {error}"
        return result
    try:
        document = polybody.read(path, roots=[path.resolve().parents[2]])
        found = lowered(document, disable=("constraint",))
    except polybody.ValidationError as error:
        messages = [d.message for d in error.diagnostics if d.severity == "error"]
        text = "; ".join(f"{d.line}: {d.message}" for d in error.diagnostics if d.severity == "error")
        if all(any(word in message for word in REFUSED) for message in messages):
            result.skipped = f"refused: {text}"
        else:
            result.failure = f"polybody: {text}"
        return result
    compare(found, answer, result)
    return result


def compare(found: Lowered[Native], answer: dart.Answer, result: Comparison) -> None:
    """Compare our lowering and kernels with DART's answer."""
    model, native = found.model, found.native
    several = len({skeleton for skeleton, _, _ in answer.bodies}) > 1 or "::" in model.names["body"][-1]
    names = [f"{skeleton}::{body}" if several else body for skeleton, body, _ in answer.bodies]
    rows = [model.names["body"].index(name) for name in names]
    starts = np.cumsum([0, *(count for *_, count in answer.joints)])
    slices = {
        f"{skeleton}::{joint}": slice(int(start), int(start) + count)
        for (skeleton, joint, _, count), start in zip(answer.joints, starts, strict=False)
    }
    if dict(native.v_slices) != slices or dict(native.q_slices) != slices:
        result.failure = f"the joints are {native.v_slices}, DART's are {slices}"
        return
    frame = matrix(model.body_iquat[rows])
    moment = np.einsum("nij,nj,nkj->nik", frame, model.body_inertia[rows], frame)
    result.add("inertia", model.body_mass[rows], answer.mass)
    result.add("inertia", model.body_ipos[rows], answer.centre)
    result.add("inertia", moment, answer.moment)
    data = polybody.Data(model)
    for state in answer.states:
        _compare_state(found, data, state, rows, answer.moves, result)
    _compare_trajectory(found, answer, rows, result)


def _compare_state(
    found: Lowered[Native],
    data: polybody.Data,
    state: dart.State,
    rows: list[int],
    moves: np.ndarray,
    result: Comparison,
) -> None:
    model, native = found.model, found.native
    data.reset()
    data.qpos[:], data.qvel[:] = native.qpos(state.q), native.qvel(state.q, state.v)
    polybody.forward(model, data)
    result.add("poses", data.xpos[rows], state.poses[:, :3, 3], scale=1.0)  # m
    result.add("poses", data.xmat[rows].reshape(-1, 3, 3), state.poses[:, :3, :3])
    free = np.ix_(moves, moves)
    back = np.linalg.pinv(native.rates(data.qpos)[moves])  # qvel of v
    mass = back.T @ polybody.mass_matrix(model, data) @ back
    result.add("mass matrix", mass, state.mass_matrix[free])
    gravity = float(np.abs(model.opt_gravity).max()) if (model.body_gravcomp > 0).any() else 0.0
    weight = float(model.body_subtreemass[0]) * gravity  # is compensated, of bodies without gravity
    scale = max(weight, float(np.abs(state.bias).max(initial=0.0)))
    result.add("bias", back.T @ (data.qfrc_bias - data.qfrc_gravcomp), state.bias[moves], scale=scale)
    acceleration = native.vdot(data)
    solved = condition(state.solved) if len(state.solved) else 1.0
    # Terms of the size of gravity cancel in a body at rest on joints, as (command - v) / dt goes to 0.
    falling = float(np.abs(model.opt_gravity).max())
    moving = max(falling, float(np.abs(state.v).max(initial=0.0)))
    result.add("acceleration", acceleration[moves], state.acceleration[moves], solved, scale=moving)
    data.qvel[:] = 0.0
    polybody.forward(model, data)
    result.add("gravity", back.T @ (data.qfrc_bias - data.qfrc_gravcomp), state.gravity[moves], scale=scale)


def _compare_trajectory(
    found: Lowered[Native], answer: dart.Answer, rows: list[int], result: Comparison
) -> None:
    """Compare trajectories. Rotation vectors jump by whole turns, so coordinates are compared as poses."""
    model, native = found.model, found.native
    data, theirs = polybody.Data(model), polybody.Data(model)
    q, v = answer.trajectory
    moved = [0.0, 0.0]
    data.qpos[:], data.qvel[:] = native.qpos(q[0]), native.qvel(q[0], v[0])
    ours: list[np.ndarray] = []
    expected: list[np.ndarray] = []
    for place in range(len(q)):
        if place:
            polybody.step(model, data)
        polybody.forward_kinematics(model, data)
        theirs.qpos[:] = native.qpos(q[place])
        polybody.forward_kinematics(model, theirs)
        for found_, simulated in ((ours, data), (expected, theirs)):
            found_.append(np.concatenate([simulated.xpos[rows], simulated.xmat[rows].reshape(-1, 9)], axis=1))
        moved.append(float(np.abs(v[place]).max(initial=0.0)))
        v[place][~answer.moves] = 0.0
        result.add("trajectory v", native.v(data.qpos, data.qvel), v[place], scale=max(moved))
    result.add("trajectory poses", np.array(ours), np.array(expected))
