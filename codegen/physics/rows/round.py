"""Planes, spheres and capsules: all cases reduce to two points, or to a point and a plane."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ...staging.inline import Same, branch
from ...staging.scalars import clip, either, opposite, sqrt, where
from ...staging.value_classes import Scalar, Value
from ..spatial import Vec3

TINY = 1e-15
"""Lengths and determinants below this are treated as zero, as in MuJoCo."""
ALIKE = 1e-8
"""Squared sine of the angle within which two axes are parallel, as of MuJoCo 4.0."""


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


class PairsOfAxes(Value):
    """Up to two pairs of points of two axes; the second pair is undefined if they are not parallel."""

    parallel: bool
    first: Vec3
    second: Vec3
    first_end: Vec3
    second_end: Vec3


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


def pairs_of_axes(a: Vec3, half_a: Vec3, b: Vec3, half_b: Vec3) -> PairsOfAxes:
    """The nearest points of two segments, centre +- half; of segments whose directions are within 1e-4 rad,
    both ends of the first and the points of the second nearest to them. As of MuJoCo 4.0.

    The determinant is the square of the cross product: differences of products would cancel.
    """
    from_a, from_b = a - half_a, b - half_b
    way_a, way_b = (a + half_a) - from_a, (b + half_b) - from_b
    apart = from_a - from_b
    aa, ab, bb = way_a.dot(way_a), way_a.dot(way_b), way_b.dot(way_b)
    to_a, to_b = -way_a.dot(apart), way_b.dot(apart)
    point_a, point_b = aa <= TINY, bb <= TINY
    long_a, long_b = where(point_a, 1.0, aa), where(point_b, 1.0, bb)
    normal = way_a.cross(way_b)
    square = normal.dot(normal)
    crossed = square > aa * ALIKE * bb

    def inside(value: Scalar) -> Scalar:
        """A coordinate on a segment, from 0 to 1."""
        return clip(value, 0.0, 1.0)

    at_start = where(point_a, 0.0, inside(to_a / long_a))
    at_end = where(point_a, 0.0, inside((ab + to_a) / long_a))

    def between(s: Scalar) -> tuple[Scalar, Scalar]:
        """A point of the first segment and the nearest one of the second; if that is an end, the nearest
        to it.
        """
        t = (ab * s + to_b) / long_b
        s = where(t < 0.0, at_start, where(t > 1.0, at_end, s))
        return where(point_b, at_start, s), where(point_b, 0.0, inside(t))

    nearest = inside(normal.dot(way_b.cross(apart)) / where(crossed, square, 1.0))
    s, t = between(where(crossed, nearest, 0.0))
    parallel = opposite(either(crossed, either(point_a, point_b)))
    s_end, t_end = branch(parallel, lambda: between(1.0), lambda: (s, t))
    return PairsOfAxes(
        parallel,
        from_a + way_a * s,
        from_b + way_b * t,
        from_a + way_a * s_end,
        from_b + way_b * t_end,
    )


FORMULAS = (
    *(squared_distance, balls_touch, plane_touch, nearest_on_capsule, nearest_on_axis, nearest_of_axes),
    pairs_of_axes,
)
