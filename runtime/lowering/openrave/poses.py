"""Poses of elements as OpenRAVE composes them, and their vectors and quaternions: in m, w first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, cos, hypot, pi, radians, sin
from typing import Any

from polybody.generated.formats.openrave import Quat, RotationAxis, RotationMat, Translation
from polybody.rotations.poses import IDENTITY, ORIGIN, UPRIGHT, Pose, Quaternion, Vector, product

TRANSFORMS = (Translation, RotationMat, RotationAxis, Quat)
"""The elements that make up an element's own pose."""


def added(a: Sequence[float], b: Sequence[float]) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def scaled(factor: float, vector: Sequence[float]) -> Vector:
    return (factor * vector[0], factor * vector[1], factor * vector[2])


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def direction(vector: Sequence[float]) -> Vector | None:
    """A vector normalized to length 1; None if it has no direction."""
    length = hypot(*vector)
    return None if length == 0.0 else (vector[0] / length, vector[1] / length, vector[2] / length)


def unit(quat: Sequence[float]) -> Quaternion:
    """A quaternion, normalised; the identity if its length is zero."""
    greatest = max(map(abs, quat))
    if greatest == 0.0:
        return UPRIGHT
    w, x, y, z = [number / greatest for number in quat]  # so that the length of large ones is finite
    length = hypot(w, x, y, z)
    return w / length, x / length, y / length, z / length


def about(axis: Sequence[float], angle: float) -> Quaternion:
    """The rotation about a unit axis by an angle, rad."""
    x, y, z = scaled(sin(angle / 2), axis)
    return (cos(angle / 2), x, y, z)


def exponential(vector: Sequence[float]) -> Quaternion:
    """The rotation of a rotation vector, rad."""
    angle = hypot(*vector)
    share = 0.5 if angle < 1e-8 else sin(angle / 2) / angle
    return unit((cos(angle / 2), *scaled(share, vector)))


def logarithm(quat: Quaternion) -> Vector:
    """The rotation vector of a rotation, rad; the angle is at most half a turn."""
    w, *axis = quat if quat[0] >= 0 else tuple(-number for number in quat)
    sine = hypot(*axis)
    return scaled(2.0 if sine < 1e-12 else 2 * atan2(sine, w) / sine, axis)


def twist(quat: Quaternion, axis: Sequence[float]) -> float:
    """The part of a rotation about a unit axis, rad, from -pi to pi."""
    angle = 2 * atan2(dot(axis, quat[1:]), quat[0])
    return angle - 2 * pi if angle > pi else angle + 2 * pi if angle < -pi else angle


def of_matrix(rows: Sequence[float]) -> Quaternion:
    """The quaternion of a matrix given row by row, which may be a rotation to a few digits only.

    As in OpenRAVE, it is computed from the trace if that is not negative, else from the largest diagonal
    entry. The matrix is not made orthonormal first.
    """
    xx, xy, xz, yx, yy, yz, zx, zy, zz = rows
    if xx + yy + zz >= 0:
        return unit((1 + xx + yy + zz, zy - yz, xz - zx, yx - xy))
    if xx >= yy and xx >= zz:
        return unit((zy - yz, 1 + xx - yy - zz, xy + yx, zx + xz))
    if yy >= zz:
        return unit((xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy))
    return unit((yx - xy, zx + xz, yz + zy, 1 - xx - yy + zz))


def rotation(node: Any) -> Quaternion:
    """The rotation of an element of the kinds ``TRANSFORMS``."""
    if node.text is None or isinstance(node, Translation):
        return UPRIGHT
    if isinstance(node, RotationMat):
        return of_matrix(node.text)
    if isinstance(node, Quat):
        return unit(node.text)
    axis = direction(node.text[:3])
    return UPRIGHT if axis is None else about(axis, radians(node.text[3]))


def own_pose(nodes: Iterable[Any], scale: float = 1.0, start: Pose = IDENTITY) -> Pose:
    """The pose of an element's transforms together, in document order.

    Translations add up, times ``scale``. Each rotation is applied to the rotations before it, but not to
    translations.
    """
    pos, quat = start
    for node in nodes:
        if isinstance(node, Translation):
            pos = added(pos, scaled(scale, node.text or ORIGIN))
        elif isinstance(node, TRANSFORMS):
            quat = product(rotation(node), quat)
    return Pose(pos, quat)
