"""How a tendon goes around a circle: in the plane of a sphere's centre and two points, or across a cylinder.

On the outside it touches where tangents from the points do, of two ways the shorter one, or that on the side
of a side site. Along the inside it touches at one point, where it turns by the same angle to both sides. This
is MuJoCo's geometry (computation, "Tendons"), with its thresholds.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..staging.iterations import Iteration
from ..staging.machines import Machine
from ..staging.scalars import (
    asin,
    atan2,
    both,
    clip,
    cos,
    either,
    hypot,
    maximum,
    opposite,
    sin,
    sqrt,
    where,
)
from ..staging.value_classes import Scalar, operation
from .spatial import Pair, Vec3

LEAST = 1e-15
"""Lengths, and squares of them, below which points count as one."""
ROUNDING = 1e-12
"""Where a side site is at a right angle to the path, rounding shall not decide: the path is free."""
START, ACCURACY, ITERATIONS = 1 - 1e-7, 1e-6, 19
"""Newton's method along the inside: the sine to start from, an angle that is small enough, how often."""
FAILED = 2.0
"""What it finds where it fails: no sine."""


class Touch(NamedTuple):
    """Where the path touches a circle about the origin first and last, and the length of the arc between.

    free: 1 where the path does not touch it, else 0.
    """

    first: Pair
    last: Pair
    arc: Scalar
    free: Scalar


def product(a: Pair, b: Pair) -> Scalar:
    """The scalar product."""
    return a.first * b.first + a.second * b.second


def area(a: Pair, b: Pair) -> Scalar:
    """The z of the cross product."""
    return a.first * b.second - a.second * b.first


def times(a: Pair, b: Pair) -> Pair:
    """The product of complex numbers."""
    return Pair(a.first * b.first - a.second * b.second, a.first * b.second + a.second * b.first)


@operation
def chosen(condition: Scalar, a: Any, b: Any) -> Any:
    """a where the condition, a number, is above 0, else b."""
    return type(a)(*[where(condition > 0.0, x, y) for x, y in zip(a.flat(), b.flat(), strict=True)])


@operation
def unit(a: Pair) -> Pair:
    """Its direction; x where it has none."""
    length = hypot(a.first, a.second)
    none = length < LEAST
    inverse = where(none, 0.0, 1.0 / where(none, 1.0, length))
    return Pair(where(none, 1.0, a.first * inverse), a.second * inverse)


@operation
def direction(way: Vec3) -> Vec3:
    """The same in space."""
    return measured(way)[1]


def measured(way: Vec3) -> tuple[Scalar, Vec3]:
    """A length and its direction."""
    length = sqrt(way.dot(way))
    none = length < LEAST
    inverse = where(none, 0.0, 1.0 / where(none, 1.0, length))
    return length, Vec3(where(none, 1.0, way.x * inverse), way.y * inverse, way.z * inverse)


@operation
def beside(along: Vec3, x: Vec3, y: Vec3) -> Vec3:
    """The direction across `along`, that of x, in the plane of x, y and the origin, on the side of y; in one
    of the planes where they are on a line with it.
    """
    size = Vec3(abs(along.x), abs(along.y), abs(along.z))
    most_y = both(size.y > size.x, size.y > size.z)
    most_z = both(size.z > size.x, size.z > size.y)
    most_x = opposite(either(most_y, most_z))
    other = Vec3(where(most_x, 0.0, 1.0), where(most_y, 0.0, 1.0), where(most_z, 0.0, 1.0))
    across = y - along * along.dot(y)
    across = across - along * along.dot(across)  # what rounding left, where y is almost on the line
    on_line = where(x.dot(x) * across.dot(across) < LEAST * LEAST, 1.0, 0.0)
    return direction(chosen(on_line, other - along * along.dot(other), across))


@operation
def tangent(d: Pair, radius: Scalar, sign: Scalar) -> Pair:
    """Where one of the tangents through a point touches the circle."""
    square = product(d, d)
    inverse = 1.0 / maximum(square, LEAST * LEAST)
    along = radius * radius * inverse
    beside = sign * radius * sqrt(maximum(square - radius * radius, 0.0)) * inverse
    return Pair(d.first * along + d.second * beside, d.second * along - d.first * beside)


@operation
def crossing(a: Pair, b: Pair, c: Pair, d: Pair) -> Scalar:
    """1 where the segment ab crosses cd, else 0."""
    one, other, between = b - a, d - c, a - c
    det = area(one, other)
    size, back = abs(det), det < 0.0
    x, y = area(other, between), area(one, between)  # shares of the segments, times det
    x, y = where(back, -x, x), where(back, -y, y)
    within = both(both(x >= 0.0, x <= size), both(y >= 0.0, y <= size))
    return where(both(size >= LEAST, within), 1.0, 0.0)


@operation
def nearest(a: Pair, b: Pair) -> Pair:
    """The point of a segment that is nearest to the origin."""
    way = b - a
    square = product(way, way)
    share = clip(-product(way, a) / where(square < LEAST, 1.0, square), 0.0, 1.0)
    return a + way * share


@operation
def turned(a: Pair, b: Pair, other: Scalar) -> Scalar:
    """The angle from a to b, clockwise; counter-clockwise where other is above 0."""
    turn = area(a, b)
    angle = atan2(abs(turn), product(a, b))
    opposed = either(both(other > 0.0, turn < 0.0), both(other <= 0.0, turn > 0.0))
    return where(opposed, 2 * math.pi - angle, angle)


