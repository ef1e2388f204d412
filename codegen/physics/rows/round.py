"""Planes, spheres and capsules: all cases reduce to two points, or to a point and a plane."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ...staging.inline import Same, branch
from ...staging.scalars import clip, opposite, sqrt, where
from ...staging.value_classes import Scalar, Value
from ..spatial import Vec3

TINY = 1e-15
"""Lengths and determinants below this are treated as zero, as in MuJoCo."""


class RoundTouch(Value):
    """Where two shapes touch: the distance, the point halfway between them, and the normal."""

    dist: Scalar
    pos: Vec3
    normal: Vec3


class NearestOfAxes(Value):
    """The nearest points of two axes; undefined if they are parallel."""

    parallel: bool
    first: Vec3
    second: Vec3


def squared_distance(a: Vec3, b: Vec3) -> Scalar:
    """The squared distance of two points."""
    apart = b - a
    return apart.dot(apart)


def balls_touch(a: Vec3, radius_a: Same, axis_a: Vec3, b: Vec3, radius_b: Same, axis_b: Vec3) -> RoundTouch:
    """Two spheres. If their centres coincide, the normal is the cross product of the z axes of the shapes, or
    x if these are parallel.
    """
    apart = b - a
    length = sqrt(apart.dot(apart))

    def across() -> tuple[Any, ...]:
        c = axis_a.cross(axis_b)
        size = sqrt(c.dot(c))
        parallel = size < TINY
        scale = 1.0 / where(parallel, 1.0, size)
        return tuple(where(parallel, x, y * scale) for x, y in zip((1.0, 0.0, 0.0), c.flat(), strict=True))

    def between() -> tuple[Any, ...]:
        return tuple((apart * (1.0 / length)).flat())

    normal, dist = Vec3(*branch(length < TINY, across, between)), length - (radius_a + radius_b)
    return RoundTouch(dist, a + normal * (radius_a + 0.5 * dist), normal)


def plane_touch(origin: Vec3, normal: Vec3, centre: Vec3, radius: Same) -> RoundTouch:
    """A sphere and a plane through a point."""
    dist = normal.dot(centre - origin) - radius
    return RoundTouch(dist, centre - normal * (radius + 0.5 * dist), normal)


def nearest_on_capsule(point: Vec3, centre: Vec3, axis: Vec3, half: Same) -> Vec3:
    """The point of a capsule's axis that is nearest to a point."""
    return centre + axis * clip(axis.dot(point - centre), -half, half)


def nearest_on_axis(projection: Scalar, square: Scalar) -> Scalar:
    """The point of an axis nearest to a point, as a coordinate from -1 to 1, given the projection of that
    point and the squared half length of the axis.
    """
    return branch(square > 0.0, lambda: clip(projection / square, -1.0, 1.0), lambda: 0.0)


def nearest_of_axes(a: Vec3, half_a: Vec3, b: Vec3, half_b: Vec3) -> NearestOfAxes:
    """The nearest points of two segments, centre +- half (Ericson, Real-Time Collision Detection, 5.1.9)."""
    apart = b - a
    aa, ab, bb = half_a.dot(half_a), half_a.dot(half_b), half_b.dot(half_b)
    to_b, to_a, det = half_a.dot(apart), -half_b.dot(apart), aa * bb - ab * ab
    parallel = opposite(abs(det) >= TINY)
    over = 1.0 / where(parallel, 1.0, det)
    s, t = (bb * to_b + ab * to_a) * over, (aa * to_a + ab * to_b) * over

    def at_end() -> tuple[Any, Any]:
        """The point of the other axis nearest to this end."""
        end = where(s > 0.0, 1.0, -1.0)
        return end, (to_a + end * ab) / bb

    s, t = branch(abs(s) > 1.0, at_end, lambda: (s, t))

    def at_other_end() -> tuple[Any, Any]:
        end = where(t > 0.0, 1.0, -1.0)
        return nearest_on_axis(to_b + end * ab, aa), end

    s, t = branch(abs(t) > 1.0, at_other_end, lambda: (s, t))
    return NearestOfAxes(parallel, a + half_a * s, b + half_b * t)


FORMULAS = (
    *(squared_distance, balls_touch, plane_touch, nearest_on_capsule, nearest_on_axis, nearest_of_axes),
)
