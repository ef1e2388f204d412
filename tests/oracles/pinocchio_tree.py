"""Pinocchio 4.1.0 on the tree that a Model's columns describe: kinematics, bias, mass matrix, accelerations.

Each of our joints becomes one Pinocchio joint. Several joints of one body are chained by massless
frames, each shifted to its anchor; the body's inertia is attached to the last. Velocities agree except for a
free joint, whose linear part is in the parent's axes here and in the body's in Pinocchio: v_pin = T v.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin

FREE, BALL, SLIDE, HINGE, SCREW = range(5)
NQ = {FREE: 7, BALL: 4, SLIDE: 1, HINGE: 1, SCREW: 1}
NV = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1, SCREW: 1}


def matrix(quat: np.ndarray) -> np.ndarray:
    """Rotation matrix of a w-first quaternion of any length."""
    w, x, y, z = quat / np.linalg.norm(quat)
    return pin.Quaternion(w, x, y, z).matrix()


class PinocchioTree:
    """columns: the Model's by name (body_*, jnt_*, dof_armature, opt_gravity); body 0 is the world."""

    def __init__(self, columns: Mapping[str, np.ndarray]) -> None:
        self._types = [int(t) for t in columns["jnt_type"]]
        self._armature = np.array(columns["dof_armature"], float)
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(columns["opt_gravity"], float).reshape(3), np.zeros(3))
        nbody = len(columns["body_parentid"])
        self._frames = [(0, pin.SE3.Identity())]  # of each body: its joint, and the placement in it
        joints_of: list[list[int]] = [[] for _ in range(nbody)]
        for j, body in enumerate(columns["jnt_bodyid"]):
            joints_of[int(body)].append(j)
        for body in range(1, nbody):
            self._add_body(columns, body, joints_of[body])
        self.data = self.model.createData()

    def _add_body(self, columns: Mapping[str, np.ndarray], body: int, joints: list[int]) -> None:
        joint, place = self._frames[int(columns["body_parentid"][body])]
        if not (joints and self._types[joints[0]] == FREE):  # a free joint gives the whole pose
            place = place * pin.SE3(matrix(columns["body_quat"][body]), np.array(columns["body_pos"][body]))
        for j in joints:
            axis = np.array(columns["jnt_axis"][j], float)
            anchor = np.array(columns["jnt_pos"][j], float)
            kind = {
                FREE: pin.JointModelFreeFlyer,
                BALL: pin.JointModelSpherical,
                SLIDE: lambda axis=axis: pin.JointModelPrismaticUnaligned(axis),
                HINGE: lambda axis=axis: pin.JointModelRevoluteUnaligned(axis),
                SCREW: lambda axis=axis, j=j: pin.JointModelHelicalUnaligned(axis, columns["jnt_pitch"][j]),
            }[self._types[j]]()
            joint = self.model.addJoint(joint, kind, place * pin.SE3(np.eye(3), anchor), f"joint {j}")
            place = pin.SE3(np.eye(3), -anchor)
        turn = matrix(columns["body_iquat"][body])
        about_com = turn @ np.diag(columns["body_inertia"][body]) @ turn.T
        inertia = pin.Inertia(
            float(columns["body_mass"][body]), np.array(columns["body_ipos"][body]), about_com
        )
        self.model.appendBodyToJoint(joint, inertia, place)
        self._frames.append((joint, place))

    def _q(self, qpos: np.ndarray) -> np.ndarray:
        """Pinocchio stores quaternions vector first."""
        q, i = np.array(qpos, float), 0
        for t in self._types:
            if t in (FREE, BALL):
                quat = slice(i + 3, i + 7) if t == FREE else slice(i, i + 4)
                unit = q[quat] / np.linalg.norm(q[quat])
                q[quat] = np.roll(unit, -1)
            i += NQ[t]
        return q

    def _velocity_map(self, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """T and T' qvel."""
        turned, rate, i, j = np.eye(len(qvel)), np.zeros(len(qvel)), 0, 0
        for t in self._types:
            if t == FREE:
                back = matrix(qpos[i + 3 : i + 7]).T
                turned[j : j + 3, j : j + 3] = back
                rate[j : j + 3] = -np.cross(qvel[j + 3 : j + 6], back @ qvel[j : j + 3])
            i, j = i + NQ[t], j + NV[t]
        return turned, rate

    def kinematics(self, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """xpos (nbody, 3) and xmat (nbody, 3, 3)."""
        pin.forwardKinematics(self.model, self.data, self._q(qpos))
        poses = [self.data.oMi[joint] * place if joint else place for joint, place in self._frames]
        return np.array([p.translation for p in poses]), np.array([p.rotation for p in poses])

    def mass_matrix(self, qpos: np.ndarray) -> np.ndarray:
        """Dense (nv, nv), armature included."""
        turned, _ = self._velocity_map(qpos, np.zeros(self.model.nv))
        upper = np.triu(pin.crba(self.model, self.data, self._q(qpos)))
        full = upper + np.triu(upper, 1).T
        return turned.T @ full @ turned + np.diag(self._armature)

    def inverse(self, qpos: np.ndarray, qvel: np.ndarray, qacc: np.ndarray) -> np.ndarray:
        """Joint forces (nv,) for the accelerations, armature included."""
        turned, rate = self._velocity_map(qpos, qvel)
        force = pin.rnea(self.model, self.data, self._q(qpos), turned @ qvel, turned @ qacc + rate)
        return turned.T @ force + self._armature * qacc

    def bias(self, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Coriolis, centrifugal and gravity forces (nv,)."""
        return self.inverse(qpos, qvel, np.zeros(self.model.nv))

    def acceleration(
        self, qpos: np.ndarray, qvel: np.ndarray, force: np.ndarray, diagonal: float | np.ndarray = 0.0
    ) -> np.ndarray:
        """qacc (nv,) under joint forces, with `diagonal` added to that of the mass matrix.

        By Pinocchio's ABA if its velocities equal ours; otherwise from its mass matrix and bias.
        """
        if FREE in self._types:
            regular = self.mass_matrix(qpos) + np.diag(np.broadcast_to(diagonal, self.model.nv))
            return np.linalg.solve(regular, force - self.bias(qpos, qvel))
        self.model.armature = self._armature + diagonal
        try:
            return pin.aba(
                self.model, self.data, self._q(qpos), np.array(qvel, float), np.array(force, float)
            )
        finally:
            self.model.armature = np.zeros(self.model.nv)

    def energy(self, qpos: np.ndarray, qvel: np.ndarray) -> tuple[float, float]:
        """Potential energy of gravity and kinetic energy of the bodies (without armature)."""
        turned, _ = self._velocity_map(qpos, qvel)
        q = self._q(qpos)
        potential = pin.computePotentialEnergy(self.model, self.data, q)
        return float(potential), float(pin.computeKineticEnergy(self.model, self.data, q, turned @ qvel))
