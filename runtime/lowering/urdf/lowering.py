"""From a URDF document to a Model: the plant that Drake's parser builds, then its trees."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

from polybody.base import Node, children_of
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.diagnostics.warned import remarks_are_read
from polybody.generated.formats.urdf import (
    DrakeJoint,
    DrakeJointType,
    Joint,
    JointType,
    Link,
    Robot,
    Transmission,
)
from polybody.lowering.plants import plant as drake
from polybody.lowering.plants.forest import Base
from polybody.lowering.plants.inertias import sound
from polybody.lowering.plants.mesh_files import MeshFiles
from polybody.lowering.plants.native import DrakeNative
from polybody.lowering.plants.plant import JointKind, Plant
from polybody.lowering.plants.planted import Meaning, check_options, planted
from polybody.lowering.poses import (
    IDENTITY,
    Pose,
    Vector,
    pose_of_origin,
    rotated_tensor,
    unit_vector,
    z_to,
)
from polybody.lowering.unsimulated import report_unsimulated
from polybody.lowering.urdf import extensions, gazebo
from polybody.lowering.urdf.shapes import Shapes
from polybody.model.model import Model
from polybody.validation.validate import valid
from polybody.validation.xpaths import locate

REFUSED, LATER, NO_EFFECT, ENGINE, UNUSED = "PB063", "PB064", "PB027", "PB083", "PB061"
DEFAULT_AXIS = (1.0, 0.0, 0.0)
SHORTEST = 1e-8
"""Norm of an axis below which Drake refuses it."""
FLOATS = JointType.FLOATING
SIMPLE, NAMELESS = "SimpleTransmission", "robot"
GAZEBO = frozenset((("gazebo", ""), ("dynamics", "friction")))
"""Elements that are used only with Gazebo's meaning."""
KINDS = {
    JointType.REVOLUTE: JointKind.revolute,
    JointType.CONTINUOUS: JointKind.revolute,
    JointType.PRISMATIC: JointKind.prismatic,
    JointType.FIXED: JointKind.weld,
    JointType.PLANAR: JointKind.planar,
    DrakeJointType.BALL: JointKind.ball,
    DrakeJointType.UNIVERSAL: JointKind.universal,
    DrakeJointType.SCREW: JointKind.screw,
}
"""Keywords of both kinds of elements are equal to their strings, so PLANAR has one entry."""
JOINTS = (Joint, DrakeJoint)
AXIS_UNUSED = frozenset((JointKind.ball, JointKind.universal))
WITH_AXIS = frozenset(
    (JointKind.revolute, JointKind.prismatic, JointKind.planar, JointKind.screw, JointKind.universal)
)
"""Joints for which Drake reads the axis; that of a universal joint is only refused if it is zero."""
ACTUATED = frozenset((JointKind.revolute, JointKind.prismatic, JointKind.screw))


class Lowered(NamedTuple):
    """The result of lowering a URDF document."""

    model: Model
    native: DrakeNative
    """Drake's coordinates."""
    findings: tuple[Diagnostic, ...]
    """Replaced values, and elements that the Model does not have; not errors."""


