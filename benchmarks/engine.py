"""The interface of engines in benchmarks: a model and states in the engine's own form, and timed rounds."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from polybody import Model

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "benchmarks"
TIMING = Path(__file__).parent / "timing.h"
STATES = 64  # as in timing.h
Reals = NDArray[np.float64]
Times = dict[str, float]  # microseconds of one call, by work

FORWARD, INVERSE, MASS, STEP = "forward dynamics", "inverse dynamics", "mass matrix", "step"
BATCH = "batch step"


class Engine(ABC):
    """An engine with a model.

    Args:
        model: the model that it simulates.
        states: of :func:`random_states`.
        folder: an empty folder for its files.
    """

    label: str

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        self.model, self.states, self.folder = model, states, folder
        folder.mkdir()

    @abstractmethod
    def measure(self) -> Times:
        """Time one round, with a fresh copy of the binary and in a fresh process."""

    @abstractmethod
    def accelerations(self) -> Reals:
        """Results of forward dynamics of the last round, one row per state, in our coordinates."""

    def result(self) -> Reals:
        """The file ``qacc`` written by a timing program."""
        return np.fromfile(self.folder / "qacc").reshape(STATES, self.model.nv)


def random_states(model: Model, seed: int = 0) -> tuple[Reals, Reals, Reals]:
    """Random ``qpos``, ``qvel`` and applied forces, one row per state, the same for all engines."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (STATES, model.nq))
    for kind, at in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind <= 1:  # free or ball
            quat = slice(at + (3 if kind == 0 else 0), at + (7 if kind == 0 else 4))
            q[:, quat] /= np.linalg.norm(q[:, quat], axis=1, keepdims=True)
    return q, rng.uniform(-1, 1, (STATES, model.nv)), rng.uniform(-1, 1, (STATES, model.nv))


def write_states(path: Path, *arrays: Reals) -> None:
    np.concatenate([array.ravel() for array in arrays]).tofile(path)


def compiled(source: Path, compiler: str, flags: list[str], *versions: str) -> Path:
    """Compile ``source`` unless the same source was compiled before with the same flags, engine and
    compiler.
    """
    about = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    parts = [about, *versions, *flags, source.read_text(), TIMING.read_text()]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    program = CACHE / f"{source.stem}-{key}"
    if not program.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        print(f"compiling {source.name} (once; Pinocchio takes a minute or two)", file=sys.stderr, flush=True)
        made = program.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, str(source), f"-I{TIMING.parent}", *flags, "-o", str(made)], check=True)
        made.replace(program)
    return program


def fresh(binary: Path, folder: Path, name: str = "") -> Path:
    """A copy of ``binary`` for a single use, under the same name or another.

    The placement of a binary's pages by the loader can change its speed by half; medians over copies average
    that out.
    """
    copy = folder / (name or binary.name)
    copy.unlink(missing_ok=True)
    shutil.copy(binary, copy)
    return copy


def run(*command: str | Path) -> Times:
    """Run a timing program and return its output: one line per work, whose last word is microseconds."""
    done = subprocess.run([*command], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    return {work: float(value) for work, value in (line.rsplit(" ", 1) for line in done.stdout.splitlines())}
