"""Volumes, areas and moments of inertia of homogeneous primitive shapes, solid or hollow.

A shape's frame and the meaning of its sizes are the Model's: the centre, half lengths, axes of revolution
along z. Sizes are in m. A shell is infinitely thin, of uniform thickness.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Sizes = Sequence[float]
Moments = tuple[float, float, float]

THOMSEN = 1.6075
"""Exponent of Thomsen's approximation of an ellipsoid's area (its error is below 1.1 %)."""
GROWTH = 1e-6
"""m, by which an ellipsoid grows: the inertia of its shell is computed from the difference, as in MuJoCo."""

# Products instead of powers: Python's powers raise on overflow, but infinity is refused by the Model.


class Shape(NamedTuple):
    """Properties of a shape, each as a function of its sizes (and mass, kg)."""

    volume: Callable[[Sizes], float]
    area: Callable[[Sizes], float]
    solid: Callable[[float, Sizes], Moments]
    shell: Callable[[float, Sizes], Moments]


def _sphere_solid(mass: float, size: Sizes) -> Moments:
    return (2 * mass * size[0] * size[0] / 5,) * 3


def _sphere_shell(mass: float, size: Sizes) -> Moments:
    return (2 * mass * size[0] * size[0] / 3,) * 3


def _capsule_volume(size: Sizes) -> float:
    radius, height = size[0], 2 * size[1]
    return math.pi * (radius * radius * height + 4 * radius * radius * radius / 3)


def _capsule_area(size: Sizes) -> float:
    radius, height = size[0], 2 * size[1]
    return 4 * math.pi * radius * radius + 2 * math.pi * radius * height


def _capsule_solid(mass: float, size: Sizes) -> Moments:
    """A cylinder and two hemispheres, whose centres of mass are 3/8 radius from their flat faces."""
    radius, height = size[0], 2 * size[1]
    caps = mass * 4 * radius / (4 * radius + 3 * height)
    tube = mass - caps
    ball = 2 * caps * radius * radius / 5
    across = tube * (3 * radius * radius + height * height) / 12
    across += ball + caps * height * (3 * radius + 2 * height) / 8
    return across, across, tube * radius * radius / 2 + ball


def _capsule_shell(mass: float, size: Sizes) -> Moments:
    """An open tube and two hemispheres, whose centres of mass are 1/2 radius from their rims."""
    radius, height = size[0], 2 * size[1]
    caps = mass * 2 * radius / (2 * radius + height)
    tube = mass - caps
    ball = 2 * caps * radius * radius / 3
    across = tube * (6 * radius * radius + height * height) / 12
    across += ball + caps * height * (2 * radius + height) / 4
    return across, across, tube * radius * radius + ball


def _cylinder_volume(size: Sizes) -> float:
    return math.pi * size[0] * size[0] * 2 * size[1]


def _cylinder_area(size: Sizes) -> float:
    return 2 * math.pi * size[0] * (size[0] + 2 * size[1])


def _cylinder_solid(mass: float, size: Sizes) -> Moments:
    radius, height = size[0], 2 * size[1]
    across = mass * (3 * radius * radius + height * height) / 12
    return across, across, mass * radius * radius / 2


def _cylinder_shell(mass: float, size: Sizes) -> Moments:
    """A tube and two discs."""
    radius, height = size[0], 2 * size[1]
    discs = mass * radius / (radius + height)
    tube = mass - discs
    across = tube * (6 * radius * radius + height * height) / 12
    across += discs * (radius * radius + height * height) / 4
    return across, across, tube * radius * radius + discs * radius * radius / 2


def _ellipsoid_volume(size: Sizes) -> float:
    return 4 * math.pi * size[0] * size[1] * size[2] / 3


def _ellipsoid_area(size: Sizes) -> float:
    a, b, c = size[:3]
    powers = math.pow(a * b, THOMSEN) + math.pow(b * c, THOMSEN) + math.pow(c * a, THOMSEN)
    return 4 * math.pi * math.pow(powers / 3, 1 / THOMSEN)


def _ellipsoid_solid(mass: float, size: Sizes) -> Moments:
    x, y, z = (half * half for half in size[:3])
    return mass * (y + z) / 5, mass * (x + z) / 5, mass * (x + y) / 5


def _ellipsoid_shell(mass: float, size: Sizes) -> Moments:
    inner = _ellipsoid_volume(size)
    grown = [half + GROWTH for half in size[:3]]
    outer = _ellipsoid_volume(grown)
    density = mass / (outer - inner)
    less, more = _ellipsoid_solid(inner * density, size), _ellipsoid_solid(outer * density, grown)
    return more[0] - less[0], more[1] - less[1], more[2] - less[2]


def _box_volume(size: Sizes) -> float:
    return size[0] * size[1] * size[2] * 8


def _box_area(size: Sizes) -> float:
    return 8 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0])


def _box_solid(mass: float, size: Sizes) -> Moments:
    x, y, z = (half * half for half in size[:3])
    return mass * (y + z) / 3, mass * (x + z) / 3, mass * (x + y) / 3


def _box_shell(mass: float, size: Sizes) -> Moments:
    """Three pairs of plates."""
    x, y, z = (2 * half for half in size[:3])
    plates = (y * z, x * z, x * y)
    share = mass / sum(plates)
    pairs = [share * plate for plate in plates]
    squares = [x * x, y * y, z * z]
    along = [  # the sums of mass times the square of each coordinate
        sum(pair * (square / 4 if pair_axis == axis else square / 12) for pair_axis, pair in enumerate(pairs))
        for axis, square in enumerate(squares)
    ]
    return along[1] + along[2], along[0] + along[2], along[0] + along[1]


def _height_field_box(size: Sizes) -> Sizes:
    """The box that represents a height field: as wide, half as high as its peak and base together."""
    return size[0], size[1], 0.25 * size[2] + 0.5 * size[3]


SHAPES: Mapping[str, Shape] = {
    "sphere": Shape(
        lambda size: 4 * math.pi * size[0] * size[0] * size[0] / 3,
        lambda size: 4 * math.pi * size[0] * size[0],
        _sphere_solid,
        _sphere_shell,
    ),
    "capsule": Shape(_capsule_volume, _capsule_area, _capsule_solid, _capsule_shell),
    "cylinder": Shape(_cylinder_volume, _cylinder_area, _cylinder_solid, _cylinder_shell),
    "ellipsoid": Shape(_ellipsoid_volume, _ellipsoid_area, _ellipsoid_solid, _ellipsoid_shell),
    "box": Shape(_box_volume, _box_area, _box_solid, _box_shell),
    "hfield": Shape(
        lambda size: _box_volume(_height_field_box(size)),
        lambda size: _box_area(_height_field_box(size)),
        lambda mass, size: _box_solid(mass, _height_field_box(size)),
        lambda mass, size: _box_shell(mass, _height_field_box(size)),
    ),
    "plane": Shape(
        lambda size: 0.0,
        lambda size: 0.0,
        lambda mass, size: (0.0, 0.0, 0.0),
        lambda mass, size: (0.0, 0.0, 0.0),
    ),
}
"""By the shape's name. A height field, with half widths, height and base, is represented by a box."""


