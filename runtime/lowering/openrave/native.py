"""Conversion between OpenRAVE's coordinates and a Model's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.lowering.native import sized
from polybody.lowering.openrave.joints import measured
from polybody.lowering.openrave.mimic import Follower, evaluated
from polybody.lowering.openrave.parts import JointPart
from polybody.lowering.openrave.poses import exponential, logarithm, scaled, unit
from polybody.lowering.openrave.tree import Tree
from polybody.rotations.poses import UPRIGHT, Quaternion, conjugate, product, turned

Reals = NDArray[np.float64]


@dataclass(slots=True)
class Axis:
    """One axis of a joint; axes are numbered over all bodies."""

    value: float
    """Its value after loading, rad or m."""
    low: float
    high: float
    qpos: int = -1
    """Its coordinate in the Model; -1 if it has none of its own."""
    qvel: int = -1


@dataclass(slots=True)
class Ball:
    """A spherical joint."""

    axis: int
    """The number of its first axis, of three."""
    qpos: int
    qvel: int
    frame: Quaternion | None
    """The child's axes in those of the first link; None if the child is the first link."""


@dataclass(slots=True)
class Free:
    """A free body."""

    qpos: int
    qvel: int
    q: int = -1
    """Its first native coordinate; -1 if it has none."""
    v: int = -1
    start: tuple[float, ...] = ()
    """Its coordinates after loading, in the Model's form."""


@dataclass(slots=True)
class Loops:
    """Joints of a body that close loops, and the numbers of the first axes of all its joints."""

    tree: Tree
    closing: list[tuple[JointPart, int]]
    begins: list[tuple[JointPart, int]]


@dataclass(slots=True)
class Maps:
    """Correspondence of native coordinates and the Model's."""

    nq: int = 0
    nv: int = 0
    axes: list[Axis] = field(default_factory=list)
    dofs: list[tuple[int, int, int]] = field(default_factory=list)
    """Native coordinate, native velocity and axis of each degree of freedom that has an index."""
    balls: list[Ball] = field(default_factory=list)
    free: list[Free] = field(default_factory=list)
    followers: list[Follower] = field(default_factory=list)
    loops: list[Loops] = field(default_factory=list)
    q_slices: dict[str, slice] = field(default_factory=dict)
    v_slices: dict[str, slice] = field(default_factory=dict)


