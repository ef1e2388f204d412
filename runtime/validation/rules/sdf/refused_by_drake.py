"""Documents that SDFormat allows and Drake refuses: several parts, loops of joints, inertia that cannot be
computed, deformable links with joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from operator import mul
from typing import Any

from polybody.base import held
from polybody.document.parser.tables import version_number
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.documents import JointType
from polybody.validation.rules.sdf import loops
from polybody.validation.rules.sdf.frames import body
from polybody.validation.rules.sdf.reserved_names import PLAIN_SINCE
from polybody.validation.rules.sdf.scopes import DELIMITER, MODEL, Lost, Named, Scope, model_of
from polybody.validation.scene import Scene

CODE = loops.CODE
WEIGHED = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "cone", "mesh"}
"""The shapes from which mass and inertia can be computed."""
OWN_VALUES = ("pose", "inertia")
UNKNOWN = (JointType.REVOLUTE2, JointType.GEARBOX)
"""The joint types that Drake does not have."""
Z = (0.0, 0.0, 1.0)  # an axis that is not given
RIGHT = 1e-12
"""Maximum cosine of the angle between two orthogonal axes."""


INERTIAL, INERTIAL_POSE, JOINT, INCLUDE, DEFORMABLE, WALL = (
    "Inertial",
    "InertialPose",
    "Joint",
    "Include",
    "drake:Unsupported(drake:deformable_properties)",
    "drake:Unsupported(drake:wall_boundary_condition)",
)
AXES = ("Axis", "Axis2")
FORMER = {
    "FormerFrame": (version_number("1.6"), "write a <frame> of the model"),
    "FormerModelState": (version_number("1.11"), "remove the <state>: it has no effect"),
    "FormerLightState": (version_number("1.11"), "remove the <state>: it has no effect"),
}
"""Elements that Drake rejects, the last version that has them, and what to write instead; in newer ones they
are reported as removed."""
TOPICS = ("Model", INCLUDE, "WorldInclude")
NAMESPACE = "namespace"
"""Of elements of these types: an attribute or element that Drake's libsdformat does not know."""
NODES = (INERTIAL, INERTIAL_POSE, JOINT, *TOPICS, DEFORMABLE, WALL, *AXES, *FORMER)
READ = frozenset(("1.0", *(f"1.{minor}" for minor in range(2, 13))))
"""The versions of the format that Drake 1.51 reads, as it compares them: by their text."""
START = "initial_position"
START_UNTIL = version_number("1.8")
FRAMES = {"relative_to": version_number("1.7"), "frame": version_number("1.6")}
"""The last versions with these attributes; in newer ones what is here is reported as removed."""


def check(scene: Scene, scopes: list[Scope], models: set[int]) -> None:
    """Report content for which Drake refuses the document.

    scopes: those of its models and worlds; models: the ids of all models in it.
    """
    root: Any = scene.root
    included = root.source is not None and bool(root.source.include_stack)
    if not included:
        _parts(root, scene)
    _dated(root, scene)
    old = 0 < version_number(root.version) < PLAIN_SINCE
    for scope in scopes:
        flat = old and any(each.delimited for each in loops.within(scope))
        for each in loops.within(scope):
            node = each.node
            if each is scope and scope.is_world:
                _merged_parts(node, scene)
            # Whether the model of an included file is static is up to what includes it: it may be merged.
            static = not each.is_world and node.static and not (included and each is scope)
            if (each is scope and scope.is_world) or static:
                where = "a world" if each.is_world else "a static model"
                _fixed_only(held(node, "joint"), where, scene)
            if flat and scope.is_world and each is not scope:
                _flattened(each, scene)
            elif flat and not scope.is_world:
                _undivided(each, scene)
            if scene.nodes(DEFORMABLE, INCLUDE):
                _rigid_only(each, scene)
    for inertial in scene.select(INERTIAL, "auto", True):
        link = scene.parent(inertial)
        if id(scene.parent(link)) in models:
            _computed(link, inertial, scene)
    for joint in scene.select(JOINT, "type", *UNKNOWN):
        if id(scene.parent(joint)) in models:
            scene.report(CODE, joint, "type", f"Drake has no {joint.type.value} joint")
    for joint in scene.select(JOINT, "type", JointType.UNIVERSAL):
        model = scene.parent(joint)
        if id(model) in models and not model.static and joint.axis is not None and joint.axis2 is not None:
            _axes(joint, scene)
    for wall in scene.nodes(WALL):
        if scene.parent(wall).drake_deformable_properties is None:
            message = f"<{wall.TAG}> belongs to a deformable body; the link is rigid"
            scene.report(CODE, wall, None, message, "remove it")
    for kind in TOPICS:
        for node in scene.having(kind, NAMESPACE):
            message = f"Drake 1.51 refuses `{NAMESPACE}`, which concerns only topics of messages"
            scene.report("PB088", node, NAMESPACE, message)
    loops.check(scopes, scene)


