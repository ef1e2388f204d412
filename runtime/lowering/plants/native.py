"""Drake 1.51's coordinates: quaternions first, angular before linear, roll-pitch-yaw of ball joints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.base.slotted import record
from polybody.engine.data import Data
from polybody.lowering.native import Coordinates, Native, Part, Same
from polybody.lowering.plants.plant import JointKind
from polybody.model.model import Model
from polybody.rotations.arrays import conjugate, euler, matrix, product, unit

Reals = NDArray[np.float64]


class Scaled(Same):
    """One coordinate, the Model's times a factor."""

    def __init__(self, factor: float) -> None:
        super().__init__(1)
        self.factor = factor

    def q(self, qpos: Reals) -> Reals:
        """(..., 1)"""
        return qpos * self.factor

    def qpos(self, q: Reals) -> Reals:
        """(..., 1)"""
        return q / self.factor

    def rates(self, qpos: Reals) -> Reals:
        """(1, 1)"""
        return np.array([[self.factor]])


class Turned(Same):
    """Coordinates that include a rotation between the joint's frames F of the parent and M of the body.

    Args:
        frame: the quaternion of M in the body's axes.
    """

    def __init__(self, frame: Sequence[float], nqpos: int) -> None:
        super().__init__(nqpos)
        self.frame = np.array(frame)
        self.back = conjugate(self.frame)
        self.matrix = matrix(self.back)

    def in_joint(self, quat: Reals) -> Reals:
        """The rotation of M in F, (..., 4), from the ball joint's quaternion: the rotation of the body
        relative to its rest pose.
        """
        return product(product(self.back, quat), self.frame)

    def in_body(self, quat: Reals) -> Reals:
        """The inverse."""
        return product(product(self.frame, quat), self.back)

    def angular(self, quat: Reals) -> Reals:
        """The matrix that converts an angular velocity from the body's axes to the axes of F, (..., 3, 3)."""
        return np.asarray(self.matrix @ matrix(quat))


class BallRpy(Turned):
    """A ball joint: roll, pitch and yaw of R = Rz(yaw) Ry(pitch) Rx(roll); velocities are angular, in F.

    Pitch is between -pi/2 and pi/2; at these ends yaw and roll are not unique, and roll is 0.
    """

    def __init__(self, frame: Sequence[float]) -> None:
        super().__init__(frame, 4)
        self.nq = self.nv = 3

    def q(self, qpos: Reals) -> Reals:
        """Roll, pitch and yaw (..., 3)."""
        turn = matrix(self.in_joint(unit(qpos)))
        flat = np.hypot(turn[..., 0, 0], turn[..., 1, 0])
        pitch = np.arctan2(-turn[..., 2, 0], flat)
        upright = flat < 1e-12
        roll = np.where(upright, 0.0, np.arctan2(turn[..., 2, 1], turn[..., 2, 2]))
        yaw = np.where(
            upright,
            np.arctan2(-turn[..., 0, 1], turn[..., 1, 1]),
            np.arctan2(turn[..., 1, 0], turn[..., 0, 0]),
        )
        return np.stack([roll, pitch, yaw], axis=-1)

    def qpos(self, q: Reals) -> Reals:
        """The ball joint's quaternion (..., 4)."""
        return self.in_body(euler(q[..., ::-1], "zyx"))

    def rates(self, qpos: Reals) -> Reals:
        """(..., 3, 3)"""
        return self.angular(unit(qpos))


class Free(Same):
    """A free body: quaternion and position of its frame; its velocities, in the world frame, angular
    first.
    """

    def __init__(self) -> None:
        super().__init__(7, (3, 4, 5, 6, 0, 1, 2))
        self.nv = 6

    def rates(self, qpos: Reals) -> Reals:
        """(..., 6, 6)"""
        return _angular_first(matrix(unit(qpos[..., 3:])))


