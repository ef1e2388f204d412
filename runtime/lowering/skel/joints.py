"""Joints as primitives of the Model: their axes and names, springs, dampers and limits, and actuators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, hypot, isfinite, sin, tau
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.assembly.parts import Actuator, Joint
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.skel import Actuator as Drive
from polybody.generated.formats.skel import AxisOrder, JointType, PlaneType
from polybody.generated.model import JointType as Primitive
from polybody.generated.model import Prescription
from polybody.lowering.native import Coordinates, Same
from polybody.lowering.skel.coordinates import Ball, Free, exponential, skew
from polybody.lowering.skel.dofs import DofValues, described
from polybody.lowering.skel.tree import Link, Names
from polybody.rotations.poses import Pose, Vector, unit_vector

Reals = NDArray[np.float64]
UNITS: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PLANES = {PlaneType.XY: "xyz", PlaneType.YZ: "yzx", PlaneType.ZX: "zxy"}
"""The axes of two slides and of the hinge after them."""
ROTATION, POSITION = ("rot_x", "rot_y", "rot_z"), ("pos_x", "pos_y", "pos_z")
PRESCRIBED = {
    Drive.ACCELERATION: Prescription.acceleration,
    Drive.VELOCITY: Prescription.velocity,
    Drive.LOCKED: Prescription.velocity,
    Drive.SERVO: Prescription.servo,
}
PITCH = 0.1
"""m per revolution: the default pitch of a screw."""
UNEVEN = 1e-6
"""Largest deviation from length 1 of a unit vector that is written with a few digits."""
UNDRIVEN = (Drive.PASSIVE, Drive.LOCKED)
"""Joints that accept no commands."""


@dataclass(slots=True, eq=False)
class Made:
    """A joint as primitives."""

    name: str
    """skeleton::joint"""
    coordinates: Coordinates
    joints: list[Joint]
    actuators: list[Actuator] = field(default_factory=list)
    start: Reals = field(default_factory=lambda: np.zeros(0))
    """DART's initial coordinates."""


@dataclass(slots=True)
class Axis:
    """A primitive with one degree of freedom: its direction in the joint's frame, its suffix."""

    type: Primitive
    direction: Vector
    suffix: str
    pitch: float = 0.0

    def moved(self, by: float) -> Pose:
        """The pose of the primitive's motion at a coordinate."""
        angle = 0.0 if self.type is Primitive.slide else by / 2
        displacement = by if self.type is Primitive.slide else self.pitch * by
        x, y, z = self.direction
        turn = (cos(angle), x * sin(angle), y * sin(angle), z * sin(angle))
        return Pose((displacement * x, displacement * y, displacement * z), turn)


def _letters(kind: Primitive, order: str) -> list[Axis]:
    return [Axis(kind, UNITS["xyz".index(letter)], letter) for letter in order]


def _across(joint: Any, findings: Findings) -> list[Vector]:
    """The axes of a plane's two slides and its normal, of translation_axis1 and translation_axis2."""
    plane = joint.plane
    first, second = (
        unit_vector(axis.xyz or default)
        for axis, default in zip((plane.translation_axis1, plane.translation_axis2), UNITS, strict=False)
    )
    normal = np.cross(first, second)
    if np.linalg.norm(normal) < 1e-9:
        message = "the two axes of the plane are parallel"
        findings.add("PB063", plane.span, message, source=plane.source)
        return list(UNITS)
    third = unit_vector(normal.tolist())
    return [first, unit_vector(np.cross(third, first).tolist()), third]


def axes(joint: Any, findings: Findings) -> list[Axis]:
    """The primitives of a joint whose primitives have one degree of freedom each, in DART's order."""
    kind, hinge, slide = joint.type, Primitive.hinge, Primitive.slide
    if kind in (JointType.REVOLUTE, JointType.PRISMATIC, JointType.SCREW):
        type_ = {JointType.REVOLUTE: hinge, JointType.PRISMATIC: slide}.get(kind, Primitive.screw)
        pitch = PITCH if joint.axis.pitch is None else joint.axis.pitch
        return [Axis(type_, _direction(joint.axis), "", pitch / tau if type_ is Primitive.screw else 0.0)]
    if kind is JointType.UNIVERSAL:
        for axis in (joint.axis, joint.axis2):
            _report_length(axis, findings)
        return [Axis(hinge, _direction(axis), str(n)) for n, axis in enumerate((joint.axis, joint.axis2), 1)]
    if kind is JointType.EULER:
        return _letters(hinge, "zyx" if joint.axis_order is AxisOrder.ZYX else "xyz")
    if kind is JointType.TRANSLATIONAL:
        return _letters(slide, "xyz")
    if kind in (JointType.PLANAR, JointType.TRANSLATIONAL2D):
        order = PLANES.get(PlaneType.XY if joint.plane is None else joint.plane.type or PlaneType.XY)
        if order is not None:
            found = [*_letters(slide, order[:2]), *_letters(hinge, order[2])]
        else:
            along = _across(joint, findings)
            found = [
                Axis(type_, axis, suffix)
                for type_, axis, suffix in zip((slide, slide, hinge), along, "123", strict=True)
            ]
        return found[: 2 if kind is JointType.TRANSLATIONAL2D else 3]
    return []


