"""Geoms in a fluid: the ellipsoid that approximates a shape, and its virtual mass and inertia."""

from __future__ import annotations

from math import pi

from polybody.generated.formats.mjcf import GeomType
from polybody.rotations.poses import Vector

_WEIGHTS = (0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107)
"""Weights of Gauss-Kronrod quadrature with 15 points, up to the middle one."""
_POINTS = (
    *(7.865151709349917e-08, 1.7347976913907274e-05, 0.0003548008144506193, 0.002846636252924549),
    *(0.014094260903596077, 0.053063261727396636, 0.17041978741317773, 0.5, 1.4036301548686991),
    *(3.9353484827022642, 11.644841677041734, 39.53187807410903, 177.5711362220801, 1429.4772912937397),
    54087.416549217705,
)
"""Positions at which the integrand is evaluated: x^3 / (1 - x)^2 at the points x of the quadrature."""
_SLOPES = (
    *(5.538677720489877e-05, 0.002080868285293228, 0.016514126520723166, 0.07261900344370877),
    *(0.23985243401862602, 0.6868318249020725, 1.8551129519182894, 5.0, 14.060031152313941),
    *(43.28941239611009, 156.58546376397112, 747.9826085305024, 5827.4042950027115, 116754.0197944512),
    25482945.327264845,
)
"""The derivative of that with respect to x."""


def semi_axes(kind: GeomType, size: Vector) -> Vector:
    """The half axes of the ellipsoid that approximates a shape in a fluid."""
    a, b, c = size
    if kind is GeomType.SPHERE:
        return (a, a, a)
    if kind is GeomType.CAPSULE:
        return (a, a, a + b)
    if kind is GeomType.CYLINDER:
        return (a, a, b)
    return (a, b, c)


def virtual_mass(axes: Vector, least: float) -> tuple[Vector, Vector]:
    """The virtual mass of an ellipsoid: volumes (m^3) and second moments (m^5) of entrained fluid along its
    axes.

    Lamb, Hydrodynamics, art. 114 and 115. The integrals are evaluated at 15 points, with MuJoCo's digits.
    """
    a, b, c = axes
    volume = 4 / 3 * pi * a * b * c
    x, y, z = _integral(a, b, c), _integral(b, c, a), _integral(c, a, b)

    def moment(first: float, second: float, of_first: float, of_second: float) -> float:
        difference, total = first * first - second * second, first * first + second * second
        lower = abs(2 * difference + total * (of_first - of_second))
        return volume * difference * difference * abs(of_second - of_first) / max(least, lower) / 5

    mass = (volume * x / max(least, 2 - x), volume * y / max(least, 2 - y), volume * z / max(least, 2 - z))
    return mass, (moment(b, c, y, z), moment(c, a, z, x), moment(a, b, x, y))


def _integral(a: float, b: float, c: float) -> float:
    """a b c times the integral over l of 1 / sqrt((a^2 + l)^3 (b^2 + l) (c^2 + l)), from 0."""
    u, v, w = 1 / (a * a), 1 / (b * b), 1 / (c * c)
    scale = (a * a * a * b * c) ** 0.4
    total = 0.0
    for place, (point, slope) in enumerate(zip(_POINTS, _SLOPES, strict=True)):
        at = scale * point
        below = (1 + at * u) * ((1 + at * u) * (1 + at * v) * (1 + at * w)) ** 0.5
        total += scale * slope / below * _WEIGHTS[min(place, 14 - place)]
    return total * u
