"""Joints of SDFormat as joints of a Plant, with the actuators that Drake creates for them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from polybody.base import Node, children_of
from polybody.diagnostics import Findings
from polybody.diagnostics.warned import remarks_are_read
from polybody.document.parser.tables import version_number
from polybody.generated.formats.sdf.documents import DrakeJointType, JointType
from polybody.lowering.plants.curves import CurveError, Piece, X, arc, follow
from polybody.lowering.plants.plant import Actuator, Joint, JointKind
from polybody.lowering.sdf.scopes import MODEL, WORLD, Scope
from polybody.lowering.sdf.settings import Settings
from polybody.lowering.sdf.values import said
from polybody.rotations.poses import IDENTITY, ORIGIN, Pose, Vector, of_axes, unit_vector

IN_MODEL = version_number("1.5")
"""In earlier versions, axes are given in the frame of the model."""
Z: Vector = (0.0, 0.0, 1.0)
TURN = 2 * math.pi
SHORTEST = 1e-6
"""Length of an axis below which it counts as zero, as in libsdformat."""
ENDLESS = 1e16
"""Limits from here on are absent: the specification's default in older versions."""
KINDS = {
    JointType.REVOLUTE: JointKind.revolute,
    JointType.CONTINUOUS: JointKind.revolute,
    JointType.PRISMATIC: JointKind.prismatic,
    JointType.SCREW: JointKind.screw,
    JointType.UNIVERSAL: JointKind.universal,
    JointType.BALL: JointKind.ball,
    JointType.FIXED: JointKind.weld,
}
ACTUATED = frozenset((JointKind.revolute, JointKind.prismatic, JointKind.screw))
SQUARE = 1e-12
"""Maximum cosine of the angle between the axes of a universal joint."""


class Ends(NamedTuple):
    """The scope of a joint, and the pose of the joint's frame in it."""

    scope: Scope
    pose: Pose


class Made(NamedTuple):
    """A joint before its links and poses are resolved, and related elements."""

    joint: Joint
    frame: Pose
    """F and M in the frame of the joint."""
    actuator: Actuator | None
    moving: Pose | None = None
    """M, if it differs from F."""


def joint(node: Any, ends: Ends, settings: Settings, findings: Findings) -> Made | None:
    """A <joint>; None, after a finding, if it gives no joint."""
    kind = KINDS.get(node.type)
    if kind is None:
        if node.type is JointType.GEARBOX:
            return None  # it connects nothing, but relates the angles of two other joints
        if node.type is not None:
            message = f"Drake has no {node.type.value} joint"
            findings.add("PB063", node.attribute_span("type"), message, source=node.source)
        return None
    made = Joint(said(node, "name"), 0, kind, 0, 0, node=node, effort=effort_of(node))
    turn = IDENTITY
    if kind is JointKind.universal:
        frame = _universal(node, ends, findings)
        if frame is None:
            return None
        turn = frame
    elif kind in ACTUATED:
        axis = axis_of(node.axis, ends, node, findings)
        if axis is None:
            return None
        made.axis = axis
    if kind is JointKind.screw:
        made.pitch = _thread(node) / TURN
    _dynamics(made, node, settings, findings)
    _limits(made, node, findings)
    made.start = _start(node, len(kind.coordinates))
    return Made(made, turn, _actuator(node) if kind in ACTUATED else None)


def axis_of(axis: Any, ends: Ends, node: Node, findings: Findings) -> Vector | None:
    """The unit vector of an axis in the frame of the joint."""
    given = None if axis is None else axis.xyz
    direction = Z if given is None or given.text is None else given.text
    if math.hypot(*direction) < SHORTEST:
        place = given or node
        findings.add("PB046", place.span, "the axis has zero length", source=place.source)
        return None
    direction = unit_vector(direction)
    frame = "" if given is None else said(given, "expressed_in")
    if axis is not None and (axis.use_parent_model_frame or ends.scope.version < IN_MODEL):
        frame = frame or MODEL
    if not frame:
        return direction
    x, y, z = ends.pose.inverse().vector(ends.scope.pose(frame, given).vector(direction))
    return x, y, z


def _universal(node: Any, ends: Ends, findings: Findings) -> Pose | None:
    """The frame of a universal joint: x along the first axis, y along the second."""
    first = axis_of(node.axis, ends, node, findings)
    second = axis_of(node.axis2, ends, node, findings)
    if first is None or second is None:
        return None
    (a, b, c), (d, e, f) = first, second
    cosine = a * d + b * e + c * f
    if abs(cosine) > SQUARE:
        place = node.axis2 or node
        message = (
            f"the axes of a universal joint must be orthogonal; the cosine of their angle is {cosine:.3g}"
        )
        findings.add("PB063", place.span, message, source=place.source)
        return None
    across = (b * f - c * e, c * d - a * f, a * e - b * d)
    return Pose(ORIGIN, of_axes(first, second, across))


def _thread(node: Any) -> float:
    """Translation of a screw per revolution, m: positive for a right-handed thread."""
    if node.screw_thread_pitch is not None:
        return float(node.screw_thread_pitch)
    if node.thread_pitch is not None and node.thread_pitch != 0:
        return -TURN / float(node.thread_pitch)
    return 1.0