def outside(m: Machine, a: Pair, b: Pair, radius: Scalar, side: Pair, sided: Scalar) -> Touch:
    """From a to b around the outside; on the side of `side` where `sided` is above 0."""
    limit, squares, way = radius * radius, (product(a, a), product(b, b)), b - a
    near = nearest(a, b)
    on_side = either(sided <= 0.0, product(side, near) >= -ROUNDING * limit)
    passing = both(product(near, near) > limit, on_side)
    inside = either(squares[0] < limit, squares[1] < limit)
    free = either(either(inside, radius < LEAST), either(product(way, way) < LEAST, passing))
    own = m.locals(first=Pair(0.0, 0.0), last=Pair(0.0, 0.0), arc=0.0, free=1.0)
    for _ in m.saving(opposite(free)):
        ways = [(tangent(a, radius, sign), tangent(b, radius, -sign)) for sign in (1.0, -1.0)]
        crossed = [crossing(a, one, b, other) > 0.0 for one, other in ways]
        apart = [product(one - other, one - other) for one, other in ways]
        middle = [one + other for one, other in ways]
        along = [product(x, side) for x in middle]
        ratio = [where(x > 0.0, x, -x) * x for x in along]  # of squares of cosines, times those of lengths
        square = [product(x, x) for x in middle]
        nearer = ratio[0] * square[1] > ratio[1] * square[0]
        better = either(both(sided > 0.0, nearer), both(sided <= 0.0, apart[0] < apart[1]))
        first = either(both(better, opposite(crossed[0])), both(crossed[1], opposite(crossed[0])))
        second = where(first, 0.0, 1.0)
        own.first, own.last = [chosen(second, y, x) for x, y in zip(*ways, strict=True)]
        own.arc = radius * turned(own.first, own.last, second)
        own.free = where(either(free, both(crossed[0], crossed[1])), 1.0, 0.0)
    return Touch(own.first, own.last, own.arc, own.free)


@operation
def excess(z: Scalar, p: Scalar, q: Scalar, angle: Scalar) -> Scalar:
    """What Newton's method brings to 0: asin(p z) + asin(q z) - 2 asin(z) + angle, p and q between 0 and 1.

    The first three terms, within a half turn, are the argument of a product of complex numbers.
    """
    x = clip(z, -1.0, 1.0)
    a, b, c = [Pair(sqrt((1.0 - s) * (1.0 + s)), s) for s in (p * x, q * x, x)]
    back = Pair(c.first, -c.second)
    whole = times(times(a, b), times(back, back))
    return atan2(whole.second, whole.first) + angle


@operation
def slope(z: Scalar, p: Scalar, q: Scalar) -> Scalar:
    """Its derivative by z."""

    def one(factor: Scalar) -> Scalar:
        return factor / maximum(sqrt(maximum(1.0 - z * z * factor * factor, 0.0)), LEAST)

    return one(p) + one(q) - 2.0 * one(1.0)


def begun(p: Scalar, q: Scalar, angle: Scalar) -> list[Scalar]:
    """Newton's method at its start: where, what is left, and whether it goes on."""
    left = excess(START, p, q, angle)
    return [where(left > 0.0, FAILED, START), left, where(left < -ACCURACY, 1.0, 0.0)]


def closer(state: Sequence[Scalar], p: Scalar, q: Scalar, angle: Scalar) -> list[Scalar]:
    """One of its rounds."""
    z, left, _ = state
    step = slope(z, p, q)
    moved = z - left / where(step > -LEAST, -1.0, step)
    left = excess(moved, p, q, angle)
    wrong = either(step > -LEAST, either(moved > z, left > ACCURACY))
    return [where(wrong, FAILED, moved), left, where(both(opposite(wrong), left < -ACCURACY), 1.0, 0.0)]


def change(z: Scalar, given: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
    """How its zero changes with what it depends on."""
    p, q, _ = given
    by_p, by_q = [z / sqrt((1.0 - k * z) * (1.0 + k * z)) for k in (p, q)]
    return -(by_p * rates[0] + by_q * rates[1] + rates[2]) / slope(z, p, q)


INSIDE = Iteration(
    "inside",
    ITERATIONS,
    begun,
    running=lambda state: state[2] > 0.0,
    step=closer,
    result=lambda state: where(state[2] > 0.0, FAILED, state[0]),
    tangent=change,
)
"""The zero of excess(), or FAILED where MuJoCo would give up."""


def along_inside(m: Machine, a: Pair, b: Pair, radius: Scalar) -> Touch:
    """From a to b by way of the inside of the circle, both being outside; no part of it is an arc."""
    lengths, way = (hypot(a.first, a.second), hypot(b.first, b.second)), b - a
    square, near = product(way, way), nearest(a, b)
    small = either(radius < LEAST, either(lengths[0] <= radius, lengths[1] <= radius))
    share = -product(way, a)
    between = both(square > LEAST, both(share > 0.0, share < square))
    free = either(small, both(between, product(near, near) <= radius * radius))
    one, other = maximum(lengths[0], LEAST), maximum(lengths[1], LEAST)
    p, q = clip(radius / one, 0.0, 1.0), clip(radius / other, 0.0, 1.0)
    cosine = (one * one + other * other - square) / (2.0 * one * other)
    free = either(free, cosine < -1.0 + LEAST)
    bounded = clip(cosine, -1.0, 1.0)
    angle = atan2(sqrt((1.0 - bounded) * (1.0 + bounded)), bounded)
    found = m.iterate(INSIDE, p, q, angle)
    bad = either(cosine > 1.0 - LEAST, found > 1.0)
    z = clip(found, -1.0, 1.0)
    left = area(a, b) > 0.0
    start = unit(chosen(where(left, 1.0, 0.0), a, b))
    turn = asin(z) - asin(where(left, p, q) * z)
    point = chosen(where(bad, 1.0, 0.0), unit(a + b), times(Pair(cos(turn), sin(turn)), start)) * radius
    return Touch(point, point, 0.0, where(free, 1.0, 0.0))
