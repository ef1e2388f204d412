"""Positions and velocities. A quaternion among the positions has three velocities, in the body's axes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.generated.model import JointType
from polybody.model.derived import joint_sizes
from polybody.model.model import Model
from polybody.rotations import conjugate, product, rotation_vector, unit

Reals = NDArray[np.float64]


def integrate_pos(model: Model, qpos: ArrayLike, qvel: ArrayLike, dt: float) -> Reals:
    """The positions after a time of constant velocities, a new array of shape (nq,).

    Args:
        model: the Model.
        qpos: positions, shape (nq,). Quaternions are normalised first.
        qvel: velocities, shape (nv,); angular ones of free and ball joints in the body's axes.
        dt: the time, s; it may be negative.

    Raises:
        ValueError: an array of another shape, or a quaternion that is not a rotation.
    """
    found, rates = _positions(model, qpos).copy(), _checked(qvel, model.nv, "velocities")
    turned = np.zeros(model.nq, dtype=bool)
    spinning = np.zeros(model.nv, dtype=bool)
    for place, first in _quaternions(model):
        way = float(dt) * rates[first : first + 3]
        found[place : place + 4] = product(unit(found[place : place + 4]), _exponential(way))
        turned[place : place + 4] = True
        spinning[first : first + 3] = True
    found[~turned] += float(dt) * rates[~spinning]
    return found


def differentiate_pos(model: Model, qpos1: ArrayLike, qpos2: ArrayLike, dt: float = 1.0) -> Reals:
    """The constant velocities that lead from one position vector to another in a given time, shape (nv,).

    Rotations take the shorter way. ``integrate_pos(model, qpos1, differentiate_pos(model, qpos1, qpos2, dt),
    dt)`` equals qpos2, up to the length and sign of its quaternions.

    Raises:
        ValueError: an array of another shape, a quaternion that is not a rotation, or a time of 0.
    """
    first_of, then = _positions(model, qpos1), _positions(model, qpos2)
    if not dt:
        raise ValueError("a time of 0 has no velocities")
    found = np.zeros(model.nv)
    turned = np.zeros(model.nq, dtype=bool)
    spinning = np.zeros(model.nv, dtype=bool)
    for place, first in _quaternions(model):
        own = slice(place, place + 4)
        found[first : first + 3] = rotation_vector(product(conjugate(unit(first_of[own])), unit(then[own])))
        turned[own] = True
        spinning[first : first + 3] = True
    found[~spinning] = then[~turned] - first_of[~turned]
    return found / float(dt)


def _quaternions(model: Model) -> list[tuple[int, int]]:
    """First index of each quaternion in qpos, and of its angular velocity in qvel."""
    rows = np.flatnonzero(np.isin(model.jnt_type, (JointType.ball, JointType.free)))
    nq, nv = joint_sizes(model.jnt_type[rows])
    places, first = model.jnt_qposadr[rows] + nq - 4, model.jnt_dofadr[rows] + nv - 3
    return list(zip(places.tolist(), first.tolist(), strict=True))


def _positions(model: Model, qpos: ArrayLike) -> Reals:
    return _checked(qpos, model.nq, "positions")


def _checked(values: ArrayLike, count: int, what: str) -> Reals:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (count,):
        raise ValueError(f"{what} of this Model must have shape ({count},), got {found.shape}")
    return found


def _exponential(way: Reals) -> Reals:
    """The rotation by a rotation vector."""
    angle = float(np.linalg.norm(way))
    share = math.sin(angle / 2) / angle if angle else 0.5
    return np.array([math.cos(angle / 2), *(share * way)])
