"""Isomorphic subtrees of links: with the same joints and the same branching."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def alike_subtrees(
    kinds: Sequence[int], parents: Sequence[int], widths: Sequence[int] = (4, 2)
) -> list[tuple[int, ...]]:
    """Links that can be visited together.

    Args:
        kinds: the joint of each link; that of link 0, the world, is ignored.
        parents: the parent of each link.
        widths: numbers of links at a time, preferred ones first.

    Returns:
        Tuples of links: all links of a tuple are attached to the same link, or the n-th to the n-th of
        another tuple.
    """
    children: list[list[int]] = [[] for _ in kinds]
    for k in range(1, len(kinds)):
        children[parents[k]].append(k)
    shapes: dict[tuple[Any, ...], int] = {}
    shape = [0] * len(kinds)
    for k in reversed(range(1, len(kinds))):
        form = (int(kinds[k]), *sorted(shape[c] for c in children[k]))
        shape[k] = shapes.setdefault(form, len(shapes))

    def alike(siblings: list[int]) -> Iterator[list[int]]:
        for s in sorted({shape[c] for c in siblings}):
            yield [c for c in siblings if shape[c] == s]

    found: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for k in range(len(kinds)):
        begun = [] if k in taken else list(alike(children[k]))
        stack = [group for same in begun for group in shared(same, widths)]
        while stack:
            group = stack.pop()
            found.append(group)
            taken.update(group)
            below = [alike(children[link]) for link in group]
            stack += [hanging for lists in zip(*below, strict=True) for hanging in zip(*lists, strict=True)]
    return found


def shared(links: Sequence[int], widths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Groups of isomorphic links of these sizes; remaining ones are omitted."""
    for width in widths:
        whole = len(links) // width * width
        for n in range(0, whole, width):
            yield tuple(links[n : n + width])
        links = links[whole:]
