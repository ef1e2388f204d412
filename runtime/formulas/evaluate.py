"""The value of a formula for values of joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache

from polybody.formulas.expressions import (
    Call,
    Chain,
    Expression,
    Formula,
    Local,
    Negative,
    Not,
    Number,
    Power,
    Variable,
)
from polybody.formulas.functions import ARGUMENTS, FUNCTIONS, is_true
from polybody.formulas.parse import parse

EPSILON = 1e-12
"""Numbers with a smaller difference are equal in comparisons."""


class NoValue(ValueError):
    """A function whose value is not a single number, such as the roots of a polynomial."""


def evaluate(formula: Formula, joints: Mapping[Variable, float]) -> float:
    """The value; NaN or infinity where a function is undefined.

    Raises:
        NoValue: it uses a function that cannot be evaluated here.
        KeyError: a joint has no value.
    """
    names: dict[str, float] = {}
    for name, value in formula.definitions:
        names[name] = _value(value, joints, names)
    return _value(formula.value, joints, names)


def _value(node: Expression, joints: Mapping[Variable, float], names: Mapping[str, float]) -> float:
    match node:
        case Number(value):
            return value
        case Variable():
            return joints[node]
        case Local(name):
            return names[name]
        case Negative(operand):
            return -_value(operand, joints, names)
        case Not(operand):
            return 0.0 if is_true(_value(operand, joints, names)) else 1.0
        case Power(base, exponent):
            return _safe(math.pow, _value(base, joints, names), _value(exponent, joints, names))
        case Chain(first, rest):
            result = _value(first, joints, names)
            for operator, operand in rest:
                result = _safe(OPERATORS[operator], result, _value(operand, joints, names))
            return result
        case Call("if", (condition, then, otherwise)):
            chosen = then if is_true(_value(condition, joints, names)) else otherwise
            return _value(chosen, joints, names)
        case Call(function, arguments):
            return _call(function, [_value(argument, joints, names) for argument in arguments])


def _call(name: str, arguments: list[float]) -> float:
    function = FUNCTIONS[name]
    if function.meaning:
        values = {Variable(letter): value for letter, value in zip(ARGUMENTS, arguments, strict=True)}
        return evaluate(meaning(name), values)
    if function.value is None:
        raise NoValue(f"{name} has no value here")
    return _safe(function.value, *arguments)


@cache
def meaning(name: str) -> Formula:
    """The definition of a function that is a formula of others."""
    return parse(FUNCTIONS[name].meaning, ARGUMENTS)


def _safe(function: Callable[..., float], *arguments: float) -> float:
    try:
        return float(function(*arguments))
    except (ValueError, ZeroDivisionError):
        return math.nan
    except OverflowError:
        return math.inf


OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "|": lambda a, b: float(is_true(a) or is_true(b)),
    "&": lambda a, b: float(is_true(a) and is_true(b)),
    "=": lambda a, b: float(abs(a - b) <= EPSILON),
    "!=": lambda a, b: float(abs(a - b) > EPSILON),
    "<": lambda a, b: float(a < b - EPSILON),
    "<=": lambda a, b: float(a <= b + EPSILON),
    ">": lambda a, b: float(a > b + EPSILON),
    ">=": lambda a, b: float(a >= b - EPSILON),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": math.fmod,
}
