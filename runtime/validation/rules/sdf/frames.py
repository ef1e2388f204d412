"""Frames: what poses are relative to, frames attached to, joints between; no cycles, nothing missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from polybody.base import Node, Span, held
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.suggest import did_you_mean
from polybody.validation.rules.sdf.scopes import MODEL, WORLD, Lost, Named, Place, Scope

POSED = ("link", "joint", "frame", "model", "include")
"""The fields of a scope whose elements' poses place what has a name in it."""


MOST_STEPS = 64  # from frame to frame


class Reference(NamedTuple):
    """A name that an attribute or leaf of an element gives."""

    node: Node
    at: str
    name: str
    what: str

    @property
    def span(self) -> Span | None:
        """Where the name stands."""
        return self.node.child_span(self.at) if self.what[0] == "<" else self.node.attribute_span(self.at)


class Frames:
    """The checks of one scope."""

    def __init__(self, scope: Scope, findings: Findings, lost: bool) -> None:
        """lost: something in the document was not understood, so that a name may have been among it."""
        self.scope, self.findings, self.lost = scope, findings, lost
        self.own = WORLD if scope.is_world else MODEL

    def check(self) -> None:
        node = self.scope.node
        for reference in (*self.poses(node), *self.others(node)):
            self.find(reference)
        self.cycles("attached_to", dict(self.attached(node)))
        self.cycles("relative_to", dict(self.placed(node)))
        for joint in (*node.joint, *getattr(node, "drake_joint", ())):
            self.joint(joint)

    # --- names --------------------------------------------------------------------------------------------

    def find(self, reference: Reference, *special: str) -> Named | None:
        """What a reference leads to; a finding where it leads nowhere."""
        name = reference.name
        if name in (self.own, *special):
            return None
        found = Lost.MISSING if name.startswith("::") else self.scope.find(name)
        if isinstance(found, Named):
            return found
        if found is Lost.MISSING and not self.lost and self.findings.takes("PB032"):
            message = f"{reference.what}: there is no link, joint, frame or model `{clip(name)}`"
            hint = did_you_mean(name, self.scope.names)
            self.findings.add("PB032", reference.span, message, hint=hint, source=reference.node.source)
        return None

    def poses(self, node: Any) -> Iterator[Reference]:
        """What the poses in a model or world are relative to, nested models apart."""
        for kind in POSED:
            for child in held(node, kind):
                yield from _relative(child)
                yield from _inner_poses(child)
        for light in held(node, "light"):
            yield from _relative(light)

    def others(self, node: Any) -> Iterator[Reference]:
        for frame in node.frame:
            yield from _attribute(frame, "attached_to")
        if not self.scope.is_world:
            yield from _attribute(node, "canonical_link")
            yield from _attribute(node, "placement_frame")
        for joint in node.joint:
            for axis in (joint.axis, joint.axis2):
                if axis is not None and axis.xyz is not None:
                    yield from _attribute(axis.xyz, "expressed_in")
        placed = [include for include in node.include if include.placement_frame]
        meant = {id(each.node): each for each in self.scope.names.values()} if placed else {}
        for include in placed:
            inner = meant.get(id(include))
            if inner is not None and inner.scope is not None:
                name = include.placement_frame.strip()
                if name != MODEL and inner.scope.find(name) is Lost.MISSING:
                    message = (
                        f"`placement_frame`: the model has no link, joint, frame or model `{clip(name)}`"
                    )
                    span = include.child_span("placement_frame")
                    self.findings.add("PB032", span, message, source=include.source)

    def is_meant(self, node: Any) -> bool:
        """Whether it is what its name means: older versions let a joint be called like a link."""
        first = self.scope.names.get(node.name)
        return first is None or first.node is node

    # --- cycles -------------------------------------------------------------------------------------------

    def attached(self, node: Any) -> Iterator[tuple[str, Reference]]:
        for frame in node.frame:
            for reference in _attribute(frame, "attached_to"):
                yield frame.name, reference
        for joint in (*node.joint, *getattr(node, "drake_joint", ())):
            child = _text(joint, "drake:child" if joint.TAG == "drake:joint" else "child")
            if child is not None and self.is_meant(joint):
                yield joint.name, child

    def placed(self, node: Any) -> Iterator[tuple[str, Reference]]:
        """By a name in the scope, what its pose is relative to, said or by default."""
        for kind in POSED:
            for child in getattr(node, kind, ()):
                reference = next(_relative(child), None)
                if reference is None and kind == "joint":
                    reference = _text(child, "child")
                elif reference is None and kind == "frame":
                    reference = next(_attribute(child, "attached_to"), None)
                if reference is not None and child.name and self.is_meant(child):
                    yield child.name, reference

    def cycles(self, what: str, following: dict[str, Reference]) -> None:
        """Report each cycle once, at the value that closes it."""
        done: set[str] = set()
        for start in following:
            path: list[str] = []
            places: dict[str, int] = {}
            name = start
            while name in following and name not in done and name not in places:
                places[name] = len(path)
                path.append(name)
                name = following[name].name
            if name in places:
                ring = path[places[name] :]
                closing = following[path[-1]]
                shown = " -> ".join(f"`{clip(each)}`" for each in [*ring[:5], ring[0]])
                message = f"{closing.what}: the frames lead in a circle, {shown}"
                self.findings.add("PB033", closing.span, message, source=closing.node.source)
            done.update(path)

    # --- joints -------------------------------------------------------------------------------------------

    def joint(self, joint: Any) -> None:
        prefix = "drake:" if joint.TAG == "drake:joint" else ""
        parent, child = _text(joint, f"{prefix}parent"), _text(joint, f"{prefix}child")
        ends = [None if end is None else self.find(end, WORLD) for end in (parent, child)]
        if child is not None and child.name == WORLD:
            self.findings.add("PB048", child.span, "the world is no child of a joint", source=joint.source)
        if parent is None or child is None:
            return
        if parent.name == child.name:
            message = f"parent and child are both `{clip(child.name)}`; they must differ"
            self.findings.add("PB045", child.span, message, source=joint.source)
        elif joint.name in (parent.name, child.name) and self.is_meant(joint):
            end = parent if joint.name == parent.name else child
            if end is parent:  # that it is its own child is a cycle
                message = f"the joint `{clip(joint.name)}` is its own parent"
                self.findings.add("PB033", end.span, message, source=joint.source)
        elif None not in ends and self.body(parent.name) == self.body(child.name) is not None:
            message = (
                f"parent `{clip(parent.name)}` and child `{clip(child.name)}` are fixed to the same link"
            )
            self.findings.add("PB045", child.span, message, source=joint.source)

    def body(self, name: str) -> Place | None:
        """The link that a frame is fixed to, None where that is not to be told."""
        scope: Scope | None = self.scope
        models: list[Named] = []  # in which that scope is
        for _ in range(MOST_STEPS):
            way = Lost.UNKNOWN if scope is None else scope.way_to(name)
            if isinstance(way, Lost):
                return None
            found = way.pop()
            models += way
            if found.kind == "link":
                return Place.through(self.scope, models, found)
            if found.kind == "model":
                models.append(found)
            scope = models[-1].scope if models else self.scope
            name = _holder(found)
        return None


