"""Frames: references of poses, frames and joints; no cycles, nothing missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from polybody.base import Node, held
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.names import is_forest
from polybody.validation.rules.sdf.scopes import MODEL, WORLD, Lost, Named, Place, Scope
from polybody.validation.scene import Scene

POSED = ("link", "joint", "frame", "model", "include")
"""Tags of elements of a scope whose poses place a named element."""
INNER = ("collision", "visual", "sensor", "light", "projector", "particle_emitter", "audio_source")
"""Tags of elements with a pose on a link or joint."""
CAMERA, LIGHT = "camera", "light"


def _keys(*tags: str) -> tuple[str, ...]:
    """The kinds of elements with some tags that have a pose."""
    return tuple(
        key
        for key, row in FORMAT.elements.items()
        if row.tag in tags and any(child.element == POSE for child in row.children)
    )


POSE, DIRECTION = "Pose", "Direction"
POSED_KEYS, INNER_KEYS, CAMERAS, AXES = _keys(*POSED), _keys(*INNER), _keys(CAMERA), ("Axis", "Axis2")
NODES = (POSE, DIRECTION, *POSED_KEYS, *INNER_KEYS, *CAMERAS, *AXES)
CLASSES = {FORMAT.elements[key].cls for key in NODES}
MAX_STEPS = 64  # from frame to frame


class Reference(NamedTuple):
    """A name that an attribute or leaf of an element gives."""

    node: Node
    at: str
    name: str
    what: str


References = dict[int, list[tuple[Any, Reference]]]
"""By the id of a model or world: the elements with poses, and the references of these poses."""


def relative_poses(scene: Scene) -> References:
    """The references of poses in models and worlds."""
    found: References = {}
    poses = {id(pose): pose for name in ("relative_to", "frame") for pose in scene.having(POSE, name)}
    for pose in poses.values():
        for name in ("relative_to", "frame"):
            value = (getattr(pose, name) or "").strip()
            if value:
                owner = scene.parent(pose)
                home = _home(owner, scene)
                if home is not None:
                    found.setdefault(id(home), []).append(
                        (owner, Reference(pose, name, value, f"`{name}` of <pose>"))
                    )
                break
    return found


def _home(owner: Any, scene: Scene) -> Any:
    """The model or world in which an element is placed; None if there is none."""
    if type(owner) not in CLASSES:
        return None
    if owner.TAG == CAMERA:
        owner = scene.parent(owner)
        if type(owner) not in CLASSES or owner.TAG not in INNER:
            return None
    home = scene.parent(owner)
    if owner.TAG in INNER and type(home) in CLASSES and home.TAG in POSED and home.TAG != "model":
        return scene.parent(home)
    return home if owner.TAG in POSED or owner.TAG == LIGHT else None


class Frames:
    """The checks of one scope."""

    def __init__(self, scope: Scope, scene: Scene) -> None:
        self.scope, self.scene = scope, scene
        self.lost = bool(scene.rules.lost)  # a name may have been among the parts that were not understood
        self.own = WORLD if scope.is_world else MODEL

    def check(self, relative: list[tuple[Any, Reference]], directions: list[Any]) -> None:
        """relative: references of poses in this scope; directions: of axes with `expressed_in`."""
        node = self.scope.node
        for reference in (*(each for _, each in relative), *self.others(node, directions)):
            self.find(reference)
        joints, others = held(node, "joint"), held(node, "drake_joint")
        special = {id(each) for each in self.scope.other_joints()}
        asked = [each for each in joints if each.name in (each.parent, each.child) or id(each) in special]
        placed = [(owner.name, each.name) for owner, each in relative if owner.TAG in POSED and owner.name]
        if asked or others or self.scope.again or held(node, "frame"):
            self.cycles(dict(self.attached(node)))
            self.cycles(dict(self.placed(node)))
        elif placed:
            following = {joint.name: joint.child for joint in joints} | dict(placed)
            if not is_forest(list(following), list(following.values())):
                self.cycles(dict(self.placed(node)))
        for joint in (*asked, *others):
            self.joint(joint)

    # --- names --------------------------------------------------------------------------------------------

    def find(self, reference: Reference, *special: str) -> Named | None:
        """The element that a reference leads to; reports a finding if there is none."""
        name = reference.name
        if name in (self.own, *special):
            return None
        found = Lost.MISSING if name.startswith("::") else self.scope.find(name)
        if isinstance(found, Named):
            return found
        if found is Lost.MISSING and not self.lost and self.scene.takes("PB032"):
            message = f"{reference.what}: there is no link, joint, frame or model `{clip(name)}`"
            self.report("PB032", reference, message, did_you_mean(name, self.scope.names))
        return None

    def report(self, code: str, reference: Reference, message: str, hint: str | None = None) -> None:
        self.scene.report(code, reference.node, reference.at, message, hint)

    def others(self, node: Any, directions: list[Any]) -> Iterator[Reference]:
        for frame in held(node, "frame"):
            yield from _attribute(frame, "attached_to")
        if not self.scope.is_world:
            yield from _attribute(node, "canonical_link")
            yield from _attribute(node, "placement_frame")
        for direction in directions:
            yield from _attribute(direction, "expressed_in")
        placed = [include for include in held(node, "include") if include.placement_frame]
        meant = {id(each.node): each for each in self.scope.names.values()} if placed else {}
        for include in placed:
            inner = meant.get(id(include))
            if inner is not None and inner.scope is not None:
                name = include.placement_frame.strip()
                if name != MODEL and inner.scope.find(name) is Lost.MISSING:
                    message = (
                        f"`placement_frame`: the model has no link, joint, frame or model `{clip(name)}`"
                    )
                    self.scene.report("PB032", include, "placement_frame", message)

    def is_meant(self, node: Any) -> bool:
        """Whether its name refers to this element: in older versions a joint can have the name of a link."""
        first = self.scope.names.get(node.name)
        return first is None or first.node is node

    # --- cycles -------------------------------------------------------------------------------------------

    def attached(self, node: Any) -> Iterator[tuple[str, Reference]]:
        for frame in held(node, "frame"):
            for reference in _attribute(frame, "attached_to"):
                yield frame.name, reference
        for joint in (*held(node, "joint"), *held(node, "drake_joint")):
            child = _text(joint, "drake:child" if joint.TAG == "drake:joint" else "child")
            if child is not None and self.is_meant(joint):
                yield joint.name, child

    def placed(self, node: Any) -> Iterator[tuple[str, Reference]]:
        """By name in the scope, the reference of its pose, explicit or by default."""
        for kind in POSED:
            for child in held(node, kind):
                reference = next(_relative(child), None)
                if reference is None and kind == "joint":
                    reference = _text(child, "child")
                elif reference is None and kind == "frame":
                    reference = next(_attribute(child, "attached_to"), None)
                if reference is not None and child.name and self.is_meant(child):
                    yield child.name, reference

    def cycles(self, following: dict[str, Reference]) -> None:
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
                message = f"{closing.what}: the frames form a cycle, {shown}"
                self.report("PB033", closing, message)
            done.update(path)

    # --- joints -------------------------------------------------------------------------------------------

    def joint(self, joint: Any) -> None:
        prefix = "drake:" if joint.TAG == "drake:joint" else ""
        parent, child = _text(joint, f"{prefix}parent"), _text(joint, f"{prefix}child")
        ends = [None if end is None else self.find(end, WORLD) for end in (parent, child)]
        if child is not None and child.name == WORLD:
            self.report("PB048", child, "the world cannot be the child of a joint")
        if parent is None or child is None:
            return
        if parent.name == child.name:
            message = f"parent and child are both `{clip(child.name)}`; they must differ"
            self.report("PB045", child, message)
        elif joint.name in (parent.name, child.name) and self.is_meant(joint):
            end = parent if joint.name == parent.name else child
            if end is parent:  # a joint that is its own child is reported as a cycle
                message = f"the joint `{clip(joint.name)}` is its own parent"
                self.report("PB033", end, message)
        elif None not in ends and body(self.scope, parent.name) == body(self.scope, child.name) is not None:
            message = (
                f"parent `{clip(parent.name)}` and child `{clip(child.name)}` are fixed to the same link"
            )
            self.report("PB045", child, message)


def body(scope: Scope, name: str) -> Place | None:
    """The link that a frame of a scope is fixed to; None if it is unknown."""
    start = scope
    inner: Scope | None = scope
    models: list[Named] = []  # in which the scope is contained
    for _ in range(MAX_STEPS):
        path = Lost.UNKNOWN if inner is None else inner.path_to(name)
        if isinstance(path, Lost):
            return None
        found = path.pop()
        models += path
        if found.kind == "link":
            return Place.through(start, models, found)
        if found.kind == "model":
            models.append(found)
        inner = models[-1].scope if models else start
        name = _holder(found)
    return None


def _holder(named: Named) -> str:
    """The name of the element to which a frame, joint or model is fixed, in the surrounding scope; for a
    model, inside it.
    """
    node = named.node if named.scope is None else named.scope.node
    if named.kind != "model":
        name = getattr(node, "attached_to" if named.kind == "frame" else "child", None)
        return (getattr(name, "link", name) or "").strip()  # an included URDF has <child link=""/>
    names = (each.name for kind in ("link", "model") for each in held(node, kind))
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


def _text(node: Any, tag: str) -> Reference | None:
    value = (getattr(node, tag.replace(":", "_")) or "").strip()
    return Reference(node, tag, value, f"<{tag}>") if value else None
