"""Formulas as instructions: each part of a formula that the kernels compute is a row of the Model.

    operations = Operations(rows)
    known = operations.known({Variable("j0"): joint})
    place = operations.formula(formula, known)     # the row of its value

Common subexpressions occur once. Functions that kernels lack are composed of others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from polybody.assembly.columns import DOUBLE, INTEGER, Columns, column
from polybody.formulas import (
    ROOT,
    VALUE,
    Call,
    Chain,
    Expression,
    Formula,
    Local,
    Negative,
    Not,
    Number,
    Power,
    Rooted,
    Variable,
)
from polybody.formulas.evaluate import EPSILON, meaning
from polybody.formulas.functions import ARGUMENTS, FUNCTIONS
from polybody.generated.model import OperationType as Kind

STEPS = 6
"""Number of Newton steps to a root of a polynomial, which is near the coordinate if its formula holds."""


class Operation(NamedTuple):
    """An instruction; its operands are rows of other instructions."""

    kind: Kind
    first: int = 0
    second: int = 0
    third: int = 0
    number: float = 0.0
    joint: int = -1


class Operations:
    """The instructions of the formulas of a Model, each once."""

    def __init__(self) -> None:
        self.rows: dict[Operation, int] = {}

    def add(self, kind: Kind, first: int = 0, second: int = 0, third: int = 0) -> int:
        """The row of an instruction."""
        return self._row(Operation(kind, first, second, third))

    def number(self, value: float) -> int:
        """The row of a constant."""
        return self._row(Operation(Kind.number, number=value))

    def coordinate(self, joint: int) -> int:
        """The row of the coordinate of a joint, given by its row."""
        return self._row(Operation(Kind.coordinate, joint=joint))

    def known(self, joints: Mapping[Variable, int | float]) -> dict[Expression, int]:
        """The rows of the values that formulas use.

        Args:
            joints: for each, the row of the joint whose coordinate it is; a float if it is constant.
        """
        return {
            variable: self.number(joint) if isinstance(joint, float) else self.coordinate(joint)
            for variable, joint in joints.items()
        }

    def formula(self, formula: Formula, known: Mapping[Expression, int]) -> int:
        """The row of the value of a formula.

        Args:
            formula: as parsed.
            known: the rows of the values that it uses.

        Raises:
            ValueError: it uses a function that no kernel has.
            KeyError: it uses an unknown value.
        """
        names = dict(known)
        for name, value in formula.definitions:
            names[Local(name)] = self._of(value, names)
        return self._of(formula.value, names)

    def rooted(self, roots: Rooted, own: int, known: dict[Expression, int]) -> Formula:
        """The formula of a root of a polynomial; the row of that root is added to the known ones.

        It is the root that Newton's method finds, starting from the one for which the formula would have the
        present value of its coordinate. Where the polynomial is flat, the iteration stays.

        Args:
            roots: a formula with roots, split.
            own: the row of the coordinate that obeys it.
            known: the rows of the values that it uses.
        """
        at = self.formula(roots.root(), {**known, VALUE: own})
        coefficients = [self.formula(each, known) for each in roots.coefficients]
        zero = self.number(0.0)
        for _ in range(STEPS):
            value, slope = coefficients[0], zero
            for coefficient in coefficients[1:]:
                slope = self.add(Kind.add, self.add(Kind.multiply, slope, at), value)
                value = self.add(Kind.add, self.add(Kind.multiply, value, at), coefficient)
            nonzero = self.add(Kind.less, zero, self._abs(slope))
            step = self.add(Kind.where, nonzero, self.add(Kind.divide, value, slope), zero)
            at = self.add(Kind.subtract, at, step)
        known[ROOT] = at
        return roots.value

    def columns(self) -> Columns:
        """operation_*"""
        rows = list(self.rows)
        named = {"type": 0, "first": 1, "second": 2, "third": 3, "joint": 5}
        found = {f"operation_{name}": column([row[k] for row in rows], INTEGER) for name, k in named.items()}
        return found | {"operation_number": column([row.number for row in rows], DOUBLE)}

    def _row(self, operation: Operation) -> int:
        return self.rows.setdefault(operation, len(self.rows))

    # --- expressions ----------------------------------------------------------------------------------------

    def _of(self, node: Expression, known: Mapping[Expression, int]) -> int:
        match node:
            case Number(value):
                return self.number(value)
            case Variable() | Local():
                return known[node]
            case Negative(operand):
                return self.add(Kind.neg, self._of(operand, known))
            case Not(operand):
                return self._not(self._true(self._of(operand, known)))
            case Power(base, exponent):
                return self.add(Kind.pow, self._of(base, known), self._of(exponent, known))
            case Chain(first, rest):
                found = self._of(first, known)
                for operator, operand in rest:
                    found = _OPERATORS[operator](self, found, self._of(operand, known))
                return found
            case Call(name, arguments):
                return self._call(name, [self._of(argument, known) for argument in arguments])

    def _call(self, name: str, given: Sequence[int]) -> int:
        if FUNCTIONS[name].meaning:
            letters: dict[Expression, int] = {
                Variable(letter): row for letter, row in zip(ARGUMENTS, given, strict=False)
            }
            return self.formula(meaning(name), letters)
        if name in _OWN:
            return self.add(_OWN[name], *given)
        if name not in _MADE:
            raise ValueError(f"no kernel has the function {name}")
        return _MADE[name](self, *given)

    # --- what functions are made of -------------------------------------------------------------------------

    def _not(self, truth: int) -> int:
        return self.add(Kind.subtract, self.number(1.0), truth)

    def _true(self, row: int) -> int:
        """1 for numbers that are not nearer to 0 than to 1."""
        return self.add(Kind.less_equal, self.number(0.5), self._abs(row))

    def _abs(self, row: int) -> int:
        return self.add(Kind.maximum, row, self.add(Kind.neg, row))

    def _below(self, first: int, second: int) -> int:
        """Whether a number is less than another by more than rounding errors."""
        return self.add(Kind.less, self.add(Kind.add, first, self.number(EPSILON)), second)

    def _near(self, first: int, second: int) -> int:
        return self.add(
            Kind.less_equal, self._abs(self.add(Kind.subtract, first, second)), self.number(EPSILON)
        )

    def _signed(self, row: int, make: Callable[[int], int]) -> int:
        """A function of the absolute value of a number, with its sign."""
        found = make(self._abs(row))
        negative = self.add(Kind.less, row, self.number(0.0))
        return self.add(Kind.where, negative, self.add(Kind.neg, found), found)

    def _floor(self, row: int) -> int:
        return self.add(Kind.floor, row)

    def _inverse(self, row: int) -> int:
        return self.add(Kind.divide, self.number(1.0), row)

    def _tan(self, row: int) -> int:
        return self.add(Kind.divide, self.add(Kind.sin, row), self.add(Kind.cos, row))

    def _rest(self, first: int, second: int) -> int:
        """The remainder of a division that is rounded towards 0."""
        whole = self._signed(self.add(Kind.divide, first, second), self._floor)
        return self.add(Kind.subtract, first, self.add(Kind.multiply, whole, second))

    def _beside(self, row: int) -> int:
        """sqrt(1 - x^2)"""
        one = self.number(1.0)
        square = self.add(Kind.multiply, self.add(Kind.subtract, one, row), self.add(Kind.add, one, row))
        return self.add(Kind.sqrt, square)

    def _scaled(self, factor: float, row: int) -> int:
        return self.add(Kind.multiply, self.number(factor), row)

    def _sinh(self, row: int) -> int:
        """tanh(x) cosh(x), which is exact near 0."""
        return self.add(Kind.multiply, self.add(Kind.tanh, row), self._cosh(row))

    def _cosh(self, row: int) -> int:
        up = self.add(Kind.exp, row)
        return self._scaled(0.5, self.add(Kind.add, up, self._inverse(up)))

    def _acosh(self, row: int) -> int:
        square = self.add(Kind.subtract, self.add(Kind.multiply, row, row), self.number(1.0))
        return self.add(Kind.log, self.add(Kind.add, row, self.add(Kind.sqrt, square)))

    def _asinh(self, row: int) -> int:
        square = self.add(Kind.add, self.add(Kind.multiply, row, row), self.number(1.0))
        return self.add(Kind.log, self.add(Kind.add, row, self.add(Kind.sqrt, square)))

    def _atanh(self, row: int) -> int:
        one = self.number(1.0)
        share = self.add(Kind.divide, self.add(Kind.add, one, row), self.add(Kind.subtract, one, row))
        return self._scaled(0.5, self.add(Kind.log, share))

    def _hypot(self, first: int, second: int) -> int:
        squares = [self.add(Kind.multiply, row, row) for row in (first, second)]
        return self.add(Kind.sqrt, self.add(Kind.add, *squares))

    def _half_up(self, row: int) -> int:
        return self._floor(self.add(Kind.add, row, self.number(0.5)))


Make = Callable[..., int]
_OWN: Mapping[str, Kind] = {
    name: Kind[name] for name in ("sqrt", "sin", "cos", "atan2", "exp", "log", "tanh", "floor", "pow")
}
_MADE: Mapping[str, Make] = {
    "abs": Operations._abs,
    "min": lambda o, a, b: o.add(Kind.minimum, a, b),
    "max": lambda o, a, b: o.add(Kind.maximum, a, b),
    "if": lambda o, a, b, c: o.add(Kind.where, o._true(a), b, c),
    "ceil": lambda o, a: o.add(Kind.neg, o._floor(o.add(Kind.neg, a))),
    "trunc": lambda o, a: o._signed(a, o._floor),
    "int": lambda o, a: o._signed(a, o._half_up),
    "tan": Operations._tan,
    "cot": lambda o, a: o._inverse(o._tan(a)),
    "sec": lambda o, a: o._inverse(o.add(Kind.cos, a)),
    "csc": lambda o, a: o._inverse(o.add(Kind.sin, a)),
    "atan": lambda o, a: o.add(Kind.atan2, a, o.number(1.0)),
    "asin": lambda o, a: o.add(Kind.atan2, a, o._beside(a)),
    "acos": lambda o, a: o.add(Kind.atan2, o._beside(a), a),
    "sinh": Operations._sinh,
    "cosh": Operations._cosh,
    "acosh": Operations._acosh,
    "asinh": lambda o, a: o._signed(a, o._asinh),
    "atanh": Operations._atanh,
    "cbrt": lambda o, a: o._signed(a, lambda row: o.add(Kind.pow, row, o.number(1 / 3))),
    "exp2": lambda o, a: o.add(Kind.pow, o.number(2.0), a),
    "log10": lambda o, a: o._scaled(1 / math.log(10), o.add(Kind.log, a)),
    "log2": lambda o, a: o._scaled(1 / math.log(2), o.add(Kind.log, a)),
    "hypot": Operations._hypot,
}
_OPERATORS: Mapping[str, Make] = {
    "|": lambda o, a, b: o.add(Kind.maximum, o._true(a), o._true(b)),
    "&": lambda o, a, b: o.add(Kind.minimum, o._true(a), o._true(b)),
    "=": Operations._near,
    "!=": lambda o, a, b: o._not(o._near(a, b)),
    "<": Operations._below,
    ">": lambda o, a, b: o._below(b, a),
    "<=": lambda o, a, b: o._not(o._below(b, a)),
    ">=": lambda o, a, b: o._not(o._below(a, b)),
    "+": lambda o, a, b: o.add(Kind.add, a, b),
    "-": lambda o, a, b: o.add(Kind.subtract, a, b),
    "*": lambda o, a, b: o.add(Kind.multiply, a, b),
    "/": lambda o, a, b: o.add(Kind.divide, a, b),
    "%": Operations._rest,
}