def measure(shape: str, size: Sizes, shell: bool = False) -> float:
    """The volume, m^3, or the area, m^2: mass divided by density, or by mass per area."""
    known = SHAPES[shape]
    return known.area(size) if shell else known.volume(size)


def moments(shape: str, size: Sizes, mass: float, shell: bool = False) -> Moments:
    """Principal moments of inertia about the centre, kg m^2, for a mass, kg."""
    known = SHAPES[shape]
    return known.shell(mass, size) if shell else known.solid(mass, size)


FAR = 1e10
"""m: half width of unbounded shapes."""


def bounds(shape: str, size: Sizes) -> tuple[Moments, Moments, float]:
    """The corners of the axis-aligned bounding box of a shape, m, and the radius of the bounding sphere about
    its origin.

    Args:
        shape: "plane", "sphere", "capsule", "cylinder", "ellipsoid" or "box"; for others, corners and radius
            are (a, b, c) and 0.
        size: its three sizes, m.
    """
    a, b, c = size
    if shape == "plane":
        return (-FAR, -FAR, -FAR), (FAR, FAR, 0.0), 0.0
    if shape == "sphere":
        return (-a, -a, -a), (a, a, a), a
    if shape == "capsule":
        return (-a, -a, -(a + b)), (a, a, a + b), a + b
    if shape == "cylinder":
        return (-a, -a, -b), (a, a, b), math.sqrt(a * a + b * b)
    far = max(a, b, c) if shape == "ellipsoid" else math.sqrt(a * a + b * b + c * c)
    return (-a, -b, -c), (a, b, c), far if shape in ("ellipsoid", "box") else 0.0
