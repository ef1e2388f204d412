"""Statements come forward when they free something, and never before what they use."""

from __future__ import annotations

import pytest
from polybody.codegen.physics import integrate
from polybody.codegen.specialised import Request, program
from polybody.codegen.staging.order import early
from polybody.codegen.staging.scalars import Expr, Graph, sin
from polybody.codegen.staging.straight import SINES, needed, uses

from .test_machines import columns_of


def alive(nodes: list[Expr]) -> int:
    """The sum over time of how many nodes are computed and still wanted."""
    last = {a.id: k for k, n in enumerate(nodes) for a in uses(n) if a.op != "input"}
    return sum(last.get(n.id, k) - k for k, n in enumerate(nodes) if n.op != "input")


@pytest.mark.parametrize("seed", range(3))
def test_an_order_of_the_same_nodes(seed: int) -> None:
    machine = program.executed(integrate.rk4, columns_of(seed, integrator=1), Request(("step",)))
    nodes = needed(x for c in ("qpos", "qvel") for x in machine.results(c).values())
    found = early(nodes, uses, staying=SINES)
    assert sorted(n.id for n in found) == [n.id for n in nodes]
    place = {n.id: k for k, n in enumerate(found)}
    assert all(place[a.id] < place[n.id] for n in found for a in uses(n))
    sines = [n for n in nodes if n.op in SINES]
    assert sines
    assert all(place[m.id] < place[n.id] for n in sines for m in nodes if m.id < n.id)
    assert alive(found) < alive(nodes)


def test_the_last_use_comes_first() -> None:
    g = Graph()
    doubles = [g.node("input", "x", k) * 2.0 for k in range(4)]
    sines = [sin(a) for a in doubles]
    squares = [a * a for a in sines]
    place = {n.id: k for k, n in enumerate(early(needed(squares), uses, staying=SINES))}
    assert place[sines[0].id] > max(place[n.id] for n in doubles)
    assert [place[n.id] for n in squares] == [place[n.id] + 1 for n in sines]