def _report_length(axis: Any, findings: Findings) -> None:
    """Report that DART does not rotate about the axis of a universal joint that is not a unit vector."""
    if axis.xyz is not None and abs(hypot(*axis.xyz) - 1.0) > UNEVEN:
        message = "the axis is normalised; DART does not rotate about it and keeps the joint at zero"
        span = axis.child_span("xyz")
        findings.add("PB088", span, message, hint="write a unit vector", source=axis.source)


def _direction(axis: Any) -> Vector:
    return unit_vector(axis.xyz or UNITS[0])


class JointMaker:
    """Makes the joints of a skeleton.

    Args:
        scope: prefix of names: the skeleton's name and two colons.
        findings: receives remarks and errors.
        enforce_limits: whether position limits act.
    """

    def __init__(self, scope: str, findings: Findings, enforce_limits: bool) -> None:
        self.scope, self.findings, self.enforce_limits = scope, findings, enforce_limits
        self.joint_names, self.actuator_names = Names(), Names()

    def make(self, link: Link, in_parent: Pose, in_child: Pose) -> Made:
        """The joint that carries a body.

        Args:
            link: the body.
            in_parent, in_child: the joint's frame at zero in the body's parent, and in the body.
        """
        name = self.scope + link.joint_name
        joint = link.joint
        kind = JointType.FREE if joint is None else joint.type
        if joint is not None and kind is JointType.WELD:
            return Made(name, Same(0), [])
        if kind in (JointType.BALL, JointType.FREE):
            return self._round(name, link, in_parent, in_child)
        return self._axial(name, link, in_child)

    # --- joints made of hinges, slides and screws -----------------------------------------------------------

    def _axial(self, name: str, link: Link, in_child: Pose) -> Made:
        joint: Any = link.joint
        parts = axes(joint, self.findings)
        values = described(joint, len(parts), self.findings)
        prescribed, drive = self._drive(joint, values)
        made = Made(name, Same(len(parts)), [], start=np.array([v.start for v in values]))
        for part, dof in zip(parts, values, strict=True):
            own = self.scope + dof.name if dof.name else "_".join(filter(None, (name, part.suffix)))
            own = self.joint_names.unique(own)
            primitive = Joint(
                own,
                part.type,
                pos=in_child.pos,
                axis=in_child.vector(part.direction),
                pitch=part.pitch,
                range=dof.position,
                limited=self.enforce_limits,
                damping=dof.damping,
                stiffness=dof.stiffness,
                frictionloss=dof.friction,
                spring=[dof.rest],
                qpos0=[dof.start],
                qvel0=[dof.start_velocity],
                prescribed=prescribed,
                node=joint,
            )
            made.joints.append(primitive)
            if drive not in UNDRIVEN:
                own = self.actuator_names.unique(own)
                made.actuators.append(_actuator(own, primitive, 1.0, drive, dof, joint))
            if prescribed is Prescription.servo:
                primitive.servorange = [dof.force]
        return made

    # --- ball and free joints -------------------------------------------------------------------------------

    def _round(self, name: str, link: Link, in_parent: Pose, in_child: Pose) -> Made:
        joint: Any = link.joint
        free = joint is None or joint.type is JointType.FREE
        values = (
            [DofValues() for _ in range(6)]
            if joint is None
            else described(joint, 6 if free else 3, self.findings)
        )
        prescribed, drive = (
            (Prescription.nothing, Drive.FORCE) if joint is None else self._drive(joint, values)
        )
        start, velocity = (np.array([getattr(v, n) for v in values]) for n in ("start", "start_velocity"))
        coordinates = Free(in_parent, in_child) if free else Ball()
        qpos = coordinates.qpos(start)
        primitive = Joint(
            self.joint_names.unique(name),
            Primitive.free if free else Primitive.ball,
            pos=(0.0, 0.0, 0.0) if free else in_child.pos,
            quat=in_child.quat,
            qpos0=qpos,
            qvel0=np.linalg.solve(coordinates.rates(qpos), velocity),
            prescribed=prescribed,
            whole=True,
            node=joint or link.body,
        )
        made = Made(name, coordinates, [primitive], start=start)
        if prescribed is Prescription.servo and any(isfinite(bound) for v in values for bound in v.force):
            primitive.servorange = _rotations_last([v.force for v in values])
            primitive.inparent = free
        self._passive(primitive, link, values, in_child, coordinates)
        if drive in UNDRIVEN:
            return made
        given = drive in (Drive.ACCELERATION, Drive.VELOCITY, Drive.SERVO)
        gears = _gears(in_child, given) if free else np.eye(3).tolist()
        suffixes = (*ROTATION, *POSITION) if free else ("x", "y", "z")
        for dof, gear, suffix in zip(values, gears, suffixes, strict=True):
            own = self.actuator_names.unique(self.scope + dof.name if dof.name else f"{name}_{suffix}")
            actuator = _actuator(own, primitive, gear, drive, dof, joint or link.body)
            actuator.in_parent = free
            made.actuators.append(actuator)
        return made

    def _passive(
        self,
        primitive: Joint,
        link: Link,
        values: Sequence[DofValues],
        in_child: Pose,
        coordinates: Ball | Free,
    ) -> None:
        """Springs, dampers and friction along DART's velocities, springs by DART's coordinates."""
        damping, stiffness, friction, rest = (
            np.array([getattr(v, n) for v in values]) for n in ("damping", "stiffness", "friction", "rest")
        )
        node = next((v.node for v in values if v.node is not None), link.body)
        faults = []
        start = np.array([v.start for v in values])
        for what, vector in (("rest position", rest[:3]), ("initial position", start[:3])):
            if np.linalg.norm(vector) > np.pi and stiffness[:3].any():
                faults.append(
                    f"the {what} of a joint with a spring is a rotation vector of more than half a turn"
                )
        if self.enforce_limits and any(isfinite(bound) for v in values for bound in v.position):
            faults.append("a Model cannot represent bounds of a rotation vector")
        for what in faults:
            message = f"joint `{clip(primitive.name)}`: {what}"
            self.findings.add("PB064", node.span, message, source=node.source)
        if isinstance(coordinates, Free):
            acts = damping.any() or stiffness.any() or friction.any()
            primitive.inparent |= bool(acts)
            primitive.offset = in_child.pos
            primitive.spring = coordinates.qpos(rest)
        elif stiffness.any() and rest.any():
            primitive.spring, primitive.vectorspring = exponential(rest), True
        numbers = (_rotations_last(x.tolist()) for x in (damping, stiffness, friction))
        primitive.damping, primitive.stiffness, primitive.frictionloss = numbers

    # --- actuators ------------------------------------------------------------------------------------------

    def _drive(self, joint: Any, values: Sequence[DofValues]) -> tuple[Prescription, Drive]:
        """The prescribed part of a joint's motion, and its kind of actuator; `torque` is the document's
        `force`.
        """
        drive = joint.actuator or Drive.FORCE
        if drive is Drive.TORQUE:
            drive = Drive.FORCE
        if drive is Drive.LOCKED and any(v.start_velocity for v in values):
            message = "a locked joint has no velocity: init_vel is set to 0"
            hint = "DART sets it to 0 in the middle of its first step, which mixes both velocities"
            span = joint.child_span("init_vel") if joint.init_vel is not None else joint.span
            self.findings.add("PB088", span, message, hint=hint, source=joint.source)
            for dof in values:
                dof.start_velocity = 0.0
        return PRESCRIBED.get(drive, Prescription.nothing), drive


