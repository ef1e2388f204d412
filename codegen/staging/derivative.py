"""Derivatives of straight-line graphs: forward mode, from the tangents of operations.py.

    machine = executed(rnea.inverse, columns, values, request)          # any graph of one model
    forces = machine.results("qfrc_inverse")
    by = [machine.input("qacc", k) for k in range(nv)]
    rows = differentiate(forces.values(), by)                   # rows of the mass matrix

The derivatives are scalars of the same graph, so they share nodes with the values, fold, and are written as C
like these. At a condition, the derivative is that of the branch taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import scalars
from .operations import OPERATIONS
from .scalars import Expr, below

Tangents = dict[int, Any]  # by index of the direction; zeros are omitted


def differentiate(outputs: Iterable[Any], inputs: Sequence[Expr]) -> list[Tangents]:
    """Derivatives of each output with respect to the inputs, by index of the input; known zeros are omitted.

    Args:
        outputs: scalars of one graph, or numbers.
        inputs: nodes, treated as independent of each other, even if they are computed from common ones.
    """
    return propagate(outputs, {x.id: {k: 1.0} for k, x in enumerate(inputs)})


def along(outputs: Iterable[Any], direction: Mapping[Expr, Any]) -> list[Any]:
    """Derivatives of each output if inputs change at given rates, which may be scalars of the graph."""
    rows = propagate(outputs, {x.id: {0: rate} for x, rate in direction.items()})
    return [row.get(0, 0.0) for row in rows]


def propagate(outputs: Iterable[Any], seeds: Mapping[int, Tangents]) -> list[Tangents]:
    """Tangents of the outputs, given those of some nodes."""
    outputs = list(outputs)
    known: dict[int, Tangents] = {}
    for n in below(x for x in outputs if isinstance(x, Expr)):
        known[n.id] = seeds[n.id] if n.id in seeds else tangents(n, [known[a.id] for a in n.operands])
    return [known[x.id] if isinstance(x, Expr) else {} for x in outputs]


def tangents(n: Expr, operands: Sequence[Tangents]) -> Tangents:
    """A node's tangents from those of its operands."""
    found: Tangents = {}
    for direction in sorted(set().union(*operands)):
        rate = tangent(n, [of.get(direction, 0.0) for of in operands])
        known = rate.value if isinstance(rate, Expr) else rate
        if rate is not None and known != 0.0:
            found[direction] = rate
    return found


def tangent(n: Expr, rates: Sequence[Any]) -> Any:
    """The rate of change of a node if its operands change at these rates; None for a condition."""
    if n.op == "join":
        return n.graph.lift(scalars.join(*rates))
    if n.op in ("lane", "pick"):
        return getattr(scalars, n.op)(rates[0], n.args[1])
    if n.op == "iterate":
        return n.args[0].tangent(n, n.args[1:], rates)
    if n.op == "total":
        return scalars.total(rates[0], n.operands[0].width)
    rule = OPERATIONS[n.op].tangent
    return rule and rule(scalars, n, *n.args, *rates)