def lower(
    document: Robot,
    *,
    meaning: Meaning = "drake",
    base: Base = "free",
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered:
    """The Model of a URDF document.

    Args:
        document: as read, or made in Python.
        meaning: "drake", or "gazebo", which also uses `<gazebo>` and the friction of joints.
        base: "free", or "fixed", which welds links without a joint to the world to it at their initial poses;
            children of floating joints stay free.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
        ValueError: no such meaning or base.
    """
    check_options(meaning, base)
    if not checked:
        document = cast(Robot, valid(document, policy))
    findings = Findings(policy, format="urdf")
    report_unsimulated(document, findings, frozenset() if meaning == "drake" else GAZEBO)
    plant = Plant()
    fill(document, plant, findings, meaning=meaning)
    locate(document, findings)  # under "warn" the severity depends on the place of a finding
    findings.raise_errors()
    name = document.name or NAMELESS
    made = planted(plant, findings, name=name, meaning=meaning, base=base, root=document)
    return Lowered(made.model, made.native, tuple(findings.sorted()))


def fill(
    document: Robot, plant: Plant, findings: Findings, *, name: str | None = None, meaning: Meaning = "drake"
) -> int:
    """Add a robot to a Plant; returns the row of its model instance.

    Args:
        document: as read.
        plant: receives the robot.
        findings: receives findings.
        name: the full name of the model, instead of its own name.
        meaning: as in :func:`lower`.
    """
    reading = _Reading(document, plant, findings, name or document.name or NAMELESS, meaning)
    reading.run()
    return reading.instance


class _Reading:
    """Fills a plant in Drake's order: by kind, not in document order."""

    def __init__(
        self, document: Robot, plant: Plant, findings: Findings, name: str, meaning: Meaning
    ) -> None:
        self.document, self.findings, self.meaning = document, findings, meaning
        self.plant = plant
        self.instance = self.plant.add_instance(name)
        self.shapes = Shapes(document, MeshFiles.of(plant, findings))
        self.floating: set[str] = set()
        self.actuated: set[str] = set()
        self.unused: dict[str, list[Node]] = {}
        """Elements without effect, by message."""

    def run(self) -> None:
        for link in self.document.link:
            if not link.drake_ignore:
                self.link(link)
        joints = [
            child
            for child in children_of(self.document)
            if isinstance(child, JOINTS) and not child.drake_ignore
        ]
        for joint in joints:
            self.joint(joint)
        for joint in joints:
            if joint.mimic is not None:
                self.mimic(joint)
        for transmission in self.document.transmission:
            self.transmission(transmission)
        for frame in self.document.frame:
            row = self.link_row(frame.link, frame)
            if row is not None:
                pose = pose_of_origin(frame)
                self.plant.add_frame(drake.Frame(frame.name or "", self.instance, row, pose, frame))
        extensions.add(self.plant, self.document, self.instance, self.findings)
        if self.meaning == "gazebo":
            gazebo.Extensions(self.plant, self.instance, self.findings).add(self.document)
        for message, nodes in self.unused.items():
            times = "once" if len(nodes) == 1 else f"{len(nodes)} times"
            text = f"{message} (written {times})"
            self.findings.add(UNUSED, nodes[0].span, text, source=nodes[0].source)

    def without_effect(self, node: Node, message: str) -> None:
        """An element that Drake does not read: reported once for each kind, at the first occurrence."""
        if remarks_are_read():
            self.unused.setdefault(message, []).append(node)

    def refuse(self, node: Node, message: str, hint: str | None = None, attribute: str | None = None) -> None:
        """An error at an element, or one of its attributes."""
        span = node.span if attribute is None else node.attribute_span(attribute)
        self.findings.add(REFUSED, span, message, hint=hint, source=node.source)

    def remark(self, node: Node, message: str, hint: str | None = None) -> None:
        """An element without effect."""
        self.findings.add(NO_EFFECT, node.span, message, hint=hint, source=node.source)

    # --- links and joints -----------------------------------------------------------------------------------

    def link_row(self, name: str | None, node: Node) -> int | None:
        """The row of a link; None after a finding."""
        row = self.plant.link(self.instance, name or "")
        if row is None:
            self.refuse(node, f"there is no link `{name}`, or it is ignored")
        return row

    def link(self, node: Link) -> None:
        """Add a link with its inertia."""
        if node.name == drake.WORLD:
            self.plant.links[0].node = node
            self.plant.links[0].geoms = self.shapes.of(node)
            return
        mass, centre, inertia = self.inertia(node)
        geoms = self.shapes.of(node)
        self.plant.add_link(
            drake.Link(node.name or "", self.instance, mass, centre, inertia, geoms=geoms, node=node)
        )

    def inertia(self, link: Link) -> tuple[float, Vector, drake.Tensor]:
        """Mass, centre of mass, and inertia about it in the link's axes."""
        node = link.inertial
        if node is None:
            return 0.0, (0.0, 0.0, 0.0), (0.0,) * 6
        pose = pose_of_origin(node.origin)
        weight, given = node.mass, node.inertia
        mass = 0.0 if weight is None or weight.value is None else weight.value
        tensor: drake.Tensor = (0.0,) * 6
        if given is not None:
            diagonal = (given.ixx or 0.0, given.iyy or 0.0, given.izz or 0.0)
            products = (given.ixy or 0.0, given.ixz or 0.0, given.iyz or 0.0)
            tensor = rotated_tensor(pose[1], (*diagonal, *products))
        return sound(link.name or "", mass, pose[0], tensor, node, self.findings)

    def joint(self, node: Joint | DrakeJoint) -> None:
        """Add a joint, or record that its child floats."""
        name = node.name or ""
        if node.type is FLOATS:
            self.floating.add(name)
            child = None if node.child is None else self.plant.link(self.instance, node.child.link or "")
            if child:
                self.plant.links[child].floats = True
            if node.origin is not None and pose_of_origin(node.origin) != IDENTITY:
                self.without_effect(node.origin, "<origin> of a floating joint has no effect, as in Drake")
            return
        kind = None if node.type is None else KINDS.get(node.type)
        if kind is None:
            what = "" if node.type is None else node.type.value
            self.findings.add(LATER, node.span, f"a {what} joint is not simulated", source=node.source)
            return
        above, below = node.parent, node.child
        parent = None if above is None else self.link_row(above.link, above)
        child = None if below is None else self.link_row(below.link, below)
        if parent is None or child is None:
            return
        origin = pose_of_origin(node.origin)
        axis = self.axis(node) if kind in WITH_AXIS else DEFAULT_AXIS
        if kind in AXIS_UNUSED and node.axis is not None:
            self.without_effect(node.axis, f"<axis> of a {kind.name} joint has no effect, as in Drake")
        if kind is not drake.WELD and kind not in drake.BOUNDED and node.limit is not None:
            self.without_effect(node.limit, f"<limit> of a {kind.name} joint has no effect, as in Drake")
        joint = drake.Joint(name, 0 if child == 0 else self.instance, kind, parent, child, origin, node=node)
        if kind is drake.PLANAR:
            joint.in_child = Pose(quat=z_to(axis))
            joint.in_parent = origin @ joint.in_child
        else:
            joint.axis = axis
        joint.damping, joint.friction = self.dynamics(node, kind)
        if kind in drake.BOUNDED:
            self.limits(node, joint)
        if kind is drake.SCREW and isinstance(node, DrakeJoint):
            pitch = node.drake_screw_thread_pitch
            joint.pitch = (0.0 if pitch is None or pitch.value is None else pitch.value) / (2 * math.pi)
        self.plant.add_joint(joint)

    def axis(self, node: Joint | DrakeJoint) -> Vector:
        """The unit vector of a joint's axis."""
        given = node.axis
        if given is None or given.xyz is None:
            return DEFAULT_AXIS
        if math.hypot(*given.xyz) < SHORTEST:
            self.refuse(given, f"the axis {list(given.xyz)} has zero length", attribute="xyz")
            return DEFAULT_AXIS
        return unit_vector(given.xyz)

    def dynamics(
        self, node: Joint | DrakeJoint, kind: JointKind
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Damping and friction, each per velocity."""
        given = node.dynamics
        if given is None or kind is drake.WELD:
            return (), ()
        damping = 0.0 if given.damping is None else given.damping
        each = damping if isinstance(damping, tuple) else (damping,) * len(kind.velocities)
        if min(each) < 0:
            self.refuse(given, f"the damping of joint `{node.name}` is negative", attribute="damping")
        return each, (given.friction or 0.0,) * len(kind.velocities)

    def limits(self, node: Joint | DrakeJoint, joint: drake.Joint) -> None:
        """Limits of position; infinite if not given."""
        given = node.limit
        if given is None:
            return
        joint.lower = -math.inf if given.lower is None else given.lower
        joint.upper = math.inf if given.upper is None else given.upper
        if joint.lower > joint.upper:
            message = f"the limits of joint `{node.name}` are reversed: {joint.lower:g} to {joint.upper:g}"
            self.refuse(given, message, "exchange them", attribute="lower")
        # Nothing is made of these.
        if given.velocity is not None and given.velocity < 0:
            self.refuse(given, f"`velocity` of joint `{node.name}` is negative", attribute="velocity")
        if given.drake_acceleration is not None and given.drake_acceleration < 0:
            name = "drake:acceleration"
            self.refuse(given, f"`{name}` of joint `{node.name}` is negative", attribute=name)

    # --- what acts ------------------------------------------------------------------------------------------

    def single(self, name: str, node: Node, what: str) -> int | None:
        """The row of a joint with one velocity; None after a finding: `lenient` leaves out what names it."""
        row = self.plant.joint(self.instance, name)
        if row is None:
            row = self.plant.joint(0, name)
        if row is None:
            why = (
                "it floats and is therefore not a joint"
                if name in self.floating
                else "there is no joint of that name"
            )
            self.findings.add(ENGINE, node.span, f"{what} joint `{name}`: {why}", source=node.source)
        return row

    def mimic(self, node: Joint | DrakeJoint) -> None:
        """Add the coupler of a joint that follows another."""
        given = node.mimic
        assert given is not None
        name, other = node.name or "", given.joint or ""
        if name in self.floating:
            self.remark(given, f"joint `{name}` is floating and cannot follow another joint")
            return
        if name == other:
            self.refuse(given, f"joint `{name}` follows itself", attribute="joint")
            return
        own, leader = self.single(name, given, "<mimic> of"), self.single(other, given, "<mimic> names")
        if own is None or leader is None:
            return
        count, needed = (len(self.plant.joints[row].kind.velocities) for row in (own, leader))
        if count != needed:
            message = (
                f"joint `{name}` has {count} degrees of freedom, joint `{other}`, which it follows, {needed}"
            )
            self.findings.add(ENGINE, given.span, message, source=given.source)
        elif count != 1:
            what = f"`{name}` has {count}"
            self.remark(given, f"only a joint with one degree of freedom can follow another; {what}")
        else:
            multiplier = 1.0 if given.multiplier is None else given.multiplier
            self.plant.couplers.append(drake.Coupler(own, leader, multiplier, given.offset or 0.0, given))

    def transmission(self, node: Transmission) -> None:
        """Add the actuator of a simple transmission."""
        kind = node.type_.text if node.type_ is not None else node.type
        if kind is None or SIMPLE not in kind:
            self.remark(
                node, f"a transmission of type `{kind}` does not make an actuator: it is not a {SIMPLE}"
            )
            return
        if not node.joint or not node.actuator:
            return  # reported by the reader where it matters
        named, actuator = node.joint[0], node.actuator[0]
        for part in (node, actuator, named):
            reduction = part.mechanicalReduction
            if reduction is not None and reduction.text not in (None, 1.0):
                message = "<mechanicalReduction> has no effect, as in Drake, which has <drake:gear_ratio>"
                self.without_effect(reduction, message)
        name = named.name or ""
        row = self.single(name, named, f"<transmission> of actuator `{actuator.name}` names")
        if row is None:
            return
        joint = self.plant.joints[row]
        if joint.kind is drake.WELD:
            self.remark(node, f"joint `{name}` is fixed: it has no actuator")
            return
        if joint.kind not in ACTUATED:
            self.refuse(node, f"joint `{name}` is a {joint.kind.name} joint, which cannot have an actuator")
            return
        effort = self.effort(joint.node)
        if effort == 0:
            self.remark(node, f"the effort limit of joint `{name}` is 0: it has no actuator")
            return
        if actuator.name in self.actuated:
            self.refuse(actuator, f"there is another actuator `{actuator.name}`", attribute="name")
        self.actuated.add(actuator.name or "")
        inertia = _value(actuator.drake_rotor_inertia, 0.0)
        if inertia < 0:
            message = f"the rotor inertia of actuator `{actuator.name}` is negative"
            self.refuse(actuator, message, "its reflected inertia is added to that of the joint")
        gains = actuator.drake_controller_gains
        self.plant.actuators.append(
            drake.Actuator(
                actuator.name or "",
                row,
                effort,
                inertia,
                _value(actuator.drake_gear_ratio, 1.0),
                None if gains is None else (gains.p or 0.0, gains.d or 0.0),
                actuator,
            )
        )

    def effort(self, node: Any) -> float:
        """The force limit of a joint; infinite if not given."""
        limit = node.limit
        if limit is None or limit.effort is None or isinstance(node, DrakeJoint):
            return math.inf
        effort: float = limit.effort
        if effort < 0:
            self.refuse(limit, f"the effort limit of joint `{node.name}` is negative", attribute="effort")
            return math.inf
        return effort


def _value(node: Any, default: float) -> float:
    return default if node is None or node.value is None else float(node.value)
