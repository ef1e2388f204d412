"""How many steps a batch takes at once, so that signals are handled within tenths of a second."""

from __future__ import annotations

from typing import NamedTuple

from polybody.engine.constraint_rows import asks_solver
from polybody.engine.dynamics import effort
from polybody.model.model import Model

UNINTERRUPTED = {"loop": 1_000_000, "specialized": 30_000_000}
"""Degrees of freedom times steps that a thread takes at once: tenths of a second without constraints."""
CONSTRAINED = 20
"""By what factor constraints make steps slower, at most if their limits of iterations are MuJoCo's."""
EFFORT = {"loop": 20.0, "specialized": 0.7}
"""Work of a step of one degree of freedom, in the unit of signals.h."""


class Pieces(NamedTuple):
    """The steps that are taken at once."""

    steps: int
    """Their number."""
    heeds: bool
    """Whether a single step of all instances takes so long that signals end it between instances."""


def pieces(model: Model, kernels: str, n: int, threads: int) -> Pieces:
    """The steps of ``n`` instances that are taken at once."""
    share, most = n * _weight(model) // threads, UNINTERRUPTED[kernels]
    return Pieces(max(1, most // max(1, share)), share > most)


def work(model: Model, kernels: str) -> float:
    """Work of a step of one instance, in the unit of signals.h."""
    return EFFORT[kernels] * _weight(model)


def _weight(model: Model) -> int:
    """Work of a step relative to that of one degree of freedom without constraints, at most."""

    def find() -> int:
        return (model.nv + 1) * effort(model) * (CONSTRAINED if asks_solver(model) else 1)

    return model.once("weight of a step", find)
