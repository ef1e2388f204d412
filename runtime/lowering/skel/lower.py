"""From a SKEL document to a Model: skeleton by skeleton, as DART 6.20 makes them."""

from __future__ import annotations

from math import isfinite
from typing import Any, cast

import numpy as np
from polybody.assembly.parts import Assembly, Body, Exclude, Site
from polybody.base import Node
from polybody.diagnostics import Findings, Policy, ValidationError
from polybody.diagnostics.warned import remarks_are_read
from polybody.document.parser.value_faults import clip
from polybody.document.resolver import resolve
from polybody.generated.formats.skel import JointType, Skel, Skeleton
from polybody.generated.model import FrictionMixing, Integrator, Prescription
from polybody.lowering.contacts import rigid
from polybody.lowering.native import Part
from polybody.lowering.result import Lowered
from polybody.lowering.skel.coordinates import exponential
from polybody.lowering.skel.inertia import of_body
from polybody.lowering.skel.joints import JointMaker, Made, axes
from polybody.lowering.skel.native import Held, Native
from polybody.lowering.skel.shapes import Shapes
from polybody.lowering.skel.tree import UNNAMED_SKELETON, Link, Names, links, placed
from polybody.lowering.unsimulated import report_unsimulated
from polybody.model.model import Model
from polybody.reading import valid
from polybody.rotations.poses import Pose

TIMESTEP, GRAVITY = 1e-3, (0.0, 0.0, -9.81)
"""DART's defaults, if the world gives none: s, m/s^2."""
STICKS = 0.9999
"""Fraction of a velocity that dry friction removes in a step, if it can: the maximum in a Model. DART's is 1.
"""
MIN_INERTIA = 1e-15
"""Of a degree of freedom, kg or kg m^2; smaller values are rounding errors."""
GROUPS = 31
"""Maximum number of skeletons with a separate bit in contype and conaffinity."""
ADRIFT = {
    JointType.SCREW: "DART drops a screw joint and every joint after it",
    JointType.TRANSLATIONAL2D: "DART drops a translational2d joint and every joint after it",
}


def lower(
    document: Skel, *, policy: Policy = "warn", checked: bool = False, enforce_limits: bool = False
) -> Lowered[Native]:
    """The Model of a SKEL document.

    Args:
        document: as read, or made in Python.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.
        enforce_limits: whether position limits act. DART never enforces those of a file.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
    """
    if not checked:
        document = cast(Skel, valid(document, policy))
    return _Lowering(document, policy, enforce_limits).run()


