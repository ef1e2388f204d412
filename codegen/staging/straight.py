"""Straight-line C from the graph of one model.

Every kernel has the same face, so that one binder calls them all: `void name(double *const *column)`, where
column[c] is the memory of the c-th of the `columns` that the text names in its head. What a kernel needs
computed first, sines and cosines, it reads as columns like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .machines import Specialise
from .scalars import Expr

ABI = 1  # of `void name(double *const *column)`
INFIX = frozenset("+-*/<") | {"=="}


@dataclass(frozen=True)
class Straight:
    """A kernel's C text, the columns it is given in this order, and how many operations it takes."""

    name: str
    text: str
    columns: tuple[str, ...]
    operations: int


def straight(name: str, machine: Specialise, results: Sequence[str]) -> Straight:
    """What the machine traced, as a C function that writes the result columns."""
    outputs = machine.results(results)
    nodes = needed(x for entries in outputs.values() for x in entries.values() if isinstance(x, Expr))
    read = sorted({n.args[0] for n in nodes if n.op == "input"})
    columns = (*read, *(c for c in results if c not in read))
    place = {c: f"column[{k}]" for k, c in enumerate(columns)}
    lines = [f"    const double v{n.id} = {expression(n, place)};" for n in nodes if n.op != "const"]
    for column, entries in outputs.items():
        lines += [f"    {place[column]}[{k}] = {operand(x)};" for k, x in sorted(entries.items())]
    head = f"/* columns: {' '.join(columns)} */\nvoid {name}(double *const *column)"
    operations = sum(n.op not in ("const", "input", "neg") for n in nodes)
    return Straight(name, "\n".join([head, "{", *lines, "}", ""]), columns, operations)


def source(kernels: Iterable[Straight]) -> str:
    """A file of specialised kernels."""
    return f"#include <math.h>\n\nconst int abi = {ABI};\n\n" + "\n".join(k.text for k in kernels)


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


def operand(x: Expr | float) -> str:
    if isinstance(x, Expr) and x.value is None:
        return f"v{x.id}"
    value = float(x.value if isinstance(x, Expr) else x)
    return repr(value) if value >= 0 else f"({value!r})"


def expression(n: Expr, place: Mapping[str, str]) -> str:
    if n.op == "input":
        return f"{place[n.args[0]]}[{n.args[1]}]"
    args = [operand(a) for a in n.operands]
    if n.op in INFIX:
        return f"{args[0]} {n.op} {args[1]}"
    if n.op == "neg":
        return f"-{args[0]}"
    if n.op == "where":
        return f"{args[0]} ? {args[1]} : {args[2]}"
    return f"{n.op}({', '.join(args)})"
