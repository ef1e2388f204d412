"""Mass properties of bodies made of homogeneous shapes.

A shape's frame, and the meaning of its sizes, are the Model's: half lengths, axes of revolution along z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.composition import axes
from polybody.rotations.arrays import of_matrix

Reals = NDArray[np.float64]
ROUNDING = 8 * float(np.finfo(float).eps)
"""Tolerance of off-diagonal entries relative to an inertia's trace: smaller ones are rounding errors."""
_BESIDE = [1, 2, 3, 5, 6, 7]
"""Indices of the off-diagonal entries among nine numbers."""


class Parts(NamedTuple):
    """Homogeneous parts of bodies, a row for each: their bodies, masses and poses in the bodies' frames."""

    body: NDArray[np.intp]
    mass: Reals
    """(n,), kg"""
    pos: Reals
    """(n, 3), m: centres of mass"""
    quat: Reals
    """(n, 4): principal axes"""
    moments: Reals
    """(n, 3), kg m^2: principal moments about the centre"""

    def where(self, chosen: NDArray[np.bool_]) -> Parts:
        """Some of the rows."""
        body, mass, pos, quat, moments = self
        return Parts(body[chosen], mass[chosen], pos[chosen], quat[chosen], moments[chosen])


class MassProperties(NamedTuple):
    """Mass properties of bodies, a row for each, in their own axes: masses, centres of mass and inertias
    about these.
    """

    mass: Reals
    """(n,), kg"""
    centre: Reals
    """(n, 3), m"""
    inertia: Reals
    """(n, 3, 3), kg m^2"""


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def compose(parts: Parts, count: int) -> MassProperties:
    """The mass properties of bodies of rigidly joined parts (parallel axis theorem); zeros without mass."""
    body, mass, pos, quat, moments = parts.where(parts.mass > 0)

    def summed(terms: Reals) -> Reals:
        return np.bincount(body, terms, count).astype(np.float64, copy=False)

    total = summed(mass)
    centre = np.stack([summed(mass * along) for along in pos.T], axis=-1) / total[:, None]
    centre[~(total > 0)] = 0.0
    (a, b, c), (d, e, f), (g, h, m) = axes(tuple(quat.T))
    i, j, k = moments.T
    ai, bj, ck, di, ej, fk, gi, hj, mk = a * i, b * j, c * k, d * i, e * j, f * k, g * i, h * j, m * k
    u, v, w = (pos - centre[body]).T
    inertia = np.empty((count, 3, 3))
    inertia[:, 0, 0] = summed(a * ai + b * bj + c * ck + mass * (v * v + w * w))
    inertia[:, 1, 1] = summed(d * di + e * ej + f * fk + mass * (u * u + w * w))
    inertia[:, 2, 2] = summed(g * gi + h * hj + m * mk + mass * (u * u + v * v))
    inertia[:, 0, 1] = inertia[:, 1, 0] = summed(a * di + b * ej + c * fk - mass * u * v)
    inertia[:, 0, 2] = inertia[:, 2, 0] = summed(a * gi + b * hj + c * mk - mass * u * w)
    inertia[:, 1, 2] = inertia[:, 2, 1] = summed(d * gi + e * hj + f * mk - mass * v * w)
    # Rotating by a right angle leaves rounding errors off the diagonal, which would change the principal
    # axes.
    inertia[np.abs(inertia) < ROUNDING * np.trace(inertia, axis1=1, axis2=2)[:, None, None]] = 0.0
    return MassProperties(total, centre, inertia)


def principal(inertia: Reals) -> tuple[Reals, Reals]:
    """Principal moments (n, 3), and the quaternions (n, 4) of their axes, of inertias (n, 3, 3).

    A diagonal inertia keeps its axes and the order of its moments; others have ascending moments.
    """
    moments = inertia.diagonal(axis1=1, axis2=2).copy()
    quat = np.zeros((len(inertia), 4))
    quat[:, 0] = 1.0
    turned = inertia.reshape(-1, 9)[:, _BESIDE].any(axis=1)
    if turned.any():
        moments[turned], axes = np.linalg.eigh(inertia[turned])
        axes[np.linalg.det(axes) < 0, :, 0] *= -1.0
        quat[turned] = of_matrix(axes)
    return moments, quat
