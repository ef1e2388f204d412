"""The order of statements: as traced or limb by limb; what is the last to use something comes when it can.

A compiler keeps to the order it is given. An algorithm that does one thing to all links, then the next thing,
leaves more behind than registers hold; brought forward, statements free them (2 to 5 per cent of the time). A
tree with branches leaves less behind if all is done that one limb needs before the next limb is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from .scalars import Expr

MANY = 50  # users of a node beyond which it is in use anyway


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
