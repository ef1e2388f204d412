"""Pairs of links of one body that do not touch, as OpenRAVE's adjacency has it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from polybody.lowering.assembly import Assembly, Exclude
from polybody.lowering.openrave.notes import UNUSED, Notes
from polybody.lowering.openrave.parts import Kin, Link
from polybody.lowering.openrave.rows import Rows
from polybody.lowering.openrave.tree import Tree

MOST = 50_000
"""Rows of pairs of one body."""


def add_excludes(assembly: Assembly, kin: Kin, tree: Tree, rows: Rows, notes: Notes) -> None:
    """Rows for adjacent links: declared, joined, with at most one moving joint between, or without a way.

    Links that are rigidly connected, and those with what moves them, are never tried in a Model unless the
    latter is fixed to the world: these have no rows.
    """
    solid = {id(link) for link in kin.links if rows.bodies[id(link)].geoms}
    seen: set[tuple[int, int]] = set()
    for one, other, node in _pairs(kin, tree, solid):
        if id(one) not in solid or id(other) not in solid or one is other:
            continue
        key = (min(id(one), id(other)), max(id(one), id(other)))
        if key in seen:
            continue
        if len(seen) == MOST:
            notes.add(UNUSED, kin.node, f"more than {MOST:,} pairs of links that do not touch")
            return
        seen.add(key)
        first, second = rows.bodies[id(one)], rows.bodies[id(other)]
        assembly.excludes.append(Exclude(first, second, f"{first.name}/{second.name}", node=node))


def _pairs(kin: Kin, tree: Tree, solid: set[int]) -> Iterator[tuple[Link, Link, Any]]:
    for one, other in kin.adjacent:
        yield one, other, kin.node
    if kin.joined_adjacent:
        for joint in kin.joints:
            yield joint.first, joint.second, joint.node
    groups, above, root = _groups(tree, solid)
    for key, links in groups.items():
        parent = above.get(key)
        if parent is not None and parent not in above:  # what moves it may be fixed to the world
            for one, other in product(links, groups[parent]):
                yield one, other, kin.node
    pieces: dict[int, list[Link]] = {}
    for link in tree.links:
        if id(link) in solid:
            pieces.setdefault(root[id(link)], []).append(link)
    for here, there in combinations(pieces.values(), 2):
        if not (here[0].static and there[0].static):
            for one, other in product(here, there):
                yield one, other, kin.node


def _groups(tree: Tree, solid: set[int]) -> tuple[dict[int, list[Link]], dict[int, int], dict[int, int]]:
    """Rigidly connected solid links by the id of their first, what moves each group, and each link's root."""
    own: dict[int, int] = {}
    root: dict[int, int] = {}
    groups: dict[int, list[Link]] = {}
    above: dict[int, int] = {}
    for link in tree.links:
        joint, parent = tree.placing.get(id(link)), tree.parent(link)
        if joint is None or parent is None:
            own[id(link)] = root[id(link)] = id(link)
        else:
            root[id(link)] = root[id(parent)]
            own[id(link)] = own[id(parent)] if joint.rigid else id(link)
            if not joint.rigid:
                above[id(link)] = own[id(parent)]
        group = groups.setdefault(own[id(link)], [])
        if id(link) in solid:
            group.append(link)
    return groups, above, root
