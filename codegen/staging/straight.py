"""Straight-line C from the graph of one model.

A kernel has the face `void name(void *const *column)`, where column[c] is the memory of the c-th of its
columns. A result is written after the last read of what stood in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .scalars import Expr

INFIX = frozenset("+-*/<") | {"=="}


@dataclass(frozen=True)
class Straight:
    """A kernel's C text, the columns it is given in this order, and how many operations it takes."""

    name: str
    columns: tuple[str, ...]
    lines: tuple[str, ...]
    operations: int


def straight(name: str, outputs: Mapping[str, Mapping[int, Any]]) -> Straight:
    """The C text of what the outputs are computed from: per column, scalars by their place in its memory."""
    nodes = needed(x for entries in outputs.values() for x in entries.values() if isinstance(x, Expr))
    read = sorted({n.args[0] for n in nodes if n.op == "input"})
    columns = (*read, *(c for c in outputs if c not in read))
    lines = [f"const {c_type(n)} v{n.id} = {expression(n)};" for n in nodes if n.op != "const"]
    for column, entries in outputs.items():
        lines += [f"{column}[{k}] = {operand(x)};" for k, x in sorted(entries.items())]
    operations = sum(n.op not in ("const", "input", "neg") for n in nodes)
    return Straight(name, columns, tuple(lines), operations)


def needed(roots: Iterable[Expr]) -> list[Expr]:
    """All that the roots are computed from, operands first."""
    found: dict[int, Expr] = {}
    stack = list(roots)
    while stack:
        n = stack.pop()
        if n.id not in found:
            found[n.id] = n
            stack += n.operands
    return [found[k] for k in sorted(found)]


def c_type(n: Expr) -> str:
    return "mask" if n.type == "bool" else "real"


def operand(x: Expr | float) -> str:
    if isinstance(x, Expr) and x.value is None:
        return f"v{x.id}"
    return literal(float(x.value if isinstance(x, Expr) else x))


def literal(value: float) -> str:
    """A finite number as C text that reads back to it.

    Raises:
        ValueError: it is none.
    """
    if not -float("inf") < value < float("inf"):
        raise ValueError(f"a constant of the model comes out as {value}")
    return f"R({value!r})"


def expression(n: Expr) -> str:
    if n.op == "input":
        return f"{n.args[0]}[{n.args[1]}]"
    args = [operand(a) for a in n.operands]
    if n.op in INFIX:
        return f"{args[0]} {n.op} {args[1]}"
    if n.op == "neg":
        return f"-{args[0]}"
    return f"real_{n.op}({', '.join(args)})"
