"""Poses of frames: a position and a unit quaternion, as tuples of numbers.

Trees of frames are small, but there are many poses: for these, tuples are faster than arrays of three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from polybody.rotations import turns

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Tensor = tuple[float, float, float, float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
Pose = turns.Pose
product, turned, columns_of = turns.product, turns.turned, turns.columns_of
roll_pitch_yaw, rotated_tensor, about_x_y_z = turns.roll_pitch_yaw, turns.rotated_tensor, turns.about_x_y_z
unit, unit_vector, pose_of_origin = turns.unit, turns.unit_vector, turns.pose_of_origin
IDENTITY = pose_of_origin(None)


def cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    """The cross product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def conjugate(quat: Quaternion) -> Quaternion:
    """The inverse of a unit quaternion."""
    w, x, y, z = quat
    return (w, -x, -y, -z)


def z_to(axis: Sequence[float]) -> Quaternion:
    """The smallest rotation from the z axis to a unit vector; half a turn about x for -z."""
    x, y, z = axis
    if x == y == 0.0:
        return UPRIGHT if z > 0 else (0.0, 1.0, 0.0, 0.0)
    # The rotation is about z x axis = (-y, x, 0), whose length is the sine of its angle; z is the cosine.
    if z > 0:
        w = math.sqrt((1 + z) / 2)
        return w, -y / (2 * w), x / (2 * w), 0.0
    sine, half = math.hypot(x, y), math.sqrt((1 - z) / 2)
    return sine / (2 * half), -y * half / sine, x * half / sine, 0.0


def of_axes(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> Quaternion:
    """The unit quaternion of a frame with these axes, right-handed and orthonormal."""
    import numpy as np
    from polybody.rotations.arrays import of_matrix

    w, a, b, c = of_matrix(np.array([x, y, z], dtype=np.float64).T).tolist()
    return w, a, b, c
