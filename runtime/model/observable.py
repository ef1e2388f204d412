"""Columns that steps compute besides the state."""

from __future__ import annotations

from collections.abc import Sequence

from polybody.generated.model import TABLES
from polybody.model.model import Model
from polybody.suggest import did_you_mean

ALWAYS = ("qpos", "qvel", "act", "qacc", "plastic")
"""Columns that every step computes."""
ACCELERATIONS = "qacc"
"""What a step computes on request where it needs only accelerations with forces at its end."""
OTHERS = ("qLDiagInv", "qLD", "qM", "dof_xaxis", "dof_xanchor", "qfrc_inverse", "qacc_smooth")
"""Results that only separate kernels compute."""
OBSERVABLE: tuple[str, ...] = tuple(
    column.name
    for table in TABLES
    for column in table.columns
    if column.role == "result" and column.stage == "kernel" and column.name not in (*ALWAYS, *OTHERS)
)
"""Columns of a Data that a step computes on request, of the evaluation that docs/mujoco.md describes."""

USUAL = ("sensordata",)
"""Columns that steps of one simulation compute by default."""


def present(model: Model, results: Sequence[str]) -> tuple[str, ...]:
    """The results for which a Model has any values."""
    return tuple(name for name in results if name != "sensordata" or model.nsensordata)


def with_past(model: Model, results: Sequence[str]) -> tuple[str, ...]:
    """The results of a step, with what is kept of it."""
    kept = bool((model._column("sensor_historyadr") >= 0).any())
    return (*results, "sensordata") if kept and "sensordata" not in results else tuple(results)


def check_results(names: Sequence[str]) -> tuple[str, ...]:
    """The names of results that a step shall compute, in the order of the columns.

    Raises:
        TypeError: a single string instead of a sequence.
        ValueError: a name is not in OBSERVABLE.
    """
    if isinstance(names, str):
        raise TypeError(f"results must be a sequence of names: ({names!r},)")
    for name in names:
        if name not in (*OBSERVABLE, *ALWAYS):
            hint = did_you_mean(name, OBSERVABLE) or f"results are {', '.join(OBSERVABLE)}"
            raise ValueError(f"{name!r} is not a result of a step; {hint}")
    return tuple(name for name in (*OBSERVABLE, ACCELERATIONS) if name in names)
