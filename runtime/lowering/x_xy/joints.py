"""The joint types of x_xy: their primitive joints, random axes, the document's own coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.base import Primitive
from polybody.engine.data import Data
from polybody.errors import OptionError
from polybody.generated.formats.x_xy import FORMAT, Joint
from polybody.generated.model import JOINT_SIZES, Integrator, JointType
from polybody.lowering.native import sized
from polybody.model.model import Model
from polybody.rotations.arrays import ROUNDING

Reals = NDArray[np.float64]


class Piece(NamedTuple):
    """A primitive joint of a joint type. A hinge without an axis has a random one."""

    type: JointType
    axis: tuple[float, float, float] | None = None

    @property
    def nq(self) -> int:
        """Its number of coordinates."""
        return JOINT_SIZES[self.type][0]

    @property
    def nv(self) -> int:
        """Its number of velocities."""
        return JOINT_SIZES[self.type][1]


FREE = (
    Piece(JointType.slide, (1.0, 0.0, 0.0)),
    Piece(JointType.slide, (0.0, 1.0, 0.0)),
    Piece(JointType.slide, (0.0, 0.0, 1.0)),
    Piece(JointType.ball),
)
"""Pieces that form a free joint, with the same coordinates in the same order, but can have an offset."""


def _pieces(sequence: Sequence[Primitive]) -> tuple[Piece, ...]:
    groups = [FREE if p.joint == "free" else (Piece(JointType[p.joint], p.axis),) for p in sequence]
    return tuple(piece for group in groups for piece in group)


PIECES: Mapping[Joint, tuple[Piece, ...]] = {joint: _pieces(FORMAT.sequences[joint]) for joint in Joint}
"""The primitive joints of each joint type in the order in which they act, as in the Model."""

_ROTATION_FIRST = {Joint.FREE: (3, 0, 1, 2), Joint.COR: (3, 0, 1, 2, 4, 5, 6), Joint.FREE_2D: (2, 0, 1)}


def native_order(joint: Joint) -> Sequence[int]:
    """The order of the pieces of a joint in the document's coordinates."""
    return _ROTATION_FIRST.get(joint, range(len(PIECES[joint])))


# --- random axes -------------------------------------------------------------------------------------------


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
"""Random axes (n, 3): uniform on the sphere; the second of rr_imp on the circle orthogonal to the first."""

RIGHT_ANGLE_TOLERANCE = 1e-6
"""Tolerance on the orthogonality of given axes of rr_imp, in radians."""


