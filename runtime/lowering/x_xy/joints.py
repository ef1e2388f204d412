"""The joint types of x_xy: their primitive joints, axes left to chance, the document's own coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.base import Primitive
from polybody.errors import OptionError
from polybody.generated.formats.x_xy import FORMAT, Joint
from polybody.generated.model import JOINT_SIZES, JointType
from polybody.model.builder import ROUNDING
from polybody.model.model import Model

Reals = NDArray[np.float64]


class Piece(NamedTuple):
    """A primitive joint of a joint type. A hinge without an axis has it drawn."""

    type: JointType
    axis: tuple[float, float, float] | None = None

    @property
    def nq(self) -> int:
        """How many coordinates it has."""
        return JOINT_SIZES[self.type][0]

    @property
    def nv(self) -> int:
        """How many velocities it has."""
        return JOINT_SIZES[self.type][1]


FREE = (
    Piece(JointType.slide, (1.0, 0.0, 0.0)),
    Piece(JointType.slide, (0.0, 1.0, 0.0)),
    Piece(JointType.slide, (0.0, 0.0, 1.0)),
    Piece(JointType.ball),
)
"""What moves like a free joint, with the same coordinates in the same order, and takes an offset."""


def _pieces(sequence: Sequence[Primitive]) -> tuple[Piece, ...]:
    groups = [FREE if p.joint == "free" else (Piece(JointType[p.joint], p.axis),) for p in sequence]
    return tuple(piece for group in groups for piece in group)


PIECES: Mapping[Joint, tuple[Piece, ...]] = {joint: _pieces(FORMAT.sequences[joint]) for joint in Joint}
"""The primitive joints of each joint type in the order in which they act, which is the Model's."""

_ROTATION_FIRST = {Joint.FREE: (3, 0, 1, 2), Joint.COR: (3, 0, 1, 2, 4, 5, 6), Joint.FREE_2D: (2, 0, 1)}


def native_order(joint: Joint) -> Sequence[int]:
    """The order in which the pieces of a joint stand in the document's numbers."""
    return _ROTATION_FIRST.get(joint, range(len(PIECES[joint])))


def cut(values: ArrayLike, sizes: Sequence[int], order: Sequence[int]) -> list[Reals]:
    """The document's numbers for a joint, piece by piece in the Model's order."""
    ends = np.cumsum([sizes[i] for i in order])[:-1]
    native = np.split(np.asarray(values, dtype=np.float64), ends) if order else []
    pieces = dict(zip(order, native, strict=True))
    return [pieces[i] for i in range(len(sizes))]


# --- axes that the document leaves to chance ---------------------------------------------------------------


def _direction(rng: np.random.Generator) -> Reals:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def _one(rng: np.random.Generator) -> Reals:
    return _direction(rng)[None]


def _orthogonal(rng: np.random.Generator) -> Reals:
    primary = _direction(rng)
    residual = np.cross(primary, _direction(rng))
    return np.stack([primary, residual / np.linalg.norm(residual)])


def _independent(rng: np.random.Generator) -> Reals:
    return np.stack([_direction(rng), _direction(rng)])


DRAWN: Mapping[Joint, Callable[[np.random.Generator], Reals]] = {
    Joint.RR: _one,
    Joint.RR_IMP: _orthogonal,
    Joint.RSADDLE: _independent,
}
"""How axes (n, 3) are drawn: uniform on the sphere; the second of rr_imp on the circle around the first."""

RIGHT_ANGLE_TOLERANCE = 1e-6
"""How far from orthogonal, in radians, given axes of rr_imp may be."""


