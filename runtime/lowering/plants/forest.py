"""The trees that Drake makes of a Plant: which link is a base, which joints are reversed, the order.

Drake grows trees from the world along joints in order of their making. Of the links that the world does not
reach, the one that is a child least often, among these a parent most often, among these made first, becomes
the base of the next tree; it floats, unless bases are to be fixed. Single links float last. Coordinates
follow the trees, depth first (:mod:`drake.multibody.topology.spanning_forest`, in words).
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
    """The link that carries it; 0, the world, of a base."""
    joint: Joint
    """The joint between them; a floating base has one of its own that no file names."""
    reversed: bool
    """Whether the joint's child is the one that carries."""


class Loop(NamedTuple):
    """A joint between links that other joints connect already, at which a loop is cut."""

    joint: Joint
    others: tuple[Joint, ...]
    """The joints on the way between its links."""


class Forest(NamedTuple):
    """All links but the world, depth first, as Drake numbers their coordinates; and what is wrong."""

    bodies: tuple[Mobilized, ...]
    loops: tuple[Loop, ...]
    irreversible: tuple[Joint, ...]
    """Joints that would have to be reversed and cannot be."""


def forest(plant: Plant, base: Base = "free") -> Forest:
    """Choose bases and grow trees from them.

    Args:
        plant: links and joints.
        base: whether a base that no joint connects with the world floats or is welded to the world.
    """
    whole = _Growth(plant, base, frozenset())
    found = whole.run()
    return _Growth(plant, base, cuts(plant)).run() if whole.looped else found


def cuts(plant: Plant) -> frozenset[int]:
    """The rows of joints without which no loop remains: of each loop the last one in order of what is lost.

    A link of several parents keeps one of them, so that no joint has to be reversed. Joints that a constraint
    can replace are cut rather than others, of these such as only connect rather than those with limits,
    springs, dampers or followers; the last ones of the document otherwise.
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
    """What stands for all links that are connected with one."""
    while tops[link] != link:
        tops[link] = link = tops[tops[link]]
    return link


class _Growth:
    def __init__(self, plant: Plant, base: Base, closing: frozenset[int]) -> None:
        """``closing``: the rows of joints that are no part of a tree."""
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
        """Give a base a floating joint to the world, called as the link; underscores make it another name.

        A base that is fixed, and does not float by a joint of its own, is welded where it starts.
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
        """Reach all links that joints connect to one, nearest first."""
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
        """The joints on the way from one link of a joint to the other."""
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