def _actuator(
    name: str, joint: Joint, gear: float | Sequence[float], drive: Drive, dof: DofValues, node: Any
) -> Actuator:
    """The motor of a degree of freedom: its control is DART's command, which DART clips to its bounds."""
    bounds, start = {
        Drive.ACCELERATION: (dof.acceleration, dof.start_acceleration),
        Drive.VELOCITY: (dof.velocity, dof.start_velocity),
        Drive.SERVO: (dof.velocity, 0.0),
    }.get(drive, (dof.force, dof.start_force))
    return Actuator(name, joint, gear=gear, ctrlrange=bounds, ctrl0=start, node=node)


def _gears(in_child: Pose, given: bool) -> list[list[float]]:
    """For each velocity of a free joint the effect of a command of 1: a force and moment, or, if prescribed,
    a motion.

    It consists of a vector along the parent's axes and one about them. With C = (turn, at): the velocity of
    the child is turn u + at x turn w, so that a force f on u also has the moment at x turn f.
    """
    turn = np.array([in_child.vector(unit) for unit in UNITS])  # rows: the joint's axes in the child
    beside = (skew(np.array(in_child.pos)) @ turn.T).T
    none = np.zeros((3, 3))
    about = np.hstack([beside if given else none, turn])
    along = np.hstack([turn, none if given else beside])
    return [*about.tolist(), *along.tolist()]


def _rotations_last(numbers: Sequence[Any]) -> list[Any]:
    """Numbers of DART's degrees of freedom in the Model's order: a free joint's rotations come last."""
    return [*numbers[3:], *numbers[:3]]
