"""Scales of frames, and what they do to single values of an element."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.generated.formats.mjcf import FrameScaling
from polybody.lowering.mjcf.elements import Values
from polybody.lowering.mjcf.problems import Problems
from polybody.rotations.poses import Vector

Matrix = NDArray[np.float64]


class Scale(NamedTuple):
    """Factors of lengths and masses, and of the units of length and mass in which forces are given."""

    length: float = 1.0
    mass: float = 1.0
    unit_length: float = 1.0
    unit_mass: float = 1.0
    stretch: tuple[float, ...] | None = None
    """If lengths in different directions have different factors, the rows of the linear map of positions, in
    the coordinates of what the scale is of; `length` is their geometric mean then.
    """

    @property
    def force(self) -> float:
        """The factor of forces."""
        return self.unit_mass * self.unit_length

    @property
    def torque(self) -> float:
        """The factor of torques."""
        return self.unit_mass * self.unit_length * self.unit_length

    @property
    def map(self) -> Matrix:
        """The linear map of positions."""
        return self.length * np.eye(3) if self.stretch is None else np.reshape(self.stretch, (3, 3))

    def moved(self, place: tuple[float, ...]) -> Vector:
        """Where a position goes."""
        if self.stretch is None:
            x, y, z = place
            return (x * self.length, y * self.length, z * self.length)
        x, y, z = (self.map @ place).tolist()
        return (x, y, z)

    def turned(self, axes: Matrix) -> Scale:
        """The same scale in the coordinates of other axes, which are the columns."""
        if self.stretch is None:
            return self
        return self._replace(stretch=_flat(axes.T @ self.map @ axes))

    def times(self, inner: Scale) -> Scale:
        """That inside a frame with a scale of its own, in whose coordinates this scale is."""
        length, mass, unit_length, unit_mass = (a * b for a, b in zip(self[:4], inner[:4], strict=True))
        found = Scale(length, mass, unit_length, unit_mass)
        if self.stretch is None and inner.stretch is None:
            return found
        return found._replace(stretch=_flat(self.map @ inner.map))


class Coordinate(NamedTuple):
    """Factors of a length or an angle, of it as the unit of stiffness, and of the force along it."""

    size: float
    unit: float
    force: float


SAME = Scale()


def _flat(stretch: Matrix) -> tuple[float, ...]:
    return tuple(stretch.ravel().tolist())


def scale_of(values: Values, node: Any, problems: Problems) -> Scale:
    """The factors of a frame's attributes."""
    given, mass = values.get("scale", 1.0), values.get("massscale", 0.0)
    factors = given if isinstance(given, tuple) else (given,)
    if any(not 0 < factor < float("inf") for factor in factors) or not 0 <= mass < float("inf"):
        problems.add(node, "the factors of a frame must be finite and positive", "scale")
        return SAME
    similar = values.get("scaling", FrameScaling.SIMILAR) is FrameScaling.SIMILAR
    if len(set(factors)) > 1:
        if similar:
            message = 'a frame with different scales along its axes needs `scaling` "geometry"'
            problems.add(node, message, "scale")
            return SAME
        x, y, z = factors
        volume = x * y * z
        return Scale(volume ** (1 / 3), mass or volume, stretch=_flat(np.diag(factors)))
    length = factors[0]
    mass = mass or length * length * length
    return Scale(length, mass, length, mass) if similar else Scale(length, mass)


def mean(scales: Iterable[Scale]) -> Scale:
    """The geometric mean of two scales, or the only one."""
    one, other = (*scales, None)[:2]
    if other is None or one == other:
        return one or SAME
    pairs = zip((one or SAME)[:4], other[:4], strict=True)
    length, mass, unit_length, unit_mass = (sqrt(a * b) for a, b in pairs)
    return Scale(length, mass, unit_length, unit_mass)


def linear(scale: Scale) -> Coordinate:
    """A coordinate that is a length."""
    return Coordinate(scale.length, scale.unit_length, scale.force)


def angular(scale: Scale) -> Coordinate:
    """A coordinate that is an angle."""
    return Coordinate(1.0, 1.0, scale.torque)


def multiply(values: Values, name: str, factor: float) -> None:
    """Multiply a number, or each of several, if there is one."""
    given = values.get(name)
    if isinstance(given, tuple):
        values[name] = tuple([number * factor for number in given])
    elif given is not None:
        values[name] = given * factor


def move(values: Values, name: str, scale: Scale) -> None:
    """Map a position, or both ends of something, if there are any."""
    given = values.get(name)
    if given is not None:
        values[name] = scale.moved(given[:3]) + (scale.moved(given[3:]) if given[3:] else ())


def width(values: Values, name: str, factor: float) -> None:
    """Multiply the width of the region of an impedance."""
    given = values[name]
    values[name] = (*given[:2], given[2] * factor, *given[3:])


def series(values: Values, name: str, along: Coordinate) -> None:
    """A stiffness or a damping, which may be followed by coefficients of higher powers of the coordinate."""
    given = values.get(name)
    if isinstance(given, tuple):
        values[name] = tuple([k * along.force / along.unit ** (n + 1) for n, k in enumerate(given)])
    elif given is not None:
        values[name] = given * along.force / along.unit
