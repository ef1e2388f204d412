"""Formulas as functions: their values, and their derivatives against finite differences."""

from __future__ import annotations

import contextlib
import math
import random

import pytest
from polybody.formulas import (
    Formula,
    NoDerivative,
    NoValue,
    Variable,
    derivative,
    evaluate,
    joints_of,
    parse,
    show,
)
from polybody.formulas.functions import FUNCTIONS

from .trees import Trees

A, B = Variable("a"), Variable("b")


def value(text: str, **joints: float) -> float:
    return evaluate(parse(text, ["a", "b", "c"]), {Variable(name): number for name, number in joints.items()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1+2*3", 7.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("7%4", 3.0),
        ("-7%4", -3.0),
        ("1<2", 1.0),
        ("2<=1", 0.0),
        ("0.1+0.2=0.3", 1.0),
        ("0.1+0.2!=0.3", 0.0),
        ("!0.4", 1.0),
        ("!0.6", 0.0),
        ("1&0|1", 1.0),
        ("if(1>0, 2, 1/0)", 2.0),
        ("int(2.5)", 3.0),
        ("int(-2.5)", -3.0),
        ("trunc(-2.9)", -2.0),
        ("floor(-2.1)", -3.0),
        ("ceil(-2.9)", -2.0),
        ("cbrt(-8)", -2.0),
        ("exp2(3)", 8.0),
        ("cot(1)-1/tan(1)", 0.0),
        ("sec(1)*cos(1)", 1.0),
        ("csc(1)*sin(1)", 1.0),
        ("SASS(3, 3.141592653589793/2, 4)", 5.0),
        ("SASA(1, 3.141592653589793/2, 1)", math.pi / 4),
        ("SSSA(1, 1, 1)", math.pi / 3),
        ("d := 3; e := d*d; d+e", 12.0),
    ],
)
def test_values(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["1/0", "sqrt(-1)", "log(0)", "acos(2)", "0^-1", "5%0"])
def test_what_has_no_value_is_no_number(text: str) -> None:
    assert not math.isfinite(value(text))
    assert value("exp(1000)") == math.inf


def test_roots_of_polynomials_have_no_value_here() -> None:
    with pytest.raises(NoValue, match="polyroots2"):
        value("polyroots2(1,2,3)")
    with pytest.raises(NoDerivative, match="polyroots2"):
        derivative(parse("polyroots2(a,2,3)", ["a"]), A)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JF1/3+0.8727", "1 / 3"),
        ("JF1*JF1", "JF1 + JF1"),
        ("JF1^3", "3 * JF1 ^ 2"),
        ("2", "0"),
        ("-JF1", "-1"),
        ("sin(2*JF1)", "cos(2 * JF1) * 2"),
        ("JF1 > 2", "0"),
        ("c := 2*JF1; c*JF1", "c := 2 * JF1; slope_c := 2; slope_c * JF1 + c"),
    ],
)
def test_derivatives_are_short(text: str, expected: str) -> None:
    assert show(derivative(parse(text, ["JF1"]), Variable("JF1"))) == expected


def test_the_document_s_example() -> None:
    position = parse("a+b+atan(a)", ["a", "b"])
    velocity, acceleration = derivative(position, A), derivative(derivative(position, A), A)
    for a in (-2.0, -0.3, 0.0, 1.1):
        at = {A: a, B: 0.7}
        assert evaluate(velocity, at) == pytest.approx(1 + 1 / (1 + a * a))
        assert evaluate(acceleration, at) == pytest.approx(-2 * a / ((1 + a * a) * (1 + a * a)))
    assert evaluate(derivative(position, B), {A: 1.0, B: 1.0}) == 1.0


def slope(formula: Formula, by: Variable, at: dict[Variable, float], step: float) -> float:
    """The derivative by finite differences of fourth order."""

    def moved(steps: int) -> float:
        return evaluate(formula, {**at, by: at[by] + steps * step})

    return (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step)


POINTS = {"acosh": 1.8, "log": 0.7, "log2": 0.7, "log10": 0.7, "sqrt": 0.7}


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if not name.startswith("polyroots")])
def test_every_function_s_derivative_by_each_argument(name: str) -> None:
    joints = ("a", "b", "c")[: FUNCTIONS[name].arguments]
    formula = parse(f"{name}({','.join(joints)})", joints)
    first = POINTS.get(name, 0.6)
    at = {Variable(joint): number for joint, number in zip(joints, (first, 0.8, 0.9), strict=False)}
    for by in at:
        assert evaluate(derivative(formula, by), at) == pytest.approx(slope(formula, by, at, 1e-4), abs=1e-8)


def test_random_trees_against_finite_differences() -> None:
    trees, draw, tried = Trees(5, ("a", "b"), smooth=True), random.Random(6), 0
    while tried < 1000:
        formula = Formula(trees.tree(4))
        joints = joints_of(formula)
        if not joints:
            continue
        at = {joint: draw.uniform(0.2, 1.5) for joint in joints}
        by = draw.choice(list(joints))
        try:
            exact = evaluate(derivative(formula, by), at)
        except NoDerivative:
            continue
        coarse, fine = slope(formula, by, at, 2e-4), slope(formula, by, at, 1e-4)
        size = max(abs(exact), abs(evaluate(formula, at)), 1.0)
        if not math.isfinite(exact) or size > 1e6 or not abs(coarse - fine) < 1e-5 * size:
            continue  # no value, or too steep for finite differences
        assert exact == pytest.approx(fine, abs=1e-4 * size), show(formula)
        tried += 1


@pytest.mark.parametrize(
    "text",
    [
        "*".join(["a"] * 5000),
        "c0:=a+1;" + "".join(f"c{i + 1}:=c{i}*c{i};" for i in range(60)) + "c60",
        "SSSA(" * 60 + "a" + ",1,1)" * 60,
        "hypot(" * 90 + "a" + ",a)" * 90,
        "^".join(["a"] * 90),
    ],
)
def test_hostile_formulas_do_not_explode(text: str) -> None:
    formula = parse(text, ["a"])
    evaluate(formula, {A: 0.5})
    with contextlib.suppress(NoDerivative):
        evaluate(derivative(formula, A), {A: 0.5})
