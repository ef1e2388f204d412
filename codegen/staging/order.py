"""The order of statements: as traced or limb by limb; what is the last to use something comes when it can.

A compiler keeps to the order it is given. An algorithm that does one thing to all links, then the next thing,
leaves more behind than registers hold; brought forward, statements free them (2 to 5 per cent of the time). A
tree with branches leaves less behind if all is done that one limb needs before the next limb is begun.

Where roots, quotients and angles follow from each other, a processor waits for them rather than for
registers. It looks some hundred instructions ahead, so what is independent of them has to be near: prompt()
places it there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush

from .scalars import Expr

MANY = 50  # users of a node beyond which it is in use anyway
CYCLES = {
    **dict.fromkeys(("atan2", "exp", "log", "tanh", "pow"), 60),
    "iterate": 350, "sin": 40, "cos": 40, "sqrt": 18, "/": 13, "where": 2, "lane": 3, "pick": 3,
    "neg": 1, "const": 0,
}  # fmt: skip
"""Until a result is there, by operation, about; others take USUAL."""
USUAL = 4
AT_ONCE = 4
"""Operations that begin in a cycle, about."""
PATIENT = 3.3
"""Operations for each cycle of the longest way below which prompt() pays. Of 15 such models nine take 5 to
26 per cent less time with it, the others from 3 per cent less to 4 more. Above, registers may decide: of six
models three take longer, up to twice as long."""


def early(
    nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]], staying: Collection[str] = ()
) -> list[Expr]:
    """The nodes in a better order.

    Args:
        nodes: every one after those it uses.
        uses: what a node uses.
        staying: operations that do not come forward, so all that is before them still does.
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
    """The nodes, each result with all that it needs and that is not there yet, the longest way first.

    Args:
        nodes: every one after those it uses.
        uses: what a node uses.
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
    """Cycles from the start of each node to the end of the last that follows from it, by number."""
    after = {n.id: 0 for n in nodes}
    found: dict[int, int] = {}
    for n in reversed(nodes):
        found[n.id] = after[n.id] + CYCLES.get(n.op, USUAL)
        for a in uses(n):
            after[a.id] = max(after[a.id], found[n.id])
    return found


def waits(nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]]) -> bool:
    """Whether a processor mostly waits for results of the longest way, and seldom for registers."""
    operations = sum(n.op not in ("const", "input", "neg") for n in nodes)
    return operations < PATIENT * max(remaining(nodes, uses).values(), default=0)


def prompt(nodes: Sequence[Expr], uses: Callable[[Expr], Sequence[Expr]]) -> list[Expr]:
    """The nodes as a processor could begin them: of those whose operands are there, the one with the longest
    way to a result (list scheduling; Graham, Bell System Technical Journal 45, 1966). Registers are not
    counted.

    Args:
        nodes: every one after those it uses.
        uses: what a node uses.
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