def _holder(named: Named) -> str:
    """The name of what a frame, joint or model is fixed to, in the scope around it; a model's, inside."""
    node = named.node if named.scope is None else named.scope.node
    if named.kind != "model":
        name = getattr(node, "attached_to" if named.kind == "frame" else "child", None)
        return (name or "").strip()
    names = (each.name for kind in ("link", "model") for each in getattr(node, kind, ()))
    return (getattr(node, "canonical_link", None) or "").strip() or next(names, None) or ""


def _attribute(node: Any, name: str) -> Iterator[Reference]:
    value = (getattr(node, name) or "").strip()
    if value:
        yield Reference(node, name, value, f"`{name}`")


def _relative(node: Any) -> Iterator[Reference]:
    pose = node.pose
    for name in ("relative_to", "frame"):
        value = "" if pose is None else (getattr(pose, name) or "").strip()
        if value:
            yield Reference(pose, name, value, f"`{name}` of <pose>")
            return


def _inner_poses(node: Any) -> Iterator[Reference]:
    """The poses of what stands on a link or joint."""
    for kind in ("collision", "visual", "sensor", "light", "projector", "particle_emitter", "audio_source"):
        for child in held(node, kind):
            yield from _relative(child)
            for each in held(child, "camera"):
                yield from _relative(each)


def _text(node: Any, tag: str) -> Reference | None:
    value = (getattr(node, tag.replace(":", "_")) or "").strip()
    return Reference(node, tag, value, f"<{tag}>") if value else None
