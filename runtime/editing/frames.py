"""Poses and directions in frames that are deleted, expressed in frames that remain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from polybody.base import Node
from polybody.document.references import References
from polybody.editing.poses import rave_pose, sdf_pose, set_rave_pose, set_sdf_pose, tidy
from polybody.lowering.sdf.building import scope_of
from polybody.lowering.sdf.scopes import DELIMITER, MODEL, LostError, Named, Scope
from polybody.rotations.poses import IDENTITY, Pose

Change = Callable[[], None]


def kept_frames(references: References, gone: set[int], cleared: Iterable[tuple[Any, Any]]) -> list[Change]:
    """What to do to express in other frames what is given in frames that are about to be deleted.

    Args:
        references: of the document, from which nothing is deleted yet.
        gone: the ``id`` of the elements that are going to be deleted.
        cleared: references to them that are going to be removed: element and row.
    """
    if references.form.name == "sdf":
        lost = [(node, row.name) for node, row in cleared if id(node) not in gone]
        return _Sdf(references, gone, lost).changes() if lost else []
    return _rave(references, gone) if references.form.name == "openrave" else []


class _Sdf:
    """References to frames that are lost, in one document of SDFormat."""

    def __init__(self, references: References, gone: set[int], lost: list[tuple[Any, str]]) -> None:
        self.references, self.gone, self.lost = references, gone, lost
        self.names = {(id(node), name) for node, name in lost}
        self.known: dict[int, tuple[Scope, Named]] = {}

    def changes(self) -> list[Change]:
        try:
            waiting = [scope_of(self.references.document, _unread)]
        except (LostError, ValueError):
            return []
        while waiting:
            scope = waiting.pop()
            for part in scope.parts:
                self.known[id(part.node)] = scope, part
                if part.scope is not None:
                    waiting.append(part.scope)
        found: list[Change] = []
        for node, name in self.lost:
            try:
                change = self._change(node, name)
            except LostError:
                continue  # of a reference that leads nowhere
            if change is not None:
                found.append(change)
        return found

    def _change(self, node: Any, name: str) -> Change | None:
        if name in ("relative_to", "frame"):
            return self._pose(node, getattr(node, name))
        if name == "attached_to" and (node.name or "").endswith(DELIMITER + MODEL):
            return self._flattened(node)
        scope, part = self.known.get(id(node), (None, None))
        if name == "attached_to" and scope is not None:
            if node.pose is not None and (node.pose.relative_to or node.pose.frame):
                return None
            pose = scope.pose(node.attached_to.strip()) @ sdf_pose(node)
            return lambda: set_sdf_pose(node, pose)
        if name == "placement_frame" and part is not None and part.scope is not None:
            placed, relative = part.pose @ part.scope.placed.inverse(), part.relative or None
            return lambda: set_sdf_pose(node, placed, relative)
        if name == "expressed_in":
            return self._direction(node)
        return None

    def _flattened(self, frame: Any) -> Change | None:
        """The frame of a model with parts `a::b`, fixed to another link of that model; its pose is not
        relative to the link.
        """
        prefix = frame.name.removesuffix(MODEL)
        model: Any = self.references.parents[id(frame)]
        names = (link.name or "" for link in model.link if id(link) not in self.gone)
        name = next((each for each in names if each.startswith(prefix)), None)
        return None if name is None else lambda: setattr(frame, "attached_to", name)

    def _pose(self, pose: Any, relative: str) -> Change | None:
        """A pose relative to a deleted frame, relative to the frame in which it is without a name."""
        owner = self.references.parents[id(pose)]
        scope, part = self._around(owner)
        if scope is None or part is None:
            return None
        if part.node is owner and part.kind == "joint":  # its child may be placed relative to it
            placed = scope.pose(relative.strip()) @ sdf_pose(owner)
            return lambda: set_sdf_pose(owner, placed, scope.own)
        base = scope.place(part) if part.node is not owner else self._base(scope, part)
        found = base.inverse() @ scope.pose(relative.strip()) @ sdf_pose(owner)
        return lambda: set_sdf_pose(owner, found)

    def _base(self, scope: Scope, part: Named) -> Pose:
        if part.kind == "frame" and (id(part.node), "attached_to") in self.names:
            return IDENTITY
        return scope.pose(part.attached) if part.attached else IDENTITY

    def _direction(self, xyz: Any) -> Change | None:
        scope, part = self._around(xyz)
        if scope is None or part is None or xyz.text is None:
            return None
        turned = scope.place(part).inverse() @ scope.pose(xyz.expressed_in.strip())
        vector = tidy(turned.vector(xyz.text))
        return lambda: setattr(xyz, "text", vector)

    def _around(self, node: Node | None) -> tuple[Scope | None, Named | None]:
        """The link, joint, frame or model at or above an element, and its scope."""
        while node is not None and id(node) not in self.known:
            node = self.references.parents.get(id(node))
        return (None, None) if node is None else self.known[id(node)]


def _unread(root: Node, name: str, include: Any) -> Scope:
    """In place of an included document of another format."""
    return Scope(name, root, foreign=True)


def _rave(references: References, gone: set[int]) -> list[Change]:
    """Bodies and joints of OpenRAVE in the frame of a deleted body."""
    found: list[Change] = []
    offsets = {id(use.node): use.target for use in references.uses() if use.node.TAG == "offsetfrom"}
    nodes: list[Any] = list(references.document.walk())
    for node in nodes:
        offset = getattr(node, "offsetfrom", None)
        if not isinstance(offset, Node) or id(offset) not in gone or id(node) in gone:
            continue
        around: Any = references.parents.get(id(node))
        if node.TAG == "body" and getattr(around, "file", None):
            raise ValueError(
                f"the body `{node.name}` is also in `{around.file}`, so that its pose is not known"
            )
        frame = _rave_frame(offsets.get(id(offset)), offsets)
        if node.TAG == "body":
            found.append(_rave_body(node, frame))
        elif node.TAG == "joint":
            found.append(_rave_joint(node, frame))
    return found


def _rave_frame(body: Any, offsets: dict[int, Node]) -> Pose:
    """The pose of a body in the frame of the KinBody around it."""
    pose = IDENTITY
    for _ in range(1000):
        if body is None:
            return pose
        pose = rave_pose(body) @ pose
        body = offsets.get(id(body.offsetfrom)) if body.offsetfrom is not None else None
    return pose


def _rave_body(body: Any, frame: Pose) -> Change:
    pose = frame @ rave_pose(body)
    return lambda: set_rave_pose(body, pose)


def _rave_joint(joint: Any, frame: Pose) -> Change:
    vectors = [
        (each, tidy(frame.vector(each.text)))
        for each in (joint.axis, joint.axis1, joint.axis2)
        if each is not None and each.text is not None
    ]
    anchor = tidy(frame.point((0.0, 0.0, 0.0) if joint.anchor is None else joint.anchor.text))

    def change() -> None:
        for each, vector in vectors:
            each.text = vector
        if joint.anchor is not None:
            joint.anchor.text = anchor

    return change
