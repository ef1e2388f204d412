"""Limits of lengths and of ball joints, and rates that dry friction and servo motors resist."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Annotated

from ...staging.inline import SAME, Same
from ...staging.scalars import atan2, either, sqrt, where
from ...staging.value_classes import Scalar, Value
from ..spatial import Quat, Vec3
from .impedance import LEAST


class BallLimit(Value):
    """How far the angle of a ball joint is from its limit, and the axis of its rotation."""

    gap: Scalar
    axis: Vec3


class ParentRate(Value):
    """A rate of a free joint in the axes of its parent: its derivatives with respect to the velocity of the
    origin, in the parent's axes, and to the angular velocity in the body's.
    """

    line: Vec3
    turn: Vec3


def limit_gap(side: Same, bound: Same, value: Scalar) -> Scalar:
    """How far a length is from its lower limit (`side` -1) or its upper one (1)."""
    return side * (bound - value)


def ball_limit(q: Quat, largest: Same) -> BallLimit:
    """The limit of the angle of a ball joint; its quaternion need not be a unit one."""
    v = Vec3(q.x, q.y, q.z)
    length = sqrt(v.dot(v))
    angle = 2.0 * atan2(length, abs(q.w))  # of the quaternion and its opposite, the smaller one
    still = either(length < LEAST, angle < LEAST)
    scale = where(q.w < 0.0, -1.0, 1.0) / where(still, 1.0, length)
    axis = Vec3(
        where(still, 1.0, v.x * scale), where(still, 0.0, v.y * scale), where(still, 0.0, v.z * scale)
    )
    return BallLimit(largest - where(length < LEAST, 0.0, angle), axis)


def rate_in_parent(
    q: Quat,
    frame: Annotated[Quat, SAME],
    offset: Annotated[Vec3, SAME],
    unit: Annotated[Vec3, SAME],
    turning: Same,
) -> ParentRate:
    """Angular velocity w along a unit vector of the frame if `turning` is 1; if it is 0, the velocity of the
    body's origin minus w x offset.
    """
    axis = frame.turn(unit)
    about = offset.cross(axis) * (1.0 - turning) + axis * turning
    return ParentRate(axis * (1.0 - turning), q.normalized().conjugate().turn(about))


FORMULAS = (limit_gap, ball_limit, rate_in_parent)
