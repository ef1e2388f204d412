"""Formulas with roots of polynomials: all their values, derivatives along a root, and the index of the root
with a given value.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from polybody.formulas import (
    ROOT,
    VALUE,
    NoDerivative,
    NoValue,
    Rooted,
    Variable,
    Work,
    evaluate,
    parse,
    rooted,
)
from polybody.formulas.roots import real_roots

A, B = Variable("a"), Variable("b")


def split(text: str) -> Rooted:
    found = rooted(parse(text, ["a", "b"]))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("coefficients", "expected"),
    [
        ((1, -3, 2), [2, 1]),
        ((-1, 3, -2), [1, 2]),  # OpenRAVE begins with (-b + sqrt(..)) / 2a
        ((1, 2, 1), [-1]),
        ((1, 0, 1), []),
        ((0, 2, -1), [0.5]),
        ((0, 0, 3), []),
        ((1, -6, 11, -6), [3, 2, 1]),
        ((1, 0, 0, -8), [2]),
        ((1, 0, -5, 0, 4), [2, 1, -1, -2]),
        ((math.nan, 1, 1), []),
        ((1e300, 0, -1e300), [1, -1]),
        (tuple(np.poly([1, 2, 3, 4, 5, 6, 7, 8])), [8, 7, 6, 5, 4, 3, 2, 1]),
    ],
)
def test_real_roots(coefficients: tuple[float, ...], expected: list[float]) -> None:
    assert real_roots(coefficients) == pytest.approx(expected, rel=1e-9)


def test_random_polynomials_have_their_roots() -> None:
    draw = np.random.default_rng(4)
    for degree in range(2, 9):
        for _ in range(30):
            wanted = np.sort(draw.uniform(-2, 2, degree))
            if np.diff(wanted).min() < 0.05:
                continue
            assert sorted(real_roots(np.poly(wanted))) == pytest.approx(wanted, abs=1e-7)


def test_a_formula_has_a_value_with_every_root() -> None:
    found = split("s := a + 1; 2*polyroots2(1, -s, a) + b").values({A: 3.0, B: 10.0})
    assert [value for _, value in found] == pytest.approx([16, 12])
    assert rooted(parse("a+b", ["a", "b"])) is None


TEXTS = (
    "polyroots2(1, b, -a)",
    "2*atan(polyroots3(a, b, 0.3, -1))",
    "x := polyroots4(1, a, 0, -b, -1); 3 - x/a",
    "b*sqrt(1 + polyroots2(1, a, -a*b)) - a",
    "exp(-(a/polyroots2(a, 1, -b)))",
    "atan2(polyroots3(1, 0, a, -b), 2+a)",
    "atan2(2+a, polyroots3(1, 0, a, -b))",
    "tanh(cbrt(asinh(polyroots2(1, b, -a))))",
    "1 - a - polyroots8(1, a, 0, 0, b, 0, 0, 0, -1)*b",
)


@pytest.mark.parametrize("text", TEXTS)
def test_derivatives_are_those_of_the_value(text: str) -> None:
    """First and second derivatives, against finite differences of one root's value."""
    formula, work, step = split(text), Work(), 1e-5
    at = {A: 0.7, B: 0.9}
    slopes = {by: formula.slope(formula.value, by, work) for by in at}
    for place, (root, _) in enumerate(formula.values(at)):
        for by, here in at.items():
            ends, turns = [], []
            for offset in (step, -step):
                there = {**at, by: here + offset}
                moved, value = formula.values(there)[place]
                ends.append(value)
                turns.append(evaluate(slopes[A], {**there, ROOT: moved}))
            now = {**at, ROOT: root}
            assert evaluate(slopes[by], now) == pytest.approx((ends[0] - ends[1]) / 2 / step, abs=1e-7)
            curvature = formula.slope(slopes[A], by, work)
            assert evaluate(curvature, now) == pytest.approx((turns[0] - turns[1]) / 2 / step, abs=1e-6)


@pytest.mark.parametrize("text", TEXTS)
def test_the_root_of_a_value(text: str) -> None:
    formula, at = split(text), {A: 0.7, B: 0.9}
    for root, value in formula.values(at):
        assert evaluate(formula.root(), {**at, VALUE: value}) == pytest.approx(root, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("polyroots2(1,0,-a) + polyroots2(1,0,-b)", NoValue),
        ("polyroots2(1,0,-polyroots2(1,0,-a))", NoValue),
    ],
)
def test_several_polynomials_are_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="several polynomials"):
        split(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("sin(polyroots2(1,0,-a))", "`sin`"),
        ("polyroots2(1,0,-a)^2", "a power"),
        ("x := polyroots2(1,0,-a); x*(1-x)", "twice"),
        ("b < polyroots2(1,0,-a)", "comparison"),
    ],
)
def test_what_has_no_inverse_is_refused(text: str, word: str) -> None:
    with pytest.raises(NoDerivative, match=word):
        split(text).root()


def test_names_that_expand_to_too_much_are_refused() -> None:
    doubling = "".join(f"x{k + 1} := x{k}*x{k}; " for k in range(40))
    with pytest.raises(NoDerivative, match="parts"):
        rooted(parse(f"x0 := a; {doubling}polyroots2(1, x40, -1)", ["a"]))
