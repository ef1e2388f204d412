"""The kinematic tree of links and joints as found by OpenRAVE, and poses of links at joint values."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from polybody.lowering.openrave.joints import motion
from polybody.lowering.openrave.parts import JointPart, Kin, Link
from polybody.rotations.poses import Pose

Values = Mapping[JointPart, tuple[float, ...]]
"""Values of joints, rad or m."""


class Root(Enum):
    """Kinds of links that no joint places."""

    STATIC = "static"
    BASE = "base"
    """The first link, not static."""
    LOOSE = "loose"
    """The first link of a component that is not connected with the first link or a static one."""


@dataclass(slots=True, eq=False)
class Tree:
    """A kinematic tree: which joint places which link."""

    links: list[Link] = field(default_factory=list)
    """Parents before children."""
    roots: dict[Link, Root] = field(default_factory=dict)
    placing: dict[Link, JointPart] = field(default_factory=dict)
    """The joint that places a link."""
    closing: list[JointPart] = field(default_factory=list)
    """Joints that place no link, because they close loops."""

    def parent(self, link: Link) -> Link | None:
        """The parent of a link."""
        joint = self.placing.get(link)
        if joint is None:
            return None
        return joint.second if joint.first is link else joint.first

    def poses(self, values: Values) -> dict[Link, Pose]:
        """The poses of all links; roots keep their poses."""
        found: dict[Link, Pose] = {}
        for link in self.links:
            parent, joint = self.parent(link), self.placing.get(link)
            if parent is None or joint is None:
                found[link] = link.pose
                continue
            across = motion(joint, values[joint]) @ joint.rel
            found[link] = found[parent] @ (across if joint.second is link else across.inverse())
        return found

    def path(self, one: Link, other: Link) -> list[JointPart] | None:
        """The joints of the tree between two links, from the first; None if it does not connect them."""
        up = self._to_root(one)
        down = self._to_root(other)
        if (up[-1][0] if up else one) is not (down[-1][0] if down else other):
            return None
        while up and down and up[-1][1] is down[-1][1]:
            up.pop()
            down.pop()
        return [joint for _, joint in up] + [joint for _, joint in reversed(down)]

    def _to_root(self, link: Link) -> list[tuple[Link, JointPart]]:
        """The ancestors of a link, each with the joint that leads to it."""
        found = []
        while (above := self.parent(link)) is not None:
            found.append((above, self.placing[link]))
            link = above
        return found


def tree_of(kin: Kin) -> Tree:
    """The tree of a body.

    A joint's parent is the link that is fewer steps from a root. Roots are the static links, else the first
    link; a component connected with none of these has its first link as its root. If several joints could
    place a link, the first one does; joints with an index precede passive ones, as in OpenRAVE.
    """
    tree = Tree()
    neighbours: dict[Link, list[JointPart]] = {link: [] for link in kin.links}
    ordered = sorted(kin.joints, key=lambda joint: not joint.indexed)
    for joint in ordered:
        neighbours[joint.first].append(joint)
        neighbours[joint.second].append(joint)
    static = [link for link in kin.links if link.static]
    _join_static(static, neighbours, tree)
    depth = _depths(static, neighbours, {})
    for link in kin.links:
        if link not in depth:
            tree.roots[link] = Root.BASE if link is kin.links[0] else Root.LOOSE
            _depths([link], neighbours, depth)
    for link in kin.links:
        if link in tree.roots or link in tree.placing:
            continue
        tree.placing[link] = next(
            joint for joint in neighbours[link] if depth[_other(joint, link)] == depth[link] - 1
        )
    place = {link: number for number, link in enumerate(kin.links)}
    tree.links = _parents_first(kin.links, tree, place)
    used = set(tree.placing.values())
    tree.closing = [joint for joint in kin.joints if joint not in used]
    return tree


def _other(joint: JointPart, link: Link) -> Link:
    return joint.second if joint.first is link else joint.first


def _join_static(static: Iterable[Link], neighbours: Mapping[Link, list[JointPart]], tree: Tree) -> None:
    """Place static links: they keep their poses, or rigid joints place them relative to others."""
    for start in static:
        if start in tree.roots or start in tree.placing:
            continue
        tree.roots[start] = Root.STATIC
        todo = deque([start])
        while todo:
            link = todo.popleft()
            for joint in neighbours[link]:
                other = _other(joint, link)
                known = other in tree.roots or other in tree.placing
                if joint.rigid and other.static and not known:
                    tree.placing[other] = joint
                    todo.append(other)


def _depths(
    start: Iterable[Link], neighbours: Mapping[Link, list[JointPart]], depth: dict[Link, int]
) -> dict[Link, int]:
    """Numbers of steps from the nearest of some links to all links that joints reach."""
    todo = deque(start)
    depth |= dict.fromkeys(todo, 0)
    while todo:
        link = todo.popleft()
        for joint in neighbours[link]:
            other = _other(joint, link)
            if other not in depth:
                depth[other] = depth[link] + 1
                todo.append(other)
    return depth


def _parents_first(links: list[Link], tree: Tree, place: Mapping[Link, int]) -> list[Link]:
    carried: dict[Link, list[Link]] = {}
    found = []
    for link in links:
        parent = tree.parent(link)
        if parent is None:
            found.append(link)
        else:
            carried.setdefault(parent, []).append(link)
    for link in found:  # # extended in the loop
        found += sorted(carried.get(link, ()), key=lambda each: place[each])
    return found
