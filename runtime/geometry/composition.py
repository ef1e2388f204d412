"""The mass properties of rigidly joined parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.errors import GeometryError
from polybody.geometry.jacobi import principal_axes

Reals = NDArray[np.float64]

LEAST = 1e-14
"""kg: parts with less mass in total have no centre of mass."""


class Part(NamedTuple):
    """A part of a body, or the whole: mass, kg, centre of mass and principal axes in the body's frame."""

    mass: float
    pos: Reals
    """(3,), m"""
    quat: Reals
    """(4,), of unit length"""
    moments: Reals
    """(3,): principal moments of inertia about ``pos``, kg m^2."""


Piece = tuple[float, Any, Any, Any]
"""The content of a Part, in sequences of any kind."""


def inertia_tensor(parts: Sequence[Piece]) -> tuple[float, Reals, Reals]:
    """Mass, kg, centre of mass, (3,), m, and inertia tensor about it, (3, 3), kg m^2, in the body's axes.

    Zeros without mass. The tensor is the sum of the parts' own, rotated, and of those of their masses at a
    distance from the centre (parallel axis theorem).
    """
    total = x = y = z = 0.0
    for mass, (px, py, pz), _, _ in parts:
        total, x, y, z = total + mass, x + mass * px, y + mass * py, z + mass * pz
    if not total > 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    x, y, z = x / total, y / total, z / total
    xx = yy = zz = xy = xz = yz = 0.0
    for mass, (px, py, pz), quat, (i, j, k) in parts:
        (a, b, c), (d, e, f), (g, h, m) = axes(quat)
        ia, jb, kc, id_, je, kf, ig, jh, km = a * i, b * j, c * k, d * i, e * j, f * k, g * i, h * j, m * k
        u, v, w = px - x, py - y, pz - z
        xx = xx + (a * ia + b * jb + c * kc) + mass * (v * v + w * w)
        yy = yy + (d * id_ + e * je + f * kf) + mass * (u * u + w * w)
        zz = zz + (g * ig + h * jh + m * km) + mass * (u * u + v * v)
        xy = xy + (a * id_ + b * je + c * kf) - mass * u * v
        xz = xz + (a * ig + b * jh + c * km) - mass * u * w
        yz = yz + (d * ig + e * jh + f * km) - mass * v * w
    return total, np.array((x, y, z)), np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def axes(quat: Sequence[Any] | Reals) -> list[list[Any]]:
    """The matrix of a unit quaternion, in rows; for four arrays of numbers, its nine arrays.

    Its diagonal is computed from w^2 + x^2 - y^2 - z^2, as in MuJoCo; the shorter form rounds differently
    near zero, on which principal axes depend.
    """
    w, x, y, z = quat.tolist() if isinstance(quat, np.ndarray) else quat
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]


def combined(parts: Sequence[Piece], tolerance: float | None = None) -> Part:
    """Several parts as one. A single part is returned unchanged: its axes are neither sorted nor rotated.

    tolerance: see ``principal_axes``.

    Raises:
        GeometryError: the total mass is zero.
    """
    if len(parts) == 1:
        return Part(*parts[0])
    mass, centre, tensor = inertia_tensor(parts)
    if mass < LEAST:
        raise GeometryError(f"has a mass of {mass:.3g} kg, which is too small")
    moments, quat = principal_axes(tensor, tolerance)
    return Part(mass, centre, quat, moments)
