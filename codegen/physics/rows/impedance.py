"""How stiff rows are: impedances, reference accelerations, regularisation.

They follow from solref and solimp as in MuJoCo:
https://mujoco.readthedocs.io/en/3.2.7/modeling.html#solver-parameters.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Annotated, Any

from ...staging.inline import SAME, Same, branch
from ...staging.scalars import both, clip, either, maximum, opposite, power, sqrt, where
from ...staging.value_classes import Scalar, Value

LEAST = 1e-15
"""Divisors are at least this."""
LOWEST, HIGHEST = 1e-4, 0.9999
"""Bounds of impedances."""


class Solimp(Value):
    """A solimp within its bounds."""

    low: Scalar
    high: Scalar
    width: Scalar
    middle: Scalar
    power: Scalar


class Impedance(Value):
    """An impedance, and its derivative with respect to the violation."""

    now: Scalar
    slope: Scalar


class Reference(Value):
    """A solref after defaults: both positive (time constant, damping ratio) or neither (stiffness,
    damping).
    """

    first: Scalar
    second: Scalar


class Stiffness(Value):
    """Stiffness and damping of a row."""

    K: Scalar
    B: Scalar


Fixed = Annotated[Reference, SAME]


def bounded_solimp(low: Same, high: Same, width: Same, middle: Same, power: Same) -> Solimp:
    """A solimp, with its numbers within their bounds."""
    low, high, middle = (clip(x, LOWEST, HIGHEST) for x in (low, high, middle))
    return Solimp(low, high, maximum(0.0, width), middle, maximum(1.0, power))


def impedance(s: Annotated[Solimp, SAME], violation: Scalar) -> Impedance:
    """The impedance at a violation: d(x) of MuJoCo's documentation."""

    def curved() -> tuple[Any, Any]:
        x, rise, sign = abs(violation) * (1.0 / s.width), s.high - s.low, where(violation < 0.0, -1.0, 1.0)

        def within() -> tuple[Any, Any]:
            y, slope = branch(s.power == 1.0, lambda: (x, 1.0), lambda: _arcs(s, x))
            return s.low + y * rise, slope * sign * rise * (1.0 / s.width)

        outside = either(x >= 1.0, x <= 0.0)
        return branch(opposite(outside), within, lambda: (where(x >= 1.0, s.high, s.low), 0.0))

    constant = either(s.low == s.high, s.width <= LEAST)
    return Impedance(*branch(constant, lambda: (0.5 * (s.low + s.high), 0.0), curved))


def _arcs(s: Solimp, x: Any) -> tuple[Any, Any]:
    """Two power curves that meet at the midpoint, and their slope."""

    def raised(base: Any) -> Any:
        return branch(s.power == 2.0, lambda: base, lambda: power(base, s.power - 1.0))

    near, rest = x <= s.middle, 1.0 - s.middle
    part = where(near, x, 1.0 - x)
    scale = branch(near, lambda: 1.0 / raised(s.middle), lambda: 1.0 / raised(rest))
    slope = scale * raised(part)
    arc = slope * part
    return where(near, arc, 1.0 - arc), s.power * slope


def reference(given: Fixed, usual: Fixed, least: Same) -> Reference:
    """A solref: the usual one if signs differ; a time constant is at least as long as given."""
    differs = either(
        both(given.first > 0.0, opposite(given.second > 0.0)),
        both(opposite(given.first > 0.0), given.second > 0.0),
    )
    first = where(differs, usual.first, given.first)
    second = where(differs, usual.second, given.second)
    return Reference(where(first > 0.0, maximum(first, least), first), second)


def stiffness(r: Fixed, high: Same) -> Stiffness:
    """Stiffness and damping of a row whose impedance is `high` at most."""
    K = branch(
        r.first > 0.0,
        lambda: 1.0 / maximum(LEAST, high * high * r.first * r.first * r.second * r.second),
        lambda: -r.first / maximum(LEAST, high * high),
    )
    B = branch(
        r.second > 0.0,
        lambda: 2.0 / maximum(LEAST, high * r.first),
        lambda: -r.second / maximum(LEAST, high),
    )
    return Stiffness(K, B)


def servo_damping(timestep: Same) -> Scalar:
    """The damping of the row of a servo motor: the largest for the time step."""
    return stiffness(Reference(0.0, -HIGHEST / timestep), HIGHEST).B


def regularisation(impedance: Scalar, diagonal: Scalar) -> Scalar:
    """The regularisation R of a row that moves a given inverse inertia."""
    return maximum(LEAST, (1.0 - impedance) * diagonal / impedance)


def cone_friction(friction: Same, impratio: Same) -> Scalar:
    """The friction of the regularised cone."""
    return branch(impratio == 1.0, lambda: friction, lambda: friction / sqrt(maximum(LEAST, impratio)))


def pyramid_regularisation(R: Scalar, mu: Scalar) -> Scalar:
    """The regularisation of each edge of a pyramid, from that of the normal direction."""
    return 2.0 * mu * mu * R


def tangential_regularisation(R: Scalar, impratio: Same) -> Scalar:
    """The regularisation of the first tangent, from that of the normal direction."""
    return branch(impratio == 1.0, lambda: R, lambda: R * (1.0 / maximum(LEAST, impratio)))


def direction_regularisation(R: Scalar, first: Scalar, own: Scalar) -> Scalar:
    """The regularisation of another direction, from that of the first tangent and the friction of both."""
    return R * (first * first) / (own * own)


def reference_acceleration(
    s: Annotated[Stiffness, SAME], impedance: Scalar, violation: Scalar, velocity: Scalar
) -> Scalar:
    """The acceleration at which a row exerts no force."""
    return -s.B * velocity - s.K * impedance * violation


FORMULAS = (
    *(bounded_solimp, impedance, reference, stiffness, servo_damping, regularisation, cone_friction),
    *(pyramid_regularisation, tangential_regularisation, direction_regularisation, reference_acceleration),
)
