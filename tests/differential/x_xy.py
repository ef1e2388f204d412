"""x_xy against imt-ring 1.7.1, in the document's coordinates (ring's faults: `tests/oracles/imt_ring.py`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
from pathlib import Path

import numpy as np
import polybody
from polybody.lowering import x_xy
from polybody.lowering.result import Lowered

from tests.differential.report import FLOOR, Comparison, condition
from tests.oracles import imt_ring
from tests.waiting import PATIENCE

ENGINE = "imt-ring 1.7.1"
SUFFIX = ".xml"
TOLERANCES = {
    "inertia": 1e-9,  # mass, first moment, second moment of each body
    "transforms": 1e-9,  # poses of the bodies, also at angles where ring's dynamics are wrong
    "passive forces": 1e-9,  # springs and dampers
    "mass matrix": 1e-9,
    "bias": 1e-9,
    "equation of motion": 1e-9,  # residual of our accelerations in ring's equations, relative to its terms
    "acceleration": 1e-9,
    "step acceleration": 1e-9,  # with implicit damping, as in ring's step
    "trajectory q": 1e-8,
    "trajectory qd": 1e-8,
}


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Run ring on each file in worker processes (JAX compiles for seconds per file) and compare."""
    found = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        asked = [(path, pool.submit(imt_ring.ask, path, seed=seed, steps=steps)) for path in paths]
        for path, future in asked:
            try:
                answer = future.result(PATIENCE)
            except TimeoutError:
                for worker in active_children():
                    worker.kill()
                raise
            except Exception as refusal:  # ring rejects files with whatever its assertions and JAX raise
                reason = " ".join(str(refusal).split())[:200]
                found.append(Comparison(str(path), skipped=f"ring: {type(refusal).__name__}: {reason}"))
                continue
            found.append(compare(path, answer))
    return found


def compare(path: Path, answer: imt_ring.Answer) -> Comparison:
    """Compare our reading, lowering and kernels on the file with ring's answer."""
    result = Comparison(str(path))
    try:
        lowered = x_xy.lower(polybody.read(path), axes=answer.axes)
    except polybody.ValidationError as error:
        result.failure = f"polybody: {error}".replace("\n", "; ")
        return result
    _compare_bodies(lowered, answer, result)
    data = polybody.Data(lowered.model)
    for state in answer.states:
        _compare_state(lowered, data, state, result)
    if answer.trajectory is None:
        result.withheld["trajectory q"] = result.withheld["trajectory qd"] = answer.why_no_trajectory
    else:
        _compare_trajectory(lowered, data, answer, result)
    return result


def _compare_bodies(lowered: Lowered[x_xy.Native], answer: imt_ring.Answer, result: Comparison) -> None:
    mass, first, second = np.split(lowered.model.body_spatial[1:], [1, 4], axis=1)
    lower = np.tril_indices(3)
    result.add("inertia", mass[:, 0], answer.mass)
    result.add("inertia", first, answer.first_moment)
    result.add("inertia", second, answer.inertia[:, lower[0], lower[1]])


def _compare_state(
    lowered: Lowered[x_xy.Native], data: polybody.Data, state: imt_ring.State, result: Comparison
) -> None:
    model, native = lowered.model, lowered.native
    data.qpos[:], data.qvel[:] = native.qpos(state.q), native.qvel(state.q, state.qd)
    polybody.forward(model, data)
    passive = np.array([imt_ring.passive_matrix(rot).T for rot in state.rot])
    result.add("transforms", data.xpos[1:], state.pos)
    result.add("transforms", data.xmat[1:].reshape(-1, 3, 3), passive)
    result.add("passive forces", native.qd(data.qfrc_passive), state.passive)
    if state.bias is None:
        return
    result.add("bias", native.qd(data.qfrc_bias), state.bias)
    acceleration, solved = native.qd(data.qacc), condition(state.solved)
    result.add("acceleration", acceleration, state.acceleration, solved)
    result.add_error("equation of motion", _residual(state.solved, acceleration, state.passive - state.bias))
    dense = polybody.mass_matrix(model, data)
    result.add("mass matrix", native.qd(native.qd(dense).T), state.mass_matrix)
    before = data.qvel.copy()
    polybody.step(model, data)
    result.add(
        "step acceleration",
        native.qd(data.qvel - before) / float(model.opt_timestep),
        state.step_acceleration,
        condition(state.solved_in_step),
    )


def _residual(matrix: np.ndarray, solution: np.ndarray, right: np.ndarray) -> float:
    """The residual A x - b relative to its terms: it does not grow with the condition number of A."""
    if not len(right):
        return 0.0
    if not np.isfinite(solution).all():
        return math.inf
    terms = np.abs(matrix).sum(axis=1).max() * np.abs(solution).max() + np.abs(right).max()
    return float(np.abs(matrix @ solution - right).max() / max(terms, FLOOR))


def _compare_trajectory(
    lowered: Lowered[x_xy.Native], data: polybody.Data, answer: imt_ring.Answer, result: Comparison
) -> None:
    model, native = lowered.model, lowered.native
    q, qd = answer.trajectory
    data.qpos[:], data.qvel[:] = native.qpos(q[0]), native.qvel(q[0], qd[0])
    ours_q, ours_qd = [q[0]], [qd[0]]
    for _ in range(len(q) - 1):
        polybody.step(model, data)
        ours_q.append(native.q(data.qpos))
        ours_qd.append(native.qd(data.qvel))
    worst = max((condition(matrix) for matrix in answer.trajectory_solved), default=1.0)
    result.add("trajectory q", np.array(ours_q), q, worst)
    result.add("trajectory qd", np.array(ours_qd), qd, worst)
