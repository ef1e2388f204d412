"""The mass properties of rigidly joined parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.errors import GeometryError
from polybody.geometry.jacobi import principal_axes

Reals = NDArray[np.float64]

LEAST = 1e-14
"""kg: parts of less in all have no centre of mass."""


class Part(NamedTuple):
    """A piece of a body, or a whole: mass, kg, centre of mass and principal axes in the body's frame."""

    mass: float
    pos: Reals
    """(3,), m"""
    quat: Reals
    """(4,), of unit length"""
    moments: Reals
    """(3,): principal moments of inertia about ``pos``, kg m^2."""


def inertia_tensor(parts: Sequence[Part]) -> tuple[float, Reals, Reals]:
    """Mass, kg, centre of mass, (3,), m, and tensor of inertia about it, (3, 3), kg m^2, in the body's axes.

    Without mass, zeros. The tensor is the sum of the parts' own, turned, and of their masses' away from the
    centre (parallel axes).
    """
    total = 0.0
    sums = [0.0, 0.0, 0.0]
    for part in parts:
        total += part.mass
        sums = [value + part.mass * place for value, place in zip(sums, part.pos, strict=True)]
    if not total > 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = [value / total for value in sums]
    tensor = [0.0] * 6
    for part in parts:
        turn, moments, mass = axes(part.quat), part.moments, float(part.mass)
        x, y, z = (place - middle for place, middle in zip(part.pos, centre, strict=True))
        diagonal = (mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y))
        away = (*diagonal, -mass * x * y, -mass * x * z, -mass * y * z)
        for place, (i, j) in enumerate(PLACES):
            tensor[place] += sum(turn[i][k] * (moments[k] * turn[j][k]) for k in range(3))
            tensor[place] += away[place]
    xx, yy, zz, xy, xz, yz = tensor
    return total, np.array(centre), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def axes(quat: Sequence[float] | Reals) -> list[list[float]]:
    """The matrix of a unit quaternion, in rows.

    Its diagonal is that of w^2 + x^2 - y^2 - z^2, as in MuJoCo; the shorter form rounds to other zeros, and
    principal axes follow from such.
    """
    w, x, y, z = (float(part) for part in quat)
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]


def combined(parts: Sequence[Part]) -> Part:
    """Parts as one. A single part is the whole as it is: its axes are neither sorted nor turned.

    Raises:
        GeometryError: the parts have no mass in all.
    """
    if len(parts) == 1:
        return parts[0]
    mass, centre, tensor = inertia_tensor(parts)
    if mass < LEAST:
        raise GeometryError(f"has a mass of {mass:.3g} kg, which is too small")
    moments, quat = principal_axes(tensor)
    return Part(mass, centre, quat, moments)
