"""Derivatives of a part of an algorithm while it is traced, such as of a force with respect to a velocity.

    rows = slopes(m, lambda v: force(v), [t.actuator_velocity[u]])

The part is traced again with unknowns instead of the numbers, differentiated by operations.py, and then the
numbers are substituted. So a force is written only once for all machines: numbers give numbers, traced
scalars give traced ones. Inside the part, operations on values are inlined, tables may be read but not stored
to, and branches must be where().
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from . import scalars
from .derivative import differentiate
from .iterations import called
from .scalars import Expr, Graph, below

INFIX: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
}
MORE: Mapping[str, Callable[..., Any]] = {
    "neg": lambda a: -a,
    "and": scalars.both,
    "or": scalars.either,
    "not": scalars.opposite,
    "where": scalars.where,
    "minimum": scalars.minimum,
    "maximum": scalars.maximum,
    "join": scalars.join,
}
numbers = count()


def slopes(m: Any, f: Callable[[Sequence[Any]], Sequence[Any]], point: Sequence[Any]) -> list[list[Any]]:
    """Derivatives of f's results, one row each, with respect to its arguments at a point.

    Args:
        m: the machine.
        f: from scalars to scalars.
        point: scalars, treated as independent of each other and of everything else that f reads.
    """
    graph = getattr(m, "graph", None) or Graph()
    unknown = [graph.node("unknown", next(numbers)) for _ in point]
    symbolic, graph.symbolic = graph.symbolic, False
    try:
        found = differentiate(f(unknown), unknown)
        known = dict(zip([x.id for x in unknown], point, strict=True))
        values = iter(put_in([rate for row in found for _, rate in sorted(row.items())], known))
        table = [{k: next(values) for k in sorted(row)} for row in found]
    finally:
        graph.symbolic = symbolic
    return [[row.get(k, 0.0) for k in range(len(point))] for row in table]


def put_in(results: Sequence[Any], known: Mapping[int, Any]) -> list[Any]:
    """Scalars with some nodes substituted, by the indices of these."""
    made: dict[int, Any] = dict(known)
    for n in below(x for x in results if isinstance(x, Expr)):
        if n.id not in made:
            changed = any(made[a.id] is not a for a in n.operands)
            made[n.id] = (
                again(n, [made[a.id] if isinstance(a, Expr) else a for a in n.args]) if changed else n
            )
    return [plain(made[x.id]) if isinstance(x, Expr) else x for x in results]


def plain(x: Any) -> Any:
    """A scalar, or its value if that is known."""
    return x.value if isinstance(x, Expr) and isinstance(x.value, float) else x


def again(n: Expr, args: Sequence[Any]) -> Any:
    """A node's operation applied to other operands."""
    if n.op in ("lane", "pick"):
        return getattr(scalars, n.op)(*args)
    if n.op == "total":
        return scalars.total(args[0], n.operands[0].width)
    if n.op == "iterate":
        return called(*args)
    args = [plain(a) for a in args]
    return (INFIX.get(n.op) or MORE.get(n.op) or scalars.function(n.op))(*args)
