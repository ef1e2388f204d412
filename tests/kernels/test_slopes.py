"""Derivatives of parts of algorithms: with plain numbers, in a model's graph, and with known arguments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from polybody.codegen.staging import scalars
from polybody.codegen.staging.scalars import Expr, Graph, below
from polybody.codegen.staging.slopes import slopes

from .graphs import values


def part(v: Any) -> list[Any]:
    x, y = v
    kept = scalars.where(x < y, x * y, scalars.exp(x))
    root = scalars.sqrt(scalars.maximum(x * x + y * y, 1e-300))
    return [
        kept + root,
        scalars.clip(x, -1.0, 0.5) * abs(y),
        scalars.atan2(y, x) / (2.0 + scalars.sin(x)),
        3.0,
    ]


@pytest.mark.parametrize("point", [(0.3, 0.7), (0.7, -0.3), (-2.0, 1.0)])
def test_numbers(point: tuple[float, float]) -> None:
    """On a machine without a graph."""
    found, h = slopes(SimpleNamespace(), part, point), 1e-6
    for k in range(2):
        ends = [part([x + sign * h * (n == k) for n, x in enumerate(point)]) for sign in (1, -1)]
        differences = (np.array(ends[0]) - np.array(ends[1])) / (2 * h)
        assert [row[k] for row in found] == pytest.approx(differences, abs=1e-8)


def test_nodes_that_depend_on_each_other() -> None:
    """Arguments are independent, even if one is computed from the other and the part reads both."""
    graph = Graph()
    machine = SimpleNamespace(graph=graph)
    x = graph.node("input", "x", 0)
    y = x + 1.0
    ((by_x, by_y, by_number),) = slopes(machine, lambda v: [v[0] * v[1] * x + v[2] * v[1]], [x, y, 2.0])
    found = values([by_x, by_y, by_number], {"x": np.array([0.5])})
    assert found == pytest.approx([1.5 * 0.5, 0.5 * 0.5 + 2.0, 1.5])
    assert not any(n.op == "unknown" for n in below([by_x, by_y, by_number]))


def test_known_arguments_fold() -> None:
    machine = SimpleNamespace(graph=Graph())
    ((rate,),) = slopes(machine, lambda v: [v[0] * v[0] * 3.0], [2.0])
    assert not isinstance(rate, Expr)
    assert rate == 12.0
