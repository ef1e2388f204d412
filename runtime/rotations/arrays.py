"""Rotations, one or many, as unit quaternions: w first, active (from the rotated frame to its parent)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]
ROUNDING = 4e-16
"""A vector whose length differs from 1 by less than this is already normalised and is left unchanged."""


def unit(quat: ArrayLike) -> Reals:
    """Quaternions of length 1, (..., 4).

    Raises:
        ValueError: one has length zero, or is not finite.
    """
    quat = np.array(quat, dtype=np.float64)
    greatest = np.abs(quat).max(axis=-1, keepdims=True)
    if not np.all(np.isfinite(greatest) & (greatest > 0)):
        raise ValueError(f"{quat.tolist()} is not a rotation")
    quat /= greatest  # avoids overflow of the squares
    return np.asarray(quat / np.sqrt(np.einsum("...i,...i->...", quat, quat))[..., None])


def conjugate(quat: ArrayLike) -> Reals:
    """The inverses of unit quaternions (..., 4): active ones for passive ones and the reverse."""
    return np.asarray(quat, dtype=np.float64) * (1.0, -1.0, -1.0, -1.0)


def product(a: ArrayLike, b: ArrayLike) -> Reals:
    """The quaternions of the rotations by b, then by a, (..., 4)."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, dtype=np.float64), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, dtype=np.float64), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def about(axis: ArrayLike, angle: ArrayLike) -> Reals:
    """Rotations (..., 4) by angles (...), rad, about a unit axis (3,)."""
    half = np.asarray(angle, dtype=np.float64)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, dtype=np.float64)], axis=-1)


def rotation_vector(quat: ArrayLike) -> Reals:
    """Rotation vectors (..., 3) of unit quaternions (..., 4): axis times angle, at most half a turn."""
    quat = np.asarray(quat, dtype=np.float64)
    axis, sine = quat[..., 1:], np.linalg.norm(quat[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, np.abs(quat[..., :1]))
    share = np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0)
    return np.asarray(np.where(quat[..., :1] < 0, -share, share) * axis)


def euler(angles: ArrayLike, order: str) -> Reals:
    """Products of elementary rotations (..., 4): ``euler((a, b, c), "zyx")`` is Rz(a) Ry(b) Rx(c), of angles
    (..., 3) in rad.
    """
    turns = [
        about(np.eye(3)["xyz".index(axis)], angle)
        for axis, angle in zip(order, np.moveaxis(np.asarray(angles, dtype=np.float64), -1, 0), strict=True)
    ]
    return product(product(turns[0], turns[1]), turns[2])


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
    """The unit quaternions (..., 4) of rotation matrices (..., 3, 3), w not negative.

    A matrix determines every product of two components of its quaternion, times four. The row of the largest
    product is used (Shepperd, Quaternion from Rotation Matrix, J. Guidance and Control 1, 1978).
    """
    turn = np.asarray(turn, dtype=np.float64)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = turn.transpose(-2, -1, *range(turn.ndim - 2))
    square = np.empty((*turn.shape[:-2], 4, 4))
    square[..., 0, 0], square[..., 1, 1] = 1 + xx + yy + zz, 1 + xx - yy - zz
    square[..., 2, 2], square[..., 3, 3] = 1 - xx + yy - zz, 1 - xx - yy + zz
    for row, column, product_ in (
        (0, 1, zy - yz),
        (0, 2, xz - zx),
        (0, 3, yx - xy),
        (1, 2, xy + yx),
        (1, 3, zx + xz),
        (2, 3, yz + zy),
    ):
        square[..., row, column] = square[..., column, row] = product_
    greatest = np.argmax(square.diagonal(axis1=-2, axis2=-1), axis=-1)
    chosen = square.reshape(-1, 4, 4)[np.arange(greatest.size), greatest.ravel()]
    quat = unit(chosen.reshape(*turn.shape[:-2], 4))
    return np.where(quat[..., :1] < 0, -quat, quat)
