"""Rows that take the same branches: elements of tendons' paths, actuators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .alike_subtrees import shared

DECIDING = (
    *("dyntype", "gaintype", "biastype", "acts", "actearly"),
    *("ctrllimited", "forcelimited", "actlimited"),
)
"""Columns of an actuator that determine the branches taken for its force."""


def alike_rows(model: Mapping[str, Any], widths: Sequence[int]) -> dict[str, list[tuple[int, ...]]]:
    """For each axis, rows that can be visited together.

    Args:
        model: the columns of wraps, actuators and links.
        widths: numbers of rows at a time, preferred ones first.
    """
    found: dict[str, list[tuple[int, ...]]] = {}
    for axis, form, owner in (("wrap", of_path, "wrap_tendon"), ("actuator", of_actuator, "")):
        rows = range(len(model[f"{axis}_type" if owner else "actuator_trntype"]))
        owners = model[owner].tolist() if owner else rows
        forms = [form(model, row) for row in rows]
        groups = [group for same in sorted_out(forms, owners) for group in shared(same, widths)]
        found[axis] = [group for group in groups if len(group) > 1]
    return found


def sorted_out(forms: Iterable[Any], owners: Sequence[int]) -> list[list[int]]:
    """Rows with the same form, grouped such that no two have the same owner."""
    found: dict[Any, list[dict[int, int]]] = {}
    for row, form in enumerate(forms):
        runs = found.setdefault(form, [])
        run = next((run for run in runs if owners[row] not in run), None)
        if run is None:
            runs.append(run := {})
        run[owners[row]] = row
    return [list(run.values()) for runs in found.values() for run in runs]


def of_path(model: Mapping[str, Any], p: int) -> tuple[Any, ...]:
    """The data that determines the branches taken for an element of a path."""
    kind, after, over = (int(model[f"wrap_{name}"][p]) for name in ("type", "next", "over"))
    ends = [part for part in (p, over, after) if part >= 0]
    links = [int(model["body_linkid"][model["wrap_body"][part]]) for part in ends]
    same = tuple(a == b for a in links for b in links)
    shape = (int(model["wrap_type"][over]), model["wrap_side"][over] >= 0, int(model["wrap_inside"][over]))
    return (kind, after >= 0, over >= 0, *same, *(shape if over >= 0 else ()))


def of_actuator(model: Mapping[str, Any], u: int) -> tuple[Any, ...]:
    """The data that determines the branches taken for an actuator's force."""
    inputs = (model[f"actuator_{name}"][u] >= 0 for name in ("act", "input"))
    return (*inputs, *(int(model[f"actuator_{name}"][u]) for name in DECIDING))
