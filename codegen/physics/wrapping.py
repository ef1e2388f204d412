"""Wrapping of a tendon around a circle: in the plane of a sphere's centre and two points, or in the
cross-section of a cylinder.

A path around the outside consists of tangents from both points and an arc. Of the two possible paths, the
shorter one is used, or the one on the side of a side site. A path along the inside touches the circle at one
point, with equal angles on both sides. This is MuJoCo's geometry (computation, "Tendons"), with its
thresholds.

Angles are directions of complex numbers. A tangent from a point at a distance d touches a circle of radius r
at the angle of r + i s from the point, s^2 = d^2 - r^2, and s is its length. Sums of angles are products of
these numbers; the signs of their parts determine which path is shorter, obstructed, or on the side of a site.
So square roots and divisions are independent of each other, and the only angle computed is that of the arc.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..staging.iterations import Iteration
from ..staging.machines import Machine
from ..staging.scalars import atan2, both, clip, cos, either, maximum, opposite, sin, sqrt, where
from ..staging.value_classes import Scalar, operation
from .spatial import Mat3, Pair, Vec3

LEAST = 1e-15
"""Threshold for lengths and their squares, below which points are treated as equal."""
ROUNDING = 1e-12
"""Tolerance: if a side site is perpendicular to the path, the path is free, independent of rounding."""
START, ACCURACY, ITERATIONS = 1 - 1e-7, 1e-6, 19
"""Newton's method along the inside: initial sine, tolerance of the angle, maximum number of iterations."""
RIGHT = 0.5 * math.pi
FAILED = 2.0
"""Its result if it fails, which is not a sine, nor an angle up to 90 degrees."""


Two = tuple[Scalar, Scalar]


class Ends(NamedTuple):
    """Two points a and b, as vectors from the centre of a circle in its plane.

    turned: both rotated by 90 degrees towards the side on which b is located, as seen from a.
    squares, lengths, inverses: of both vectors; inverses of the squares.
    dot, area: |a| |b| times cosine and sine of the angle between them; the area is nonnegative.
    sense: 1 if that side is counter-clockwise in the shape's axes, else -1.
    """

    a: Any
    b: Any
    turned: tuple[Any, Any]
    squares: Two
    lengths: Two
    inverses: Two
    dot: Scalar
    area: Scalar
    sense: Scalar


class Tangents(NamedTuple):
    """The tangents from both ends to a circle.

    radius, square: of the circle, and the radius squared.
    lengths: 0 if an end is inside the circle.
    sum: r + i s of both multiplied, so its angle is the sum of the tangents' angles.
    arc: the sine of the arc of the shorter path, times a positive factor; negative if the straight path does
        not intersect the circle.
    apart: whether the straight path, including its ends, does not touch the disc.
    missing: whether no path around the outside exists, for any side site.
    """

    radius: Scalar
    square: Scalar
    lengths: Two
    sum: Pair
    arc: Scalar
    apart: Scalar
    missing: Scalar


class Touch(NamedTuple):
    """The contact of the path with a circle.

    start, end: lengths from the first point to the circle, and from the circle to the second point.
    before, after: the directions of these parts.
    arc: the length between.
    free: 1 if the path does not touch the circle, else 0.
    """

    start: Scalar
    end: Scalar
    before: Any
    after: Any
    arc: Scalar
    free: Scalar


@operation
def times(a: Pair, b: Pair) -> Pair:
    """The product of complex numbers."""
    return Pair(a.first * b.first - a.second * b.second, a.first * b.second + a.second * b.first)


@operation
def chosen(condition: Scalar, a: Any, b: Any) -> Any:
    """a if the condition, a number, is positive, else b."""
    return type(a)(*[where(condition > 0.0, x, y) for x, y in zip(a.flat(), b.flat(), strict=True)])


def measured(span: Vec3) -> tuple[Scalar, Vec3]:
    """The length and the direction of a vector; x if it is zero."""
    length = sqrt(span.dot(span))
    none = length < LEAST
    inverse = where(none, 0.0, 1.0 / where(none, 1.0, length))
    return length, Vec3(where(none, 1.0, span.x * inverse), span.y * inverse, span.z * inverse)


def inverse(square: Scalar) -> Scalar:
    """The reciprocal of a squared length; large if it is zero."""
    return 1.0 / maximum(square, LEAST * LEAST)


def in_plane(a: Pair, b: Pair) -> Ends:
    """The ends in a plane with given axes."""
    area = a.first * b.second - a.second * b.first
    sense = where(area < 0.0, -1.0, 1.0)
    one, other = [Pair(-(v.second * sense), v.first * sense) for v in (a, b)]
    return Ends(a, b, (one, other), *sizes(a, b), a.dot(b), abs(area), sense)


