"""The C text of iterations in straight-line code, for vectors of N numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .iterations import ITERATIONS, Iteration, kept
from .order import early
from .scalars import Expr, Graph
from .straight import SINES, Scratch, Writer, angles, needed, several, uses
from .vectors import PRECISIONS, Call


def iterated(calls: Iterable[Call], precision: str) -> tuple[list[list[str]], set[Call]]:
    """The texts of the iterations that are called, and the functions that these call."""
    texts, inner = [], set[Call]()
    for name, n in sorted(set(calls)):
        if name in ITERATIONS:
            lines, used = text(ITERATIONS[name], n, precision)
            texts.append(lines)
            inner |= used
    return texts, inner


def text(search: Iteration, n: int, precision: str) -> tuple[list[str], set[Call]]:
    """One of them as a function, and the functions of numbers that it calls."""
    body = Body(n, precision)
    arity = search.first.__code__.co_argcount
    given = [body.graph.node("input", "given", k) for k in range(arity)]
    first = [body.graph.lift(x) for x in search.first(*given)]
    state = [body.graph.node("input", "state", k) for k in range(len(first))]
    going = search.running(state)
    new = [body.graph.lift(x) for x in kept(going, search.step(state, *given), state)]
    params = ", ".join(f"real_{n} given{k}" for k in range(arity))
    result = body.graph.lift(search.result(state))
    parts = [
        "    {",
        *body.block(first, "        "),
        "    }",
        f"    for (int round = 0; round < {search.times}; round++) {{",
        *body.statements([going], "        "),
        f"        if (!any_{n}({body.writer.operand(going)}))",
        "            break;",
        "        {",
        *body.block(new, "            "),
        "        }",
        "    }",
        *body.statements([result], "    "),
        f"    return {body.writer.wide(result, 1)};",
        "}",
    ]
    size = body.writer.scratch.size
    lines = [
        f"FUNCTION real_{n} {search.name}_{n}({params})",
        "{",
        f"    const real_{n} given[] = {{{', '.join(f'given{k}' for k in range(arity))}}};",
        f"    real_{n} state[{len(first)}];",
        *([f"    real_1 scratch[{size}] __attribute__((aligned(64)));"] if size else []),
    ]
    return lines + parts, body.calls


class Body:
    """Writes the parts of a function, each after its operands."""

    def __init__(self, n: int, precision: str) -> None:
        self.graph = Graph()
        self.writer = Writer(PRECISIONS[precision], n, Scratch(), frozenset())
        self.calls: set[Call] = set()

    def statements(self, wanted: Sequence[Expr], indent: str) -> list[str]:
        """The lines that compute some nodes."""
        nodes = needed(wanted)
        self.writer.whole = several(nodes)
        lines = [self.writer.definition(n, self.writer.expression(n)) for n in nodes if n.op == "input"]
        order = early(nodes, uses, staying=SINES)
        for statement in self.writer.statements(order, list(angles(nodes))):
            lines += statement.lines
            if statement.kept:
                lines += map(self.fetched, statement.made)
            self.calls |= statement.calls
        return [indent + line for line in lines]

    def fetched(self, n: Expr) -> str:
        """The definition of a sine or cosine, which is in memory."""
        width, place = self.writer.width(n), self.writer.scratch.place[n.id]
        return self.writer.definition(n, f"*(const stored_{width} *)(scratch + {place})")

    def block(self, new: Sequence[Any], indent: str) -> list[str]:
        """The lines that assign some nodes to the state."""
        stores = [f"{indent}state[{k}] = {self.writer.wide(x, 1)};" for k, x in enumerate(new)]
        return [*self.statements(new, indent), *stores]
