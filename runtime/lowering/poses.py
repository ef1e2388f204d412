"""Poses of frames: a position and a unit quaternion, composed number by number.

Trees of frames are small and their poses many: numbers of Python are faster here than arrays of three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Tensor = tuple[float, float, float, float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)


class Pose(NamedTuple):
    """Where a frame is in another: ``a @ b`` is where ``b``, a pose in ``a``, is in the frame around."""

    pos: Vector = ORIGIN
    """m"""
    quat: Quaternion = UPRIGHT
    """w first: turns vectors of the frame to the other one's axes."""

    def __matmul__(self, other: Pose) -> Pose:
        if self == IDENTITY:
            return other
        x, y, z = turned(self.quat, other.pos)
        a, b, c = self.pos
        return Pose((a + x, b + y, c + z), product(self.quat, other.quat))

    def inverse(self) -> Pose:
        """The pose of the other frame in this one."""
        if self == IDENTITY:
            return self
        w, x, y, z = self.quat
        back = (w, -x, -y, -z)
        a, b, c = turned(back, self.pos)
        return Pose((0.0 - a, 0.0 - b, 0.0 - c), back)

    def point(self, point: Sequence[float]) -> Vector:
        """A point of the frame, in the other one."""
        x, y, z = turned(self.quat, point)
        a, b, c = self.pos
        return a + x, b + y, c + z

    def vector(self, vector: Sequence[float]) -> Vector:
        """A vector of the frame, in the other one's axes."""
        return turned(self.quat, vector)


IDENTITY = Pose()


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The unit quaternion that turns by b, then by a."""
    if b == UPRIGHT:
        return a
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    w = aw * bw - ax * bx - ay * by - az * bz
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length


def turned(quat: Quaternion, vector: Sequence[float]) -> Vector:
    """A vector (3,) turned by a unit quaternion."""
    x, y, z = vector
    if quat == UPRIGHT:
        return x, y, z
    w, a, b, c = quat
    # v + 2 w (q x v) + 2 q x (q x v)
    d, e, f = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return x + w * d + b * f - c * e, y + w * e + c * d - a * f, z + w * f + a * e - b * d


def roll_pitch_yaw(angles: Sequence[float]) -> Quaternion:
    """Rz(yaw) Ry(pitch) Rx(roll), of angles in rad about fixed axes."""
    roll, pitch, yaw = angles
    if roll == pitch == yaw == 0.0:
        return UPRIGHT
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def unit_vector(vector: Sequence[float]) -> Vector:
    """A vector of length 1 along another.

    Raises:
        ValueError: it has no direction.
    """
    x, y, z = vector
    length = math.hypot(x, y, z)
    if not (length > 0 and math.isfinite(length)):
        raise ValueError(f"{list(vector)} has zero length")
    if length == 1.0:
        return x, y, z
    return x / length, y / length, z / length


def z_to(axis: Sequence[float]) -> Quaternion:
    """The smallest rotation that turns the z axis to a unit vector; half a turn about x to -z."""
    x, y, z = axis
    if x == y == 0.0:
        return UPRIGHT if z > 0 else (0.0, 1.0, 0.0, 0.0)
    # The rotation is about z x axis = (-y, x, 0), whose length is the sine of its angle, and z the cosine.
    if z > 0:
        w = math.sqrt((1 + z) / 2)
        return w, -y / (2 * w), x / (2 * w), 0.0
    sine, half = math.hypot(x, y), math.sqrt((1 - z) / 2)
    return sine / (2 * half), -y * half / sine, x * half / sine, 0.0


def columns_of(quat: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The axes of a frame, one after the other, in the other frame's axes."""
    if quat == UPRIGHT:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    w, x, y, z = quat
    wx, wy, wz = 2 * w * x, 2 * w * y, 2 * w * z
    xx, xy, xz, yy, yz, zz = 2 * x * x, 2 * x * y, 2 * x * z, 2 * y * y, 2 * y * z, 2 * z * z
    return (
        (1 - (yy + zz), xy + wz, xz - wy),
        (xy - wz, 1 - (xx + zz), yz + wx),
        (xz + wy, yz - wx, 1 - (xx + yy)),
    )


def of_axes(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> Quaternion:
    """The unit quaternion of a frame whose axes these are, right-handed and orthonormal."""
    import numpy as np
    from polybody.rotations import of_matrix

    w, a, b, c = of_matrix(np.array([x, y, z], dtype=np.float64).T).tolist()
    return w, a, b, c


def rotated_tensor(
    quat: Quaternion, tensor: Sequence[float]
) -> tuple[float, float, float, float, float, float]:
    """R I R^T of a symmetric tensor xx yy zz xy xz yz, whose axes a unit quaternion turns to others."""
    xx, yy, zz, xy, xz, yz = tensor
    if quat == UPRIGHT:
        return xx, yy, zz, xy, xz, yz
    (ax, bx, cx), (ay, by, cy), (az, bz, cz) = columns_of(quat)  # R's rows are (ax, ay, az)...
    # The rows of R I, then their products with the rows of R.
    pa, qa, ra = ax * xx + ay * xy + az * xz, ax * xy + ay * yy + az * yz, ax * xz + ay * yz + az * zz
    pb, qb, rb = bx * xx + by * xy + bz * xz, bx * xy + by * yy + bz * yz, bx * xz + by * yz + bz * zz
    pc, qc, rc = cx * xx + cy * xy + cz * xz, cx * xy + cy * yy + cz * yz, cx * xz + cy * yz + cz * zz
    return (
        pa * ax + qa * ay + ra * az,
        pb * bx + qb * by + rb * bz,
        pc * cx + qc * cy + rc * cz,
        pa * bx + qa * by + ra * bz,
        pa * cx + qa * cy + ra * cz,
        pb * cx + qb * cy + rb * cz,
    )


def pose_of_origin(origin: Any) -> Pose:
    """The pose of an element with ``xyz``, m, and ``rpy``, rad, either of them None; of None the identity."""
    if origin is None:
        return IDENTITY
    pos = ORIGIN if origin.xyz is None else origin.xyz
    return Pose(pos, UPRIGHT if origin.rpy is None else roll_pitch_yaw(origin.rpy))
