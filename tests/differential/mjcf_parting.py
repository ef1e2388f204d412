"""When trajectories with constraints diverge from MuJoCo 3.2.7's, and when MuJoCo's own diverge if they start
one ulp apart.

Both engines start at the first keyframe, or the initial state, and get the same random controls. Ours must
not diverge before 80 % of the step at which the first of several perturbed trajectories of MuJoCo does. Files
without constraint rows in MuJoCo's steps are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody

from tests.differential import mjcf_dynamics
from tests.differential.alone import each_alone
from tests.differential.report import Comparison

ENGINE, SUFFIX = "MuJoCo 3.2.7", ".xml"
LEVELS = (1e-9, 1e-6, 1e-3)
"""Allowed differences of positions and velocities, relative to the largest number of either."""
NAMES = tuple(f"within {level:g}" for level in LEVELS)
TOLERANCES = dict.fromkeys(NAMES, 0.0)
NUDGES, FEW, LARGE = 8, 3, 300
"""Trajectories that start one ulp apart; fewer with many degrees of freedom."""
SHARE, PUSH = 0.8, 0.15
STATE = ("qpos", "qvel", "act", "mocap_pos", "mocap_quat")


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Each file in a process of its own."""
    return each_alone(paths, workers, "MuJoCo", compare, seed, steps, refuses=mujoco.FatalError)


def compare(path: Path, seed: int, steps: int) -> Comparison:
    """By how many steps ours diverges too early, for each level; 0: not too early."""
    result = Comparison(str(path))
    try:
        engine = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        result.skipped = "MuJoCo: " + " ".join(str(error).split())[:200]
        return result
    try:
        model = polybody.load(path, policy="warn", format="mjcf")
        polybody.forward(model, data := polybody.Data(model))
    except (polybody.ValidationError, polybody.ModelError) as error:
        result.refused = " ".join(str(error).split())[:200]
        return result
    mjcf_dynamics.compose(engine)
    rng = np.random.default_rng(seed)
    controls = _controls(engine, rng, steps)
    straight, rows = _theirs(engine, controls, None)
    if not rows:
        result.skipped = "no rows of constraints"
        return result
    nudges = [rng.choice([-1.0, 1.0], engine.nq) for _ in range(NUDGES if engine.nv <= LARGE else FEW)]
    away = [_distances(_theirs(engine, controls, signs)[0], straight) for signs in nudges]
    own = _distances(list(_ours(engine, model, data, controls)), straight)
    for name, level in zip(NAMES, LEVELS, strict=True):
        theirs, ours = min(_parted(each, level) for each in away), _parted(own, level)
        early = max(0.0, SHARE * min(theirs, steps) - ours)
        result.add_error(name, early)
        if early:
            result.notes.append(f"{name}: to step {ours}, MuJoCo an ulp away to step {theirs}")
    return result


def table(found: Sequence[Comparison]) -> str:
    """Every file whose trajectory diverges too early, and when."""
    lines = [f"  {each.file}: {note}" for each in found for note in each.notes]
    return "\n".join(["too early:", *lines]) if lines else "none parts too early"


def _controls(engine: Any, rng: np.random.Generator, steps: int) -> np.ndarray:
    limited = engine.actuator_ctrllimited[:, None] > 0
    low, high = np.where(limited, engine.actuator_ctrlrange, [[-1.0, 1.0]]).T
    found: np.ndarray = PUSH * (high - low) * rng.uniform(-1, 1, (steps, engine.nu))
    return found


def _start(engine: Any) -> Any:
    data = mujoco.MjData(engine)
    if engine.nkey:
        mujoco.mj_resetDataKeyframe(engine, data, 0)
    return data


def _theirs(engine: Any, controls: np.ndarray, signs: np.ndarray | None) -> tuple[list[np.ndarray], int]:
    """States after each step, and the largest number of rows of a step."""
    data, found, rows = _start(engine), [], 0
    if signs is not None:
        data.qpos += np.spacing(np.maximum(np.abs(data.qpos), 1.0)) * signs
    for control in controls:
        data.ctrl[:] = control
        mujoco.mj_step(engine, data)
        rows = max(rows, int(data.nefc))
        found.append(np.concatenate([data.qpos, data.qvel]))
    return found, rows


def _ours(
    engine: Any, model: polybody.Model, data: polybody.Data, controls: np.ndarray
) -> Iterator[np.ndarray]:
    began = _start(engine)
    data.reset()
    for name in STATE:
        setattr(data, name, np.array(getattr(began, name)))
    for control in controls:
        data.ctrl = control
        try:
            polybody.step(model, data)
        except polybody.SimulationError:
            return
        yield np.concatenate([data.qpos, data.qvel])


def _distances(ones: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> np.ndarray:
    """Distances at each step, relative to the largest number, at least 1; infinite after a failure."""
    found = np.full(len(others), np.inf)
    for k, (one, other) in enumerate(zip(ones, others, strict=False)):
        size = max(1.0, float(np.abs(other).max(initial=0)))
        found[k] = np.abs(one - other).max(initial=0) / size
    return np.where(np.isnan(found), np.inf, found)


def _parted(distances: np.ndarray, level: float) -> int:
    """The first step with a larger distance; the number of steps if there is none."""
    beyond = np.flatnonzero(distances > level)
    return int(beyond[0]) if len(beyond) else len(distances)
