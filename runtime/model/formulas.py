"""Checks of formulas: instructions come after their operands, and equalities have their formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import Problem, Problems
from polybody.generated.model import JOINT_SIZES, EqualityType, OperationType

Columns = Mapping[str, NDArray[Any]]
SINGLE = [int(kind) for kind, (nq, _) in JOINT_SIZES.items() if nq == 1]


def problems(arrays: Columns) -> Problems:
    """The problems of the formulas of a Model whose row numbers are valid."""
    kind = arrays["operation_type"]
    rows = np.arange(len(kind))
    bare = np.isin(kind, (OperationType.number, OperationType.coordinate))
    for name in ("first", "second", "third"):
        given = arrays[f"operation_{name}"]
        for row in np.flatnonzero(~bare & (given >= rows)).tolist():
            yield Problem(f"its {name} operand {given[row]} is not an earlier operation", "operation", row)
        for row in np.flatnonzero(given < 0).tolist():
            yield Problem(f"its {name} operand {given[row]} is not an operation", "operation", row)
    joint = arrays["operation_joint"]
    for row in np.flatnonzero(kind == OperationType.coordinate).tolist():
        if joint[row] < 0 or int(arrays["jnt_type"][joint[row]]) not in SINGLE:
            yield Problem(f"joint {joint[row]} has no single coordinate", "operation", row)
    held = arrays["formula_eqid"].tolist()
    wanted = np.flatnonzero(arrays["eq_type"] == EqualityType.formula).tolist()
    if held != wanted:
        yield f"formulas are of the equalities {held}; of the type formula are {wanted}"
    entries = arrays["formula_J_formula"]
    if (np.diff(entries) < 0).any():
        yield "entries of formulas are not in the order of the formulas"
    for name in ("formula_operationid", "formula_J_formula", "formula_J_colind", "formula_J_operationid"):
        if (arrays[name] < 0).any():
            yield f"{name} is negative"