class _Lowering:
    def __init__(self, document: Skel, policy: Policy, enforce_limits: bool) -> None:
        self.document, self.enforce_limits = document, enforce_limits
        self.findings = Findings(policy)
        self.resolved = resolve(document)
        self.shapes = Shapes(self.resolved, self.findings)
        self.skeletons = list(document.skeleton if document.world is None else document.world.skeleton)
        self.several = len(self.skeletons) > 1
        self.assembly = Assembly("", root=document)
        self.held: list[Held] = []
        self.joints: list[tuple[Made, int, int]] = []  # with its first native coordinate and velocity
        self.count = 0
        self.names = Names()

    def run(self) -> Lowered[Native]:
        report_unsimulated(self.document, self.findings)
        self._options()
        for number, skeleton in enumerate(self.skeletons):
            self._skeleton(skeleton, number)
        if any(finding.severity == "error" for finding in self.findings.items):
            raise ValidationError(self.findings.sorted())
        self._report_limits()
        rigid(self.assembly, FrictionMixing.least)
        self.assembly.impedance_friction = STICKS
        model = self.assembly.build(self.findings)
        self._require_inertia(model)
        native = Native(model, self._parts(model), self.held, self._driven())
        return Lowered(model, native, tuple(self.findings.sorted()))

    def _options(self) -> None:
        world = self.document.world
        physics = None if world is None else world.physics
        step = gravity = None
        if physics is not None:
            step, gravity = physics.time_step, physics.gravity
            if step is not None and step <= 0:
                message = f"<time_step> is {step:g}: {TIMESTEP:g} s is used, as in DART"
                self._remark(physics, "time_step", message, None)
                step = None
        self.assembly.name = "" if world is None or world.name is None else world.name
        self.assembly.options = {
            "opt_timestep": TIMESTEP if step is None else step,
            "opt_gravity": GRAVITY if gravity is None else gravity,
            "opt_integrator": int(Integrator.Euler),
            "opt_implicit_stiffness": 1,
            "opt_anyinertia": 1,
        }

    # --- skeletons ------------------------------------------------------------------------------------------

    def _skeleton(self, skeleton: Skeleton, number: int) -> None:
        name = self.names.unique(skeleton.name or UNNAMED_SKELETON)
        moves = not skeleton.immobile if skeleton.mobile is None else skeleton.mobile
        if skeleton.immobile:
            message = f"skeleton `{clip(name)}` is immobile and does not move; DART ignores the keyword"
            self._remark(skeleton, "immobile", message, "write <mobile>0</mobile>")
        maker = JointMaker(f"{name}::", self.findings, self.enforce_limits)
        bodies: dict[int, Body] = {id(None): self.assembly.world}
        collides = _collides(number)
        mine: list[Body] = []
        for link in links(skeleton, self.findings):
            body = self._body(link, name, collides)
            bodies[id(link)], body.parent = body, None if link.parent is None else bodies[id(link.parent)]
            self._join(link, body, maker, moves)
            mine.append(self.assembly.body(body))
        if number >= GROUPS:
            pairs = ((a, b) for row, a in enumerate(mine) for b in mine[:row])
            self.assembly.excludes += [Exclude(a, b) for a, b in pairs]

    def _body(self, link: Link, skeleton: str, collides: tuple[int, int]) -> Body:
        given = link.body
        if given.soft_shape is not None:
            node = given.soft_shape
            message = f"body `{clip(link.name)}` is soft: points moved by springs are not simulated"
            self.findings.add(
                "PB064",
                node.span,
                message,
                hint="remove <soft_shape> for a rigid body",
                source=node.source,
            )
        name = f"{skeleton}::{link.name}" if self.several else link.name
        geoms, solids = self.shapes.of_body(given, name, collides)
        mass, centre, inertia = of_body(given, solids)
        body = Body(name, mass=mass, ipos=centre, inertia=inertia, geoms=geoms, node=given)
        body.gravcomp = 1.0 if given.gravity is False else 0.0
        scope = f"{skeleton}::" if self.several else ""
        body.sites = [
            Site(f"{scope}{marker.name or ''}", marker.offset or (0.0, 0.0, 0.0), node=marker)
            for marker in given.marker
        ]
        return body

    def _join(self, link: Link, body: Body, maker: JointMaker, moves: bool) -> None:
        """The joint that moves a body, and the body's pose."""
        joint = link.joint
        above = Pose() if link.parent is None else link.parent.pose
        at_zero = above.inverse() @ link.pose
        in_child = placed(None if joint is None else joint.transformation)
        in_parent = at_zero @ in_child
        if joint is not None and joint.type in ADRIFT:
            self._remark(joint, "type", f"{ADRIFT[joint.type]}; here it is simulated", None)
        made = maker.make(link, in_parent, in_child)
        body.pos, body.quat = at_zero
        if moves:
            body.joints = made.joints
            self.assembly.actuators += made.actuators
            self.joints.append((made, self.count, self.count))
        else:
            start = _at(link, made.start, self.findings)
            body.pos, body.quat = in_parent @ start @ in_child.inverse()
            self.held.append(Held(made.name, self.count, self.count, made.start))
        self.count += made.coordinates.nv

    def _parts(self, model: Model) -> list[Part]:
        """The indices of the joints' values in DART's coordinates and in the Model's."""
        row = {name: n for n, name in enumerate(model.names["joint"])}
        parts = []
        for made, q, v in self.joints:
            first = row[made.joints[0].name] if made.joints else 0
            qpos, qvel = (
                (int(model.jnt_qposadr[first]), int(model.jnt_dofadr[first])) if made.joints else (0, 0)
            )
            parts.append(Part(made.name, made.coordinates, q, v, qpos, qvel))
        return parts

    def _report_limits(self) -> None:
        """Report once that position limits are stored but do not act."""
        if self.enforce_limits or not remarks_are_read():
            return
        kept = [
            joint
            for made, *_ in self.joints
            for joint in made.joints
            if joint.range is not None and any(map(isfinite, joint.range))
        ]
        if kept and kept[0].node is not None:
            message = (
                "position limits have no effect, because DART never enforces those of a file "
                f"({len(kept)} degrees "
                f"of freedom, `{clip(kept[0].name)}` the first)"
            )
            hint = "enforce_limits=True enforces them"
            self.findings.add("PB061", kept[0].node.span, message, hint=hint, source=kept[0].node.source)

    def _require_inertia(self, model: Model) -> None:
        """Refuse joints that are moved by forces and have no inertia along their axis.

        Raises:
            ValidationError: there are such joints.
        """
        # A joint moves at least its own body, whose moments about other points are greater than these.
        least = np.minimum(model.body_mass, model.body_inertia.min(axis=1))[model.jnt_bodyid]
        if (least > 2 * MIN_INERTIA).all():
            return
        nodes = {joint.name: joint.node for made, *_ in self.joints for joint in made.joints}
        moved = model.dof_prescribed < 1
        for dof in np.flatnonzero(moved & (model.dof_M0 < MIN_INERTIA)).tolist():
            row = int(model.dof_jntid[dof])
            name = model.names["joint"][row]
            node = nodes[name] or self.document
            message = f"joint `{clip(name)}` moves no mass along or about its axis: no force accelerates it"
            hint = "give the bodies that it carries mass and moments; DART takes 0 for the acceleration"
            self.findings.add("PB063", node.span, message, hint=hint, source=node.source)
        if any(finding.severity == "error" for finding in self.findings.items):
            raise ValidationError(self.findings.sorted())

    def _driven(self) -> list[tuple[int, int]]:
        """Actuators that prescribe a velocity, each with its index in DART's v."""
        rows = {id(actuator): row for row, actuator in enumerate(self.assembly.actuators)}
        return [
            (rows[id(actuator)], v + number)
            for made, _, v in self.joints
            for number, actuator in enumerate(made.actuators)
            if actuator.joint.prescribed is Prescription.velocity
        ]

    def _remark(self, node: Node, field: str, message: str, hint: str | None) -> None:
        span = node.attribute_span(field) or node.span
        if hasattr(node, "child_span") and field != "type":
            span = node.child_span(field)
        self.findings.add("PB088", span, message, hint=hint, source=node.source)


def _collides(number: int) -> tuple[int, int]:
    """contype and conaffinity of a skeleton's bodies, which collide only with those of other skeletons."""
    if number >= GROUPS:
        return 0, (1 << GROUPS) - 1
    return 1 << number, ((1 << GROUPS) - 1) & ~(1 << number)


def _at(link: Link, start: Any, findings: Findings) -> Pose:
    """The pose of a joint's frame after the joint at these coordinates, in the frame before it."""
    joint: Any = link.joint
    kind = JointType.FREE if joint is None else joint.type
    if kind is JointType.WELD:
        return Pose()
    if kind in (JointType.FREE, JointType.BALL):
        turn = tuple(exponential(start[:3]).tolist())
        return Pose(tuple(start[3:].tolist()) if kind is JointType.FREE else (0.0, 0.0, 0.0), turn)
    pose = Pose()
    for part, value in zip(axes(joint, findings), start.tolist(), strict=True):
        pose = pose @ part.moved(value)
    return pose
