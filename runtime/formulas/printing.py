"""Tree to text that parses back to an equal tree."""

from __future__ import annotations

from collections.abc import Iterable

from polybody.formulas.expressions import (
    LEVELS,
    Call,
    Chain,
    Expression,
    Formula,
    Local,
    Negative,
    Not,
    Number,
    Partials,
    Power,
    Variable,
)

_UNARY, _POWER, _ATOM = len(LEVELS), len(LEVELS) + 1, len(LEVELS) + 2
"""How tightly things bind, above the levels of operators."""


def show(formula: Formula | Expression) -> str:
    """A formula as text. Operators have blanks around them: names of joints may hold signs, but no blanks."""
    if isinstance(formula, Formula):
        return _definitions(formula.definitions) + _text(formula.value)
    return _text(formula)


def show_partials(partials: Partials) -> str:
    """Partial derivatives as text."""
    shown = (f"|{_name(variable)} {_text(value)}" for variable, value in partials.partials)
    return _definitions(partials.definitions) + " ".join(shown)


def _definitions(definitions: Iterable[tuple[str, Expression]]) -> str:
    return "".join(f"{name} := {_text(value)}; " for name, value in definitions)


def _text(node: Expression) -> str:
    match node:
        case Number(value):
            return repr(value).removesuffix(".0")
        case Variable():
            return _name(node)
        case Local(name):
            return name
        case Negative(operand):
            return "-" + _within(operand, _UNARY)
        case Not(operand):
            return "!" + _within(operand, _UNARY)
        case Power(base, exponent):
            return f"{_within(base, _ATOM)} ^ {_within(exponent, _UNARY)}"
        case Chain(first, rest):
            tighter = node.level + 1
            parts = (f" {operator} {_within(operand, tighter)}" for operator, operand in rest)
            return _within(first, tighter) + "".join(parts)
        case Call(function, arguments):
            return f"{function}({', '.join(map(_text, arguments))})"


def _name(variable: Variable) -> str:
    return f"{variable.joint}_{variable.axis}" if variable.axis else variable.joint


def _within(node: Expression, least: int) -> str:
    """An operand, in parentheses where it binds less than it must."""
    return _text(node) if _binding(node) >= least else f"({_text(node)})"


def _binding(node: Expression) -> int:
    match node:
        case Chain():
            return node.level
        case Negative() | Not():
            return _UNARY
        case Power():
            return _POWER
        case _:
            return _ATOM
