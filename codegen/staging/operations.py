"""The operations on scalars, one row each: value, C text, derivative.

A new operation needs a row here and a function in scalars.py that algorithms call. The rows are used by

* scalars.py, which folds constants and runs algorithms on plain numbers: `evaluate`, `commutes`;
* render.py, which writes loops: `loop`, `level`, `operands`;
* straight.py, which writes straight-line code for vectors of N numbers: `lanes`;
* vectors.py and context/kernels.py, which define the functions that these texts call: `define`, `called`;
* derivative.py: `tangent`.

Nodes that only arrange scalars (const, input, join, lane, total) are not operations and have no rows.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

ATOM = 9  # the level of a text that never needs parentheses
Function = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One row.

    Attributes:
        name: the name of its nodes.
        evaluate: its value for plain numbers. Undefined results are infinite or NaN, as in C; only a division
            by zero raises ZeroDivisionError.
        tangent: its derivative along a direction, from (f, y, *operands, *their derivatives): f has the
            functions of scalars.py, y is its value. None if the value is a condition.
        loop: its C text in loops, with operands {0}, {1}, {2}.
        level: the precedence of that text; its operands' texts must have at least the precedence in
            `operands`, otherwise they are put in parentheses.
        lanes: its C text for vectors of N numbers. C itself widens the operands of operators; those of
            functions are widened to the value.
        commutes: whether it is commutative.
        define: a C expression of a, b that computes it, with {f} the suffix of library functions in the given
            precision; "" for operators, and if the template vectors.h.jinja has the function.
        called: whether that calls the C library, number by number.
    """

    name: str
    evaluate: Function
    tangent: Function | None
    loop: str
    level: int = ATOM
    operands: tuple[int, ...]
    lanes: str
    commutes: bool = False
    define: str = ""
    called: bool = False

    @property
    def own(self) -> bool:
        """Whether the function of `loop` is defined here rather than in the C library."""
        return bool(self.define) and not self.define.startswith(self.name)

    @property
    def function(self) -> str:
        """The function that `lanes` calls, without _N; "" for an operator."""
        name, called, _ = self.lanes.partition("_N(")
        return name if called else ""


def infix(name: str, level: int, evaluate: Function, tangent: Function, commutes: bool = False) -> Operation:
    """An operator of C. Its right operand needs a higher precedence, unless it is commutative."""
    return Operation(
        name=name,
        evaluate=evaluate,
        tangent=tangent,
        loop=f"{{0}} {name} {{1}}",
        level=level,
        operands=(level, level + (not commutes)),
        lanes=f"{{0}} {name} {{1}}",
        commutes=commutes,
    )


def comparison(name: str, evaluate: Function, function: str, commutes: bool = False) -> Operation:
    """A comparison; for vectors a function that sets all bits of an element or none."""
    return Operation(
        name=name,
        evaluate=evaluate,
        tangent=None,
        loop=f"{{0}} {name} {{1}}",
        level=0,
        operands=(0, 0 if commutes else 1),
        lanes=f"{function}_N({{0}}, {{1}})",
        commutes=commutes,
    )


def logical(name: str, signs: tuple[str, str], evaluate: Function) -> Operation:
    """An operator on conditions: in loops, and on the bits of vectors."""
    loop, lanes = (f"{{0}} {sign} {{1}}" for sign in signs)
    return Operation(
        name=name,
        evaluate=evaluate,
        tangent=None,
        loop=loop,
        level=0,
        operands=(1, 1),
        lanes=lanes,
        commutes=True,
    )


def function(name: str, arity: int, evaluate: Function, tangent: Function, **more: Any) -> Operation:
    """A function with the same name in C."""
    call = f"({', '.join(f'{{{k}}}' for k in range(arity))})"
    return Operation(
        name=name,
        evaluate=evaluate,
        tangent=tangent,
        loop=name + call,
        operands=(0,) * arity,
        lanes=f"{name}_N{call}",
        **more,
    )


def total(plain: Callable[..., float], special: Function) -> Callable[..., float]:
    """A function of the math module that returns infinity or NaN, as NumPy does, where that raises."""

    def evaluate(*numbers: float) -> float:
        try:
            return plain(*numbers)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return float(special(*numbers))

    return evaluate


ROWS = (
    infix("+", 1, operator.add, lambda f, y, a, b, da, db: da + db, commutes=True),
    infix("-", 1, operator.sub, lambda f, y, a, b, da, db: da - db),
    infix("*", 2, operator.mul, lambda f, y, a, b, da, db: da * b + a * db, commutes=True),
    infix("/", 2, operator.truediv, lambda f, y, a, b, da, db: (da - y * db) * (1.0 / b)),
    Operation(
        name="neg", evaluate=operator.neg, tangent=lambda f, y, a, da: -da,
        loop="-{0}", level=3, operands=(3,), lanes="-{0}",
    ),
    comparison("<", operator.lt, "less"),
    comparison("<=", operator.le, "less_equal"),
    comparison("==", operator.eq, "equal", commutes=True),
    logical("and", ("&&", "&"), lambda a, b: a and b),
    logical("or", ("||", "|"), lambda a, b: a or b),
    Operation(
        name="not", evaluate=operator.not_, tangent=None,
        loop="!{0}", level=3, operands=(3,), lanes="~{0}",
    ),
    Operation(
        name="where", evaluate=lambda condition, a, b: a if condition else b,
        tangent=lambda f, y, condition, a, b, _, da, db: f.where(condition, da, db),
        loop="{0} ? {1} : {2}", level=-1, operands=(1, 1, 1), lanes="where_N({0}, {1}, {2})",
    ),
    function(
        "minimum", 2, lambda a, b: a if a < b else b,
        lambda f, y, a, b, da, db: f.where(a < b, da, db), define="a < b ? a : b",
    ),
    function(
        "maximum", 2, lambda a, b: a if a > b else b,
        lambda f, y, a, b, da, db: f.where(a > b, da, db), define="a > b ? a : b",
    ),
    function("fabs", 1, abs, lambda f, y, a, da: f.where(a < 0.0, -da, da), define="fabs{f}(a)"),
    function(
        "floor", 1, lambda a: float(np.floor(a)), lambda f, y, a, da: 0.0, define="floor{f}(a)",
    ),
    function("sqrt", 1, total(math.sqrt, np.sqrt), lambda f, y, a, da: da * (0.5 / y)),
    function("sin", 1, total(math.sin, np.sin), lambda f, y, a, da: da * f.cos(a)),
    function("cos", 1, total(math.cos, np.cos), lambda f, y, a, da: -(da * f.sin(a))),
    function(
        "atan2", 2, math.atan2,
        lambda f, y, a, b, da, db: (da * b - a * db) * (1.0 / (a * a + b * b)),
    ),
    function(
        "exp", 1, total(math.exp, np.exp), lambda f, y, a, da: da * y, define="exp{f}(a)", called=True,
    ),
    function(
        "log", 1, total(math.log, np.log), lambda f, y, a, da: da * (1.0 / a),
        define="log{f}(a)", called=True,
    ),
    function(
        "tanh", 1, math.tanh, lambda f, y, a, da: da * (1.0 - y * y), define="tanh{f}(a)", called=True,
    ),
    function(
        "pow", 2, total(math.pow, np.power),
        lambda f, y, a, b, da, db: (
            da * (b * f.power(a, b - 1.0)) + db * (y * f.log(f.where(a > 0.0, a, 1.0)))
        ),
        define="pow{f}(a, b)", called=True,
    ),
)  # fmt: skip
OPERATIONS = {row.name: row for row in ROWS}
