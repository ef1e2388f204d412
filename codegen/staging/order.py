"""The order of statements: as traced or branch by branch. The last use of a value is moved forward as far as
possible.

A compiler mostly keeps the given order. An algorithm that processes all links in one pass after another has
more live values than registers; moving statements forward frees registers (2 to 5 per cent of the time). A
tree with branches has fewer live values if one branch is completed before the next one.

If square roots, divisions and angles depend on each other, latencies matter more than registers. A processor
looks ahead a few hundred instructions, so independent instructions have to be near: prompt() places them
there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush

from .scalars import Expr

MANY = 50  # number of users from which on a node is considered live in any case
CYCLES = {
    **dict.fromkeys(("atan2", "exp", "log", "tanh", "pow"), 60),
    "iterate": 350, "sin": 40, "cos": 40, "sqrt": 18, "/": 13, "where": 2, "lane": 3, "pick": 3,
    "neg": 1, "const": 0,
}  # fmt: skip
"""Approximate latency by operation; others have USUAL."""
USUAL = 4
AT_ONCE = 4
"""Approximate number of operations that start per cycle."""
PATIENT = 3.3
"""Operations per cycle of the critical path below which prompt() is used. Of 15 such models nine take 5 to 26
per cent less time with it, the others from 3 per cent less to 4 per cent more. Above this, registers may be
the bottleneck: of six models three take longer, up to twice as long."""


def early(
    nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]], staying: Collection[str] = ()
) -> list[Expr]:
    """The nodes in a better order.

    Args:
        nodes: each one after those that it uses.
        uses: the nodes that a node uses.
        staying: operations that are not moved forward, so that everything before them remains before them.
    """
    used = {n.id: list({a.id: a for a in uses(n)}.values()) for n in nodes}
    users: dict[int, list[Expr]] = {n.id: [] for n in nodes}
    for n in nodes:
        for a in used[n.id]:
            users[a.id].append(n)
    missing = {n.id: len(used[n.id]) for n in nodes}
    left = {i: len(found) for i, found in users.items()}
    done: set[int] = set()
    out: list[Expr] = []

    def frees(n: Expr) -> bool:
        return any(left[a.id] == 1 and a.op != "input" for a in used[n.id])

    def next_ones(n: Expr) -> list[Expr]:
        beside = [u for a in (n, *used[n.id]) if len(users[a.id]) <= MANY for u in users[a.id]]
        found = {u.id: u for u in beside if not missing[u.id] and u.id not in done and u.op not in staying}
        return [found[k] for k in sorted(found, reverse=True) if frees(found[k])]

    for first in nodes:
        stack = [first]
        while stack:
            n = stack.pop()
            if n.id in done:
                continue
            done.add(n.id)
            out.append(n)
            for a in used[n.id]:
                left[a.id] -= 1
            for u in users[n.id]:
                missing[u.id] -= 1
            stack += next_ones(n)
    return out


def deep(nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]]) -> list[Expr]:
    """The nodes in depth-first order: each result preceded by its operands that are not computed yet, the
    longest path first.

    Args:
        nodes: each one after those that it uses.
        uses: the nodes that a node uses.
    """
    length: dict[int, int] = {}
    used: set[int] = set()
    for n in nodes:
        found = [a.id for a in uses(n)]
        length[n.id] = 1 + max((length[i] for i in found), default=0)
        used.update(found)
    done: set[int] = set()
    out: list[Expr] = []
    for result in [n for n in nodes if n.id not in used]:
        stack = [(result, iter(sorted(uses(result), key=lambda a: -length[a.id])))]
        while stack:
            n, below = stack[-1]
            a = next((a for a in below if a.id not in done), None)
            if a is not None:
                stack.append((a, iter(sorted(uses(a), key=lambda a: -length[a.id]))))
                continue
            stack.pop()
            if n.id not in done:
                done.add(n.id)
                out.append(n)
    return out


def remaining(nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]]) -> dict[int, int]:
    """Cycles from the start of each node to the end of the last one that depends on it, by index."""
    after = {n.id: 0 for n in nodes}
    found: dict[int, int] = {}
    for n in reversed(nodes):
        found[n.id] = after[n.id] + CYCLES.get(n.op, USUAL)
        for a in uses(n):
            after[a.id] = max(after[a.id], found[n.id])
    return found


def waits(nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]]) -> bool:
    """Whether latencies on the critical path are the bottleneck rather than registers."""
    operations = sum(n.op not in ("const", "input", "neg") for n in nodes)
    return operations < PATIENT * max(remaining(nodes, uses).values(), default=0)


def prompt(nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]]) -> list[Expr]:
    """The nodes in the order in which a processor could start them: of those with available operands, the one
    with the longest path to a result (list scheduling; Graham, Bell System Technical Journal 45, 1966).
    Registers are not considered.

    Args:
        nodes: each one after those that it uses.
        uses: the nodes that a node uses.
    """
    used = {n.id: list({a.id: a for a in uses(n)}.values()) for n in nodes}
    users: dict[int, list[Expr]] = {n.id: [] for n in nodes}
    for n in nodes:
        for a in used[n.id]:
            users[a.id].append(n)
    missing = {i: len(found) for i, found in used.items()}
    length, begun, now = remaining(nodes, uses), dict.fromkeys(missing, 0.0), 0.0
    known = {n.id: n for n in nodes}
    waiting: list[tuple[float, int]] = [(0.0, n.id) for n in nodes if not missing[n.id]]
    ready: list[tuple[int, int]] = []
    out: list[Expr] = []
    while waiting or ready:
        if not ready:
            now = max(now, waiting[0][0])
        while waiting and waiting[0][0] <= now:
            number = heappop(waiting)[1]
            heappush(ready, (-length[number], number))
        n = known[heappop(ready)[1]]
        out.append(n)
        there = now + CYCLES.get(n.op, USUAL)
        now += 0.0 if n.op in ("const", "input") else 1 / AT_ONCE
        for u in users[n.id]:
            missing[u.id] -= 1
            begun[u.id] = max(begun[u.id], there)
            if not missing[u.id]:
                heappush(waiting, (begun[u.id], u.id))
    return out
