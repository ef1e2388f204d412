"""Formulas that constrain coordinates, as instructions: a row for each keyword of the Model's OperationType.

A formula is never text here: each instruction computes a number from the results of earlier ones. The loops
interpret the instructions; straight-line code executes them in sequence.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..staging import scalars
from ..staging.machines import Machine
from ..staging.scalars import where


class Operation(NamedTuple):
    """A row: its function of up to three operands."""

    name: str
    code: int
    arity: int
    value: Callable[..., Any]


def number(t: Any, n: Any) -> Any:
    """A constant."""
    return t.operation_number[n]


def coordinate(t: Any, n: Any) -> Any:
    """The coordinate of a joint with one coordinate."""
    return t.qpos[t.link_qposadr[t.operation_joint[n] + 1]]


def truth(condition: Any) -> Any:
    """1 if a condition is true, else 0."""
    return where(condition, 1.0, 0.0)


def differs(x: Any) -> Any:
    """Whether a number is nonzero."""
    return scalars.either(x < 0.0, x > 0.0)


ROWS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("number", 0, number),
    ("coordinate", 0, coordinate),
    ("add", 2, lambda a, b: a + b),
    ("subtract", 2, lambda a, b: a - b),
    ("multiply", 2, lambda a, b: a * b),
    ("divide", 2, lambda a, b: a / b),
    ("neg", 1, lambda a: -a),
    ("pow", 2, scalars.power),
    ("minimum", 2, scalars.minimum),
    ("maximum", 2, scalars.maximum),
    ("less", 2, lambda a, b: truth(a < b)),
    ("less_equal", 2, lambda a, b: truth(a <= b)),
    ("where", 3, lambda a, b, c: where(differs(a), b, c)),
    ("floor", 1, scalars.floor),
    ("sqrt", 1, scalars.sqrt),
    ("sin", 1, scalars.sin),
    ("cos", 1, scalars.cos),
    ("atan2", 2, scalars.atan2),
    ("exp", 1, scalars.exp),
    ("log", 1, scalars.log),
    ("tanh", 1, scalars.tanh),
)
OPERATIONS = [Operation(name, code, arity, value) for code, (name, arity, value) in enumerate(ROWS)]


def formulas(m: Machine, t: Any) -> None:
    """formula_pos, formula_entry: residuals of the formulas, and their partial derivatives."""
    for n in m.rows_of("operation"):
        for operation in m.cases(OPERATIONS, t.operation_type[n]):
            if operation.arity == 0:
                t.operation_value[n] = operation.value(t, n)
            else:
                rows = (t.operation_first[n], t.operation_second[n], t.operation_third[n])
                given = [t.operation_value[row] for row in rows[: operation.arity]]
                t.operation_value[n] = operation.value(*given)
    for h in m.rows_of("formula"):
        t.formula_pos[h] = t.operation_value[t.formula_operationid[h]]
    for v in m.rows_of("formula_J"):
        t.formula_entry[v] = t.operation_value[t.formula_J_operationid[v]]