def _dynamics(made: Joint, node: Any, settings: Settings, findings: Findings) -> None:
    """Damping, springs and friction; Drake uses those of the first axis for all."""
    if made.kind is JointKind.weld:
        return
    first, second = (None if axis is None else axis.dynamics for axis in (node.axis, node.axis2))
    if settings.gazebo and made.kind is JointKind.universal:
        numbers = [
            (0.0, 0.0) if each is None else (each.damping or 0.0, each.friction or 0.0)
            for each in (first, second)
        ]
        made.damping, made.friction = zip(*numbers, strict=True)
        return
    if first is None:
        return
    count = len(made.kind.velocities)
    made.damping = (first.damping or 0.0,) * count
    made.friction = (first.friction or 0.0,) * count
    if made.kind in (JointKind.revolute, JointKind.prismatic):
        made.stiffness = first.spring_stiffness or 0.0
        if made.stiffness < 0:
            message = f"the spring of joint `{made.name}` has the negative stiffness {made.stiffness:g}"
            findings.add("PB063", first.span, message, source=first.source)
        made.reference = first.spring_reference or 0.0
    elif first.spring_stiffness:
        _ignored(first, f"the spring of a {node.type.value} joint", findings)


def _ignored(node: Node, what: str, findings: Findings) -> None:
    if not remarks_are_read():
        return
    findings.add("PB067", node.span, f"{what} has no effect in Drake", source=node.source)


def _limits(made: Joint, node: Any, findings: Findings) -> None:
    """Limits of position, which Drake reads for only two joint types."""
    limit = None if node.axis is None else node.axis.limit
    if limit is None or made.kind is JointKind.weld:
        return
    if node.type not in (JointType.REVOLUTE, JointType.PRISMATIC):
        for name in ("lower", "upper"):
            bound = getattr(limit, name)
            if bound is not None and abs(bound) < ENDLESS:
                _ignored(limit, f"`{name}` of a {node.type.value} joint", findings)
    else:
        made.lower = -math.inf if limit.lower is None or limit.lower <= -ENDLESS else limit.lower
        made.upper = math.inf if limit.upper is None or limit.upper >= ENDLESS else limit.upper


def _start(node: Any, count: int) -> tuple[float, ...]:
    """The initial coordinates of a joint with one axis for each; empty if all are zero.

    Drake rejects documents that give them. If such documents are accepted nevertheless, they have the
    specification's meaning.
    """
    axes = (node.axis, node.axis2)[:count]
    given = [None if axis is None else axis.initial_position for axis in axes]
    if len(given) != count or not any(given):
        return ()
    return tuple(value or 0.0 for value in given)


def effort_of(node: Any) -> float:
    """The force limit of a <joint>; infinite if it is missing or negative."""
    limit = None if node.axis is None else node.axis.limit
    effort: float = math.inf if limit is None or limit.effort is None else limit.effort
    return effort if effort >= 0 else math.inf


def _actuator(node: Any) -> Actuator | None:
    """Each joint with one degree of freedom has an actuator with its name, unless the effort is zero."""
    effort = effort_of(node)
    if effort == 0:
        return None
    gains = node.drake_controller_gains
    return Actuator(
        said(node, "name"),
        -1,
        effort,
        node.drake_rotor_inertia or 0.0,
        1.0 if node.drake_gear_ratio is None else node.drake_gear_ratio,
        None if gains is None or gains.p is None or gains.d is None else (gains.p, gains.d),
        node,
    )


def drake_joint(node: Any, findings: Findings) -> Made | None:
    """A <drake:joint>, between the unchanged frames of parent and child."""
    if node.type is None:
        return None
    for name in (node.drake_parent, node.drake_child):
        if (name or "").strip() == WORLD:
            message = f"a <{node.TAG}> between two frames of a model: Drake does not accept `{WORLD}` here"
            hint = "weld a link to it and use that"
            findings.add("PB083", node.span, message, hint=hint, source=node.source)
    if node.pose is not None:
        message = f"Drake reads no <pose> of a <{node.TAG}>"
        findings.add("PB063", node.pose.span, message, hint="write a <frame>", source=node.source)
    damping = node.drake_damping
    if node.type is DrakeJointType.CURVILINEAR:
        return _curvilinear(node, damping[0] if isinstance(damping, tuple) else damping or 0.0, findings)
    values = tuple(damping) if isinstance(damping, tuple) else (damping or 0.0,) * 3
    made = Joint(said(node, "name"), 0, JointKind.planar, 0, 0, damping=values, node=node)
    return Made(made, IDENTITY, None)


def _curvilinear(node: Any, damping: float, findings: Findings) -> Made | None:
    """A joint along a path; None, after a finding, if the Model has none for it."""
    made = Joint(said(node, "name"), 0, JointKind.curvilinear, 0, 0, damping=(damping,), node=node)
    tangent, normal = (
        default if given is None or given.xyz is None else given.xyz
        for given, default in ((node.drake_initial_tangent, X), (node.drake_plane_normal, Z))
    )
    path = [] if node.drake_curves is None else children_of(node.drake_curves)
    try:
        pieces = [
            Piece(each.drake_length)
            if each.TAG == "drake:line_segment"
            else arc(each.drake_radius, each.drake_angle)
            for each in path
        ]
        frame, moving = follow(made, pieces, tangent, normal, bool(node.drake_is_periodic))
    except CurveError as error:
        place = node.drake_curves or node
        findings.add("PB063", place.span, f"{error}", source=place.source)
        return None
    return Made(made, frame, None, moving)
