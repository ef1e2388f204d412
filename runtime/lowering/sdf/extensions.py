"""Forces and constraints between links and joints of a model: Drake's bushings, springs, constraints,
filters, mimics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.lowering.plants.plant import (
    Bushing,
    Coupler,
    FilterGroup,
    JointKind,
    Pair,
    Plant,
    SpringDamper,
    Tendon,
)
from polybody.lowering.sdf.scopes import DELIMITER, LostError, Named, Scope
from polybody.lowering.sdf.settings import Settings
from polybody.lowering.sdf.values import said
from polybody.rotations.poses import Pose

Joints = dict[int, int]
"""Rows of the Plant's joints by the id of their parts."""
SINGLE = frozenset((JointKind.revolute, JointKind.prismatic, JointKind.screw))


def add(plant: Plant, model: Any, scope: Scope, joints: Joints, findings: Findings) -> None:
    """Add these elements of a model, after its links and joints."""
    if scope.is_world:
        return
    for tag, make in MAKERS.items():
        for node in getattr(model, tag, ()):
            try:
                make(plant, node, scope, joints)
            except LostError as error:
                place = error.node or node
                findings.add("PB032", place.span, str(error), source=place.source)


def _link(scope: Scope, node: Any, field: str) -> int:
    """The row of a link that an element names."""
    name = said(node, field)
    part, rest = scope.lookup(name, node)
    if rest:
        part = scope.fixed(name, node).link or part
    if part.kind != "link" or part.row < 0:
        raise LostError(f"there is no link `{name}`", node)
    return part.row


def _frame(scope: Scope, node: Any, field: str) -> tuple[int, Pose]:
    """The link to which a frame is fixed, and the frame's pose in it."""
    name = said(node, field)
    fixed = scope.fixed(name, node)
    if fixed.link is not None and fixed.link.row < 0:
        raise LostError(f"there is no frame `{name}`", node)
    row = 0 if fixed.link is None else fixed.link.row
    return row, fixed.pose.inverse() @ scope.pose(name, node)


def _bushing(plant: Plant, node: Any, scope: Scope, joints: Joints) -> None:
    (link_a, pose_a), (link_c, pose_c) = (
        _frame(scope, node, f"drake_bushing_frame{letter}") for letter in "AC"
    )
    names = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
    constants: dict[str, Any] = {
        name: getattr(node, f"drake_bushing_{name}") or (0.0, 0.0, 0.0) for name in names
    }
    plant.bushings.append(Bushing(link_a, pose_a, link_c, pose_c, **constants, node=node))


def _ends(node: Any, scope: Scope, prefix: str) -> tuple[int, Any, int, Any]:
    """The links and points of a pair."""
    nothing = (0.0, 0.0, 0.0)
    return (
        _link(scope, node, f"{prefix}_body_A"),
        getattr(node, f"{prefix}_p_AP") or nothing,
        _link(scope, node, f"{prefix}_body_B"),
        getattr(node, f"{prefix}_p_BQ") or nothing,
    )


def _ball(plant: Plant, node: Any, scope: Scope, joints: Joints) -> None:
    plant.balls.append(Pair(*_ends(node, scope, "drake_ball_constraint"), node=node))


def _spring(plant: Plant, node: Any, scope: Scope, joints: Joints) -> None:
    prefix = "drake_linear_spring_damper"
    made = SpringDamper(*_ends(node, scope, prefix), node=node)
    made.free_length = getattr(node, f"{prefix}_free_length") or 0.0
    made.stiffness = getattr(node, f"{prefix}_stiffness") or 0.0
    made.damping = getattr(node, f"{prefix}_damping") or 0.0
    plant.springs.append(made)


def _rod(plant: Plant, node: Any, scope: Scope, joints: Joints) -> None:
    """A distance constraint: a spring and damper that rests at the length of the rod."""
    prefix = "drake_distance_constraint"
    made = SpringDamper(*_ends(node, scope, prefix), node=node)
    made.free_length = getattr(node, f"{prefix}_distance") or 0.0
    made.stiffness = getattr(node, f"{prefix}_stiffness") or 0.0
    made.damping = getattr(node, f"{prefix}_damping") or 0.0
    plant.springs.append(made)