def checked_axes(given: ArrayLike, joint: Joint, body: str) -> Reals:
    """Given directions as unit axes (n, 3).

    Raises:
        OptionError: they are not what the joint takes.
    """
    number = len(PIECES[joint])
    try:
        axes = np.atleast_2d(np.array(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise OptionError(f"axes of {body!r}: {given!r:.60} are no numbers") from None
    if axes.shape != (number, 3):
        raise OptionError(
            f"axes of {body!r}: {joint.value} takes {number} of 3 numbers, not shape {axes.shape}"
        )
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise OptionError(f"axes of {body!r}: {axes.tolist()} are no directions")
    axes = np.where(abs(lengths - 1) <= ROUNDING, axes, axes / lengths)  # drawn ones stay as they are
    if joint is Joint.RR_IMP and abs(axes[0] @ axes[1]) > RIGHT_ANGLE_TOLERANCE:
        raise OptionError(
            f"axes of {body!r}: the residual axis of rr_imp must be orthogonal to the primary one"
        )
    return axes


# --- the document's coordinates ----------------------------------------------------------------------------


class _Block(NamedTuple):
    """Native numbers of a body: where each stands in its part of qpos and qvel, its sign."""

    q: list[int]
    q_sign: list[float]
    qd: list[int]


def _indices(sizes: Iterable[int], order: Sequence[int]) -> list[int]:
    ends = np.cumsum([0, *sizes]).tolist()
    return [index for i in order for index in range(ends[i], ends[i + 1])]


def _block(joint: Joint) -> _Block:
    pieces, order = PIECES[joint], native_order(joint)
    signs = [[1.0, -1.0, -1.0, -1.0] if pieces[i].type is JointType.ball else [1.0] for i in order]
    return _Block(
        _indices([p.nq for p in pieces], order),
        [sign for group in signs for sign in group],
        _indices([p.nv for p in pieces], order),
    )


_BLOCKS = {tuple(piece.type for piece in PIECES[joint]): _block(joint) for joint in Joint}


class Native:
    """The document's own coordinates of a Model made from x_xy: maps both ways, along the last axis.

    Bodies stand in the document's order, and per body

    - free: quaternion, position; angular, linear velocity; cor: the same, then three translations;
    - free_2d: angle, y, z; spherical: quaternion; angular velocity;
    - all others: angles and lengths in the order of their names' letters.

    Quaternions are passive. Angular velocities are in the body's axes, linear ones are rates of the position.

    Args:
        model: only its joints are looked at, so any seed will do.

    Raises:
        ValueError: a body's joints are those of no x_xy joint type.
    """

    def __init__(self, model: Model) -> None:
        types: list[list[JointType]] = [[] for _ in range(model.nbody)]
        for body, code in zip(model.jnt_bodyid.tolist(), model.jnt_type.tolist(), strict=True):
            kind = JointType(code)
            types[body] += [piece.type for piece in FREE] if kind is JointType.free else [kind]
        q_index: list[int] = []
        q_sign: list[float] = []
        qd_index: list[int] = []
        q_slices: dict[str, slice] = {}
        qd_slices: dict[str, slice] = {}
        for name, kinds in zip(model.names["body"][1:], types[1:], strict=True):
            block = _BLOCKS.get(tuple(kinds))
            if block is None:
                found = ", ".join(kind.name for kind in kinds)
                raise ValueError(f"body {name!r}: no x_xy joint type has the joints {found}")
            q_slices[name] = slice(len(q_index), len(q_index) + len(block.q))
            qd_slices[name] = slice(len(qd_index), len(qd_index) + len(block.qd))
            q_index += [q_slices[name].start + i for i in block.q]
            qd_index += [qd_slices[name].start + i for i in block.qd]
            q_sign += block.q_sign
        self.q_index = np.array(q_index, dtype=np.intp)
        """Where each native coordinate stands in qpos."""
        self.q_sign = np.array(q_sign, dtype=np.float64)
        """-1 for the vector part of quaternions, which is reversed."""
        self.qd_index = np.array(qd_index, dtype=np.intp)
        """Where each native velocity stands in qvel."""
        self.q_slices: Mapping[str, slice] = q_slices
        """The native coordinates of each body, by name."""
        self.qd_slices: Mapping[str, slice] = qd_slices
        """The native velocities of each body, by name."""

    def q(self, qpos: ArrayLike) -> Reals:
        """Native coordinates (..., nq) from qpos."""
        return _real(qpos)[..., self.q_index] * self.q_sign

    def qpos(self, q: ArrayLike) -> Reals:
        """qpos (..., nq) from native coordinates."""
        return _scattered(_real(q) * self.q_sign, self.q_index)

    def qd(self, qvel: ArrayLike) -> Reals:
        """Native velocities (..., nv) from qvel; likewise accelerations and joint forces."""
        return _real(qvel)[..., self.qd_index]

    def qvel(self, qd: ArrayLike) -> Reals:
        """qvel (..., nv) from native velocities; likewise accelerations and joint forces."""
        return _scattered(_real(qd), self.qd_index)


def _real(values: Any) -> Reals:
    return np.asarray(values, dtype=np.float64)


def _scattered(values: Reals, index: NDArray[np.intp]) -> Reals:
    placed = np.empty_like(values)
    placed[..., index] = values
    return placed
