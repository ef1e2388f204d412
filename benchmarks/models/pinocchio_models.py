"""A canonical Model from a pinocchio.Model, and its states in Pinocchio's coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody import Model, ModelBuilder
from polybody.rotations.arrays import matrix, of_matrix

Reals = NDArray[np.float64]
FREE, BALL = 0, 1


def from_pinocchio(robot: Any, name: str = "") -> Model:
    """Joints with their bodies, one body per joint in Pinocchio's order; Pinocchio has merged fixed joints
    already.

    URDF's dampers and friction are not part of Pinocchio's dynamics and are omitted, as are limits; armature
    is included. States: see :class:`Coordinates`.

    Raises:
        ValueError: a joint that a Model lacks (composite, mimic, planar...), by name.
    """
    builder = ModelBuilder(name or robot.name, timestep=1e-3, gravity=np.array(robot.gravity.linear))
    for j in range(1, robot.njoints):
        kind, joint = kind_of(robot, j), robot.joints[j]
        place, load = robot.jointPlacements[j], robot.inertias[j]
        body = builder.body(
            int(robot.parents[j]),
            name=robot.names[j],
            pos=np.array(place.translation),
            quat=of_matrix(np.array(place.rotation)),
            mass=float(load.mass),
            ipos=np.array(load.lever),
            inertia=np.array(load.inertia),
        )
        armature = np.array(robot.armature[joint.idx_v : joint.idx_v + joint.nv])
        if kind == "translation":
            for axis, reflected in zip(np.eye(3), armature, strict=True):
                builder.joint(body, "slide", axis=axis, armature=reflected)
            continue
        turns, moves = _axis(joint)
        builder.joint(
            body,
            kind,
            name=robot.names[j],
            axis=(moves if kind == "slide" else turns) if joint.nv == 1 else (0.0, 0.0, 1.0),
            pitch=float(moves @ turns) if kind == "screw" else 0.0,
            armature=armature,
        )
    return builder.build()


KINDS = {
    **dict.fromkeys(("RX", "RY", "RZ", "RevoluteUnaligned"), "hinge"),
    **dict.fromkeys(("RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"), "hinge"),
    **dict.fromkeys(("PX", "PY", "PZ", "PrismaticUnaligned"), "slide"),
    **dict.fromkeys(("HX", "HY", "HZ", "HelicalUnaligned"), "screw"),
    "Translation": "translation",
    "Spherical": "ball",
    "FreeFlyer": "free",
}


def kind_of(robot: Any, j: int) -> str:
    """Our name for Pinocchio's joint ``j``; "translation" is three slides."""
    short = robot.joints[j].shortname().removeprefix("JointModel")
    if short not in KINDS:
        raise ValueError(f"{robot.name}: joint {robot.names[j]!r} is {short}, which a Model has not")
    return KINDS[short]


def _axis(joint: Any) -> tuple[Reals, Reals]:
    """Angular and linear part of the motion of a joint with one degree of freedom."""
    data = joint.createData()
    q = np.zeros(joint.idx_q + joint.nq)
    q[-joint.nq] = 1.0 if joint.nq == 2 else 0.0
    joint.calc(data, q)
    subspace = np.array(data.S).ravel()
    return subspace[3:], subspace[:3]


class Coordinates:
    """Converts states of a Model to Pinocchio's coordinates and back; rows of arrays are states.

    Pinocchio stores a quaternion's scalar last, a free joint's linear velocity and force in body axes (ours:
    in the parent's), and an unlimited hinge as cosine and sine.

    Args:
        model: a Model whose joints are in Pinocchio's order, as from :func:`from_pinocchio`.
        robot: a pinocchio.Model with unlimited hinges; without it the robot has none.
    """

    def __init__(self, model: Model, robot: Any = None) -> None:
        types = model.jnt_type
        self._free = [
            (int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in np.flatnonzero(types == FREE)
        ]
        self._quats = [int(model.jnt_qposadr[j]) for j in np.flatnonzero(types == BALL)]
        self._quats += [q + 3 for q, _ in self._free]
        # The index of a hinge's angle in our coordinates; all other coordinates keep their order.
        self._unlimited = [
            int(model.jnt_qposadr[model.jnt_dofadr == joint.idx_v][0])
            for joint in (robot.joints[j] for j in range(1, robot.njoints if robot is not None else 1))
            if joint.nq == 2
        ]

    def positions(self, qpos: Reals) -> Reals:
        q = np.array(qpos)
        for at in self._quats:
            q[:, at : at + 4] = np.roll(q[:, at : at + 4], -1, axis=1)
        for at in reversed(self._unlimited):
            angle = qpos[:, at : at + 1]
            q = np.concatenate([q[:, :at], np.cos(angle), np.sin(angle), q[:, at + 1 :]], axis=1)
        return q

    def velocities(self, qpos: Reals, qvel: Reals) -> Reals:
        """Converts velocities; also forces, by preservation of power."""
        v = np.array(qvel)
        for q, dof in self._free:
            turn = matrix(qpos[:, q + 3 : q + 7])
            v[:, dof : dof + 3] = np.einsum("nji,nj->ni", turn, v[:, dof : dof + 3])
        return v

    forces = velocities

    def accelerations(self, qpos: Reals, qvel: Reals, theirs: Reals) -> Reals:
        """Pinocchio's accelerations in our coordinates: the body axes rotate while the velocity changes."""
        a = np.array(theirs)
        for q, dof in self._free:
            turn = matrix(qpos[:, q + 3 : q + 7])
            linear = np.einsum("nji,nj->ni", turn, qvel[:, dof : dof + 3])
            body = a[:, dof : dof + 3] + np.cross(qvel[:, dof + 3 : dof + 6], linear)
            a[:, dof : dof + 3] = np.einsum("nij,nj->ni", turn, body)
        return a

    def matrices(self, qpos: Reals, theirs: Reals) -> Reals:
        """Pinocchio's mass matrices (n, nv, nv) in our coordinates."""
        M = np.array(theirs)
        for q, dof in self._free:
            turn, rows = matrix(qpos[:, q + 3 : q + 7]), slice(dof, dof + 3)
            M[:, rows, :] = np.einsum("nij,njk->nik", turn, M[:, rows, :])
            M[:, :, rows] = np.einsum("nki,nji->nkj", M[:, :, rows], turn)
        return M

    def covectors(self, qpos: Reals, theirs: Reals) -> Reals:
        """Pinocchio's joint forces in our coordinates."""
        f = np.array(theirs)
        for q, dof in self._free:
            turn = matrix(qpos[:, q + 3 : q + 7])
            f[:, dof : dof + 3] = np.einsum("nij,nj->ni", turn, f[:, dof : dof + 3])
        return f
