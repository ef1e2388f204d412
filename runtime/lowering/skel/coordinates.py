"""DART's generalized coordinates of ball and free joints, and their relation to the Model's.

DART uses a rotation vector r with Q = exp(r), the Model a quaternion: for a ball joint that of Q, for a free
joint that of the child in its parent's axes. C = (turn, at) is the joint's frame in the child, F that in the
parent with all joints at zero; so the pose of the child in its parent is F Q C^-1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from polybody.rotations.arrays import conjugate, matrix, product, rotation_vector
from polybody.rotations.poses import Pose

Reals = NDArray[np.float64]


def exponential(vector: Reals) -> Reals:
    """The unit quaternions (..., 4) of rotation vectors (..., 3)."""
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vector], axis=-1)


def skew(vector: Reals) -> Reals:
    """The matrix (3, 3) of the cross product with a vector from the left."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


class Ball:
    """A ball joint, whose axes are those of the joint's frame: a rotation vector, and the angular
    velocity.
    """

    nq, nv, nqpos = 3, 3, 4

    def q(self, qpos: Reals) -> Reals:
        """Rotation vectors (..., 3), no longer than pi."""
        return rotation_vector(qpos)

    def qpos(self, q: Reals) -> Reals:
        """Unit quaternions (..., 4)."""
        return exponential(q)

    def rates(self, qpos: Reals) -> Reals:
        """The identity, (3, 3)."""
        return np.eye(3)

    def drift(self, qpos: Reals, qvel: Reals) -> Reals:
        """Zero."""
        return np.zeros_like(qvel)


class Free:
    """A free joint: (r, x), the rotation vector and position of Q; velocities (w, u).

    turn w is the angular velocity in the parent's axes, turn u + at x (turn w) the velocity of the child's
    origin: with the constant C, whatever the child's orientation is. The Model has the position and
    quaternion of the child in its parent, the velocity of its origin in the parent's axes, and the angular
    velocity in its own.
    """

    nq, nv, nqpos = 6, 6, 7

    def __init__(self, in_parent: Pose, in_child: Pose) -> None:
        self.at, self.from_quat = np.array(in_parent.pos), np.array(in_parent.quat)
        self.offset, self.quat = np.array(in_child.pos), np.array(in_child.quat)
        self.turn = matrix(self.quat)

    def q(self, qpos: Reals) -> Reals:
        """Rotation vectors no longer than pi, and positions (..., 6)."""
        pos, quat = qpos[..., :3], qpos[..., 3:]
        turned = product(product(conjugate(self.from_quat), quat), self.quat)
        anchor = pos + (matrix(quat) @ self.offset) - self.at
        return np.concatenate([rotation_vector(turned), anchor @ matrix(self.from_quat)], axis=-1)

    def qpos(self, q: Reals) -> Reals:
        """Positions and unit quaternions (..., 7)."""
        quat = product(product(self.from_quat, exponential(q[..., :3])), conjugate(self.quat))
        pos = self.at + q[..., 3:] @ matrix(self.from_quat).T - matrix(quat) @ self.offset
        return np.concatenate([pos, quat], axis=-1)

    def rates(self, qpos: Reals) -> Reals:
        """T (..., 6, 6), constant except for the child's orientation, which causes no drift."""
        back = self.turn.T
        rotation = matrix(qpos[..., 3:])
        found = np.zeros((*qpos.shape[:-1], 6, 6))
        found[..., :3, 3:] = back @ rotation
        found[..., 3:, :3] = back
        found[..., 3:, 3:] = -back @ skew(self.offset) @ rotation
        return found

    def drift(self, qpos: Reals, qvel: Reals) -> Reals:
        """Zero: the derivative of R w, with w in the child's axes, is R times that of w."""
        return np.zeros_like(qvel)
