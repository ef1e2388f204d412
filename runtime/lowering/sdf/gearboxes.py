"""Gearboxes of SDFormat, which Drake does not have: a relation between the angles of two joints of one link.

Specification: with the angle of the parent against the reference body about `axis`, and that of the child
about `axis2`, the second angle is minus `gearbox_ratio` times the first. A gearbox does not connect links.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from polybody.diagnostics import Findings
from polybody.lowering.plants.plant import Coupler, JointKind, Plant
from polybody.lowering.sdf.joints import Ends, axis_of
from polybody.lowering.sdf.scopes import Named, Scope
from polybody.lowering.sdf.values import said
from polybody.rotations.poses import Vector

ALONG = 1e-6
"""Tolerance on the cosine of the angle between the axes of gearbox and joint."""


class Angle(NamedTuple):
    """The angle of a link against the reference body: that of a joint, possibly with the opposite sign."""

    joint: int
    sign: float


def add(plant: Plant, scope: Scope, part: Named, findings: Findings) -> None:
    """Add a <joint type="gearbox">: a joint that follows another.

    Raises:
        LostError: there is no such link.
    """
    node = part.node
    reference = scope.fixed(said(node, "gearbox_reference_body").strip(), node)
    ends = Ends(scope, scope.place(part))
    angles = []
    for name, axis in (("parent", node.axis), ("child", node.axis2)):
        link = scope.fixed(said(node, name).strip(), node).link
        direction = axis_of(axis, ends, node, findings)
        if direction is None:
            return
        about: Vector = (reference.pose.inverse() @ ends.pose).vector(direction)
        angle = None
        if link is not None and reference.link is not None:
            angle = _angle(plant, reference.link.row, link.row, about)
        if angle is None:
            message = f"gearbox `{part.name}`: no revolute joint about its axis connects its {name} with "
            message += f"`{said(node, 'gearbox_reference_body')}`"
            findings.add("PB063", node.span, message, source=node.source)
            return
        angles.append(angle)
    first, second = angles
    ratio = 1.0 if node.gearbox_ratio is None else node.gearbox_ratio
    factor = -ratio * first.sign * second.sign
    # The faster joint follows: the stiffness of a row depends on the inertia at its joints.
    if 0 < abs(factor) < 1:
        first, second, factor = second, first, 1.0 / factor
    plant.couplers.append(Coupler(second.joint, first.joint, factor, node=node))


def _angle(plant: Plant, reference: int, link: int, about: Any) -> Angle | None:
    """The angle of a link about an axis that is given in the reference body."""
    for row, joint in enumerate(plant.joints):
        if joint.kind is not JointKind.revolute or {joint.parent, joint.child} != {reference, link}:
            continue
        pose = joint.in_parent if joint.parent == reference else joint.in_child
        cosine = sum(a * b for a, b in zip(pose.vector(joint.axis), about, strict=True))
        if abs(abs(cosine) - 1.0) < ALONG:
            forward = joint.parent == reference
            return Angle(row, 1.0 if forward == (cosine > 0) else -1.0)
    return None
