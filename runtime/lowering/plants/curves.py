"""Drake's curvilinear joints: a frame that moves along a plane path of straight segments and arcs.

The tangent of the path is the frame's x axis, the normal of the plane its z axis, and the coordinate is the
length of the path. A path with the same curvature everywhere is a slide or a hinge. The Model has no joint
for others.

Source: Drake's documents of CurvilinearJoint and PiecewiseConstantCurvatureTrajectory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from polybody.lowering.plants.plant import Joint
from polybody.rotations.poses import IDENTITY, ORIGIN, Pose, Vector, of_axes, unit_vector

X: Vector = (1.0, 0.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
TOLERANCE = 128 * 2.0**-52
"""Maximum inner product of the tangent and the normal, as in Drake."""
WHOLE = 1e-9
"""Maximum difference of the angle of a closed path from full turns, rad."""


class Piece(NamedTuple):
    """A piece of a path: a segment, or an arc of a signed turning rate, rad/m."""

    length: float
    rate: float = 0.0


class CurveError(ValueError):
    """A path that Drake refuses, or that the Model has no joint for."""


def arc(radius: float, angle: float) -> Piece:
    """An arc; a negative angle turns clockwise about the normal."""
    if angle == 0 or radius == 0:
        raise CurveError(f"the {'radius' if angle else 'angle'} of an arc is 0")
    return Piece(radius * abs(angle), math.copysign(1 / radius, angle))


def follow(
    joint: Joint, pieces: Sequence[Piece], tangent: Vector, normal: Vector, periodic: bool
) -> tuple[Pose, Pose]:
    """Make a joint one along a path; returns where its primitive is in F and in M.

    Raises:
        CurveError: the joint cannot be made.
    """
    start = _start(tangent, normal)
    if not pieces:
        raise CurveError("the path has no segments and arcs")
    rate, length = pieces[0].rate, math.fsum(piece.length for piece in pieces)
    if any(piece.rate != rate for piece in pieces):
        message = "the curvature of the path changes; the Model has only joints along a line or an arc"
        raise CurveError(message)
    turns = rate * length / (2 * math.pi)
    if periodic and (rate == 0 or abs(turns - round(turns)) * 2 * math.pi > WHOLE):
        raise CurveError("the path is periodic and not closed: the joint would jump at its end")
    joint.turning = rate
    if not periodic:
        joint.lower, joint.upper = 0.0, length
    centre = Pose((0.0, 1 / rate, 0.0)) if rate else IDENTITY
    return start @ centre, centre


def _start(tangent: Vector, normal: Vector) -> Pose:
    """The frame at the beginning of the path."""
    for what, vector in (("initial tangent", tangent), ("normal of the plane", normal)):
        if math.hypot(*vector) == 0:
            raise CurveError(f"the {what} has zero length")
    if abs(sum(a * b for a, b in zip(tangent, normal, strict=True))) > TOLERANCE:
        raise CurveError("the initial tangent is not perpendicular to the normal of the plane")
    if (tangent, normal) == (X, Z):
        return IDENTITY
    x, z = unit_vector(tangent), unit_vector(normal)
    y = (z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0])
    return Pose(ORIGIN, of_axes(x, y, z))
