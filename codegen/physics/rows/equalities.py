"""Equalities of lengths, of points, and of frames."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Annotated

from ...staging.inline import SAME, Same
from ...staging.value_classes import Scalar, Value
from ..spatial import Mat3, Quat, Vec3


class Polynomial(Value):
    """Coefficients of a polynomial of degree 4."""

    constant: Scalar
    linear: Scalar
    quadratic: Scalar
    cubic: Scalar
    quartic: Scalar


class Coupling(Value):
    """The residual of a length that is a polynomial of another one, and the slope of that polynomial."""

    residual: Scalar
    slope: Scalar


def coupling(f: Annotated[Polynomial, SAME], x: Scalar, y: Scalar) -> Coupling:
    """A length x is the polynomial of a length y, both relative to their reference."""
    rest = y * (f.linear + y * (f.quadratic + y * (f.cubic + y * f.quartic)))
    slope = f.linear + y * (2.0 * f.quadratic + y * (3.0 * f.cubic + y * (4.0 * f.quartic)))
    return Coupling(x - f.constant - rest, slope)


def anchor_point(R: Mat3, place: Annotated[Vec3, SAME], origin: Vec3) -> Vec3:
    """A point of a body in world coordinates."""
    return R @ place + origin


def anchor_frame(own: Quat, given: Annotated[Quat, SAME]) -> Quat:
    """A frame of a body in world coordinates."""
    return own @ given


def weld_residual(p: Quat, q: Quat, scale: Same) -> Vec3:
    """The difference of two frames: the vector part of a rotation, times a length."""
    turn = q.conjugate() @ p
    return Vec3(turn.x, turn.y, turn.z) * scale


def weld_rates(p: Quat, q: Quat, scale: Same) -> Mat3:
    """How the residual of a weld changes with the angular velocity of p relative to q, in world axes."""
    units = (Quat(0.0, 1.0, 0.0, 0.0), Quat(0.0, 0.0, 1.0, 0.0), Quat(0.0, 0.0, 0.0, 1.0))
    half = 0.5 * scale
    columns = [q.conjugate() @ unit @ p for unit in units]
    return Mat3(
        Vec3(*[c.x * half for c in columns]),
        Vec3(*[c.y * half for c in columns]),
        Vec3(*[c.z * half for c in columns]),
    )


def weld_rate(rates: Mat3, axis: Vec3) -> Vec3:
    """The entries of a weld's rows for a degree of freedom with this angular velocity."""
    return rates @ axis


FORMULAS = (coupling, anchor_point, anchor_frame, weld_residual, weld_rates, weld_rate)
