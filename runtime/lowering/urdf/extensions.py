"""Forces and constraints between the links of a URDF document: Drake's bushings, springs, constraints, filter
groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.generated.formats.urdf import Robot
from polybody.lowering.plants.plant import WORLD, Bushing, FilterGroup, Pair, Plant, SpringDamper, Tendon
from polybody.rotations.poses import IDENTITY, Pose

REFUSED = "PB063"
UNKNOWN = "PB032"


class _LostError(Exception):
    """A name that does not refer to anything."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node


def add(plant: Plant, document: Robot, instance: int, findings: Findings) -> None:
    """Add these elements of a document, after its links, joints and frames."""
    reader = _Extensions(plant, instance, findings)
    for field, make in reader.makers().items():
        for node in getattr(document, field):
            try:
                make(node)
            except _LostError as error:
                findings.add(UNKNOWN, error.node.span, str(error), source=error.node.source)


class _Extensions:
    def __init__(self, plant: Plant, instance: int, findings: Findings) -> None:
        self.plant, self.instance, self.findings = plant, instance, findings

    def makers(self) -> dict[str, Callable[[Any], None]]:
        """Functions for the elements of each kind, in Drake's order."""
        return {
            "drake_collision_filter_group": self.group,
            "drake_linear_bushing_rpy": self.bushing,
            "drake_linear_spring_damper": self.spring,
            "drake_ball_constraint": self.ball,
            "drake_distance_constraint": self.rod,
            "drake_tendon_constraint": self.tendon,
        }

    def link(self, node: Node, name: str | None) -> int:
        """The row of a link of the document; 0 for the world."""
        row = None if name == WORLD else self.plant.link(self.instance, name or "")
        if row is None:
            raise _LostError(node, f"there is no link `{name}` of the robot")
        return row

    def frame(self, node: Any) -> tuple[int, Pose]:
        """The link that a frame is fixed to, and its pose there."""
        if node is None:
            return 0, IDENTITY
        found = None if node.name == WORLD else self.plant.frame(self.instance, node.name or "")
        if found is None:
            raise _LostError(node, f"there is no frame or link `{node.name}` of the robot")
        return found

    def positive(self, node: Node, names: tuple[str, ...], prefix: str) -> list[Any]:
        """Constants that must not be negative, numbers or triples of them."""
        values = []
        for name in names:
            value = _value(node, f"{prefix}_{name}")
            if any(each < 0 for each in (value if isinstance(value, tuple) else (value,))):
                message = f"`{name}` of <{node.TAG}> is negative"
                self.findings.add(REFUSED, node.span, message, source=node.source)
            values.append(value)
        return values

    def group(self, node: Any) -> None:
        if node.ignore:
            return
        links = [self.link(member, member.link) for member in node.drake_member]
        groups = [each.name or "" for each in node.drake_member_group]
        ignored = [each.name or "" for each in node.drake_ignored_collision_filter_group]
        self.plant.groups.append(FilterGroup(node.name or "", links, groups, ignored, node))

    def bushing(self, node: Any) -> None:
        a, c = self.frame(node.drake_bushing_frameA), self.frame(node.drake_bushing_frameC)
        names = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
        k, d, stiffness, damping = self.positive(node, names, "drake_bushing")
        self.plant.bushings.append(Bushing(*a, *c, k, d, stiffness, damping, node=node))

    def ends(self, node: Any, prefix: str) -> tuple[int, Any, int, Any]:
        """The links and points of a pair."""
        (a, p), (b, q) = (
            (getattr(node, f"{prefix}_body_{letter}"), _value(node, f"{prefix}_{point}"))
            for letter, point in (("A", "p_AP"), ("B", "p_BQ"))
        )
        return self.link(a, a.name), p, self.link(b, b.name), q

    def spring(self, node: Any) -> None:
        prefix = "drake_linear_spring_damper"
        length, stiffness, damping = self.positive(node, ("free_length", "stiffness", "damping"), prefix)
        if length == 0:
            self.findings.add(
                REFUSED, node.span, "the free length of a spring must be positive", source=node.source
            )
        made = SpringDamper(*self.ends(node, prefix), node=node)
        made.free_length, made.stiffness, made.damping = length, stiffness, damping
        self.plant.springs.append(made)

    def rod(self, node: Any) -> None:
        """A distance constraint: a spring and damper that rests at the length of the rod."""
        prefix = "drake_distance_constraint"
        made = SpringDamper(*self.ends(node, prefix), node=node)
        names = ("distance", "stiffness", "damping")
        made.free_length, made.stiffness, made.damping = self.positive(node, names, prefix)
        self.plant.springs.append(made)

    def ball(self, node: Any) -> None:
        self.plant.balls.append(Pair(*self.ends(node, "drake_ball_constraint"), node=node))

    def tendon(self, node: Any) -> None:
        joints = []
        for each in node.drake_tendon_constraint_joint:
            row = self.plant.joint(self.instance, each.name or "")
            if row is None:
                raise _LostError(each, f"there is no joint `{each.name}`")
            joints.append((row, each.a or 0.0))
        names = ("offset", "lower_limit", "upper_limit", "stiffness", "damping")
        defaults = (0.0, -math.inf, math.inf, math.inf, 0.0)
        offset, lower, upper, stiffness, damping = (
            default if held is None or held.value is None else held.value
            for held, default in zip(
                (getattr(node, f"drake_tendon_constraint_{name}") for name in names), defaults, strict=True
            )
        )
        made = Tendon(tuple(joints), offset, lower, upper, stiffness, damping, node)
        self.plant.tendons.append(made)


def _value(node: Any, field: str) -> Any:
    """The `value` of a child that a valid document has."""
    held = getattr(node, field)
    return held.value
