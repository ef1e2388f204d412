"""The cost of rows, their forces, and derivatives along a line.

With the residual x = J a - aref of a row, the cost of an equality is D x^2 / 2; of a one-sided row the
same if x < 0, else 0; of dry friction the same up to the largest force, then linear (Huber). The cost of
an elliptic contact is half the squared distance from the dual cone in the metric of D. Forces are the
negative gradients (Todorov, Convex and analytically-invertible dynamics with contacts and constraints,
2014).

The residuals of an elliptic contact, scaled by its friction, are N along the normal and a vector T. If
N >= mu |T|, no force acts; if mu N + |T| <= 0, the contact sticks, and its rows are quadratic; else it
slides, and the cost is weight (N - mu |T|)^2 / 2.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ...staging.inline import Same, branch
from ...staging.scalars import both, opposite, sqrt, where
from ...staging.value_classes import Linear, Scalar, Value


class Response(Value):
    """The force of a row, and twice its cost."""

    force: Scalar
    twice: Scalar


class OneSided(Value):
    """The D of a one-sided row, 0 if it does not act, and whether it acts."""

    D: Scalar
    acts: bool


class Slip(Value):
    """Dry friction: its force, twice its cost, its second derivative, whether the residual is in the
    quadratic range, and whether it is below.
    """

    force: Scalar
    twice: Scalar
    D: Scalar
    inside: bool
    below: bool


class Rise(Linear):
    """Twice a cost, and its first and second derivatives along a line."""

    twice: Scalar
    slope: Scalar
    curvature: Scalar


class Zone(Value):
    """Where the residuals of an elliptic contact are: |T|, and whether the contact slides or sticks."""

    length: Scalar
    slides: bool
    sticks: bool


class Slide(Value):
    """Where an elliptic contact is; while it slides, its normal force, the ratio of its other forces to T,
    before these are scaled by friction, and twice its cost; else 0.
    """

    slides: bool
    sticks: bool
    normal: Scalar
    side: Scalar
    twice: Scalar


def spring(D: Scalar, x: Scalar) -> Response:
    """A quadratic row."""
    force = -D * x
    return Response(force, -force * x)


def one_sided(D: Scalar, x: Scalar) -> OneSided:
    """A row that only pushes."""
    acts = x < 0.0
    return OneSided(where(acts, D, 0.0), acts)


def spring_along(D: Scalar, x: Scalar, v: Scalar) -> Rise:
    """A quadratic row along a line on which its residual has the rate v."""
    pull = D * v
    return Rise(D * x * x, pull * x, pull * v)


def slip(D: Scalar, edge: Scalar, most: Same, x: Scalar) -> Slip:
    """Dry friction with the largest force `most`, quadratic up to `edge`."""
    inside, below = both(x > -edge, x < edge), x <= -edge
    force = where(inside, -D * x, where(below, most, -most))
    twice = where(inside, D * x * x, most * (2.0 * abs(x) - edge))
    return Slip(force, twice, where(inside, D, 0.0), inside, below)


def slip_along(D: Scalar, edge: Scalar, most: Same, x: Scalar, v: Scalar) -> Rise:
    """Dry friction along a line."""
    found = slip(D, edge, most, x)
    return Rise(found.twice, -found.force * v, found.D * v * v)


def cone_weight(D: Scalar, mu: Scalar) -> Scalar:
    """The weight of the cost of a sliding contact, from the D of its normal."""
    return D / (mu * mu * (1.0 + mu * mu))


def zone(mu: Scalar, normal: Scalar, square: Scalar) -> Zone:
    """Where the residuals are, from N and |T|^2, which rounding can make negative."""
    length = sqrt(where(opposite(square <= 0.0), square, 0.0))
    acts = opposite(normal >= mu * length)
    sticks = both(acts, mu * normal + length <= 0.0)
    return Zone(length, both(acts, opposite(sticks)), sticks)


def slide(mu: Scalar, weight: Scalar, normal: Scalar, square: Scalar) -> Slide:
    """An elliptic contact at N and |T|^2."""
    z = zone(mu, normal, square)
    gap = normal - mu * z.length
    pull = where(z.slides, weight * gap, 0.0)
    side = where(z.slides, mu * pull / z.length, 0.0)
    return Slide(z.slides, z.sticks, -mu * pull, side, pull * gap)


def normal_response(s: Slide, D: Scalar, x: Scalar) -> Response:
    """The first row of an elliptic contact, with its cost while it sticks."""
    stuck = where(s.sticks, -D * x, 0.0)
    return Response(stuck + s.normal, -stuck * x)


def tangential_response(s: Slide, friction: Scalar, D: Scalar, x: Scalar) -> Response:
    """Another row of an elliptic contact, with its cost while it sticks."""
    stuck = where(s.sticks, -D * x, 0.0)
    return Response(stuck + s.side * (friction * x) * friction, -stuck * x)


def slide_along(
    mu: Scalar,
    weight: Scalar,
    normal: Scalar,
    rate: Scalar,
    square: Scalar,
    product: Scalar,
    rates: Scalar,
    stuck: Rise,
) -> Rise:
    """An elliptic contact along a line: from N and its rate, |T|^2, the product of T and its rate, the square
    of that rate, and the cost while it sticks.
    """
    z = zone(mu, normal, square)

    def sliding() -> tuple[Any, ...]:
        inverse = 1.0 / z.length
        growth = product * inverse
        bend = (rates - growth * growth) * inverse
        gap, change = normal - mu * z.length, rate - mu * growth
        pull = weight * gap
        return pull * gap, pull * change, weight * change * change - pull * mu * bend

    held = [where(z.sticks, x, 0.0) for x in stuck.flat()]
    return Rise(*branch(z.slides, sliding, lambda: tuple(held)))


def side_change(D: Scalar, x: Scalar, by: Scalar) -> Scalar:
    """Twice the change of the cost of a one-sided row if its residual x changes, without cancellation."""
    y = x + by
    before, after = where(x < 0.0, x, 0.0), where(y < 0.0, y, 0.0)
    return D * where(both(x < 0.0, y < 0.0), by, after - before) * (after + before)


def slip_change(D: Scalar, edge: Scalar, most: Same, x: Scalar, by: Scalar) -> Scalar:
    """The same for dry friction."""
    one, other = slip(D, edge, most, x), slip(D, edge, most, x + by)
    linear, between = 2.0 * (most * by), other.twice - one.twice
    falls, rises = where(other.below, -linear, between), where(other.below, between, linear)
    outside = where(one.inside, between, where(other.inside, between, where(one.below, falls, rises)))
    return where(both(one.inside, other.inside), D * by * (x + x + by), outside)


def slide_change(
    mu: Scalar,
    weight: Scalar,
    normal: Scalar,
    more: Scalar,
    square: Scalar,
    wider: Scalar,
    stuck: Scalar,
    stuck_more: Scalar,
) -> Scalar:
    """The same for an elliptic contact: from N and |T|^2, their changes, the cost while it sticks and the
    change of that. The cost while it sticks is that while it slides and weight (mu N + |T|)^2 / 2.
    """
    one, other = zone(mu, normal, square), zone(mu, normal + more, square + wider)
    gap, apart = normal - mu * one.length, normal + more - mu * other.length
    deep, depth = mu * normal + one.length, mu * (normal + more) + other.length
    by = more - mu * wider / (one.length + other.length)
    sliding = where(other.sticks, stuck_more + weight * deep * deep, -weight * gap * gap)
    sticking = where(other.slides, stuck_more - weight * depth * depth, -stuck)
    free = where(other.slides, weight * apart * apart, where(other.sticks, stuck + stuck_more, 0.0))
    held = where(one.slides, sliding, where(one.sticks, sticking, free))
    held = where(both(one.sticks, other.sticks), stuck_more, held)
    return where(both(one.slides, other.slides), weight * by * (gap + gap + by), held)


def slide_curvature(
    mu: Scalar, normal: Scalar, inverse: Scalar, one: Scalar, other: Scalar, same: Same
) -> Scalar:
    """Second derivative of (N - mu |T|)^2 / 2 with respect to two components of T, from these and 1 / |T|.
    `same` is 1 if the two are the same, else 0.
    """
    ratio = mu * normal * inverse
    return ratio * (one * inverse) * (other * inverse) + same * (mu * mu - ratio)


def mixed_curvature(mu: Scalar, inverse: Scalar, one: Scalar) -> Scalar:
    """The same with respect to N and a component of T."""
    return -mu * one * inverse


FORMULAS = (
    *(spring, one_sided, spring_along, slip, slip_along, cone_weight, zone, slide, normal_response),
    *(tangential_response, slide_along, slide_curvature, mixed_curvature),
    *(side_change, slip_change, slide_change),
)
IN_BLOCKS = (
    *(spring, one_sided, spring_along, zone, slide, normal_response, tangential_response, slide_along),
    *(side_change, slide_change),
)
