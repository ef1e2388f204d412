"""The tree in a graph of links and joints, as OpenRAVE finds it, and the poses that values of joints give."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from polybody.lowering.openrave.joints import motion
from polybody.lowering.openrave.parts import JointPart, Kin, Link
from polybody.lowering.openrave.poses import Pose

Values = Mapping[int, tuple[float, ...]]
"""Values of joints, rad or m, by the joint's id."""


class Root(Enum):
    """Links that no joint places."""

    STATIC = "static"
    BASE = "base"
    """The first link, which can move."""
    LOOSE = "loose"
    """The first link of a piece that no joint connects with the first link or a static one."""


@dataclass(slots=True, eq=False)
class Tree:
    """Which joint places which link."""

    links: list[Link] = field(default_factory=list)
    """Parents before children."""
    roots: dict[int, Root] = field(default_factory=dict)
    """By the link's id."""
    placing: dict[int, JointPart] = field(default_factory=dict)
    """The joint that places a link, by the link's id."""
    closing: list[JointPart] = field(default_factory=list)
    """Joints that place no link: they close loops."""

    def parent(self, link: Link) -> Link | None:
        """The link that carries a link."""
        joint = self.placing.get(id(link))
        if joint is None:
            return None
        return joint.second if joint.first is link else joint.first

    def poses(self, values: Values) -> dict[int, Pose]:
        """The poses of all links, by their ids; roots are where they are."""
        found: dict[int, Pose] = {}
        for link in self.links:
            parent, joint = self.parent(link), self.placing.get(id(link))
            if parent is None or joint is None:
                found[id(link)] = link.pose
                continue
            across = motion(joint, values[id(joint)]).then(joint.rel)
            found[id(link)] = found[id(parent)].then(across if joint.second is link else across.inverse())
        return found

    def way(self, one: Link, other: Link) -> list[JointPart] | None:
        """The joints of the tree between two links, from the first; None where it does not connect them."""
        up = self._to_root(one)
        down = self._to_root(other)
        if (up[-1][0] if up else one) is not (down[-1][0] if down else other):
            return None
        while up and down and up[-1][1] is down[-1][1]:
            up.pop()
            down.pop()
        return [joint for _, joint in up] + [joint for _, joint in reversed(down)]

    def _to_root(self, link: Link) -> list[tuple[Link, JointPart]]:
        """Each parent above a link and the joint that leads to it."""
        found = []
        while (above := self.parent(link)) is not None:
            found.append((above, self.placing[id(link)]))
            link = above
        return found


def tree_of(kin: Kin) -> Tree:
    """The tree of a body.

    A joint's parent is the link that is fewer steps from a root: the static links, else the first link; of
    what is connected with none of these, its first link. Where several joints could place a link, it is the
    first, those that have an index before the passive ones, as OpenRAVE orders them.
    """
    tree = Tree()
    neighbours: dict[int, list[JointPart]] = {id(link): [] for link in kin.links}
    ordered = sorted(kin.joints, key=lambda joint: not joint.indexed)
    for joint in ordered:
        neighbours[id(joint.first)].append(joint)
        neighbours[id(joint.second)].append(joint)
    static = [link for link in kin.links if link.static]
    _join_static(static, neighbours, tree)
    depth = _depths(static, neighbours, {})
    for link in kin.links:
        if id(link) not in depth:
            tree.roots[id(link)] = Root.BASE if link is kin.links[0] else Root.LOOSE
            _depths([link], neighbours, depth)
    for link in kin.links:
        if id(link) in tree.roots or id(link) in tree.placing:
            continue
        tree.placing[id(link)] = next(
            joint for joint in neighbours[id(link)] if depth[id(_other(joint, link))] == depth[id(link)] - 1
        )
    place = {id(link): number for number, link in enumerate(kin.links)}
    tree.links = _parents_first(kin.links, tree, place)
    used = {id(joint) for joint in tree.placing.values()}
    tree.closing = [joint for joint in kin.joints if id(joint) not in used]
    return tree


def _other(joint: JointPart, link: Link) -> Link:
    return joint.second if joint.first is link else joint.first


def _join_static(static: Iterable[Link], neighbours: Mapping[int, list[JointPart]], tree: Tree) -> None:
    """Static links are where they are, or where rigid joints put them against other static ones."""
    for start in static:
        if id(start) in tree.roots or id(start) in tree.placing:
            continue
        tree.roots[id(start)] = Root.STATIC
        todo = deque([start])
        while todo:
            link = todo.popleft()
            for joint in neighbours[id(link)]:
                other = _other(joint, link)
                known = id(other) in tree.roots or id(other) in tree.placing
                if joint.rigid and other.static and not known:
                    tree.placing[id(other)] = joint
                    todo.append(other)


def _depths(
    start: Iterable[Link], neighbours: Mapping[int, list[JointPart]], depth: dict[int, int]
) -> dict[int, int]:
    """Steps from any of some links to all links that joints lead to."""
    todo = deque(start)
    depth |= {id(link): 0 for link in todo}
    while todo:
        link = todo.popleft()
        for joint in neighbours[id(link)]:
            other = _other(joint, link)
            if id(other) not in depth:
                depth[id(other)] = depth[id(link)] + 1
                todo.append(other)
    return depth


def _parents_first(links: list[Link], tree: Tree, place: Mapping[int, int]) -> list[Link]:
    carried: dict[int, list[Link]] = {}
    found = []
    for link in links:
        parent = tree.parent(link)
        if parent is None:
            found.append(link)
        else:
            carried.setdefault(id(parent), []).append(link)
    for link in found:  # it grows
        found += sorted(carried.get(id(link), ()), key=lambda each: place[id(each)])
    return found
