"""Derivatives, computed from the expression tree by the rules of calculus."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from polybody.formulas.evaluate import meaning
from polybody.formulas.expressions import (
    LEVEL,
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
    below,
    walk,
)
from polybody.formulas.functions import ARGUMENTS, FUNCTIONS
from polybody.formulas.parse import parse

MAX_NODES = 20_000
"""Maximum size of a derivative: that of a product grows with the square of the number of its factors."""
MAX_WORK = 500_000
"""Maximum total number of nodes of the derivatives of one document's formulas."""

ZERO, ONE, TWO = Number(0.0), Number(1.0), Number(2.0)
_SUMS, _PRODUCTS = LEVEL["+"], LEVEL["*"]


class NoDerivative(ValueError):
    """A formula whose derivative is not a formula here, or is too large."""


class Work:
    """The number of nodes that derivatives may still have."""

    def __init__(self, left: int = MAX_WORK) -> None:
        self.left = left

    def take(self, nodes: int) -> None:
        """Count nodes.

        Raises:
            NoDerivative: the limit is exceeded.
        """
        self.left -= nodes
        if self.left < 0:
            raise NoDerivative("the derivatives of these formulas are too long")


def derivative(formula: Formula, by: Variable, work: Work | None = None) -> Formula:
    """The partial derivative of a formula with respect to one of its joints.

    Where a function is not differentiable (the corner of ``abs``, the steps of ``floor``), it is a one-sided
    derivative.

    Args:
        work: shared by several formulas, limits the derivatives of all of them together.

    Raises:
        NoDerivative: it is not a formula here, or is too large.
    """
    rules = _Rules(by, {name for name, _ in formula.definitions}, work or Work())
    definitions: list[tuple[str, Expression]] = []
    for name, value in formula.definitions:
        definitions.append((name, value))
        slope = rules.whole(value)
        if slope != ZERO:
            rules.slopes[name] = rules.new_name(name)
            definitions.append((rules.slopes[name], slope))
    found = rules.whole(formula.value)
    parts = (found, *(value for _, value in definitions))
    used = {node.name for part in parts for node in walk(part) if isinstance(node, Local)}
    return Formula(found, tuple(item for item in definitions if item[0] in used))


def replaced(node: Expression, others: Mapping[Expression, Expression]) -> Expression:
    """An expression with some of its joints, names and calls replaced."""
    match node:
        case Variable() | Local():
            return others.get(node, node)
        case Negative(operand):
            return Negative(replaced(operand, others))
        case Not(operand):
            return Not(replaced(operand, others))
        case Power(base, exponent):
            return Power(replaced(base, others), replaced(exponent, others))
        case Chain(first, rest):
            return Chain(replaced(first, others), tuple((o, replaced(x, others)) for o, x in rest))
        case Call(function, arguments):
            if node in others:
                return others[node]
            return Call(function, tuple(replaced(argument, others) for argument in arguments))
        case _:
            return node


