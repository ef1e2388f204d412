"""Statements are moved forward if they free a value, and never before their operands."""

from __future__ import annotations

import pytest
from polybody.codegen.physics import integrate
from polybody.codegen.specialised import Request, program
from polybody.codegen.staging.order import deep, early, prompt, remaining, waits
from polybody.codegen.staging.registers import forgotten
from polybody.codegen.staging.scalars import Expr, Graph, sin, sqrt
from polybody.codegen.staging.straight import SINES, angles, needed, together, uses
from polybody.generated.kernels.layout import VALUES

from .test_machines import columns_of


def alive(nodes: list[Expr]) -> int:
    """The sum over time of the number of live nodes."""
    last = {a.id: k for k, n in enumerate(nodes) for a in uses(n) if a.op != "input"}
    return sum(last.get(n.id, k) - k for k, n in enumerate(nodes) if n.op != "input")


@pytest.mark.parametrize("seed", range(3))
def test_an_order_of_the_same_nodes(seed: int) -> None:
    machine = program.executed(integrate.rk4, columns_of(seed, integrator=1), VALUES, Request(("step",)))
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


def test_all_that_a_result_needs_comes_before_the_next() -> None:
    g = Graph()
    x = [g.node("input", "x", k) for k in range(3)]
    doubles = [a * 2.0 for a in x]
    results = [a * a for a in doubles]
    found = [n for n in deep(needed(results), uses) if n.op == "*"]
    assert found == [n for pair in zip(doubles, results, strict=True) for n in pair]


@pytest.mark.parametrize("seed", range(2))
def test_sines_wait_for_the_angles_of_all(seed: int) -> None:
    machine = program.executed(
        integrate.rk4, columns_of(seed, integrator=1), VALUES, Request(("step",), lanes=8)
    )
    nodes = needed(x for c in ("qpos", "qvel") for x in machine.results(c).values())
    groups = list(angles(nodes))
    found = early(deep(nodes, together(groups)), uses, staying=SINES)
    assert sorted(n.id for n in found) == [n.id for n in nodes]
    place = {n.id: k for k, n in enumerate(found)}
    assert all(place[a.id] < place[n.id] for n in found for a in uses(n))
    for group in groups:
        first = min(place[n.id] for n in nodes if n.op in SINES and n.operands[0].id in {a.id for a in group})
        assert all(place[x.id] < first for a in group for x in ([a] if a.op != "join" else a.operands))


def test_what_is_wanted_last_is_forgotten() -> None:
    g = Graph()
    a, b, c = (g.node("input", "x", k) for k in range(3))
    used = [[a, b], [c], [b], [a], [c, b]]
    made: list[list[Expr]] = [[] for _ in used]
    assert forgotten(used, made, 3, lambda k: 0) == {}
    assert forgotten(used, made, 2, lambda k: 0) == {1: [c]}
    assert forgotten(used, made, 1, lambda k: 0) == {0: [a], 1: [c]}
    assert forgotten(used, made, 2, lambda k: k // 2) == {}


def test_a_sine_of_a_sine_waits_for_it() -> None:
    """Its angle is not known when the first of a group is needed: it becomes the first of another group."""
    g = Graph()
    inner = sin(g.node("input", "x", 0))
    nodes = needed([sin(inner)])
    groups = list(angles(nodes))
    assert [[a.op for a in group] for group in groups] == [["input"], ["sin"]]
    assert [n.op for n in deep(nodes, together(groups))] == ["input", "sin", "sin"]


def test_what_is_independent_of_a_root_comes_beside_it() -> None:
    g = Graph()
    x = [g.node("input", "x", k) for k in range(3)]
    roots = [sqrt(sqrt(a + 1.0)) for a in x]
    nodes = needed([a + 2.0 for a in roots])
    ops = [n.op for n in prompt(nodes, uses) if n.op not in ("const", "input")]
    assert ops == ["+"] * 3 + ["sqrt"] * 6 + ["+"] * 3
    assert remaining(nodes, uses)[nodes[0].id] == 4 + 18 + 18 + 4 + (4 if nodes[0].op == "input" else 0)


def test_programs_that_wait_for_roots_have_that_order() -> None:
    g = Graph()
    x = [g.node("input", "x", k) for k in range(200)]
    chain = x[0]
    for k in range(20):
        chain = sqrt(chain + x[k])
    assert waits(needed([chain]), uses)
    assert not waits(needed([chain, *[a * b for a in x for b in x[:20]]]), uses)


@pytest.mark.parametrize("seed", range(3))
def test_an_order_by_waiting_of_the_same_nodes(seed: int) -> None:
    machine = program.executed(integrate.rk4, columns_of(seed, integrator=1), VALUES, Request(("step",)))
    nodes = needed(x for c in ("qpos", "qvel") for x in machine.results(c).values())
    needs = together(list(angles(nodes)))
    found = prompt(nodes, needs)
    assert sorted(n.id for n in found) == [n.id for n in nodes]
    place = {n.id: k for k, n in enumerate(found)}
    assert all(place[a.id] < place[n.id] for n in found for a in needs(n))