def square_to(a: Vec3, axes: Mat3) -> Vec3:
    """A vector perpendicular to a, chosen by its largest coordinate in a shape's axes."""
    x, y, z = [abs(x) for x in axes.left(a).flat()]
    most_y, most_z = both(y > x, y > z), both(z > x, z > y)
    other = Vec3(where(either(most_y, most_z), 1.0, 0.0), where(most_y, 0.0, 1.0), where(most_z, 0.0, 1.0))
    other = axes @ other
    return other * a.dot(a) - a * a.dot(other)


def in_space(m: Machine, a: Vec3, b: Vec3, axes: Callable[[], Mat3]) -> Ends:
    """The ends in their plane with the centre; if they are collinear with it, in a plane chosen by the
    shape's axes.
    """
    squares, lengths, inverses = sizes(a, b)
    across = a.cross(b).cross(a)
    own = m.locals(beside=across, square=across.dot(across))
    on_line = where(own.square < LEAST * LEAST * squares[0], 1.0, 0.0)
    for _ in m.saving(on_line > 0.0):
        aside = square_to(a, axes())
        own.beside = chosen(on_line, aside, own.beside)
        own.square = where(on_line > 0.0, aside.dot(aside), own.square)
    length = sqrt(own.square)
    dot, area = a.dot(b), where(on_line > 0.0, 0.0, length * (lengths[0] * inverses[0]))
    turned = own.beside * (lengths[0] / maximum(length, LEAST * LEAST))
    turned_b = (turned * dot - a * area) * inverses[0]
    return Ends(a, b, (turned, turned_b), squares, lengths, inverses, dot, area, 1.0)


def sizes(a: Any, b: Any) -> tuple[Two, Two, Two]:
    """The squares, the lengths, and the inverses of the squares of both vectors."""
    one, other = a.dot(a), b.dot(b)
    return (one, other), (sqrt(one), sqrt(other)), (inverse(one), inverse(other))


def tangents(ends: Ends, radius: Scalar) -> Tangents:
    """The tangents from both ends."""
    square, span = radius * radius, ends.b - ends.a
    one, other = [sqrt(maximum(x - square, 0.0)) for x in ends.squares]
    whole = Pair(square - one * other, radius * (one + other))
    inside = either(ends.squares[0] < square, ends.squares[1] < square)
    missing = either(either(inside, radius < LEAST), span.dot(span) < LEAST)
    arc = ends.area * whole.first - ends.dot * whole.second
    at_end = [both(x <= ends.dot, x <= square) for x in ends.squares]
    apart = both(arc < 0.0, opposite(either(*at_end)))
    return Tangents(radius, square, (one, other), whole, arc, apart, missing)


def side_by(ends: Ends, vector: Any) -> list[Scalar]:
    """Products of a vector towards a side site with a, b, and with their rotated vectors."""
    return [vector.dot(v) for v in (ends.a, ends.b, *ends.turned)]


def winding_around(ends: Ends, reach: Tangents, side: Sequence[Scalar]) -> Scalar:
    """The path around the outside on the side of a site: 1 for the shorter one, -1 for the longer one.

    It is the path for which the midpoint of the tangent points is at the smaller angle from the site.
    Relative to the bisector of the ends, the midpoints are at plus and minus half the difference of the
    tangents' angles; that of the longer path is on the opposite side if its arc is less than 180 degrees.
    """
    one, other = ends.lengths
    along, across = [(other * side[k], one * side[k + 1]) for k in (0, 2)]
    cosine = along[0] + along[1] - (across[1] - across[0])  # of the angle from the bisector to the site
    sine = across[0] + across[1] + (along[1] - along[0])
    apart, (real, imaginary) = reach.lengths[0] - reach.lengths[1], reach.sum.flat()
    beyond = ends.area * real + ends.dot * imaginary < 0.0
    longer = where(beyond, cosine, sine * apart) < 0.0
    return where(either(longer, crossing(ends, reach)), -1.0, 1.0)


def winding_through(side: Sequence[Scalar]) -> Scalar:
    """The path around the outside that winds around the centre like the polyline through a side site: 1 for
    the shorter one, -1 for the longer one.

    The polyline turns by less than 180 degrees from the first end to the site, and from there to the second
    end. The two turns add up to the angle between the ends, unless the direction opposite to the site is
    between those of the ends: then they go the other way around.
    """
    return where(both(side[2] < 0.0, side[3] > 0.0), -1.0, 1.0)


