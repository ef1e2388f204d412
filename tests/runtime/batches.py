"""A point on a rail, in batches moved by the loop kernels or by a hand-written program, with many widths."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.assembly.builder import ModelBuilder
from polybody.generated.kernels.interface import Request
from polybody.model.model import Model
from polybody.programs.load import Program
from polybody.simulation.batch import programs

from tests.programs.programs import spring

WIDTHS = ("loop", "1", "2", "4", "8")
COUNTS = (1, 7, 8, 9, 33)


def rail(stiffness: float = 4.0, timestep: float = 0.01) -> Model:
    """The Model that programs.spring moves."""
    b = ModelBuilder("rail", timestep=timestep, gravity=(0, 0, 0))
    point = b.body(name="point", mass=1.0, inertia=(1, 1, 1))
    b.joint(point, "slide", axis=(0, 0, 1), name="rail", stiffness=stiffness)
    return b.build()


def by_hand(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    if width == "loop":
        monkeypatch.setattr(programs, "mover", lambda *_: (None, "loop", "asked for"))
        return

    def mover(model: Model, kernels: str, request: Request) -> tuple[Any, str, str]:
        assert not request.named
        library = spring(
            lanes=int(width),
            real={"float64": "double", "float32": "float"}[request.precision],
            stiffness=float(model.dof_stiffness[0]),
            timestep=model.opt.timestep,
        )
        return Program(library), "specialized", "written by hand"

    monkeypatch.setattr(programs, "mover", mover)


def states(n: int, nq: int = 1, nv: int = 1) -> tuple[NDArray[np.float64], ...]:
    """Positions, velocities, forces: row i is the same for every n."""
    rows = [np.random.default_rng(i).normal(size=nq + 2 * nv) for i in range(n)]
    return tuple(np.split(np.array(rows), [nq, nq + nv], axis=1))


def started(n: int, model: Model | None = None, **options: Any) -> pb.BatchStepper:
    batch = pb.BatchStepper(model or rail(), n, **options)
    batch.qpos, batch.qvel, batch.qfrc_applied = states(n)
    return batch
