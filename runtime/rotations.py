"""Rotations as unit quaternions: w first, active (from the rotated frame to its parent)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]


def unit(quat: ArrayLike) -> Reals:
    """A quaternion of length 1.

    Raises:
        ValueError: it has length zero, or is not finite.
    """
    quat = np.array(quat, dtype=np.float64)
    greatest = float(np.abs(quat).max())
    if not (np.isfinite(greatest) and greatest > 0):
        raise ValueError(f"{quat.tolist()} is no rotation")
    quat = quat / greatest  # so that no square leaves the range of numbers
    return quat / float(np.linalg.norm(quat))


def conjugate(quat: ArrayLike) -> Reals:
    """The inverse of a unit quaternion: an active one for a passive one and the reverse."""
    return np.asarray(quat, dtype=np.float64) * (1.0, -1.0, -1.0, -1.0)


def product(a: ArrayLike, b: ArrayLike) -> Reals:
    """The quaternion that turns by b, then by a."""
    aw, ax, ay, az = np.asarray(a, dtype=np.float64).tolist()
    bw, bx, by, bz = np.asarray(b, dtype=np.float64).tolist()
    return np.array(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ]
    )


def about(axis: ArrayLike, angle: float) -> Reals:
    """The rotation by an angle (rad) about a unit axis."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis, dtype=np.float64)])


def euler(angles: Sequence[float], order: str) -> Reals:
    """Product of elementary rotations: ``euler((a, b, c), "zyx")`` is Rz(a) Ry(b) Rx(c), angles in rad."""
    quat = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(order, angles, strict=True):
        quat = product(quat, about(np.eye(3)["xyz".index(axis)], angle))
    return quat


def matrix(quat: ArrayLike) -> Reals:
    """The matrix of a unit quaternion, its columns the rotated frame's axes; (..., 4) to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(quat, dtype=np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def of_matrix(turn: Reals) -> Reals:
    """The unit quaternion of a rotation matrix, w not negative.

    The matrix gives every product of two of its components, four times; the row of the greatest is used
    (Shepperd, Quaternion from Rotation Matrix, J. Guidance and Control 1, 1978).
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = turn.tolist()
    square = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, xy + yx, zx + xz],
            [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
            [yx - xy, zx + xz, yz + zy, 1 - xx - yy + zz],
        ]
    )
    quat = unit(square[np.argmax(np.diag(square))])
    return -quat if quat[0] < 0 else quat
