"""Vectors, quaternions and poses in plain floats, with the thresholds of MuJoCo's compiler.

Quaternions are w x y z and rotate vectors from a frame to its parent. Thresholds that determine a sign, or
whether a number changes at all (whether a vector is treated as zero, or as normalised), are those of MuJoCo
3.2.7, because compiled fields agree with it to nine digits.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

from polybody.rotations import mujoco
from polybody.rotations.poses import ORIGIN, UPRIGHT, Quaternion, Vector, conjugate, cross

Pose = tuple[Vector, Quaternion]
Six = tuple[float, float, float, float, float, float]

EPS = mujoco.EPS
"""A vector whose squared length is below this is treated as zero; one whose length is this near to 1 is not
normalised.
"""
MINVAL = 1e-15
NOWHERE: Pose = (ORIGIN, UPRIGHT)
normalised, unit, product, matrix = mujoco.normalised, mujoco.unit, mujoco.product, mujoco.matrix
rotated, composed, along = mujoco.rotated, mujoco.composed, mujoco.along


class NoDirectionError(ValueError):
    """A vector that should be a direction has zero length."""


def vector(array: Any) -> Vector:
    """Three numbers of an array."""
    x, y, z = array.tolist()
    return (x, y, z)


def quaternion(array: Any) -> Quaternion:
    """Four numbers of an array."""
    w, x, y, z = array.tolist()
    return (w, x, y, z)


def direction(vector: tuple[float, ...], what: str) -> Vector:
    """A vector, normalised.

    Raises:
        NoDirectionError: it is too short.
    """
    found, length = normalised(vector)
    if length < EPS:
        raise NoDirectionError(what)
    return found


def inverse(pose: Pose) -> Pose:
    """The pose of the parent relative to a frame."""
    back = conjugate(pose[1])
    x, y, z = rotated(pose[0], back)
    return ((-x, -y, -z), back)


def euler(angles: tuple[float, ...], sequence: str) -> Quaternion:
    """Three rotations (rad) about axes given by letters: lower case for axes of the rotated frame, upper case
    for fixed axes.
    """
    quat = UPRIGHT
    for angle, letter in zip(angles, sequence, strict=True):
        turn = [cos(angle / 2), 0.0, 0.0, 0.0]
        turn["xyz".index(letter.lower()) + 1] = sin(angle / 2)
        about = (turn[0], turn[1], turn[2], turn[3])
        quat = product(quat, about) if letter.islower() else product(about, quat)
    return unit(quat)


def of_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """The quaternion of a frame with these axes, computed from its largest component."""
    trace = x[0] + y[1] + z[2]
    if trace > 0:
        w = 0.5 * sqrt(1 + trace)
        quat = (w, 0.25 * (y[2] - z[1]) / w, 0.25 * (z[0] - x[2]) / w, 0.25 * (x[1] - y[0]) / w)
    elif x[0] > y[1] and x[0] > z[2]:
        a = 0.5 * sqrt(1 + x[0] - y[1] - z[2])
        quat = (0.25 * (y[2] - z[1]) / a, a, 0.25 * (y[0] + x[1]) / a, 0.25 * (z[0] + x[2]) / a)
    elif y[1] > z[2]:
        a = 0.5 * sqrt(1 - x[0] + y[1] - z[2])
        quat = (0.25 * (z[0] - x[2]) / a, 0.25 * (y[0] + x[1]) / a, a, 0.25 * (z[1] + y[2]) / a)
    else:
        a = 0.5 * sqrt(1 - x[0] - y[1] + z[2])
        quat = (0.25 * (x[1] - y[0]) / a, 0.25 * (z[0] + x[2]) / a, 0.25 * (z[1] + y[2]) / a, a)
    return unit(quat)


def oriented(alternative: tuple[str, tuple[float, ...]], degrees: bool, sequence: str) -> Quaternion:
    """The quaternion for one of MJCF's alternative specifications of an orientation.

    Args:
        alternative: "axisangle", "xyaxes", "zaxis" or "euler", and its numbers.
        degrees: whether angles are in degrees.
        sequence: the axes of Euler angles.

    Raises:
        NoDirectionError: an axis has zero length, or two are parallel.
    """
    kind, numbers = alternative
    if kind == "euler":
        return euler(tuple([a / 180.0 * pi for a in numbers]) if degrees else numbers, sequence)
    if kind == "axisangle":
        angle = numbers[3] / 180.0 * pi if degrees else numbers[3]
        axis = direction(numbers[:3], "the axis of `axisangle`")
        s = sin(angle / 2)
        return (cos(angle / 2), s * axis[0], s * axis[1], s * axis[2])
    if kind == "zaxis":
        return along(direction(numbers, "`zaxis`"))
    x = direction(numbers[:3], "the first axis of `xyaxes`")
    shared = x[0] * numbers[3] + x[1] * numbers[4] + x[2] * numbers[5]
    across = (numbers[3] - x[0] * shared, numbers[4] - x[1] * shared, numbers[5] - x[2] * shared)
    y = direction(across, "the component of the second axis of `xyaxes` orthogonal to the first")
    return of_axes(x, y, direction(cross(x, y), "the cross product of `xyaxes`"))
