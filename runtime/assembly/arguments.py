"""Checks of the arguments of ModelBuilder. Each raises a ModelError that begins with what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.errors import ModelError
from polybody.rotations.arrays import ROUNDING, of_matrix, product, unit

Reals = NDArray[np.float64]


def called(kind: str, row: int, name: str) -> str:
    """A part in messages."""
    return f"{kind} {row} {name!r}" if name else f"{kind} {row}"


def number(value: Any, what: str) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError([f"{what} must be a number, not {value!r}"]) from None


def direction(axis: ArrayLike, what: str) -> Reals:
    """An axis (3,), normalised."""
    given = vector(axis, 3, f"{what}: axis")
    length = float(np.linalg.norm(given))
    if not (np.isfinite(length) and length > 0):
        raise ModelError([f"{what}: the axis {given.tolist()} has zero length"])
    return given if abs(length - 1) <= ROUNDING else given / length


def vector(value: Any, length: int, what: str) -> Reals:
    """So many numbers."""
    numbers = "1 number" if length == 1 else f"{length} numbers"
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError([f"{what} must be {numbers}, not {value!r}"]) from None
    if found.shape != (length,):
        raise ModelError([f"{what} must be {numbers}, not of shape {found.shape}"])
    return found


def up_to_three(value: ArrayLike, what: str) -> Reals:
    """The numbers of a shape's size."""
    sizes = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if sizes.ndim != 1 or len(sizes) > 3:
        raise ModelError([f"{what} must be up to 3 numbers, not {value!r}"])
    return sizes


def per_dof(value: Any, nv: int, what: str) -> Reals:
    """A number for each degree of freedom; one number is for all."""
    return vector(np.broadcast_to(value, nv) if np.ndim(value) == 0 else value, nv, what)


def pair(value: Any, what: str) -> tuple[float, float]:
    """Two bounds."""
    low, high = vector(value, 2, what).tolist()
    return low, high


def pairs(values: Sequence[ArrayLike], count: int, what: str) -> list[tuple[float, float]]:
    """So many pairs of bounds."""
    if len(values) != count:
        raise ModelError([f"{what} must be {count} pairs, not {values!r}"])
    return [pair(each, what) for each in values]


def quaternion(value: ArrayLike, what: str) -> Reals:
    """A quaternion that is a rotation; it is normalised later."""
    given = vector(value, 4, what)
    try:
        unit(given)
    except ValueError as error:
        raise ModelError([f"{what}: {error}"]) from None
    return given


def coordinates(value: Any, nq: int, nv: int, what: str) -> Reals:
    """The coordinates of a joint."""
    found = vector(np.atleast_1d(np.asarray(value)), nq, what)
    if nq > nv:
        found[-4:] = unit(quaternion(found[-4:], what))
    return found


def member(kind: Any, value: Any, what: str) -> Any:
    """A member of an enumeration, given by its name or its code."""
    try:
        return kind[value] if isinstance(value, str) else kind(value)
    except (KeyError, ValueError):
        raise ModelError([f"{what}: {value!r} is not one of {', '.join(kind.__members__)}"]) from None


def principal(value: ArrayLike, frame: Reals, what: str) -> tuple[Reals, Reals]:
    """Principal moments of an inertia given in ``frame``, and the quaternion of its principal axes."""
    given = np.asarray(value, dtype=np.float64)
    if given.shape == (3,):
        return given.copy(), frame
    if given.shape == (6,):
        xx, yy, zz, xy, xz, yz = given
        given = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if given.shape != (3, 3):
        raise ModelError([f"{what} must be 3 or 6 numbers or 3x3, not of shape {given.shape}"])
    if not np.isfinite(given).all():
        raise ModelError([f"{what} is not finite: {given.tolist()}"])
    if np.abs(given - given.T).max() > 1e-9 * np.abs(given).max():
        raise ModelError([f"{what} is not symmetric: {given.tolist()}"])
    if not np.any(given - np.diag(np.diag(given))):
        return np.diag(given).copy(), frame
    moments, axes = np.linalg.eigh((given + given.T) / 2)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return moments, unit(product(frame, of_matrix(axes)))


def _three(value: Any, what: str) -> Reals:
    return vector(value, 3, what)


_CHECKS: Mapping[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("pos", "ipos", "offset", "pos1", "pos2", "other"), _three),
    **dict.fromkeys(("gravity", "friction", "bias"), _three),
    **dict.fromkeys(("quat", "quat1", "quat2"), quaternion),
    **dict.fromkeys(("range", "ctrlrange", "forcerange", "solref", "solref_limit"), pair),
    **dict.fromkeys(("mass", "gravcomp", "pitch", "gain", "ctrl0", "length"), number),
    **dict.fromkeys(("timestep", "regularization"), number),
    "rgba": lambda value, what: vector(value, 4, what),
}
"""How arguments are checked, by their names."""


def checked(about: str, **given: Any) -> dict[str, Any]:
    """Arguments after the checks that their names determine; None stays None.

    Args:
        about: the part concerned, for messages.
        given: the arguments.

    Raises:
        ModelError: an argument is of the wrong kind or length.
    """
    prefix = f"{about}: " if about else ""
    return {
        word: None if value is None else _CHECKS[word](value, prefix + word) for word, value in given.items()
    }


def checked_as(check: Callable[..., Any], sizes: tuple[int, ...], about: str, **given: Any) -> dict[str, Any]:
    """Arguments after one check, which gets these sizes; otherwise as `checked`."""
    return {
        word: None if value is None else check(value, *sizes, f"{about}: {word}")
        for word, value in given.items()
    }