class Native:
    """OpenRAVE's coordinates.

    For each body: first its degrees of freedom in OpenRAVE's order, that of the joints' end tags in the
    document, without disabled joints and mimic joints (rad, m; for a spherical joint a rotation vector in the
    axes of its first link). Then, for a free body, the pose of its first link: quaternion, position.
    Velocities are their rates, with two exceptions. For a spherical joint they are the angular velocity of
    its second link relative to the first, in axes of the first. For a free body they are the angular and
    linear velocity of its first link, in world axes.

    Arrays may have any number of leading dimensions.

    Attributes:
        nq, nv: numbers of native coordinates and velocities.
        q_slices, v_slices: the entries of each joint by its name in the Model; those of a free body by the
            name of the body.
    """

    def __init__(self, model: Any, maps: Maps) -> None:
        self.model = model
        self.maps = maps
        self.nq, self.nv = maps.nq, maps.nv
        self.q_slices, self.v_slices = maps.q_slices, maps.v_slices

    def __repr__(self) -> str:
        return f"<Native of {self.model.name!r}: nq {self.nq}, nv {self.nv}>"

    @property
    def limits(self) -> tuple[Reals, Reals]:
        """Lower and upper limits of each native coordinate; infinite if there are none."""
        low, high = np.full(self.nq, -np.inf), np.full(self.nq, np.inf)
        for q, _, axis in self.maps.dofs:
            low[q], high[q] = self.maps.axes[axis].low, self.maps.axes[axis].high
        return low, high

    def q(self, qpos: ArrayLike) -> Reals:
        """Native coordinates (..., nq) of qpos. Mimic joints have none."""
        return _rows(self._q, self.nq, sized(qpos, self.model.nq, "qpos"))

    def qpos(self, q: ArrayLike) -> Reals:
        """qpos of native coordinates (..., nq).

        As in OpenRAVE, values of joints are clamped to their limits, and those of mimic joints are computed.
        Other coordinates have their values after loading.
        """
        return _rows(self._qpos, self.model.nq, sized(q, self.nq, "q"))

    def v(self, qpos: ArrayLike, qvel: ArrayLike) -> Reals:
        """Native velocities (..., nv) of qvel at qpos; also native accelerations of qacc."""
        where, moving = sized(qpos, self.model.nq, "qpos"), sized(qvel, self.model.nv, "qvel")
        return _rows(self._v, self.nv, where, moving)

    def qvel(self, q: ArrayLike, v: ArrayLike) -> Reals:
        """qvel of native velocities (..., nv). Velocities of mimic joints follow from their formulas."""
        return _rows(self._qvel, self.model.nv, sized(q, self.nq, "q"), sized(v, self.nv, "v"))

    def qacc(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Reals:
        """qacc of native accelerations (..., nv), by first and second derivatives of the formulas."""
        where, moving = sized(q, self.nq, "q"), sized(v, self.nv, "v")
        return _rows(self._qacc, self.model.nv, where, moving, sized(vdot, self.nv, "vdot"))

    def vdot(self, data: Any) -> Reals:
        """The acceleration (nv,) of native coordinates, from the qacc of a Data."""
        return self.v(data.qpos, data.qacc)

    # --- one state ----------------------------------------------------------------------------------------

    def _values(self, qpos: Reals) -> list[float]:
        """The values of all axes."""
        maps = self.maps
        values = [float(qpos[axis.qpos]) if axis.qpos >= 0 else 0.0 for axis in maps.axes]
        for ball in maps.balls:
            turn = _quaternion(qpos, ball.qpos)
            vector = logarithm(turn if ball.frame is not None else conjugate(turn))
            values[ball.axis : ball.axis + 3] = turned(ball.frame or UPRIGHT, vector)
        for loops in maps.loops:
            parts = loops.begins
            poses = loops.tree.poses({p: tuple(values[at : at + len(p.dofs)]) for p, at in parts})
            for joint, axis in loops.closing:
                found = measured(joint, poses[joint.first], poses[joint.second])
                values[axis : axis + len(found)] = found
        return values

    def _q(self, qpos: Reals) -> Reals:
        values, found = self._values(qpos), np.zeros(self.nq)
        for q, _, axis in self.maps.dofs:
            found[q] = values[axis]
        for body in self.maps.free:
            if body.q >= 0:
                found[body.q : body.q + 4] = qpos[body.qpos + 3 : body.qpos + 7]
                found[body.q + 4 : body.q + 7] = qpos[body.qpos : body.qpos + 3]
        return found

    def _axes(self, q: Reals) -> list[float]:
        """The values of all axes; those of joints are clamped, those of mimic joints computed."""
        maps = self.maps
        values = [axis.value for axis in maps.axes]
        for at, _, number in maps.dofs:
            axis = maps.axes[number]
            values[number] = min(max(float(q[at]), axis.low), axis.high)
        evaluated(maps.followers, values)
        return values

    def _qpos(self, q: Reals) -> Reals:
        values, found = self._axes(q), np.zeros(self.model.nq)
        for value, axis in zip(values, self.maps.axes, strict=True):
            if axis.qpos >= 0:
                found[axis.qpos] = value
        for ball in self.maps.balls:
            vector = values[ball.axis : ball.axis + 3]
            if ball.frame is not None:
                turn = exponential(turned(conjugate(ball.frame), vector))
            else:
                turn = exponential(scaled(-1.0, vector))
            found[ball.qpos : ball.qpos + 4] = turn
        for body in self.maps.free:
            pose: Sequence[float] = body.start
            if body.q >= 0:
                turned_by = unit(q[body.q : body.q + 4].tolist())
                pose = [*q[body.q + 4 : body.q + 7].tolist(), *turned_by]
            found[body.qpos : body.qpos + 7] = pose
        return found

    def _v(self, qpos: Reals, qvel: Reals) -> Reals:
        maps, found = self.maps, np.zeros(self.nv)
        rates = [float(qvel[axis.qvel]) if axis.qvel >= 0 else 0.0 for axis in maps.axes]
        for ball in maps.balls:
            rates[ball.axis : ball.axis + 3] = self._ball(ball, qpos, qvel[ball.qvel : ball.qvel + 3], True)
        for _, v, axis in maps.dofs:
            found[v] = rates[axis]
        for body in maps.free:
            if body.v >= 0:
                found[body.v : body.v + 3] = qvel[body.qvel : body.qvel + 3]
                turn = _quaternion(qpos, body.qpos + 3)
                found[body.v + 3 : body.v + 6] = turned(turn, qvel[body.qvel + 3 : body.qvel + 6].tolist())
        return found

    def _ball(self, ball: Ball, qpos: Reals, given: Reals, out: bool) -> Sequence[float]:
        """An angular velocity of a ball in its own axes, converted to the first link's, or the reverse."""
        vector = given.tolist()
        if ball.frame is None:
            return scaled(-1.0, vector)
        turn = product(ball.frame, _quaternion(qpos, ball.qpos))
        return turned(turn if out else conjugate(turn), vector)

    def _qvel(self, q: Reals, v: Reals) -> Reals:
        values, rates = self._axes(q), [0.0] * len(self.maps.axes)
        for _, at, axis in self.maps.dofs:
            rates[axis] = float(v[at])
        for row in self.maps.followers:
            rates[row.axis] = row.rate(values, rates)
        return self._placed(self._qpos(q), rates, v)

    def _qacc(self, q: Reals, v: Reals, vdot: Reals) -> Reals:
        values = self._axes(q)
        rates, changes = [0.0] * len(values), [0.0] * len(values)
        for _, at, axis in self.maps.dofs:
            rates[axis], changes[axis] = float(v[at]), float(vdot[at])
        for row in self.maps.followers:
            rates[row.axis] = row.rate(values, rates)
            changes[row.axis] = row.acceleration(values, rates, changes)
        return self._placed(self._qpos(q), changes, vdot)

    def _placed(self, qpos: Reals, rates: Sequence[float], v: Reals) -> Reals:
        """The Model's rates, from rates of all axes and of free bodies."""
        found = np.zeros(self.model.nv)
        for rate, axis in zip(rates, self.maps.axes, strict=True):
            if axis.qvel >= 0:
                found[axis.qvel] = rate
        for ball in self.maps.balls:
            given = np.array(rates[ball.axis : ball.axis + 3])
            found[ball.qvel : ball.qvel + 3] = self._ball(ball, qpos, given, False)
        for body in self.maps.free:
            if body.v >= 0:
                found[body.qvel : body.qvel + 3] = v[body.v : body.v + 3]
                back = conjugate(_quaternion(qpos, body.qpos + 3))
                found[body.qvel + 3 : body.qvel + 6] = turned(back, v[body.v + 3 : body.v + 6].tolist())
        return found


def _quaternion(qpos: Reals, start: int) -> Quaternion:
    return unit(qpos[start : start + 4].tolist())


def _rows(function: Callable[..., Reals], width: int, *given: ArrayLike) -> Reals:
    """Apply a function of one state to many states."""
    arrays = [np.asarray(values, dtype=np.float64) for values in given]
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    count = int(np.prod(shape))
    flat = [np.broadcast_to(a, (*shape, a.shape[-1])).reshape(count, a.shape[-1]) for a in arrays]
    found = np.empty((count, width))
    for row, states in enumerate(zip(*flat, strict=True)):
        found[row] = function(*states)
    return found.reshape(*shape, width)
