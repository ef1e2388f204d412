"""Properties that a joint's elements give to each of its degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.generated.formats.skel import Joint, JointType

Range = tuple[float, float]
NONE: Range = (-inf, inf)
AXES = {
    JointType.REVOLUTE: 1,
    JointType.PRISMATIC: 1,
    JointType.SCREW: 1,
    JointType.UNIVERSAL: 2,
    JointType.TRANSLATIONAL2D: 2,
    JointType.EULER: 3,
    JointType.TRANSLATIONAL: 3,
    JointType.PLANAR: 3,
}
"""The number of axes that describe a joint's degrees of freedom; ball and free joints have none."""


@dataclass(slots=True)
class DofValues:
    """A degree of freedom, in DART's coordinates: m, rad, N, N m and seconds."""

    name: str = ""
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    position: Range = NONE
    velocity: Range = NONE
    acceleration: Range = NONE
    force: Range = NONE
    start: float = 0.0
    start_velocity: float = 0.0
    start_acceleration: float = 0.0
    start_force: float = 0.0
    node: Node | None = None
    """The element that describes it, if any."""


def described(joint: Joint, count: int, findings: Findings) -> list[DofValues]:
    """The degrees of freedom of a joint, by its axes, init_pos and init_vel, then its ``dof`` elements.

    Negative damping, friction and stiffness are replaced by 0, as in DART.
    """
    found = [DofValues() for _ in range(count)]
    assert joint.type is not None  # the document is valid
    axes = (joint.axis, joint.axis2, joint.axis3)[: AXES.get(joint.type, 0)]
    for values, axis in zip(found, axes, strict=False):
        if axis is not None:
            _take_axis(values, axis, findings)
    for name, given in (("start", joint.init_pos), ("start_velocity", joint.init_vel)):
        for values, number in zip(found, given or (), strict=False):
            setattr(values, name, number)
    for dof in joint.dof:
        _take_dof(found[dof.local_index or 0], dof, findings)
    return found


def _take_axis(values: DofValues, axis: Any, findings: Findings) -> None:
    values.node = axis
    if axis.damping is not None:
        values.damping = _from_zero(axis, "damping", findings)
    if axis.dynamics is not None:
        _take_dynamics(values, axis.dynamics, findings)
    if axis.limit is not None:
        values.position = _range(axis.limit, NONE)


def _take_dynamics(values: DofValues, given: Any, findings: Findings) -> None:
    for name, field in (("damping", "damping"), ("friction", "friction"), ("stiffness", "spring_stiffness")):
        if getattr(given, field) is not None:
            setattr(values, name, _from_zero(given, field, findings))
    if given.spring_rest_position is not None:
        values.rest = given.spring_rest_position


def _from_zero(given: Any, field: str, findings: Findings) -> float:
    """A number, or 0 if it is negative."""
    number: float = getattr(given, field)
    if number < 0:
        message = f"<{field}> is {number:g}: 0 is used, as in DART"
        findings.add("PB088", given.child_span(field), message, source=given.source)
    return max(number, 0.0)


def _take_dof(values: DofValues, dof: Any, findings: Findings) -> None:
    values.node = dof
    values.name = dof.name or ""
    _take_dynamics(values, dof, findings)
    for name, start in (
        ("position", "start"),
        ("velocity", "start_velocity"),
        ("acceleration", "start_acceleration"),
        ("force", "start_force"),
    ):
        given = getattr(dof, name)
        if given is not None:
            setattr(values, name, _range(given, getattr(values, name)))
            if given.initial is not None:
                setattr(values, start, given.initial)


def _range(given: Any, before: Range) -> Range:
    """The given bounds, otherwise the previous ones."""
    low, high = before
    return (low if given.lower is None else given.lower, high if given.upper is None else given.upper)
