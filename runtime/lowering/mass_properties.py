"""Mass properties of homogeneous shapes, and of bodies made of several.

A shape's frame, and the meaning of its sizes, are the Model's: half lengths, axes of revolution along z.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.rotations import matrix

Reals = NDArray[np.float64]
Moments = tuple[float, float, float]


# Products instead of powers: Python's powers raise on overflow; it is the Model that refuses infinity.


def _sphere(size: Sequence[float]) -> Moments:
    return (0.4 * size[0] * size[0],) * 3


def _ellipsoid(size: Sequence[float]) -> Moments:
    x, y, z = (half * half / 5 for half in size)
    return y + z, x + z, x + y


def _box(size: Sequence[float]) -> Moments:
    x, y, z = (half * half / 3 for half in size)
    return y + z, x + z, x + y


def _cylinder(size: Sequence[float]) -> Moments:
    radius, half = size[0], size[1]
    across = radius * radius / 4 + half * half / 3
    return across, across, radius * radius / 2


def _capsule(size: Sequence[float]) -> Moments:
    """A cylinder and two hemispheres; a hemisphere's centre of mass is 3/8 radius from its flat face."""
    radius, half = size[0], size[1]
    middle = 2 * half / (2 * half + 4 / 3 * radius)  # the cylinder's share of the volume
    caps = 1 - middle
    tube = _cylinder(size)
    across = 0.4 * radius * radius + 0.75 * radius * half + half * half
    along = 0.4 * radius * radius
    return (middle * tube[0] + caps * across,) * 2 + (middle * tube[2] + caps * along,)


MOMENTS: Mapping[str, Callable[[Sequence[float]], Moments]] = {
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "box": _box,
    "cylinder": _cylinder,
    "capsule": _capsule,
}
"""Principal moments of inertia about the centre per mass, m^2, from the sizes, m, by the shape's name."""


class Part(NamedTuple):
    """A homogeneous piece of a body: its shape, mass and place in the body's frame."""

    shape: str
    size: Sequence[float]
    mass: float
    pos: Reals
    quat: Reals


class MassProperties(NamedTuple):
    """Mass (kg), centre of mass (m) and inertia about it (3x3, kg m^2), in the body's axes."""

    mass: float
    centre: Reals
    inertia: Reals


@np.errstate(over="ignore", invalid="ignore")
def compose(parts: Iterable[Part]) -> MassProperties:
    """The mass properties of rigidly joined parts (parallel axes); without mass, zeros."""
    parts = [part for part in parts if part.mass > 0]
    total = sum(part.mass for part in parts)
    if not parts:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = np.sum([part.mass / total * part.pos for part in parts], axis=0)
    inertia = np.zeros((3, 3))
    for part in parts:
        turn = matrix(part.quat)
        arm = part.pos - centre
        inertia += part.mass * (turn * MOMENTS[part.shape](part.size) @ turn.T)
        inertia += part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    inertia = (inertia + inertia.T) / 2
    # Turning by a right angle leaves rounding beside the diagonal, which would become other principal axes.
    inertia[np.abs(inertia) < 8 * np.finfo(float).eps * np.trace(inertia)] = 0.0
    return MassProperties(total, centre, inertia)
