"""Searches: a node of straight-line code with a C function of its own, and a loop in other code."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polybody.codegen.physics.wrapping import ACCURACY, BY_ANGLE, FAILED, INSIDE, excess, slope
from polybody.codegen.specialised import Request
from polybody.codegen.staging.derivative import differentiate
from polybody.codegen.staging.iterations import Iteration, called, looped
from polybody.codegen.staging.machines import Run
from polybody.codegen.staging.scalars import Graph, join, lane
from polybody.codegen.staging.slopes import slopes

from .graphs import compiled
from .trees import Array


def arguments(count: int) -> Array:
    """Arguments of searches along the inside, (4, count); the last finds nothing."""
    rng = np.random.default_rng(0)
    ranges = ((0.2, 0.6), (0.2, 0.6), (0.3, 1.5), (0.1, 2.0))
    p, q, angle, size = [rng.uniform(low, high, count) for low, high in ranges]
    p[-1], q[-1], angle[-1] = 0.99, 0.99, 3.0
    return np.array([p, q, size * np.cos(angle), size * np.sin(angle)])


SEARCHES = [pytest.param(search, id=search.name) for search in (INSIDE, BY_ANGLE)]


def numbers(search: Iteration, given: Array) -> list[float]:
    return [search.of_numbers(*column) for column in given.T.tolist()]


def machine() -> Any:
    return Run([], {"body_parentid": np.zeros(0), "dof_depth": np.zeros(0)}, {})


@pytest.mark.parametrize("search", SEARCHES)
def test_what_is_found(search: Iteration) -> None:
    given = arguments(9)
    *found, nothing = numbers(search, given)
    assert nothing == FAILED
    for z, column in zip(found, given.T, strict=False):
        assert 0.0 < z < 1.0
        assert abs(excess(z, *column.tolist())) <= ACCURACY
        p, q, dot, area = column.tolist()
        angle = math.asin(p * z) + math.asin(q * z) - 2.0 * math.asin(z) + math.atan2(area, dot)
        assert excess(z, p, q, dot, area) == pytest.approx(angle, abs=1e-12)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_loop_finds_the_same(search: Iteration) -> None:
    given = arguments(9)
    assert [looped(machine(), search, *column) for column in given.T.tolist()] == numbers(search, given)
    assert called(search, *given[:, 0].tolist()) == numbers(search, given)[0]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("lanes", "width"), [(1, 1), (1, 4), (4, 1)])
def test_straight_line_code_finds_the_same(
    search: Iteration, lanes: int, width: int, tmp_path: Path
) -> None:
    """For one state, for four parts of one side by side, and for four states."""
    count = lanes * width
    given = arguments(count + 1)[:, 1:]
    graph, names = Graph(), ("p", "q", "dot", "area")
    parts = [[graph.node("input", name, k) for k in range(width)] for name in names]
    found = called(search, *[join(*part) for part in parts])
    outputs = {"found": [lane(found, k) for k in range(width)]}
    program = compiled(outputs, dict.fromkeys(names, width), Request(("f",), lanes=lanes), tmp_path)
    arrays = {name: given[k].copy() for k, name in enumerate(names)} | {"found": np.zeros(count)}
    program.call("f", arrays)
    assert arrays["found"] == pytest.approx(numbers(search, given), rel=1e-12)


def test_the_derivative_is_that_of_the_zero() -> None:
    graph, h = Graph(), 1e-6
    given = [graph.node("input", "x", k) for k in range(4)]
    (row,) = differentiate([called(INSIDE, *given)], given)
    assert sorted(row) == [0, 1, 2, 3]
    for point in arguments(5).T[:4].tolist():
        found = [slopes(machine(), lambda v: [called(INSIDE, *v)], point)[0][k] for k in range(4)]
        z = INSIDE.of_numbers(*point)
        for _ in range(3):  # until it is exact
            z = INSIDE.step([z, excess(z, *point), 1.0, slope(z, *point[:2])], *point)[0]
        for k in range(4):
            ends = []
            for sign in (1, -1):
                moved = [x + sign * h * (n == k) for n, x in enumerate(point)]
                x = z
                for _ in range(4):
                    quotient = (excess(x + h, *moved) - excess(x - h, *moved)) / (2 * h)
                    x -= excess(x, *moved) / quotient
                ends.append(x)
            assert found[k] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-4)
