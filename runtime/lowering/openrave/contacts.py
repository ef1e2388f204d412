"""Pairs of links of one body whose contacts are excluded, as by OpenRAVE's adjacency."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from polybody.assembly.parts import Assembly, Exclude
from polybody.lowering.openrave.notes import UNUSED, Notes
from polybody.lowering.openrave.parts import Kin, Link
from polybody.lowering.openrave.rows import Rows
from polybody.lowering.openrave.tree import Tree

MOST = 50_000
"""The largest number of pairs of one body."""


def add_excludes(assembly: Assembly, kin: Kin, tree: Tree, rows: Rows, notes: Notes) -> None:
    """Exclude contacts of adjacent links: declared, joined, with at most one moving joint between, or
    unconnected.

    A Model never tests contacts within rigidly connected links, or between them and their parent unless the
    parent is fixed to the world. These pairs need no rows.
    """
    solid = {link for link in kin.links if rows.bodies[link].geoms}
    seen: set[frozenset[Link]] = set()
    for one, other, node in _pairs(kin, tree, solid):
        if one not in solid or other not in solid or one is other:
            continue
        key = frozenset((one, other))
        if key in seen:
            continue
        if len(seen) == MOST:
            notes.add(UNUSED, kin.node, f"more than {MOST:,} pairs of links that do not touch")
            return
        seen.add(key)
        first, second = rows.bodies[one], rows.bodies[other]
        assembly.excludes.append(Exclude(first, second, f"{first.name}/{second.name}", node=node))


def _pairs(kin: Kin, tree: Tree, solid: set[Link]) -> Iterator[tuple[Link, Link, Any]]:
    for one, other in kin.adjacent:
        yield one, other, kin.node
    if kin.joined_adjacent:
        for joint in kin.joints:
            yield joint.first, joint.second, joint.node
    groups, above, root = _groups(tree, solid)
    for key, links in groups.items():
        parent = above.get(key)
        if parent is not None and parent not in above:  # # the parent may be fixed to the world
            for one, other in product(links, groups[parent]):
                yield one, other, kin.node
    pieces: dict[Link, list[Link]] = {}
    for link in tree.links:
        if link in solid:
            pieces.setdefault(root[link], []).append(link)
    for here, there in combinations(pieces.values(), 2):
        if not (here[0].static and there[0].static):
            for one, other in product(here, there):
                yield one, other, kin.node


def _groups(
    tree: Tree, solid: set[Link]
) -> tuple[dict[Link, list[Link]], dict[Link, Link], dict[Link, Link]]:
    """Groups of rigidly connected solid links by their first link, the parent of each group, each link's
    root.
    """
    own: dict[Link, Link] = {}
    root: dict[Link, Link] = {}
    groups: dict[Link, list[Link]] = {}
    above: dict[Link, Link] = {}
    for link in tree.links:
        joint, parent = tree.placing.get(link), tree.parent(link)
        if joint is None or parent is None:
            own[link] = root[link] = link
        else:
            root[link] = root[parent]
            own[link] = own[parent] if joint.rigid else link
            if not joint.rigid:
                above[link] = own[parent]
        group = groups.setdefault(own[link], [])
        if link in solid:
            group.append(link)
    return groups, above, root
