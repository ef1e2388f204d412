"""The trees that Drake makes of a Plant: which link is a base, which joints are reversed, the order.

Drake grows trees from the world along joints in order of creation. Among the links that are not connected to
the world, the base of the next tree is the one that is a child least often; among these the one that is a
parent most often; among these the first one. It floats, unless bases are fixed. Single links float last.
Coordinates follow the trees, depth first (:mod:`drake.multibody.topology.spanning_forest`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

from polybody.lowering.plants.growth import Growth, Mobilized
from polybody.lowering.plants.plant import CLOSABLE, REVERSIBLE, Joint, Plant

Base = Literal["free", "fixed"]


class Loop(NamedTuple):
    """A joint between links that other joints already connect, at which a loop is cut."""

    joint: Joint
    others: tuple[Joint, ...]
    """The joints on the path between its links."""


class Forest(NamedTuple):
    """All links except the world, depth first, in the order of Drake's coordinates; and problems."""

    bodies: list[Mobilized]
    loops: tuple[Loop, ...]
    irreversible: tuple[Joint, ...]
    """Joints that would have to be reversed but cannot be."""


def forest(plant: Plant, base: Base = "free") -> Forest:
    """Choose bases and grow trees from them.

    Args:
        plant: links and joints.
        base: whether a base without a joint to the world floats or is welded to the world.
    """
    fixed, closing = base == "fixed", frozenset[int]()
    growth = Growth(plant, fixed, closing)
    if growth.looped:
        closing = cuts(plant)
        growth = Growth(plant, fixed, closing)
    bodies = growth.bodies
    wrong = [each.joint for each in bodies if each.reversed and each.joint.kind not in REVERSIBLE]
    placed = {each.link: each for each in bodies} if closing else {}
    cut = [plant.joints[row] for row in sorted(closing)]
    return Forest(bodies, tuple([Loop(each, _between(placed, each)) for each in cut]), tuple(wrong))


def cuts(plant: Plant) -> frozenset[int]:
    """The rows of joints to remove so that no loop remains: for each loop the last one by order of
    preference.

    A link with several parents keeps one of them, so that no joint has to be reversed. Preferably cut are
    joints that a constraint can replace, and among these those that only connect rather than those with
    limits, springs, dampers or followers; otherwise the last ones of the document.
    """
    joints, as_child = plant.joints, Counter(joint.child for joint in plant.joints)
    related = plant.related()

    def kept_first(row: int) -> tuple[bool, bool, bool, int]:
        joint = joints[row]
        plain = row not in related and not joint.acts
        return as_child[joint.child] > 1, joint.kind in CLOSABLE, plain, row

    tops = list(range(len(plant.links)))
    closing = set()
    for row in sorted(range(len(joints)), key=kept_first):
        one, other = (_top(tops, link) for link in (joints[row].parent, joints[row].child))
        if one == other:
            closing.add(row)
        tops[one] = other
    return frozenset(closing)


def _top(tops: list[int], link: int) -> int:
    """The representative of the links that are connected to one."""
    while tops[link] != link:
        tops[link] = link = tops[tops[link]]
    return link


def _between(placed: Mapping[int, Mobilized], closing: Joint) -> tuple[Joint, ...]:
    """The joints on the path from one link of a joint to the other."""
    paths = []
    for row in (closing.parent, closing.child):
        path: list[tuple[int, Joint]] = []
        while row and (body := placed.get(row)) is not None:
            path.append((row, body.joint))
            row = body.parent
        paths.append(path)
    shared = {row for row, _ in paths[0]} & {row for row, _ in paths[1]}
    return tuple(joint for path in paths for row, joint in path if row not in shared)
