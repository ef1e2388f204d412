"""Formulas with roots of a polynomial: their values, their derivatives, and which root belongs to a value.

``polyroots3(a, b, c, d)`` stands for every real x with a x^3 + b x^2 + c x + d = 0, so that a formula with
it has several values. Such a formula is split: into the polynomial, whose coefficients are formulas, and a
formula in which :data:`ROOT` is one of its roots. The implicit function theorem gives the derivatives of a
root, dx = -(dp by the joint) / (dp by x).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from polybody.formulas.derive import (
    MAX_NODES,
    ONE,
    NoDerivative,
    Work,
    derivative,
    negative,
    plus,
    replaced,
    times,
)
from polybody.formulas.evaluate import NoValue, evaluate
from polybody.formulas.expressions import (
    LEVEL,
    Call,
    Chain,
    Expression,
    Formula,
    Local,
    Negative,
    Number,
    Variable,
    walk,
)

PREFIX = "polyroots"
ROOT, VALUE = Variable("", -1), Variable("", -2)
"""A root of the polynomial; the value of the whole formula. No joint is called so."""
REAL = math.sqrt(sys.float_info.epsilon)
"""How large the imaginary part of a root is, against the root, that counts as real; OpenRAVE's bound."""
POLISHING = 3
"""Newton steps after the eigenvalues of the companion matrix: they leave nothing but rounding."""
INVERSES = {
    "atan": "tan",
    "tan": "atan",
    "asin": "sin",
    "acos": "cos",
    "exp": "log",
    "log": "exp",
    "sinh": "asinh",
    "asinh": "sinh",
    "tanh": "atanh",
    "atanh": "tanh",
}


class Rooted(NamedTuple):
    """A formula with roots of one polynomial."""

    value: Formula
    """Of joints and of ROOT."""
    coefficients: tuple[Formula, ...]
    """Of the polynomial, that of the highest power first."""
    polynomial: Formula
    """Its value, of joints and of ROOT."""

    def values(self, joints: Mapping[Variable, float]) -> list[tuple[float, float]]:
        """Every real root with which the formula has a value, and that value.

        Raises:
            KeyError: a joint has no value.
        """
        found = real_roots([evaluate(each, joints) for each in self.coefficients])
        pairs = [(root, evaluate(self.value, {**joints, ROOT: root})) for root in found]
        return [(root, value) for root, value in pairs if value == value]

    def slope(self, formula: Formula, by: Variable, work: Work) -> Formula:
        """The derivative of a formula of joints and of ROOT by a joint, along which the root moves.

        Raises:
            NoDerivative: it has none, or one that is too large.
        """
        through = derivative(formula, ROOT, work).value
        moves = derivative(self.polynomial, by, work).value
        derived = derivative(self.polynomial, ROOT, work).value
        moved = negative(Chain(times(through, moves), (("/", derived),)))
        if Number(0.0) in (through, moves):
            moved = Number(0.0)
        return Formula(plus(derivative(formula, by, work).value, moved))

    def root(self) -> Formula:
        """The ROOT of which the formula has a VALUE.

        Raises:
            NoDerivative: a function around the root has no inverse that is a function.
        """
        return Formula(_inverse(self.value.value, VALUE))


def rooted(formula: Formula) -> Rooted | None:
    """A formula with roots of a polynomial, split; None of a formula without.

    Raises:
        NoValue: it has roots of several polynomials, or of one whose coefficients have such roots.
        NoDerivative: it is too large.
    """
    if not any(map(_is_root, _nodes(formula))):
        return None
    whole = _inlined(formula)
    calls = {node for node in walk(whole) if isinstance(node, Call) and _is_root(node)}
    if len(calls) > 1:
        raise NoValue("it contains roots of several polynomials")
    (call,) = calls
    powers: Expression = call.arguments[0]
    for coefficient in call.arguments[1:]:
        powers = plus(times(powers, ROOT), coefficient)
    coefficients = tuple(Formula(each) for each in call.arguments)
    return Rooted(Formula(replaced(whole, {call: ROOT})), coefficients, Formula(powers))


