"""Mass properties of homogeneous shapes, and of bodies made of several.

A shape's frame, and the meaning of its sizes, are the Model's: half lengths, axes of revolution along z.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry import composition, shapes

Reals = NDArray[np.float64]
Moments = shapes.Moments


def _per_mass(shape: str) -> Callable[[Sequence[float]], Moments]:
    return lambda size: shapes.moments(shape, size, 1.0)


MOMENTS: Mapping[str, Callable[[Sequence[float]], Moments]] = {
    name: _per_mass(name) for name in ("sphere", "ellipsoid", "box", "cylinder", "capsule")
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
    pieces = [
        composition.Part(
            part.mass, part.pos, part.quat, np.array(shapes.moments(part.shape, part.size, part.mass))
        )
        for part in parts
        if part.mass > 0
    ]
    total, centre, inertia = composition.inertia_tensor(pieces)
    if not pieces:
        return MassProperties(total, centre, inertia)
    # Turning by a right angle leaves rounding beside the diagonal, which would become other principal axes.
    inertia[np.abs(inertia) < 8 * np.finfo(float).eps * np.trace(inertia)] = 0.0
    return MassProperties(total, centre, inertia)