def crossing(ends: Ends, reach: Tangents) -> Scalar:
    """Whether the tangents of the shorter path cross before they touch.

    The angle between the ends is at most the sum of the tangents' angles, and at least their difference.
    """
    (one, other), square = reach.lengths, reach.square
    between = abs(one - other) * reach.radius
    return both(reach.arc <= 0.0, ends.area * (square + one * other) >= ends.dot * between)


def passing(ends: Ends, reach: Tangents, side: Sequence[Scalar]) -> Scalar:
    """Whether the straight path passes the circle on the side of the site."""
    span = ends.b - ends.a
    whole = span.dot(span)
    share = clip(ends.squares[0] - ends.dot, 0.0, whole)  # of the nearest point, times `whole`
    near = side[0] * (whole - share) + side[1] * share
    least = ROUNDING * reach.radius * whole
    size = (side[0] * side[0] + side[2] * side[2]) * ends.inverses[0]
    return both(reach.apart, either(near >= 0.0, near * near <= least * least * size))


def outside(ends: Ends, reach: Tangents, winding: Scalar) -> Touch:
    """From a to b around the outside: on the shorter path, or on the longer one if `winding` is -1."""
    (one, other), (real, imaginary) = reach.lengths, reach.sum.flat()
    area, edge = ends.area * winding, reach.radius * winding
    angle = atan2(area * real - ends.dot * imaginary, ends.dot * real + area * imaginary)
    before = (ends.turned[0] * edge - ends.a * one) * ends.inverses[0]
    after = (ends.turned[1] * edge + ends.b * other) * ends.inverses[1]
    arc = reach.radius * where(angle < 0.0, angle + 2 * math.pi, angle)
    return Touch(one, other, before, after, arc, 0.0)


def roots(z: Scalar, p: Scalar, q: Scalar) -> list[Scalar]:
    """Cosines of the angles whose sines are p z, q z and z."""
    return [sqrt(maximum((1.0 - s) * (1.0 + s), 0.0)) for s in (p * z, q * z, z)]


def excess(z: Scalar, p: Scalar, q: Scalar, dot: Scalar, area: Scalar) -> Scalar:
    """The function whose root is found by Newton's method: asin(p z) + asin(q z) - 2 asin(z) + the angle of
    (dot, area), with p and q between 0 and 1 and area >= 0.

    It is between -pi and pi, so it is the angle of a product of complex numbers.
    """
    a, b, c = roots(z, p, q)
    return turned_by(z, (a, b, c), p, q, dot, area)


def turned_by(
    z: Scalar, cosines: Sequence[Scalar], p: Scalar, q: Scalar, dot: Scalar, area: Scalar
) -> Scalar:
    """The same, given the cosines of its three angles."""
    a, b, c = cosines
    forth, back = times(Pair(a, p * z), Pair(b, q * z)), Pair(1.0 - 2.0 * z * z, -2.0 * z * c)
    whole = times(forth, times(back, Pair(dot, area)))
    return atan2(whole.second, whole.first)


def slope(z: Scalar, p: Scalar, q: Scalar) -> Scalar:
    """Its derivative with respect to z."""
    a, b, c = roots(z, p, q)
    return p / maximum(a, LEAST) + q / maximum(b, LEAST) - 2.0 / maximum(c, LEAST)


def begun(p: Scalar, q: Scalar, dot: Scalar, area: Scalar) -> list[Scalar]:
    """The initial state of Newton's method: z, the residual, whether it continues, the slope."""
    left = excess(START, p, q, dot, area)
    going = where(left < -ACCURACY, 1.0, 0.0)
    return [where(left > 0.0, FAILED, START), left, going, slope(START, p, q)]


def closer(state: Sequence[Scalar], p: Scalar, q: Scalar, dot: Scalar, area: Scalar) -> list[Scalar]:
    """One iteration. The slope for the next one is computed here, because it does not depend on an angle."""
    z, left, _, step = state
    moved = z - left / where(step > -LEAST, -1.0, step)
    left = excess(moved, p, q, dot, area)
    wrong = either(step > -LEAST, either(moved > z, left > ACCURACY))
    going = where(either(wrong, left >= -ACCURACY), 0.0, 1.0)
    return [where(wrong, FAILED, moved), left, going, slope(moved, p, q)]


def at_angle(angle: Scalar, p: Scalar, q: Scalar, dot: Scalar, area: Scalar) -> tuple[Scalar, Scalar]:
    """excess() as a function of the angle whose sine is z, and its derivative."""
    z, c = sin(angle), cos(angle)
    a, b, _ = roots(z, p, q)
    rate = p * c / maximum(a, LEAST) + q * c / maximum(b, LEAST) - 2.0
    return turned_by(z, (a, b, c), p, q, dot, area), rate


