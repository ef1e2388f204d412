"""Positions and velocities. A quaternion among the positions has three velocities, in the body's axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.generated.model import JointType
from polybody.model.derived import joint_sizes
from polybody.model.model import Model
from polybody.rotations.arrays import conjugate, product, rotation_vector, unit

Reals = NDArray[np.float64]
Indices = NDArray[np.intp]


def integrate_pos(model: Model, qpos: ArrayLike, qvel: ArrayLike, dt: ArrayLike) -> Reals:
    """The positions after a time of constant velocities, a new array of shape (..., nq).

    Args:
        model: the Model.
        qpos: positions, shape (..., nq). Quaternions are normalised first.
        qvel: velocities, shape (..., nv); angular ones of free and ball joints in the body's axes.
        dt: the time, s, a number or an array of shape (...); it may be negative.

    The leading dimensions of all three are broadcast against each other, as in NumPy.

    Raises:
        ValueError: an array of another shape, or a quaternion that is not a rotation.
    """
    start, rates = _checked(qpos, model.nq, "positions"), _checked(qvel, model.nv, "velocities")
    time = np.asarray(dt, dtype=np.float64)
    places = _places(model)
    displacement = time[..., None] * rates
    found = np.empty((*_leading(start, rates, time), model.nq))
    found[..., places.plain] = start[..., places.plain] + displacement[..., places.rates]
    turn = product(_turns(model, start), _exponential(displacement[..., places.spins]))
    found[..., places.turns] = turn
    return found


def differentiate_pos(model: Model, qpos1: ArrayLike, qpos2: ArrayLike, dt: ArrayLike = 1.0) -> Reals:
    """The constant velocities that lead from one position vector to another in a given time.

    Rotations take the shorter way. ``integrate_pos(model, qpos1, differentiate_pos(model, qpos1, qpos2, dt),
    dt)`` equals qpos2, up to the length and sign of its quaternions.

    Args:
        model: the Model.
        qpos1: positions at the beginning, shape (..., nq).
        qpos2: positions at the end, shape (..., nq).
        dt: the time, s, a number or an array of shape (...).

    Returns:
        A new array of shape (..., nv); the leading dimensions are broadcast as in :func:`integrate_pos`.

    Raises:
        ValueError: an array of another shape, a quaternion that is not a rotation, or a time of 0.
    """
    start, end = _checked(qpos1, model.nq, "positions"), _checked(qpos2, model.nq, "positions")
    time = np.asarray(dt, dtype=np.float64)
    if not time.all():
        raise ValueError("a time of 0 has no velocities")
    places = _places(model)
    found = np.empty((*_leading(start, end, time), model.nv))
    found[..., places.rates] = end[..., places.plain] - start[..., places.plain]
    found[..., places.spins] = rotation_vector(product(conjugate(_turns(model, start)), _turns(model, end)))
    return found / time[..., None]


class _Places(NamedTuple):
    """Indices in qpos and qvel."""

    turns: Indices
    """Of each quaternion in qpos, (n, 4)."""
    spins: Indices
    """Of its angular velocity in qvel, (n, 3)."""
    plain: Indices
    """Of all other positions."""
    rates: Indices
    """Of their velocities."""
    joints: Indices
    """The joint of each quaternion, (n,)."""


def _places(model: Model) -> _Places:
    return model.once("places of quaternions", lambda: _found_places(model))


def _found_places(model: Model) -> _Places:
    rows = np.flatnonzero(np.isin(model.jnt_type, (JointType.ball, JointType.free)))
    nq, nv = joint_sizes(model.jnt_type[rows])
    turns = (model.jnt_qposadr[rows] + nq - 4)[:, None] + np.arange(4)
    spins = (model.jnt_dofadr[rows] + nv - 3)[:, None] + np.arange(3)
    plain, rates = np.delete(np.arange(model.nq), turns), np.delete(np.arange(model.nv), spins)
    return _Places(turns, spins, plain, rates, rows)


def _turns(model: Model, qpos: Reals) -> Reals:
    """The quaternions in positions, normalised, (..., n, 4)."""
    places = _places(model)
    found = qpos[..., places.turns]
    greatest = np.abs(found).max(axis=-1)
    wrong = np.argwhere(~(np.isfinite(greatest) & (greatest > 0)))
    if len(wrong):
        *row, number = wrong[0].tolist()
        joint = int(places.joints[number])
        name = model.names["joint"][joint]
        where = f"qpos[{', '.join(map(str, row))}]: " if row else ""
        given = found[(*row, number)].tolist()
        raise ValueError(f"{where}{given}, the quaternion of joint {joint} {name!r}, is not a rotation")
    return unit(found) if found.size else found


def _leading(first: Reals, second: Reals, time: Reals) -> tuple[int, ...]:
    """The leading dimensions of a result."""
    shapes = first.shape[:-1], second.shape[:-1], time.shape
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        arrays = " and ".join(map(str, (first.shape, second.shape)))
        raise ValueError(
            f"arrays of the shapes {arrays}, and dt of the shape {time.shape}, do not fit together: all "
            "dimensions but the last of the arrays, and those of dt, must be equal or 1"
        ) from None


def _checked(values: ArrayLike, count: int, what: str) -> Reals:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim == 0 or found.shape[-1] != count:
        raise ValueError(
            f"{what} of this Model must have shape ({count},) or (..., {count}), got {found.shape}"
        )
    return found


def _exponential(displacement: Reals) -> Reals:
    """The rotations (..., 4) by rotation vectors (..., 3)."""
    angle = np.sqrt(np.einsum("...i,...i->...", displacement, displacement))[..., None]
    share = np.where(angle > 0, np.sin(angle / 2) / np.where(angle > 0, angle, 1.0), 0.5)
    return np.concatenate([np.cos(angle / 2), share * displacement], axis=-1)
