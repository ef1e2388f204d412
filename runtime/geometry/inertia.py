"""Whether six numbers can be moments of inertia of a body."""

from __future__ import annotations

import math
from collections.abc import Sequence

SLACK = 1e-3
"""Tolerance relative to the largest moment: files have few digits."""
NOTHING = 1e-30
"""kg m^2: smaller moments are rounding errors of zeros."""


def inertia_fault(moments: Sequence[float]) -> str | None:
    """Why xx yy zz xy xz yz cannot be moments of inertia, or None; all zero is a point.

    The principal moments must be positive and none may be greater than the sum of the other two, within
    `SLACK`.
    """
    largest = max(abs(moment) for moment in moments)
    if largest < NOTHING:
        return None
    low, middle, high = (largest * value for value in _eigenvalues([moment / largest for moment in moments]))
    if low < -SLACK * largest:
        return f"its smallest principal moment is {low:.6g}, which is negative"
    if high > low + middle + SLACK * largest:
        others = f"{low:.6g} and {middle:.6g}"
        return f"its principal moment {high:.6g} is greater than the sum of the others, {others}"
    return None


def _eigenvalues(matrix: Sequence[float]) -> tuple[float, float, float]:
    """Eigenvalues of a symmetric matrix, ascending, by the cosine solution of cubics (O. K. Smith, 1961)."""
    xx, yy, zz, xy, xz, yz = matrix
    mean = (xx + yy + zz) / 3
    x, y, z = xx - mean, yy - mean, zz - mean
    off = xy * xy + xz * xz + yz * yz
    radius = math.sqrt((x * x + y * y + z * z + 2 * off) / 6)
    if radius == 0.0:
        return mean, mean, mean
    determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz)
    angle = math.acos(max(-1.0, min(1.0, determinant / (2 * radius**3)))) / 3
    high = mean + 2 * radius * math.cos(angle)
    low = mean + 2 * radius * math.cos(angle + 2 * math.pi / 3)
    return low, 3 * mean - low - high, high