def begun_at_right_angle(p: Scalar, q: Scalar, dot: Scalar, area: Scalar) -> list[Scalar]:
    """The initial state of Newton's method over the angle: the angle, the residual, whether it continues, the
    slope.
    """
    left, rate = at_angle(RIGHT, p, q, dot, area)
    return [where(left > 0.0, FAILED, RIGHT), left, where(left < -ACCURACY, 1.0, 0.0), rate]


def closer_by_angle(state: Sequence[Scalar], p: Scalar, q: Scalar, dot: Scalar, area: Scalar) -> list[Scalar]:
    """One iteration over the angle."""
    angle, left, _, step = state
    moved = angle - left / where(step > -LEAST, -1.0, step)
    left, rate = at_angle(moved, p, q, dot, area)
    wrong = either(step > -LEAST, either(moved > angle, left > ACCURACY))
    going = where(either(wrong, left >= -ACCURACY), 0.0, 1.0)
    return [where(wrong, FAILED, moved), left, going, rate]


def change(z: Scalar, given: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
    """The derivative of the root with respect to the given numbers."""
    p, q, dot, area = given
    by_p, by_q = [z / sqrt((1.0 - k * z) * (1.0 + k * z)) for k in (p, q)]
    turning = (dot * rates[3] - area * rates[2]) / (dot * dot + area * area)
    return -(by_p * rates[0] + by_q * rates[1] + turning) / slope(z, p, q)


INSIDE = Iteration(
    "inside",
    ITERATIONS,
    begun,
    running=lambda state: state[2] > 0.0,
    step=closer,
    result=lambda state: where(state[2] > 0.0, FAILED, state[0]),
    tangent=change,
)
"""The root of excess(), or FAILED if MuJoCo would give up."""
BY_ANGLE = Iteration(
    "inside_by_angle",
    ITERATIONS,
    begun_at_right_angle,
    running=lambda state: state[2] > 0.0,
    step=closer_by_angle,
    result=lambda state: where(either(state[2] > 0.0, state[0] > RIGHT), FAILED, sin(state[0])),
    tangent=change,
)
"""The same as of MuJoCo 4.0: Newton's method over the angle whose sine is z has other iterates."""


def along_inside(m: Machine, ends: Ends, reach: Tangents, late: Scalar) -> Touch:
    """From a to b along the inside of the circle, both being outside; the path has no arc. `late` is a
    condition: as of MuJoCo 4.0.

    The angle between the path and the radius has the sine z at the contact point, p z and q z at the ends. As
    seen from the centre, the angle between an end and the contact point is the difference of two of these
    angles.
    """
    radius, product = reach.radius, ends.lengths[0] * ends.lengths[1]
    small = either(radius < LEAST, either(ends.lengths[0] <= radius, ends.lengths[1] <= radius))
    span = ends.b - ends.a
    meeting = both(span.dot(span) > LEAST, reach.arc >= 0.0)
    facing = ends.dot < (LEAST - 1.0) * product
    p, q = [
        clip(radius * length * over, 0.0, 1.0)
        for length, over in zip(ends.lengths, ends.inverses, strict=True)
    ]
    given, own = (p, q, ends.dot, ends.area), m.locals(found=0.0)
    for _ in m.when(late):
        own.found = m.iterate(BY_ANGLE, *given)
    for _ in m.when(opposite(late)):
        own.found = m.iterate(INSIDE, *given)
    bad = either(ends.dot > (1.0 - LEAST) * product, own.found > 1.0)
    z, counter = clip(own.found, -1.0, 1.0), ends.sense
    k = where(counter > 0.0, p, q)
    turn = times(*[Pair(sqrt((1.0 - s) * (1.0 + s)), s) for s in (z, -(k * z))])
    near, turned = chosen(counter, ends.a, ends.b), chosen(counter, ends.turned[0], -ends.turned[1])
    middle = ends.a + ends.b
    halfway = middle * (radius / maximum(sqrt(middle.dot(middle)), LEAST))
    point = chosen(where(bad, 1.0, 0.0), halfway, (near * turn.first + turned * turn.second) * k)
    before, after = point - ends.a, ends.b - point
    start, end = sqrt(before.dot(before)), sqrt(after.dot(after))
    before, after = before * (1.0 / maximum(start, LEAST)), after * (1.0 / maximum(end, LEAST))
    free = where(either(either(small, meeting), facing), 1.0, 0.0)
    return Touch(start, end, before, after, 0.0, free)
