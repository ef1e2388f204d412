"""From a URDF document to a Model: the plant that Drake's parser builds, then its trees."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, cast

from polybody.base import Node, children_of
from polybody.diagnostics import Findings, Policy
from polybody.diagnostics.diagnostic import MissingFileError
from polybody.diagnostics.warned import remarks_are_read
from polybody.files import is_there
from polybody.generated.formats.urdf import (
    DrakeJoint,
    Joint,
    JointType,
    Link,
    Robot,
    Switch,
    Transmission,
)
from polybody.lowering.plants import curves
from polybody.lowering.plants import plant as drake
from polybody.lowering.plants.forest import Base
from polybody.lowering.plants.mesh_files import MeshFiles
from polybody.lowering.plants.native import DrakeNative
from polybody.lowering.plants.plant import Driving, JointKind, Plant
from polybody.lowering.plants.planted import Meaning, check_options, planted
from polybody.lowering.result import Lowered
from polybody.lowering.unsimulated import report_unsimulated
from polybody.lowering.urdf import extensions, gazebo, links, semantics
from polybody.lowering.urdf.shapes import Shapes
from polybody.reading import fitting_srdf, valid
from polybody.rotations.poses import IDENTITY, pose_of_origin
from polybody.validation.rules.urdf_versions import has_quaternions
from polybody.validation.xpaths import locate

if TYPE_CHECKING:
    from polybody.validation.srdf import Srdf

REFUSED, LATER, NO_EFFECT, ENGINE, UNUSED = "PB063", "PB064", "PB027", "PB083", "PB061"
FLOATS = JointType.FLOATING
SIMPLE, NAMELESS = "SimpleTransmission", "robot"
GAZEBO = frozenset((("gazebo", ""), ("dynamics", "friction")))
"""Elements that are used only with Gazebo's meaning."""
ACTUATED = frozenset((JointKind.revolute, JointKind.prismatic, JointKind.screw, JointKind.curvilinear))


def lower(
    document: Robot,
    *,
    meaning: Meaning = "drake",
    base: Base = "free",
    actuators: Driving = "as-is",
    self_collide: bool | None = None,
    srdf: Srdf | None = None,
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered[DrakeNative]:
    """The Model of a URDF document.

    Args:
        document: as read, or made in Python.
        meaning: "drake", or "gazebo", which also uses `<gazebo>` and the friction of joints.
        base: "free", or "fixed", which welds links without a joint to the world to it at their initial poses;
            children of floating joints stay free.
        actuators: "as-is", those of the document; "motor", a force or torque for each joint with one degree
            of freedom, within its effort limit; "position", a servo for each, whose control is a position
            (:mod:`polybody.lowering.plants.driving` gives its gains); "none". Joints that follow others,
            have an effort limit of 0, or are passive in the SRDF, have none.
        self_collide: whether links of the robot touch each other; None: as the document says.
        srdf: an SRDF of the robot, a file or a document. Its pairs of links do not collide, its named states
            are keyframes.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.

    Raises:
        ValidationError: the document or the SRDF has errors, or no valid Model can be made of it.
        FileNotFoundError: there is no such SRDF; also a ValidationError.
        ValueError: an option has an invalid value.
    """
    check_options(meaning, base, actuators, self_collide)
    if not checked:
        document = cast(Robot, valid(document, policy))
    findings = Findings(policy, format="urdf")
    report_unsimulated(document, findings, frozenset() if meaning == "drake" else GAZEBO)
    plant = Plant(driving=actuators, self_collide=self_collide)
    instance = fill(document, plant, findings, meaning=meaning)
    locate(document, findings)  # under "warn" the severity depends on the place of a finding
    semantic = None if srdf is None else fitting_srdf(srdf, document, findings)
    if semantic is not None:
        semantics.add(plant, semantic, instance)
    elif isinstance(srdf, str | os.PathLike) and not is_there(srdf):
        raise MissingFileError(findings.items)
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
        self.quaternions = has_quaternions(document)
        self.shapes = Shapes(document, MeshFiles.of(plant, findings), self.quaternions)
        self.floating: set[str] = set()
        self.refused: set[str] = set()
        """Joints that are already the subject of an error: what names them has none."""
        self.actuated: set[str] = set()
        self.unused: dict[str, list[Node]] = {}
        """Elements without effect, by message."""

    def run(self) -> None:
        self.plant.add_links(links.links(self, self.document, self.instance))
        rows = self.plant.links_by_name(self.instance)
        joints = links.joints(self, self.document, rows, self.instance)
        self.plant.add_joints(joints.made)
        if self.plant.driving != "as-is":
            for joint in joints.made:
                joint.effort = self.effort(joint.node)
        for node in joints.followers:
            self.mimic(node)
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

    def world(self, node: Link) -> None:
        """The link that is the world has only shapes."""
        self.plant.links[0].node = node
        self.plant.links[0].geoms = self.shapes.geoms(node)

    def unmoved(self, node: Joint | DrakeJoint, name: str) -> None:
        """Record that the child of a joint floats, or report that joints of its type are not simulated."""
        if node.type is not FLOATS:
            what = "" if node.type is None else node.type.value
            self.findings.add(LATER, node.span, f"a {what} joint is not simulated", source=node.source)
            return
        self.floating.add(name)
        child = None if node.child is None else self.plant.link(self.instance, node.child.link or "")
        if child:
            self.plant.links[child].floats = True
        if node.origin is not None and pose_of_origin(node.origin, self.quaternions) != IDENTITY:
            self.without_effect(node.origin, "<origin> of a floating joint has no effect, as in Drake")

    def curved(self, node: DrakeJoint, made: drake.Joint) -> drake.Joint | None:
        """Lead a joint along its path; None, after a finding, if the Model has no joint for it."""
        directions = ((node.drake_initial_tangent, curves.X), (node.drake_plane_normal, curves.Z))
        tangent, normal = (
            default if each is None or each.xyz is None else each.xyz for each, default in directions
        )
        given, switch = node.drake_curves, node.drake_is_periodic
        try:
            pieces = [
                curves.Piece(each.length)
                if each.TAG == "drake:line_segment"
                else curves.arc(each.radius, each.angle)
                for each in (() if given is None else children_of(given))
            ]
            periodic = switch is not None and switch.value is Switch.TRUE
            frame, moving = curves.follow(made, pieces, tangent, normal, periodic)
        except curves.CurveError as error:
            self.refuse(given or node, f"{error}")
            self.refused.add(node.name or "")
            return None
        made.in_parent, made.in_child = made.in_parent @ frame, moving
        return made

    # --- what acts ------------------------------------------------------------------------------------------

    def single(self, name: str, node: Node, what: str) -> int | None:
        """The row of a joint with one velocity; None after a finding: `lenient` leaves out what names it."""
        row = self.plant.joint(self.instance, name)
        if row is None:
            row = self.plant.joint(0, name)
        if row is None and name not in self.refused:
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