def _tendon(plant: Plant, node: Any, scope: Scope, joints: Joints) -> None:
    weighted = []
    for each in node.drake_tendon_constraint_joint:
        part, _ = scope.lookup(said(each, "name"), each)
        if id(part) not in joints:
            raise LostError(f"there is no joint `{each.name}`", each)
        weighted.append((joints[id(part)], each.a or 0.0))
    values = [
        getattr(node, f"drake_tendon_constraint_{name}")
        for name in ("offset", "lower_limit", "upper_limit", "stiffness", "damping")
    ]
    defaults = (0.0, -math.inf, math.inf, math.inf, 0.0)
    offset, lower, upper, stiffness, damping = (
        default if value is None else float(value) for value, default in zip(values, defaults, strict=True)
    )
    plant.tendons.append(Tendon(tuple(weighted), offset, lower, upper, stiffness, damping, node))


def _group(plant: Plant, node: Any, scope: Scope, joints: Joints) -> None:
    if node.ignore:
        return

    def full(name: str) -> str:
        return f"{scope.name}{DELIMITER}{name.strip()}"

    made = FilterGroup(full(node.name or ""), node=node)
    for member in node.drake_member:
        made.links.append(_link(scope, member, "text"))
    made.groups = [full(each.text or "") for each in node.drake_member_group]
    made.ignored = [full(each.text or "") for each in node.drake_ignored_collision_filter_group]
    plant.groups.append(made)


MAKERS: dict[str, Callable[[Plant, Any, Scope, Joints], None]] = {
    "drake_linear_bushing_rpy": _bushing,
    "drake_linear_spring_damper": _spring,
    "drake_ball_constraint": _ball,
    "drake_distance_constraint": _rod,
    "drake_tendon_constraint": _tendon,
    "drake_collision_filter_group": _group,
}
"""By the field of a model, in Drake's order."""


def mimic(
    plant: Plant, scope: Scope, part: Named, joints: Joints, settings: Settings, findings: Findings
) -> None:
    """A joint that follows another: <drake:mimic>, and in Gazebo <mimic> of the axis."""
    node, row = part.node, joints.get(id(part))
    if row is None or node.TAG != "joint":
        return
    axis = None if node.axis is None else node.axis.mimic
    other_axis = None if node.axis2 is None else node.axis2.mimic
    if other_axis is not None:
        message = "<mimic> of a second axis is not supported"
        findings.add("PB061", other_axis.span, message, source=other_axis.source)
    if node.drake_mimic is not None:
        own = node.drake_mimic
        other = _followed(scope, own, joints)
        numbers = (1.0 if own.multiplier is None else own.multiplier, own.offset or 0.0)
    elif axis is not None and settings.gazebo:
        own = axis
        other = _followed(scope, own, joints)
        factor = 1.0 if own.multiplier is None else own.multiplier
        numbers = (factor, (own.offset or 0.0) - factor * (own.reference or 0.0))
    else:
        if axis is not None:
            message = "<mimic> of an axis has no effect in Drake, which has <drake:mimic>"
            findings.add("PB067", axis.span, message, source=axis.source)
        return
    if not {plant.joints[row].kind, plant.joints[other].kind} <= SINGLE:
        message = "only joints with one degree of freedom can follow each other: Drake ignores this"
        findings.add("PB067", own.span, message, source=own.source)
        return
    plant.couplers.append(Coupler(row, other, *numbers, node=own))


def _followed(scope: Scope, node: Node, joints: Joints) -> int:
    name = said(node, "joint")
    part, _ = scope.lookup(name, node)
    row = joints.get(id(part))
    if row is None:
        raise LostError(f"there is no joint `{name}`", node)
    return row
