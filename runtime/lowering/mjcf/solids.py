"""Volume, surface and moments of inertia of primitive shapes, solid or as shells.

Sizes are radii and half lengths in m; moments are about the shape's own axes and its centre. Inertia of an
ellipsoid's shell is that of two solids subtracted whose half axes differ by 1e-6 m, and its surface Thomsen's
approximation, as in MuJoCo; both have no more digits than that.
"""

from __future__ import annotations

from math import pi

from polybody.generated.formats.mjcf import GeomType
from polybody.lowering.mjcf.poses import ORIGIN, Vector

THOMSEN = 1.6075
SKIN = 1e-6
"""Thickness of an ellipsoid's shell, in m."""
ROUND = (GeomType.SPHERE, GeomType.CAPSULE, GeomType.CYLINDER, GeomType.ELLIPSOID)
BLOCKS = (GeomType.BOX, GeomType.HFIELD)
"""Shapes with the inertia of a box."""


def extent(kind: GeomType, size: Vector, shell: bool) -> float:
    """The volume of a shape in m^3, of a shell its surface in m^2; 0 for one that has none."""
    a, b, c = size
    if kind is GeomType.SPHERE:
        return 4 * pi * a * a if shell else 4 * pi * a * a * a / 3
    if kind is GeomType.CAPSULE:
        return 4 * pi * a * a + 4 * pi * a * b if shell else pi * (2 * a * a * b + 4 * a * a * a / 3)
    if kind is GeomType.CYLINDER:
        return 2 * pi * a * a + 4 * pi * a * b if shell else 2 * pi * a * a * b
    if kind is GeomType.ELLIPSOID:
        if not shell:
            return 4 * pi * a * b * c / 3
        mean = ((a * b) ** THOMSEN + (b * c) ** THOMSEN + (c * a) ** THOMSEN) / 3
        return float(4 * pi * mean ** (1 / THOMSEN))
    if kind in BLOCKS:
        return 8 * (a * b + b * c + c * a) if shell else 8 * a * b * c
    return 0.0


def moments(kind: GeomType, size: Vector, mass: float, shell: bool) -> Vector:
    """The principal moments of a shape of a mass, in kg m^2."""
    a, b, c = size
    if kind is GeomType.SPHERE:
        value = 2 * mass * a * a / (3 if shell else 5)
        return (value, value, value)
    if kind is GeomType.CAPSULE:
        return _capsule(a, b, mass, shell)
    if kind is GeomType.CYLINDER:
        return _cylinder(a, b, mass, shell)
    if kind is GeomType.ELLIPSOID:
        return _ellipsoid_shell(size, mass) if shell else _about((a * a, b * b, c * c), mass / 5)
    if kind in BLOCKS:
        return _box_shell(size, mass) if shell else _about((a * a, b * b, c * c), mass / 3)
    return ORIGIN


def _about(squares: Vector, weight: float) -> Vector:
    a, b, c = squares
    return (weight * (b + c), weight * (a + c), weight * (a + b))


def _capsule(radius: float, half: float, mass: float, shell: bool) -> Vector:
    """A cylinder, and two half balls whose centres of mass are off its ends."""
    square, length = radius * radius, 2 * half
    if shell:
        ball = mass * 2 * radius / (2 * radius + length)
        tube = mass - ball
        off, own = half + radius / 2, radius / 2
        across = tube * (6 * square + length * length) / 12
        across += 2 * ball * square / 3 + ball * (off * off - own * own)
        return (across, across, tube * square + 2 * ball * square / 3)
    ball = mass * 4 * radius / (4 * radius + 3 * length)
    tube = mass - ball
    across = tube * (3 * square + length * length) / 12
    across += 2 * ball * square / 5 + ball * length * (3 * radius + 2 * length) / 8
    return (across, across, tube * square / 2 + 2 * ball * square / 5)


def _cylinder(radius: float, half: float, mass: float, shell: bool) -> Vector:
    square, length = radius * radius, 2 * half
    if not shell:
        across = mass * (3 * square + length * length) / 12
        return (across, across, mass * square / 2)
    disc = mass * radius / (2 * radius + 2 * length)
    tube = mass - 2 * disc
    across = tube * (6 * square + length * length) / 12 + 2 * disc * (square / 4 + half * half)
    return (across, across, tube * square + disc * square)


def _ellipsoid_shell(size: Vector, mass: float) -> Vector:
    a, b, c = size
    d, e, f = a + SKIN, b + SKIN, c + SKIN
    inner, outer = 4 * pi * a * b * c / 3, 4 * pi * d * e * f / 3
    density = mass / (outer - inner)
    less, more = inner * density, outer * density
    return (
        more * (e * e + f * f) / 5 - less * (b * b + c * c) / 5,
        more * (d * d + f * f) / 5 - less * (a * a + c * c) / 5,
        more * (d * d + e * e) / 5 - less * (a * a + b * b) / 5,
    )


def _box_shell(size: Vector, mass: float) -> Vector:
    """Six plates: pairs across z, x and y."""
    a, b, c = size
    aa, bb, cc = a * a, b * b, c * c
    whole = a * b + b * c + c * a
    z, x, y = mass * a * b / whole, mass * b * c / whole, mass * c * a / whole
    return (
        z * (cc + bb / 3) + x * (bb + cc) / 3 + y * (bb + cc / 3),
        z * (cc + aa / 3) + x * (aa + cc / 3) + y * (aa + cc) / 3,
        z * (aa + bb) / 3 + x * (aa + bb / 3) + y * (bb + aa / 3),
    )


# --- added mass in a fluid --------------------------------------------------------------------------------

_WEIGHTS = (0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107)
"""Of Gauss-Kronrod quadrature with 15 points, up to the middle one."""
_POINTS = (
    *(7.865151709349917e-08, 1.7347976913907274e-05, 0.0003548008144506193, 0.002846636252924549),
    *(0.014094260903596077, 0.053063261727396636, 0.17041978741317773, 0.5, 1.4036301548686991),
    *(3.9353484827022642, 11.644841677041734, 39.53187807410903, 177.5711362220801, 1429.4772912937397),
    54087.416549217705,
)
"""Where the integrand is taken: x^3 / (1 - x)^2 at the points x of the quadrature."""
_SLOPES = (
    *(5.538677720489877e-05, 0.002080868285293228, 0.016514126520723166, 0.07261900344370877),
    *(0.23985243401862602, 0.6868318249020725, 1.8551129519182894, 5.0, 14.060031152313941),
    *(43.28941239611009, 156.58546376397112, 747.9826085305024, 5827.4042950027115, 116754.0197944512),
    25482945.327264845,
)
"""The derivative of that by x."""


def semi_axes(kind: GeomType, size: Vector) -> Vector:
    """The half axes of the ellipsoid that stands in for a shape in a fluid."""
    a, b, c = size
    if kind is GeomType.SPHERE:
        return (a, a, a)
    if kind is GeomType.CAPSULE:
        return (a, a, a + b)
    if kind is GeomType.CYLINDER:
        return (a, a, b)
    return (a, b, c)


def virtual_mass(axes: Vector, least: float) -> tuple[Vector, Vector]:
    """What an ellipsoid moves along of the fluid around: volumes (m^3), second moments (m^5) along its axes.

    Lamb, Hydrodynamics, art. 114 and 115. The integrals are taken at 15 points, with the digits MuJoCo has.
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
