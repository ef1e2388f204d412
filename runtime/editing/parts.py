"""The tree of a document's parts: links or bodies, and the joints between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from polybody.base import Graph, Node
from polybody.document.references import References, Use

NESTED = {"mjcf": ("body",), "x_xy": ("body",)}
"""By format: the tags of parts that are inside the part to which they are connected."""


class Joined(NamedTuple):
    """How a format connects its parts.

    Attributes:
        parts, joints: their tags.
        parent, child: how joints name their two ends.
        fixed: the type of joints without a degree of freedom.
        all: whether every part needs a joint, also to the world.
    """

    parts: tuple[str, ...]
    joints: tuple[str, ...]
    parent: tuple[str, ...] = ("parent", "drake:parent")
    child: tuple[str, ...] = ("child", "drake:child")
    fixed: str = "fixed"
    all: bool = False


JOINED = {
    "urdf": Joined(("link",), ("joint", "drake:joint")),
    "sdf": Joined(("link",), ("joint", "drake:joint")),
    "skel": Joined(("body",), ("joint",), fixed="weld", all=True),
    "openrave": Joined(("body",), ("joint",), ("body",), ("body",)),
}


class End(NamedTuple):
    """One end of a joint: the references that name it, and the part; None is the world."""

    uses: tuple[Use, ...]
    part: Any


class Joint(NamedTuple):
    """A joint and its ends."""

    node: Any
    parent: End
    child: End


class Parts:
    """The parts of a document, and what connects them."""

    def __init__(self, references: References) -> None:
        self.references = references
        name = references.form.name
        self.joined = JOINED.get(name)
        self.nested = NESTED.get(name, ())
        self.tags = self.joined.parts if self.joined is not None else self.nested

    @property
    def is_tree(self) -> bool:
        """Whether the schema requires that joints connect all parts to one tree."""
        form = self.references.form
        rules = (rule for key in (form.root, *form.roots) for rule in form.elements[key].rules)
        return self.joined is not None and any(
            isinstance(rule, Graph) and rule.tree and set(rule.edges) <= set(self.joined.joints)
            for rule in rules
        )

    @property
    def needs_joints(self) -> bool:
        """Whether what joints connect must remain connected."""
        return self.is_tree or (self.joined is not None and self.joined.all)

    def is_part(self, node: Node) -> bool:
        return node.TAG in self.tags and self.references.row_of(node) is not None and self._is_outer(node)

    def _is_outer(self, node: Node) -> bool:
        """OpenRAVE has bodies in bodies, and names of bodies, under the same tag."""
        if self.joined is None:
            return True
        parent = self.references.parents.get(id(node))
        return parent is not None and parent.TAG not in (*self.joined.parts, *self.joined.joints)

    def is_joint(self, node: Node) -> bool:
        return any(joint.node is node for joint in self.joints)

    @cached_property
    def all(self) -> list[Any]:
        """All parts, in document order."""
        return [node for node in self.references.document.walk() if self.is_part(node)]

    @cached_property
    def joints(self) -> list[Joint]:
        """All joints between separate elements, in document order."""
        if self.joined is None:
            return []
        uses: dict[int, list[Use]] = {}
        for use in self.references.uses():
            uses.setdefault(id(use.node), []).append(use)
        self._attached = uses
        found = []
        for node in self.references.document.walk():
            if node.TAG in self.joined.joints and self.references.row_of(node) is not None:
                parent, child = self._end(node, uses, True), self._end(node, uses, False)
                if parent.uses or child.uses:
                    found.append(Joint(node, parent, child))
        return found

    def _end(self, joint: Any, uses: dict[int, list[Use]], first: bool) -> End:
        assert self.joined is not None
        names = self.joined.parent if first else self.joined.child
        named = [use for use in uses.get(id(joint), ()) if use.row.name in names]
        below = [child for child in joint.children if child.TAG in names]
        if self.joined.parent == self.joined.child:
            below = below[:1] if first else below[1:2]
        named += [use for child in below for use in uses.get(id(child), ())]
        if not named:
            return End((), None)
        return End(tuple(named), self._part_of(max(named, key=lambda use: use.part).target))

    def _part_of(self, target: Any) -> Node | None:
        """The part to which a named element is fixed."""
        assert self.joined is not None
        for _ in range(100):
            if target.TAG in self.joined.parts:
                return target  # type: ignore[no-any-return]
            uses = self._attached.get(id(target), ())
            wanted = ("attached_to", "canonical_link", *self.joined.child)
            following = [use for use in uses if use.row.name in wanted]
            if following:
                target = max(following, key=lambda use: use.part).target
            elif target.TAG == "model":
                target = next((each for each in target.walk() if each.TAG in self.joined.parts), None)
                if target is None:
                    return None
            else:
                return None
        return None

    @property
    def connected(self) -> list[Any]:
        """The parts that are the child of a joint."""
        return [joint.child.part for joint in self.joints if joint.child.part is not None]

    # --- relations ------------------------------------------------------------------------------------------

    def below(self, tops: Iterable[Node]) -> list[Any]:
        """Some parts and those below them, in document order."""
        found = {id(node) for top in tops for node in top.walk() if self.is_part(node)}
        if self.joined is not None:
            grew = True
            while grew:
                new = {
                    id(joint.child.part)
                    for joint in self.joints
                    if joint.parent.part is not None
                    and joint.child.part is not None
                    and id(joint.parent.part) in found
                }
                grew = not new <= found
                found |= new
        return [part for part in self.all if id(part) in found]

    def joints_at(self, nodes: Iterable[Node]) -> list[Any]:
        """The joints one end of which is among some elements, also by the name of a frame."""
        ids = set(map(id, nodes))
        return [
            joint.node
            for joint in self.joints
            if id(joint.node) not in ids and {id(joint.parent.part), id(joint.child.part)} & ids
        ]

    def joints_to(self, part: Node) -> list[Joint]:
        return [joint for joint in self.joints if joint.child.part is part]

    def joints_from(self, part: Node) -> list[Joint]:
        return [joint for joint in self.joints if joint.parent.part is part]

    def above(self, part: Node) -> Iterator[Any]:
        """A part, the one to which it is connected, and so on up to a root."""
        met: set[int] = set()
        current: Node | None = part
        while current is not None and id(current) not in met:
            yield current
            met.add(id(current))
            if self.joined is not None:
                above = [joint.parent.part for joint in self.joints_to(current)]
                current = next((each for each in above if each is not None), None)
                continue
            current = self.references.parents.get(id(current))
            while current is not None and not self.is_part(current):
                current = self.references.parents.get(id(current))