def real_roots(coefficients: Sequence[float]) -> list[float]:
    """The real roots of a polynomial, each once; none of a constant or of what has no value.

    Args:
        coefficients: that of the highest power first.

    Returns:
        Of a quadratic polynomial a x^2 + b x + c that with the positive square root first, as in OpenRAVE;
        of others, which OpenRAVE gives in no order, the greatest first.
    """
    import numpy as np  # which the check of a formula does not need

    given = np.trim_zeros(np.array(coefficients, dtype=float), "f")
    if len(given) < 2 or not np.isfinite(given).all():
        return []
    scaled = given / np.abs(given).max()
    found = np.roots(scaled)
    near = found.real[np.abs(found.imag) <= REAL * np.maximum(1.0, np.abs(found))]
    derived = np.polyder(scaled)
    for _ in range(POLISHING):
        slope = np.polyval(derived, near)
        near = near - np.where(slope != 0, np.polyval(scaled, near) / np.where(slope != 0, slope, 1.0), 0.0)
    near = np.sort(near)[::-1]
    apart = np.abs(np.diff(near, prepend=math.inf)) > 8 * REAL * np.maximum(1.0, np.abs(near))
    kept: list[float] = near[apart].tolist()
    return kept[::-1] if len(given) == 3 and given[0] < 0 else kept


def _is_root(node: Expression) -> bool:
    return isinstance(node, Call) and node.function.startswith(PREFIX)


def _nodes(formula: Formula) -> list[Expression]:
    parts = (formula.value, *(value for _, value in formula.definitions))
    return [node for part in parts for node in walk(part)]


def _inlined(formula: Formula) -> Expression:
    """A formula with what its names stand for instead of them."""
    known: dict[Expression, Expression] = {}
    sizes: dict[Expression, int] = {}
    for name, value in (*formula.definitions, ("", formula.value)):
        size = sum(sizes.get(node, 1) for node in walk(value))
        if size > MAX_NODES:
            raise NoDerivative(f"without names it has more than {MAX_NODES:,} parts")
        known[Local(name)], sizes[Local(name)] = replaced(value, known), size
    return known[Local("")]


def _inverse(node: Expression, value: Expression) -> Expression:
    """The ROOT with which an expression has a value."""
    while node != ROOT:
        match node:
            case Negative(operand):
                node, value = operand, negative(value)
            case Chain(first, rest):
                node, value = _inverse_of_chain(first, rest, value)
            case Call("sqrt", (operand,)):
                node, value = operand, times(value, value)
            case Call("cbrt", (operand,)):
                node, value = operand, times(value, value, value)
            case Call("atan2", (up, along)) if not _has_root(along):
                node, value = up, times(along, Call("tan", (value,)))
            case Call("atan2", (up, along)) if not _has_root(up):
                node, value = along, Chain(up, (("/", Call("tan", (value,))),))
            case Call(name, (operand,)) if name in INVERSES:
                node, value = operand, Call(INVERSES[name], (value,))
            case _:
                what = f"`{node.function}`" if isinstance(node, Call) else "a power"
                raise NoDerivative(f"the root of {what} is not unique")
    return value


def _inverse_of_chain(
    first: Expression, rest: tuple[tuple[str, Expression], ...], value: Expression
) -> tuple[Expression, Expression]:
    """The operand of a sum or product that has the root, and the value of it."""
    sums = LEVEL[rest[0][0]] == LEVEL["+"]
    operands = [("+" if sums else "*", first), *rest]
    own = [place for place, (_, operand) in enumerate(operands) if _has_root(operand)]
    if len(own) != 1 or not all(operator in "+-*/" for operator, _ in rest):
        raise NoDerivative(
            "the formula contains its root twice or in a comparison, so the root is not unique"
        )
    operator, node = operands.pop(own[0])
    if sums:
        others = plus(*(x if sign == "+" else negative(x) for sign, x in operands))
        left = plus(value, negative(others))
        return node, left if operator == "+" else negative(left)
    over = [x for sign, x in operands if sign == "*"]
    under = [x for sign, x in operands if sign == "/"]
    others = Chain(times(ONE, *over), tuple(("/", x) for x in under)) if under else times(ONE, *over)
    if operator == "*":
        return node, Chain(value, (("/", others),))
    return node, Chain(others, (("/", value),))


def _has_root(node: Expression) -> bool:
    return any(each == ROOT for each in walk(node))