class OffsetFree(Turned):
    """A body that floats relative to another frame F, by its own frame M: three slides along F, a ball joint
    at M.
    """

    def __init__(self, frame: Sequence[float]) -> None:
        super().__init__(frame, 7)
        self.nv = 6

    def q(self, qpos: Reals) -> Reals:
        """The quaternion of M in F, then its position, (..., 7)."""
        return np.concatenate([self.in_joint(unit(qpos[..., 3:])), qpos[..., :3]], axis=-1)

    def qpos(self, q: Reals) -> Reals:
        """Slides, then the ball joint's quaternion, (..., 7)."""
        return np.concatenate([q[..., 4:], self.in_body(unit(q[..., :4]))], axis=-1)

    def rates(self, qpos: Reals) -> Reals:
        """(..., 6, 6)"""
        return _angular_first(self.angular(unit(qpos[..., 3:])))


def _angular_first(turn: Reals) -> Reals:
    """Converts velocities that are linear, then angular in other axes, (..., 6, 6)."""
    found = np.zeros((*turn.shape[:-2], 6, 6))
    found[..., :3, 3:] = turn
    found[..., 3:, :3] = np.eye(3)
    return found


FREE: Coordinates = Free()


class Gains(NamedTuple):
    """A controller of position and velocity of an actuator."""

    actuator: int
    q: int
    v: int
    p: float
    d: float


@record
class Moved(NamedTuple):
    """A movable joint."""

    name: str
    """The full name if there are several models."""
    instance: str
    joint: str
    """Its name in its instance."""
    kind: JointKind
    coordinates: Coordinates


class Controlled(NamedTuple):
    """An actuator with gains of position and velocity, and which of the joints that move it drives."""

    actuator: int
    joint: int
    p: float
    d: float


class DrakeNative(Native):
    """Drake 1.51's coordinates.

    Args:
        model: the Model.
        joints: those that move, in the order of their coordinates.
        controlled: actuators with gains.

    Attributes:
        q_names, v_names: Drake's names of them: instance, joint, suffix.
        gains: the controllers of actuators; they act if a desired state is given.
    """

    def __init__(self, model: Model, joints: Sequence[Moved], controlled: Sequence[Controlled] = ()) -> None:
        self.model, self.joints, self.controlled = model, joints, controlled

    @cached_property
    def parts(self) -> tuple[Part, ...]:  # type: ignore[override]
        """All movable joints, with the indices of their first values."""
        found, q, v, qpos = [], 0, 0, 0
        for joint in self.joints:
            kind = joint.coordinates
            found.append(Part(joint.name, kind, q, v, qpos, v))
            q, v, qpos = q + kind.nq, v + kind.nv, qpos + kind.nqpos
        assert (qpos, v) == (self.model.nq, self.model.nv)
        return tuple(found)

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        return tuple([f"{j.instance}_{j.joint}_{each}" for j in self.joints for each in j.kind.coordinates])

    @cached_property
    def v_names(self) -> tuple[str, ...]:
        return tuple([f"{j.instance}_{j.joint}_{each}" for j in self.joints for each in j.kind.velocities])

    @cached_property
    def gains(self) -> tuple[Gains, ...]:
        return tuple(
            [Gains(row, self.parts[at].q, self.parts[at].v, p, d) for row, at, p, d in self.controlled]
        )

    def vdot(self, data: Any, desired: tuple[ArrayLike, ArrayLike] | None = None) -> Reals:
        """The acceleration (nv,) of Drake's continuous-time plant in the state of a Data. All forces,
        including those of dampers, are those in this state; efforts are clipped.

        Args:
            data: the state: qpos, qvel, ctrl and applied forces. It is not changed.
            desired: native q (nq,) and v (nv,) that the actuators' controllers follow, if any.

        Raises:
            ModelError: the mass matrix is singular, or the Model contains elements that would act and are not
                simulated.
        """
        from polybody.engine.dynamics import forward
        from polybody.engine.singular import require_determined

        model = data.model
        require_determined(model)
        own = Data(model)
        own.set_state(data.get_state())
        if desired is not None:
            goal_q, goal_v = (np.asarray(part, dtype=np.float64) for part in desired)
            q, v = self.q(own.qpos), self.v(own.qpos, own.qvel)
            for row, at, moving, p, d in self.gains:
                own.ctrl[row] += p * (goal_q[at] - q[at]) + d * (goal_v[moving] - v[moving])
        forward(model, own)
        return self.accelerations(own.qpos, own.qvel, own.qacc)
