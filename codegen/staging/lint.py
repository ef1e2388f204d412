"""An error that no machine can detect: a Python variable that carries a value from one iteration of a loop to
the next.

The run machine would execute it correctly; the emitting machine traces a loop's body only once, so the C text
would use the value of the first iteration forever. Such values belong in m.locals() or in a table.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def carried(source: str) -> list[tuple[int, str]]:
    """(line, name) of names that a machine's loop assigns, but reads before assigning them in the same
    iteration.
    """
    found = []
    for loop in ast.walk(ast.parse(source)):
        if isinstance(loop, ast.For) and over_machine(loop.iter):
            names = [n for part in (loop.target, *loop.body) for n in in_order(part)]
            assigned = {n.id for n in names if isinstance(n.ctx, ast.Store)}
            seen: set[str] = set()
            for n in names:
                if isinstance(n.ctx, ast.Store):
                    seen.add(n.id)
                elif n.id in assigned and n.id not in seen:
                    found.append((n.lineno, n.id))
    return sorted(set(found))


def over_machine(iterated: ast.expr) -> bool:
    """Whether a loop iterates over a machine's iterator: m.links(), kind.dofs(m, ...),
    enumerate(m.dofs()).
    """
    return any(isinstance(n, ast.Name) and n.id == "m" for n in ast.walk(iterated))


def in_order(node: ast.AST) -> Iterator[ast.Name]:
    """Names in the order in which they are evaluated."""
    if isinstance(node, ast.Name):
        yield node
        return
    match node:
        case ast.Assign():
            parts: list[ast.AST] = [node.value, *node.targets]
        case ast.AugAssign():
            read = ast.Name(node.target.id, ast.Load()) if isinstance(node.target, ast.Name) else node.target
            if isinstance(read, ast.Name):
                read.lineno = node.lineno
            parts = [read, node.value, node.target]
        case ast.AnnAssign():
            parts = [*([node.value] if node.value else []), node.target]
        case ast.For():
            parts = [node.iter, node.target, *node.body, *node.orelse]
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            parts = [*(x for g in node.generators for x in (g.iter, g.target, *g.ifs)), node.elt]
        case _:
            parts = list(ast.iter_child_nodes(node))
    for part in parts:
        yield from in_order(part)
