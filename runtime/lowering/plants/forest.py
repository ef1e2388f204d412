"""The trees that Drake makes of a Plant: which link is a base, which joints are reversed, the order.

Drake grows trees from the world along joints in order of their making. Of the links that the world does not
reach, the one that is a child least often, among these a parent most often, among these made first, becomes
the base of the next tree; it floats, unless bases are to be fixed. Single links float last. Coordinates
follow the trees, depth first (:mod:`drake.multibody.topology.spanning_forest`, in words).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from polybody.lowering.plants.plant import REVERSIBLE, Joint, JointKind, Plant

Base = Literal["free", "fixed"]


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
    """A joint between links that other joints connect already: the last one of a circle."""

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
    return _Growth(plant, base).run()


class _Growth:
    def __init__(self, plant: Plant, base: Base) -> None:
        self.plant, self.base = plant, base
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
        self.used: set[int] = set()
        self.loops: list[Loop] = []
        self.names: set[tuple[int, str]] = set()  # of the joints of bases

    def run(self) -> Forest:
        self.grow(0)
        rest = [row for row in range(1, len(self.found)) if self.found[row] is None and self.at[row]]
        rest.sort(key=lambda row: (self.as_child[row], -self.as_parent[row], row))
        for row in rest:
            if self.found[row] is None:
                self.float(row)
                self.grow(row)
        for row in range(1, len(self.found)):
            if self.found[row] is None:
                self.float(row)
        bodies = self.ordered()
        wrong = tuple(b.joint for b in bodies if b.reversed and b.joint.kind not in REVERSIBLE)
        return Forest(bodies, tuple(self.loops), wrong)

    def float(self, row: int) -> None:
        """Give a base a floating joint to the world, called as the link; underscores make it another name.

        A base that is fixed, and does not float by a joint of its own, is welded where it starts.
        """
        link = self.plant.links[row]
        name = link.name
        while (link.instance, name) in self.names or self.plant.joint(link.instance, name) is not None:
            name = "_" + name
        self.names.add((link.instance, name))
        joint = Joint(name, link.instance, JointKind.floating, 0, row, node=link.node)
        if self.base == "fixed" and not link.floats:
            joint.kind, joint.in_parent = JointKind.weld, link.pose
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
                        self.loops.append(self.loop(joint, inner, outer))
                        continue
                    found[outer] = Mobilized(outer, inner, joint, turned)
                    self.children[inner].append(outer)
                    farther.append(outer)
            level = farther

    def loop(self, joint: Joint, one: int, other: int) -> Loop:
        """The circle that a joint closes between two links that are found."""
        circle = (joint, *self.between(one, other))
        rows = {id(joint): row for row, joint in enumerate(self.plant.joints)}
        last = max(circle, key=lambda each: rows.get(id(each), -1))
        return Loop(last, tuple(each for each in circle if each is not last))

    def between(self, one: int, other: int) -> tuple[Joint, ...]:
        """The joints on the way from one link to another, as far as it is found."""
        ways = []
        for row in (one, other):
            way: list[tuple[int, Joint]] = []
            while row and (body := self.found[row]) is not None and len(way) < len(self.found):
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
