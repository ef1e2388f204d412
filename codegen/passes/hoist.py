"""Separates what a kernel computes only from the model's inputs, which is the same in every step.

Inputs of the model are columns that remain inputs instead of constants; the rest of the kernel reads the
values computed from them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..staging.calls import AFTER, CALL
from ..staging.interface import PREPARED
from ..staging.scalars import Expr
from ..staging.straight import needed

Outputs = Mapping[str, Mapping[int, Any]]


def hoist(outputs: Outputs, named: Collection[str]) -> tuple[dict[str, dict[int, Any]], Outputs]:
    """Splits a kernel into two: the first computes a column PREPARED, which the second reads.

    Args:
        outputs: for each column, scalars by their index in its memory.
        named: the columns that are inputs of the model.
    """
    nodes = needed(x for entries in outputs.values() for x in entries.values() if isinstance(x, Expr))
    first: dict[int, Expr] = {}
    now: dict[int, Any] = {}
    settled: set[int] = set()

    def read(x: Any) -> Any:
        """An operand in the second kernel."""
        if not isinstance(x, Expr) or x.value is not None:
            return x
        if x.id not in now:  # computed by the first kernel, and used by the second
            if x.op == "neg":
                now[x.id] = -read(x.args[0])
            else:
                now[x.id] = x.graph.node("input", PREPARED, len(first))
                first[len(first)] = x
        return now[x.id]

    for n in nodes:
        known = n.op not in (CALL, AFTER) and all(a.id in settled or a.value is not None for a in n.operands)
        if n.value is None and n.type == "real" and (n.args[0] in named if n.op == "input" else known):
            settled.add(n.id)
        elif n.value is None:
            args = [read(a) for a in n.args]
            same = all(a is b for a, b in zip(args, n.args, strict=True))
            now[n.id] = n if same else n.graph.node(n.op, *args, type=n.type)
    second = {c: {k: read(x) for k, x in entries.items()} for c, entries in outputs.items()}
    return {PREPARED: first}, second
