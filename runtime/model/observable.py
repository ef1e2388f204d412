"""What a step can leave besides the state."""

from __future__ import annotations

from collections.abc import Sequence

from polybody.generated.model import TABLES
from polybody.model.model import Model
from polybody.suggest import did_you_mean

ALWAYS = ("qpos", "qvel", "act", "qacc")
"""What every step leaves."""
OTHERS = ("qLDiagInv", "qLD", "qM", "dof_xaxis", "dof_xanchor", "qfrc_inverse", "qacc_smooth")
"""Results that only kernels of their own leave."""
OBSERVABLE: tuple[str, ...] = tuple(
    column.name
    for table in TABLES
    for column in table.columns
    if column.role == "result" and column.stage == "kernel" and column.name not in (*ALWAYS, *OTHERS)
)
"""Columns of a Data that a step leaves if asked, of the instant at which it begins."""

USUAL = ("sensordata",)
"""What steps of one simulation leave where nobody says."""


def present(model: Model, results: Sequence[str]) -> tuple[str, ...]:
    """Of results, those that a Model has any numbers of."""
    return tuple(name for name in results if name != "sensordata" or model.nsensordata)


def check_results(names: Sequence[str]) -> tuple[str, ...]:
    """The names of results that a step shall leave, in the order of the columns.

    Raises:
        TypeError: a single text instead of a sequence.
        ValueError: a name that is none of OBSERVABLE.
    """
    if isinstance(names, str):
        raise TypeError(f"results are a sequence of names: ({names!r},)")
    for name in names:
        if name not in (*OBSERVABLE, *ALWAYS):
            close = did_you_mean(name, OBSERVABLE)
            raise ValueError(f"{name!r} is not a result of a step; {close or ', '.join(OBSERVABLE)}")
    return tuple(name for name in OBSERVABLE if name in names)