def checked_axes(given: ArrayLike, joint: Joint, body: str) -> Reals:
    """Given directions as unit axes (n, 3).

    Raises:
        OptionError: they do not fit the joint.
    """
    number = len(PIECES[joint])
    try:
        axes = np.atleast_2d(np.array(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise OptionError(f"axes of {body!r}: {given!r:.60} are not numbers") from None
    if axes.shape != (number, 3):
        raise OptionError(
            f"axes of {body!r}: {joint.value} needs {number} of 3 numbers each, not shape {axes.shape}"
        )
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise OptionError(
            f"axes of {body!r}: {axes.tolist()} are not directions: each must be finite and not zero"
        )
    axes = np.where(abs(lengths - 1) <= ROUNDING, axes, axes / lengths)  # random ones are unchanged
    if joint is Joint.RR_IMP and abs(axes[0] @ axes[1]) > RIGHT_ANGLE_TOLERANCE:
        raise OptionError(
            f"axes of {body!r}: the residual axis of rr_imp must be orthogonal to the primary one"
        )
    return axes


# --- the document's coordinates ----------------------------------------------------------------------------


class Block(NamedTuple):
    """Native coordinates of a body: their indices in its part of qpos and qvel, and their signs."""

    q: NDArray[np.intp]
    q_sign: Reals
    """-1 for the vector part of quaternions, which is reversed."""
    qd: NDArray[np.intp]


def _indices(sizes: Iterable[int], order: Sequence[int]) -> NDArray[np.intp]:
    ends = np.cumsum([0, *sizes]).tolist()
    return np.array([index for i in order for index in range(ends[i], ends[i + 1])], dtype=np.intp)


def _block(joint: Joint) -> Block:
    pieces, order = PIECES[joint], native_order(joint)
    signs = [[1.0, -1.0, -1.0, -1.0] if pieces[i].type is JointType.ball else [1.0] for i in order]
    return Block(
        _indices([p.nq for p in pieces], order),
        np.array([sign for group in signs for sign in group]),
        _indices([p.nv for p in pieces], order),
    )


BLOCKS: Mapping[Joint, Block] = {joint: _block(joint) for joint in Joint}
"""By the joint type of the body."""
_BLOCKS = {tuple(piece.type.value for piece in PIECES[joint]): BLOCKS[joint] for joint in Joint}


class Native:
    """The document's own coordinates of a Model made from x_xy: maps both ways, along the last axis.

    Bodies come in the document's order, and per body

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
        free, spread = JointType.free.value, tuple(piece.type.value for piece in FREE)
        types: list[tuple[int, ...]] = [()] * model.nbody
        for body, code in zip(model.jnt_bodyid.tolist(), model.jnt_type.tolist(), strict=True):
            types[body] += spread if code == free else (code,)
        names = model.names["body"][1:]
        blocks = [self._block(name, codes) for name, codes in zip(names, types[1:], strict=True)]
        nq, nv = ([len(block.q) for block in blocks], [len(block.qd) for block in blocks])
        q_start, qd_start = ([0, *np.cumsum(sizes).tolist()] for sizes in (nq, nv))
        nothing = np.zeros(0, dtype=np.intp)
        self.q_index = np.concatenate([nothing, *(b.q for b in blocks)]) + np.repeat(q_start[:-1], nq)
        """The index of each native coordinate in qpos."""
        self.q_sign = np.concatenate([np.zeros(0), *(block.q_sign for block in blocks)])
        """-1 for the vector part of quaternions, which is reversed."""
        self.qd_index = np.concatenate([nothing, *(b.qd for b in blocks)]) + np.repeat(qd_start[:-1], nv)
        """The index of each native velocity in qvel."""
        self.q_slices: Mapping[str, slice] = dict(zip(names, map(slice, q_start, q_start[1:]), strict=True))
        """The native coordinates of each body, by name."""
        self.v_slices: Mapping[str, slice] = dict(zip(names, map(slice, qd_start, qd_start[1:]), strict=True))
        """The native velocities of each body, by name."""

    @staticmethod
    def _block(name: str, codes: tuple[int, ...]) -> Block:
        block = _BLOCKS.get(codes)
        if block is None:
            found = ", ".join(JointType(code).name for code in codes)
            raise ValueError(f"body {name!r}: no x_xy joint type has the joints {found}")
        return block

    def __repr__(self) -> str:
        return f"<Native: nq {len(self.q_index)}, nv {len(self.qd_index)}>"

    def q(self, qpos: ArrayLike) -> Reals:
        """Native coordinates (..., nq) from qpos."""
        return np.asarray(sized(qpos, len(self.q_index), "qpos")[..., self.q_index] * self.q_sign)

    def qpos(self, q: ArrayLike) -> Reals:
        """qpos (..., nq) from native coordinates."""
        return _scattered(sized(q, len(self.q_index), "q") * self.q_sign, self.q_index)

    def qd(self, qvel: ArrayLike) -> Reals:
        """Native velocities (..., nv) from qvel; also accelerations, joint forces and their matrices."""
        return _real(qvel)[..., self.qd_index]

    def v(self, qpos: ArrayLike, qvel: ArrayLike) -> Reals:
        """Native velocities (..., nv) from qvel; they do not depend on qpos."""
        return self.qd(sized(qvel, len(self.qd_index), "qvel"))

    def qvel(self, q: ArrayLike, v: ArrayLike) -> Reals:
        """qvel (..., nv) from native velocities; it does not depend on q."""
        return _scattered(sized(v, len(self.qd_index), "v"), self.qd_index)

    def vdot(self, data: Any) -> Reals:
        """The acceleration (nv,) that ring reports in the state of a Data, which is unchanged.

        The force of dampers is that at the end of a step, so this is the change of velocity in a step.
        """
        from polybody.engine.dynamics import step

        model = data.model.replace(opt_integrator=int(Integrator.Euler))
        own = Data(model)
        own.set_state(data.get_state())
        step(model, own)
        return self.qd((own.qvel - data.qvel) / float(model.opt_timestep))


def _real(values: Any) -> Reals:
    return np.asarray(values, dtype=np.float64)


def _scattered(values: Reals, index: NDArray[np.intp]) -> Reals:
    placed = np.empty_like(values)
    placed[..., index] = values
    return placed
