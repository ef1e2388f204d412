"""The trees that Drake makes of a Plant: which link is a base, which joints are reversed, the order.

Drake grows trees from the world along joints in order of creation. Among the links that are not connected to
the world, the base of the next tree is the one that is a child least often; among these the one that is a
parent most often; among these the first one. It floats, unless bases are fixed. Single links float last.
Coordinates follow the trees, depth first (:mod:`drake.multibody.topology.spanning_forest`).
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

from polybody.base.slotted import record
from polybody.lowering.plants.plant import CLOSABLE, FLOATING, REVERSIBLE, WELD, Joint, Plant

Base = Literal["free", "fixed"]


@record
class Mobilized(NamedTuple):
    """A link in its place in a tree."""

    link: int
    parent: int
    """Its parent link; 0, the world, for a base."""
    joint: Joint
    """The joint between them; a floating base has a joint that is not in the file."""
    reversed: bool
    """Whether the joint's child is the parent in the tree."""


class Loop(NamedTuple):
    """A joint between links that other joints already connect, at which a loop is cut."""

    joint: Joint
    others: tuple[Joint, ...]
    """The joints on the path between its links."""


class Forest(NamedTuple):
    """All links except the world, depth first, in the order of Drake's coordinates; and problems."""

    bodies: tuple[Mobilized, ...]
    loops: tuple[Loop, ...]
    irreversible: tuple[Joint, ...]
    """Joints that would have to be reversed but cannot be."""


def forest(plant: Plant, base: Base = "free") -> Forest:
    """Choose bases and grow trees from them.

    Args:
        plant: links and joints.
        base: whether a base without a joint to the world floats or is welded to the world.
    """
    whole = _Growth(plant, base, frozenset())
    found = whole.run()
    return _Growth(plant, base, cuts(plant)).run() if whole.looped else found


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


class _Growth:
    def __init__(self, plant: Plant, base: Base, closing: frozenset[int]) -> None:
        """``closing``: the rows of joints that are not part of a tree."""
        self.plant, self.base, self.closing = plant, base, closing
        self.looped = False
        self.at: list[list[int]] = [[] for _ in plant.links]  # joints by link, as parent or child
        self.as_child = [0] * len(plant.links)
        self.as_parent = [0] * len(plant.links)
        for row, joint in enumerate(plant.joints):
            self.at[joint.parent].append(row)
            if joint.child != joint.parent:
                self.at[joint.child].append(row)
            self.as_parent[joint.parent] += 1
            self.as_child[joint.child] += 1
        self.found: list[Mobilized | None] = [None] * len(plant.links)
        self.children: list[list[int]] = [[] for _ in plant.links]
        self.used: set[int] = set(closing)
        self.names: set[tuple[int, str]] = set()  # of the joints of bases

    def run(self) -> Forest:
        self.grow(0)
        rest = [row for row in range(1, len(self.found)) if self.found[row] is None and self.at[row]]
        more = len(self.plant.joints) + 1
        first = [child * more - parent for child, parent in zip(self.as_child, self.as_parent, strict=True)]
        rest.sort(key=first.__getitem__)
        for row in rest:
            if self.found[row] is None:
                self.float(row)
                self.grow(row)
        for row in range(1, len(self.found)):
            if self.found[row] is None:
                self.float(row)
        bodies = self.ordered()
        wrong = tuple(b.joint for b in bodies if b.reversed and b.joint.kind not in REVERSIBLE)
        loops = [self.plant.joints[row] for row in sorted(self.closing)]
        return Forest(bodies, tuple(Loop(each, self.between(each)) for each in loops), wrong)

    def float(self, row: int) -> None:
        """Give a base a floating joint to the world, with the name of the link; underscores make it unique.

        A base that is fixed, and has no floating joint of its own, is welded at its initial pose.
        """
        link = self.plant.links[row]
        name = link.name
        while (link.instance, name) in self.names or self.plant.joint(link.instance, name) is not None:
            name = "_" + name
        self.names.add((link.instance, name))
        joint = Joint(name, link.instance, FLOATING, 0, row, node=link.node)
        if self.base == "fixed" and not link.floats:
            joint.kind, joint.in_parent = WELD, link.pose
        self.found[row] = Mobilized(row, 0, joint, False)
        self.children[0].append(row)

    def grow(self, base: int) -> None:
        """Visit all links that joints connect to one, nearest first."""
        joints, found, used = self.plant.joints, self.found, self.used
        level = [base]
        while level:
            farther = []
            for inner in level:
                for row in self.at[inner]:
                    if row in used:
                        continue
                    used.add(row)
                    joint = joints[row]
                    turned = joint.parent != inner
                    outer = joint.parent if turned else joint.child
                    if outer in (0, base, inner) or found[outer] is not None:
                        self.looped = True
                        continue
                    found[outer] = Mobilized(outer, inner, joint, turned)
                    self.children[inner].append(outer)
                    farther.append(outer)
            level = farther

    def between(self, closing: Joint) -> tuple[Joint, ...]:
        """The joints on the path from one link of a joint to the other."""
        ways = []
        for row in (closing.parent, closing.child):
            way: list[tuple[int, Joint]] = []
            while row and (body := self.found[row]) is not None:
                way.append((row, body.joint))
                row = body.parent
            ways.append(way)
        shared = {row for row, _ in ways[0]} & {row for row, _ in ways[1]}
        return tuple(joint for way in ways for row, joint in way if row not in shared)

    def ordered(self) -> tuple[Mobilized, ...]:
        bodies = []
        waiting = self.children[0][::-1]
        while waiting:
            row = waiting.pop()
            body = self.found[row]
            assert body is not None
            bodies.append(body)
            waiting += self.children[row][::-1]
        return tuple(bodies)
