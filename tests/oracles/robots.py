"""A robot's dynamics computed by each of our kernels at many states, as plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from polybody import Data, Model
from polybody.generated.kernels import dynamics
from polybody.generated.kernels.interface import Request
from polybody.programs.build import ask
from polybody.programs.target import native

Reals = np.ndarray[Any, Any]
Columns = dict[str, Reals]
LANES = native().processor.lanes("float64")
RESULTS = {
    "forward_kinematics": ("xpos", "xmat"),
    "mass_matrix": ("qM",),
    "bias": ("qfrc_bias",),
    "passive": ("qfrc_passive",),
    "inverse": ("qfrc_inverse",),
    "acceleration": ("qacc",),
    "step": ("qpos", "qvel"),
}
Kernel = Callable[[str, Columns], Columns]  # from its name and the given columns, (n, ...), to its results


def random_states(model: Model, count: int, seed: int = 0) -> Columns:
    """Positions (unit quaternions), velocities, joint forces and accelerations, one row per state."""
    rng = np.random.default_rng(seed)
    qpos = rng.uniform(-1.5, 1.5, (count, model.nq))
    for kind, at in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind <= 1:
            quat = slice(at + (3 if kind == 0 else 0), at + (7 if kind == 0 else 4))
            qpos[:, quat] /= np.linalg.norm(qpos[:, quat], axis=1, keepdims=True)
    names = ("qvel", "qfrc_applied", "qacc")
    return {"qpos": qpos} | {name: rng.normal(size=(count, model.nv)) for name in names}


def loops(model: Model) -> Kernel:
    """The loop kernels; passive forces are computed before the accelerations."""
    data = Data(model)

    def call(name: str, given: Columns) -> Columns:
        rows: dict[str, list[Reals]] = {column: [] for column in RESULTS[name]}
        for k in range(len(given["qpos"])):
            for column, values in given.items():
                data.kernel.array(column)[...] = values[k]
            if name == "acceleration":
                dynamics.passive(model.kernel, data.kernel)
            getattr(dynamics, name)(model.kernel, data.kernel)
            for column, row in rows.items():
                row.append(data.kernel.array(column).ravel().copy())
        return {column: np.array(row) for column, row in rows.items()}

    return call


def specialised(model: Model, lanes: int = 1, kernels: tuple[str, ...] = tuple(RESULTS)) -> Kernel:
    """The program specialised to the model, state by state, or ``lanes`` of them side by side."""
    program = ask(model, Request(kernels, lanes=lanes), start=False).wait()
    sizes: dict[str, int] = {}
    for columns in program.kernels.values():
        sizes |= columns
    memory = {name: aligned(size * lanes) for name, size in sizes.items()}
    bound = {name: program.bind(name, memory) for name in kernels}

    def call(name: str, given: Columns) -> Columns:
        count = len(given["qpos"])
        rows = {column: np.empty((count, sizes[column])) for column in RESULTS[name]}
        for first in range(0, count, lanes):
            chosen = (np.arange(first, first + lanes)) % count  # the last block wraps around
            for column, values in given.items():
                if column in memory:
                    memory[column].reshape(-1, lanes)[...] = values[chosen].T
            bound[name].call()
            for column, row in rows.items():
                row[chosen] = memory[column].reshape(-1, lanes).T
        return rows

    return call


def aligned(count: int) -> Reals:
    """Zeros aligned for the widest vector registers."""
    raw = np.zeros(count + 8)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + count]


def full(model: Model, qM: Reals) -> Reals:
    """Mass matrices (n, nv, nv) from their rows."""
    rows = np.repeat(np.arange(model.nv), model.dof_depth + 1)
    M = np.zeros((len(qM), model.nv, model.nv))
    M[:, rows, model.M_colind] = M[:, model.M_colind, rows] = qM
    return M


def error(ours: Reals, theirs: Reals) -> float:
    """The largest difference relative to the largest number of the same state; 0 if all are 0."""
    ours, theirs = ours.reshape(len(ours), -1), theirs.reshape(len(theirs), -1)
    difference, largest = abs(ours - theirs).max(axis=1), abs(theirs).max(axis=1)
    return float((difference / np.where(largest > 0, largest, 1.0)).max())
