"""The functions of formulas: numbers of arguments, values, derivatives.

A derivative with respect to an argument is itself a formula; A, B and C are the arguments. A function that is
a formula of other functions has that as its ``meaning``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ARGUMENTS = ("A", "B", "C")


@dataclass(frozen=True, slots=True)
class Function:
    """A function. ``value`` raises ValueError, OverflowError or ZeroDivisionError if the function is
    undefined there.
    """

    arguments: int
    value: Callable[..., float] | None = None
    derivatives: tuple[str, ...] = ()
    meaning: str = ""


def is_true(number: float) -> bool:
    """Whether a number is true: not nearer to 0 than to 1."""
    return abs(number) >= 0.5


def _rounded(number: float) -> float:
    """The nearest integer; halves are rounded away from 0."""
    return math.copysign(math.floor(abs(number) + 0.5), number)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda number: float(function(number)) if math.isfinite(number) else number


def _of_one(value: Callable[[float], float], derivative: str) -> Function:
    return Function(1, value, (derivative,))


def _of_two(value: Callable[[float, float], float], by_a: str, by_b: str) -> Function:
    return Function(2, value, (by_a, by_b))


FUNCTIONS: Mapping[str, Function] = {
    "abs": _of_one(abs, "if(A<0,-1,1)"),
    "acos": _of_one(math.acos, "-1/sqrt(1-A*A)"),
    "acosh": _of_one(math.acosh, "1/sqrt(A*A-1)"),
    "asin": _of_one(math.asin, "1/sqrt(1-A*A)"),
    "asinh": _of_one(math.asinh, "1/sqrt(A*A+1)"),
    "atan": _of_one(math.atan, "1/(1+A*A)"),
    "atan2": _of_two(math.atan2, "B/(A*A+B*B)", "-A/(A*A+B*B)"),
    "atanh": _of_one(math.atanh, "1/(1-A*A)"),
    "cbrt": _of_one(math.cbrt, "1/(3*cbrt(A)^2)"),
    "ceil": _of_one(_whole(math.ceil), "0"),
    "cos": _of_one(math.cos, "-sin(A)"),
    "cosh": _of_one(math.cosh, "sinh(A)"),
    "cot": _of_one(lambda a: 1 / math.tan(a), "-1-cot(A)^2"),
    "csc": _of_one(lambda a: 1 / math.sin(a), "-csc(A)*cot(A)"),
    "exp": _of_one(math.exp, "exp(A)"),
    "exp2": _of_one(math.exp2, "exp2(A)*log(2)"),
    "floor": _of_one(_whole(math.floor), "0"),
    "hypot": _of_two(math.hypot, "A/hypot(A,B)", "B/hypot(A,B)"),
    "if": Function(3, lambda a, b, c: b if is_true(a) else c),  # its derivative selects in the same way
    "int": _of_one(_rounded, "0"),
    "log": _of_one(math.log, "1/A"),
    "log10": _of_one(math.log10, "1/(A*log(10))"),
    "log2": _of_one(math.log2, "1/(A*log(2))"),
    "max": _of_two(lambda a, b: a if a > b else b, "if(A>B,1,0)", "if(A>B,0,1)"),
    "min": _of_two(lambda a, b: a if a < b else b, "if(A<B,1,0)", "if(A<B,0,1)"),
    "pow": _of_two(math.pow, "B*pow(A,B-1)", "pow(A,B)*log(A)"),
    "sec": _of_one(lambda a: 1 / math.cos(a), "sec(A)*tan(A)"),
    "sin": _of_one(math.sin, "cos(A)"),
    "sinh": _of_one(math.sinh, "cosh(A)"),
    "sqrt": _of_one(math.sqrt, "1/(2*sqrt(A))"),
    "tan": _of_one(math.tan, "1+tan(A)^2"),
    "tanh": _of_one(math.tanh, "1-tanh(A)^2"),
    "trunc": _of_one(_whole(math.trunc), "0"),
    # OpenRAVE's functions of a triangle: the angle that three sides determine; the missing angle and the
    # missing side that two sides (A, C) and the angle between them (B) determine.
    "SSSA": Function(3, meaning="atan2(sqrt(A*A-((A*A+B*B-C*C)/(2*B))^2),B-(A*A+B*B-C*C)/(2*B))"),
    "SASA": Function(3, meaning="atan2(A*sin(B),C-A*cos(B))"),
    "SASS": Function(3, meaning="sqrt(A*A+C*C-2*A*C*cos(B))"),
    # Roots of polynomials: the joint's limits select one of them.
    **{f"polyroots{degree}": Function(degree + 1) for degree in range(2, 9)},
}