class _Rules:
    """The rules, for one joint; the nodes that they create are counted."""

    def __init__(self, by: Variable, taken: set[str], work: Work) -> None:
        self.by, self.taken, self.work = by, taken, work
        self.slopes: dict[str, str] = {}  # names of the derivatives of named values
        self.sizes: dict[
            int, tuple[Expression, int]
        ] = {}  # by id, with a reference that keeps the object alive

    def new_name(self, name: str) -> str:
        """A name for the derivative of a named value."""
        slope = f"slope_{name}"
        while slope in self.taken:
            slope += "_"
        self.taken.add(slope)
        return slope

    def whole(self, node: Expression) -> Expression:
        """The derivative of a formula, or of a named value; all its nodes count as work."""
        found = self.of(node)
        self.work.take(self.size(found))
        return found

    def of(self, node: Expression) -> Expression:
        found = self.rule(node)
        if self.size(found) > MAX_NODES:
            raise _too_large()
        return found

    def size(self, node: Expression) -> int:
        """Number of nodes of a tree; shared parts count each time."""
        if id(node) not in self.sizes:
            operands = below(node)
            self.work.take(1 + len(operands))
            self.sizes[id(node)] = node, 1 + sum(map(self.size, operands))
        return self.sizes[id(node)][1]

    def rule(self, node: Expression) -> Expression:
        match node:
            case Number() | Not():
                return ZERO
            case Variable():
                return ONE if node == self.by else ZERO
            case Local(name):
                return Local(self.slopes[name]) if name in self.slopes else ZERO
            case Negative(operand):
                return negative(self.of(operand))
            case Power(base, exponent):
                return self.power(base, exponent)
            case Chain():
                return self.chain(node)
            case Call("if", (condition, then, otherwise)):
                slopes = self.of(then), self.of(otherwise)
                return ZERO if slopes == (ZERO, ZERO) else Call("if", (condition, *slopes))
            case Call(function, arguments):
                return self.call(function, arguments)

    def power(self, base: Expression, exponent: Expression) -> Expression:
        """(b^e)' = e b^(e-1) b' + b^e log(b) e'."""
        slope, growth = self.of(base), self.of(exponent)
        first: Expression = ZERO
        if slope != ZERO:
            less = _less_one(exponent)
            lower = base if less == ONE else Power(base, less)
            first = times(exponent, lower, slope)
        second = ZERO if growth == ZERO else times(Power(base, exponent), Call("log", (base,)), growth)
        return plus(first, second)

    def chain(self, node: Chain) -> Expression:
        if node.level == _SUMS:
            slopes = [self.of(node.first)]
            slopes += [self.of(x) if o == "+" else negative(self.of(x)) for o, x in node.rest]
            return plus(*slopes)
        if node.level == _PRODUCTS:
            return self.product(node)
        return ZERO  # comparisons and truth values are piecewise constant

    def product(self, node: Chain) -> Expression:
        """The derivative of each factor times all the others; quotients and remainders likewise."""
        if len(node.rest) ** 2 > MAX_NODES:
            raise _too_large()
        terms: list[Expression] = []
        before: list[tuple[str, Expression]] = [("*", node.first)]
        slopes = [(0, self.of(node.first))]
        for operator, operand in node.rest:
            slope = self.of(operand)
            if operator == "%":
                # a % b = a - b trunc(a / b)
                whole = Call("trunc", (_chained([*before, ("/", operand)]),))
                sum_before = plus(*(self.without(before, place, s) for place, s in slopes if s != ZERO))
                terms = [plus(sum_before, negative(times(slope, whole)))]
                before = [("*", _chained([*before, (operator, operand)]))]
                slopes = [(0, terms[0])]
                continue
            before.append((operator, operand))
            slopes.append((len(before) - 1, slope))
        return plus(*(self.without(before, place, slope) for place, slope in slopes if slope != ZERO))

    def without(self, factors: list[tuple[str, Expression]], place: int, slope: Expression) -> Expression:
        """A product with one of its factors replaced by that factor's derivative."""
        operator, operand = factors[place]
        others = factors[:place] + factors[place + 1 :]
        if operator == "*":
            return _chained([("*", slope), *others])
        squared = ("/", Power(operand, TWO))
        return negative(_chained([("*", slope), *others, squared]))

    def call(self, name: str, arguments: tuple[Expression, ...]) -> Expression:
        slopes = [self.of(argument) for argument in arguments]
        if all(slope == ZERO for slope in slopes):
            return ZERO
        rules = _derivatives(name)
        if not rules:
            raise NoDerivative(f"`{name}` has no derivative here")
        return plus(
            *(
                times(_with(rule, arguments), slope)
                for rule, slope in zip(rules, slopes, strict=True)
                if slope != ZERO
            )
        )


@cache
def _derivatives(name: str) -> tuple[Expression, ...]:
    function = FUNCTIONS[name]
    if function.meaning:
        letters = ARGUMENTS[: function.arguments]
        return tuple(derivative(meaning(name), Variable(letter)).value for letter in letters)
    return tuple(parse(text, ARGUMENTS).value for text in function.derivatives)


def _with(node: Expression, arguments: tuple[Expression, ...]) -> Expression:
    """A rule's formula for these arguments."""
    letters = (Variable(letter) for letter in ARGUMENTS)
    return replaced(node, dict(zip(letters, arguments, strict=False)))


def _too_large() -> NoDerivative:
    return NoDerivative(f"its derivative has more than {MAX_NODES:,} parts")


def _less_one(node: Expression) -> Expression:
    if isinstance(node, Number) and node.value >= 1:
        return Number(node.value - 1)
    return plus(node, negative(ONE))


# --- simplified expressions ---------------------------------------------------------------------------------


def negative(node: Expression) -> Expression:
    if node == ZERO:
        return ZERO
    return node.operand if isinstance(node, Negative) else Negative(node)


def plus(*terms: Expression) -> Expression:
    kept = [term for term in terms if term != ZERO]
    if not kept:
        return ZERO
    first, *rest = kept
    if not rest:
        return first
    signed = (("-", x.operand) if isinstance(x, Negative) else ("+", x) for x in rest)
    return Chain(first, tuple(signed))


def times(*factors: Expression) -> Expression:
    if ZERO in factors:
        return ZERO
    return _chained([("*", factor) for factor in factors])


def _chained(factors: list[tuple[str, Expression]]) -> Expression:
    """A product and quotient of factors; the first is not a divisor."""
    if ("*", ZERO) in factors:
        return ZERO
    (_, first), *others = factors
    rest = [(operator, x) for operator, x in others if x != ONE]
    if first == ONE and rest and rest[0][0] == "*":
        (_, first), *rest = rest
    return Chain(first, tuple(rest)) if rest else first
