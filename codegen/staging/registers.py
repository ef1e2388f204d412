"""Register allocation, if every value fills a register.

A compiler that runs out of registers spills a value to the stack, even if it is in memory already, and
considers one function at a time. Here the statements and all uses are known: of the values in registers the
one whose next use is farthest away is dropped (Belady, IBM Systems Journal 5, 1966), and reloaded from where
it was stored when it was computed. This saves a quarter of the stores; a store of 64 bytes takes as long as
one and a half multiplications.
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
    """The values that are used again but dropped from registers after a statement, by statement.

    Args:
        used: the nodes that each statement needs in registers, without constants.
        defined: those that it leaves in registers.
        most: number of registers.
        function: the function of a statement; registers are not preserved between functions.
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
