"""A formula as a tree. Its depth is limited when it is created, so that recursive traversal is safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 100
"""Maximum depth of a parsed tree."""

LEVELS: tuple[tuple[str, ...], ...] = (
    ("|",),
    ("&",),
    ("<=", ">=", "!=", "=", "<", ">"),
    ("+", "-"),
    ("*", "/", "%"),
)
"""Left-associative binary operators by precedence, the weakest first."""

LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number, not negative."""

    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a degree of freedom of a joint, counted from 0."""

    joint: str
    axis: int = 0


@dataclass(frozen=True, slots=True)
class Local:
    """A name to which the formula itself assigns a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """``-operand``."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Not:
    """``!operand``: 1 if it is nearer to 0 than to 1, else 0."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Power:
    """``base ^ exponent``; right-associative."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands with operators of one level between them, left-associative: ``a - b + c``."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]

    @property
    def level(self) -> int:
        """The precedence of its operators, as an index in LEVELS."""
        return LEVEL[self.rest[0][0]]


@dataclass(frozen=True, slots=True)
class Call:
    """A function call."""

    function: str
    arguments: tuple[Expression, ...]


Expression = Number | Variable | Local | Negative | Not | Power | Chain | Call


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression, and the assignments of names before it, in order."""

    value: Expression
    definitions: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Partials:
    """Derivatives of a formula, each with respect to one joint, and the names that all of them use."""

    partials: tuple[tuple[Variable, Expression], ...]
    definitions: tuple[tuple[str, Expression], ...] = ()


def below(node: Expression) -> tuple[Expression, ...]:
    """The operands of an expression, from the left."""
    match node:
        case Negative(operand) | Not(operand):
            return (operand,)
        case Power(base, exponent):
            return (base, exponent)
        case Chain(first, rest):
            return (first, *(operand for _, operand in rest))
        case Call(_, arguments):
            return arguments
        case _:
            return ()


def walk(node: Expression) -> Iterator[Expression]:
    """An expression and all its subexpressions."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(below(node)))


def depth(node: Expression) -> int:
    """Maximum nesting depth of expressions."""
    deepest, stack = 0, [(node, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((operand, level + 1) for operand in below(node))
    return deepest


def joints_of(formula: Formula | Partials) -> dict[Variable, None]:
    """The joint values that a formula uses, in order of occurrence."""
    values = [formula.value] if isinstance(formula, Formula) else [value for _, value in formula.partials]
    parts = [*(value for _, value in formula.definitions), *values]
    return {node: None for part in parts for node in walk(part) if isinstance(node, Variable)}
