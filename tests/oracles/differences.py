"""Dynamics from kinematics alone, by finite differences of eighth order.

It shares nothing with recursive algorithms: a body's velocity is the difference of its poses, and joint
forces follow from d'Alembert's principle, tau = sum over bodies J^T (m (a - g), I alpha + omega x I omega).
Errors are about 1e-13 of the largest term for moderate rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .pinocchio_tree import BALL, FREE, NQ, NV, matrix

Poses = tuple[np.ndarray, np.ndarray]
_OFFSETS = np.arange(-4, 5)
_FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
_SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
STEP = 0.02


def first(function: Callable[[float], np.ndarray], step: float = STEP) -> np.ndarray:
    """d function(t) / dt at 0."""
    return np.tensordot(_FIRST, [function(k * step) for k in _OFFSETS], 1) / step


def both(function: Callable[[float], np.ndarray], step: float = STEP) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative of function(t) at 0."""
    values = [function(k * step) for k in _OFFSETS]
    return np.tensordot(_FIRST, values, 1) / step, np.tensordot(_SECOND, values, 1) / step**2


def turn(vector: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation vector."""
    angle = np.linalg.norm(vector)
    return np.concatenate(([np.cos(angle / 2)], np.sinc(angle / 2 / np.pi) * vector / 2))


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.concatenate(([a[0] * b[0] - a[1:] @ b[1:]], vector))


def unskew(m: np.ndarray) -> np.ndarray:
    """The vector v of the skew part of matrices (n, 3, 3): v x ."""
    return np.stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]], 1) / 2


class Differences:
    """A model's dynamics from a function that gives the poses of its bodies.

    columns: body_ipos, body_iquat, body_mass, body_inertia, jnt_type, dof_armature, opt_gravity.
    place: qpos -> xpos (nbody, 3), xmat (nbody, 3, 3).
    """

    def __init__(self, columns: Mapping[str, np.ndarray], place: Callable[[np.ndarray], Poses]) -> None:
        self._place = place
        self._types = [int(t) for t in columns["jnt_type"]]
        self._mass = np.array(columns["body_mass"], float)
        self._com = np.array(columns["body_ipos"], float)
        turns = np.array([matrix(q) for q in columns["body_iquat"]])
        self._inertia = np.einsum("bij,bj,bkj->bik", turns, columns["body_inertia"], turns)
        self._armature = np.array(columns["dof_armature"], float)
        self._gravity = np.array(columns["opt_gravity"], float).reshape(3)
        self.nv = sum(NV[t] for t in self._types)

    def move(self, qpos: np.ndarray, by: np.ndarray) -> np.ndarray:
        """qpos displaced by `by` (nv,): quaternions rotate in the body's axes, other coordinates add."""
        q, i, j = np.array(qpos, float), 0, 0
        for t in self._types:
            plain = {FREE: 3, BALL: 0}.get(t, 1)
            q[i : i + plain] += by[j : j + plain]
            if t in (FREE, BALL):
                quat = slice(i + plain, i + plain + 4)
                q[quat] = multiply(q[quat], turn(by[j + plain : j + plain + 3]))
            i, j = i + NQ[t], j + NV[t]
        return q

    def centres(self, qpos: np.ndarray) -> Poses:
        pos, mat = self._place(qpos)
        return pos + np.einsum("bij,bj->bi", mat, self._com), np.array(mat)

    def jacobians(self, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of the centres of mass and of the angular velocities in world axes, (nbody, 3, nv)
        each.
        """
        _, mat = self.centres(qpos)
        linear, angular = [], []
        for unit in np.eye(self.nv):
            linear.append(first(lambda t, u=unit: self.centres(self.move(qpos, t * u))[0]))
            rate = first(lambda t, u=unit: self.centres(self.move(qpos, t * u))[1])
            angular.append(unskew(rate @ mat.transpose(0, 2, 1)))
        shape = (len(self._mass), 3, 0)
        return (np.stack(linear, 2), np.stack(angular, 2)) if linear else (np.zeros(shape), np.zeros(shape))

    def _world_inertia(self, mat: np.ndarray) -> np.ndarray:
        return mat @ self._inertia @ mat.transpose(0, 2, 1)

    def mass_matrix(self, qpos: np.ndarray) -> np.ndarray:
        """Dense (nv, nv), armature included."""
        linear, angular = self.jacobians(qpos)
        inertia = self._world_inertia(self.centres(qpos)[1])
        bodies = np.einsum("b,bia,bic->ac", self._mass, linear, linear)
        return bodies + np.einsum("bia,bij,bjc->ac", angular, inertia, angular) + np.diag(self._armature)

    def inverse(self, qpos: np.ndarray, qvel: np.ndarray, qacc: np.ndarray) -> np.ndarray:
        """Joint forces (nv,) for the accelerations, armature included."""
        linear, angular = self.jacobians(qpos)
        _, mat = self.centres(qpos)

        def at(t: float) -> np.ndarray:
            pos, mat = self.centres(self.move(qpos, t * qvel + t * t / 2 * qacc))
            return np.concatenate([pos[:, :, None], mat], 2)

        velocity, acceleration = both(at)
        back = mat.transpose(0, 2, 1)
        spin, spin_rate = unskew(velocity[:, :, 1:] @ back), unskew(acceleration[:, :, 1:] @ back)
        inertia = self._world_inertia(mat)
        force = self._mass[:, None] * (acceleration[:, :, 0] - self._gravity)
        momentum = np.einsum("bij,bj->bi", inertia, spin)
        torque = np.einsum("bij,bj->bi", inertia, spin_rate) + np.cross(spin, momentum)
        on_bodies = np.einsum("bi,bia->a", force, linear) + np.einsum("bi,bia->a", torque, angular)
        return on_bodies + self._armature * qacc


def lagrange(
    kinetic: Callable[[np.ndarray, np.ndarray], float], potential: Callable[[np.ndarray], float],
    qpos: np.ndarray, qvel: np.ndarray, qacc: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """d/dt (dL/dq') - dL/dq, the joint forces (nv,), where velocities are the rates of the coordinates."""
    units = np.eye(len(qvel))

    def momentum(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        # The kinetic energy is quadratic in v, so this difference is exact.
        return np.array([(kinetic(q, v + u) - kinetic(q, v - u)) / 2 for u in units])

    rate = first(lambda t: momentum(qpos + t * qvel + t * t / 2 * qacc, qvel + t * qacc))
    slope = [
        first(lambda t, u=u: np.array(kinetic(qpos + t * u, qvel) - potential(qpos + t * u))) for u in units
    ]
    return rate - np.array(slope)