def _dated(root: Any, scene: Scene) -> None:
    """Versions that Drake does not read, and what it rejects of older ones though they allow it."""
    version = version_number(root.version)
    if root.version is not None and root.version not in READ:
        message = f"Drake reads the versions 1.0 and 1.2 to 1.12, not `{clip(root.version)}`"
        scene.report(CODE, root, "version", message)
    if version <= START_UNTIL:
        for axis in (each for kind in AXES for each in scene.having(kind, START)):
            message = f"Drake rejects <{START}>"
            scene.report(CODE, axis, START, message, "set the initial state in the program")
    for kind, (until, instead) in FORMER.items():
        for node in scene.nodes(kind) if version <= until else ():
            message = f"Drake rejects <{node.TAG}> in <{scene.parent(node).TAG}>"
            scene.report(CODE, node, None, message, instead)
    for name, until in FRAMES.items():
        for pose in scene.having(INERTIAL_POSE, name) if version <= until else ():
            if getattr(pose, name):
                message = f"`{name}` of an inertial pose must be empty: the pose is in the link's frame"
                scene.report(CODE, pose, name, message, "remove it")


def _parts(root: Any, scene: Scene) -> None:
    """Drake loads one model or one world per document; an included document may contain only a light."""
    parts = [part for part in (root.model, *root.world) if part is not None]
    others = [part.TAG for part in (root.actor, root.light) if part is not None]
    if not parts and others:
        message = f"the document contains only <{others[0]}>; Drake loads one model or one world"
        scene.report(CODE, root, None, message, "include it in a world")
    for part in parts[1:]:
        message = f"Drake loads one model or one world per document; this <{part.TAG}> is another"
        scene.report(CODE, part, None, message, "give it a file of its own")


def _merged_parts(world: Any, scene: Scene) -> None:
    """A file that is merged into a world contains only models, frames, and fixed joints between them."""
    for include in held(world, "include"):
        model = model_of(include.content) if include.merge else None
        if model is None:
            continue
        if held(model, "link"):
            message = "Drake merges no links into a world, only models, frames and fixed joints"
            scene.report(CODE, include, "merge", message, "remove `merge`")
        joints = held(model, "joint")
        moving = next((each for each in joints if each.type not in (JointType.FIXED, None)), None)
        if moving is not None:
            message = f"a {moving.type.value} joint in a world: Drake accepts only fixed ones there"
            scene.report(CODE, include, "merge", message, "remove `merge`")


def _rigid_only(scope: Scope, scene: Scene) -> None:
    """Drake has no body for a deformable link, to which a joint or frame could be fixed."""
    for node, at, name in _ends(scope):
        place = body(scope, name.strip()) if name else None
        if place is not None and getattr(place.named.node, "drake_deformable_properties", None) is not None:
            message = f"the link `{clip(place.name)}` is deformable; Drake can fix no {node.TAG} to it"
            scene.report(CODE, node, at, message)


def _ends(scope: Scope) -> Iterator[tuple[Any, str, str]]:
    """What the frames and joints of a model are fixed to: the element, its attribute or child, the name."""
    for frame in held(scope.node, "frame"):
        yield frame, "attached_to", frame.attached_to or ""
    for joint in loops.joints(scope.node):
        prefix = "drake:" if joint.TAG == "drake:joint" else ""
        first, second = loops.ends(joint)
        yield from ((joint, f"{prefix}parent", first), (joint, f"{prefix}child", second))


def _undivided(scope: Scope, scene: Scene) -> None:
    """Parts `a::b` of a model that is not in a world are no model `a`, in which Drake nevertheless looks for
    its links, and for what frames are fixed to; the first is reported.
    """
    own = (getattr(scope.node, "canonical_link", None) or "").strip()
    first = next(iter(held(scope.node, "link")), None)
    named = [(first, "name", first.name or "")] if first is not None and not own else []
    for node, at, name in (*named, (scope.node, "canonical_link", own), *_ends(scope)):
        part: Named | Lost | None = scope.find(name.strip()) if name else None
        if isinstance(part, Named) and at != "attached_to":
            place = body(scope, name.strip())
            part = None if place is None else place.named
        if isinstance(part, Named) and DELIMITER in part.name:
            around = part.name.rpartition(DELIMITER)[0]
            message = f"Drake looks for `{clip(part.name)}` in a model `{clip(around)}` and finds none"
            hint = "put the model into a <world>, where names are divided, or write a nested model"
            scene.report(CODE, node, at, message, hint)
            return


def _flattened(scope: Scope, scene: Scene) -> None:
    """Parts `a::b` of a model in a world make a model `a`: it needs a link, and its frame `a::__model__` is
    fixed to one of them.
    """
    models: dict[str, list[Named]] = {}
    for name, named in scope.names.items():
        if DELIMITER in name:
            models.setdefault(name.partition(DELIMITER)[0], []).append(named)
    for model, parts in models.items():
        if model not in scope.names and not any(each.kind in ("link", "model") for each in parts):
            message = f"the parts `{clip(model)}::...` are a model without a link, which Drake refuses"
            scene.report(CODE, parts[0].node, "name", message)
        for frame in (each for each in parts if each.kind == "frame"):
            around, _, own = frame.name.rpartition(DELIMITER)
            if own == MODEL and not (frame.node.attached_to or "").strip().startswith(around + DELIMITER):
                message = f"`attached_to` must name a part of the model `{clip(around)}`, whose frame this is"
                scene.report(CODE, frame.node, "attached_to", message)


def _axes(joint: Any, scene: Scene) -> None:
    """The axes of a universal joint are orthogonal; checked if both are given in one frame."""
    first, second = (axis.xyz for axis in (joint.axis, joint.axis2))
    frames = {None if xyz is None else xyz.expressed_in for xyz in (first, second)}
    a, b = (Z if xyz is None or xyz.text is None else xyz.text for xyz in (first, second))
    along, lengths = sum(map(mul, a, b)), hypot(*a) * hypot(*b)
    if len(frames) == 1 and abs(along) > RIGHT * lengths:
        message = "`axis` and `axis2` of a universal joint are not orthogonal, as Drake requires"
        place = joint.axis2 if second is None else second
        scene.report(CODE, place, None, message)


def _fixed_only(joints: list[Any], where: str, scene: Scene) -> None:
    for joint in joints:
        if joint.type not in (JointType.FIXED, None, *(() if where == "a world" else UNKNOWN)):
            message = f"a {joint.type.value} joint in {where}: Drake accepts only fixed ones there"
            scene.report(CODE, joint, "type", message)


def _computed(link: Any, inertial: Any, scene: Scene) -> None:
    """The requirements for computing mass and inertia from shapes."""
    collisions = held(link, "collision")
    if not collisions:
        message = "`auto` computes mass and inertia from <collision>; the link has none"
        scene.report("PB023", inertial, "auto", message)
    for name in OWN_VALUES:
        own = getattr(inertial, name)
        if own is not None:
            message = f"<{name}> is not allowed beside `auto`, which computes it: Drake refuses both"
            scene.report(CODE, own, None, message, "remove it")
    for collision in collisions:
        for shape in () if collision.geometry is None else collision.geometry.children:
            if shape.TAG not in WEIGHED:
                message = f"`auto`{_at(inertial)}: no inertia can be computed from <{shape.TAG}>"
                scene.report(CODE, shape, None, message, "write <inertial>")


def _at(node: Any) -> str:
    return "" if node.span is None else f" at line {node.span.line}"
