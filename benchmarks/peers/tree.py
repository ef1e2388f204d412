"""A Model in the form of joint-based engines: one row per joint, bodies without joints merged into their
parents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import JointType
from polybody.rotations.arrays import matrix

if TYPE_CHECKING:
    from polybody import Model

Reals = NDArray[np.float64]


@dataclass
class TreeJoint:
    """A joint and the bodies that it moves, in the frame after the joint: their mass, centre of mass, and
    inertia about it.

    ``parent`` counts from 1, 0 is the world; ``rotation`` and ``translation`` give the pose of its frame in
    the parent joint's. Of several joints of a body all but the last carry nothing.
    """

    parent: int
    kind: str
    axis: Reals
    rotation: Reals
    translation: Reals
    armature: float
    bodies: list[tuple[float, Reals, Reals]] = field(default_factory=list)

    def load(self) -> tuple[float, Reals, Reals]:
        """Several rigid bodies as one: mass, centre of mass, inertia about it (parallel-axis theorem)."""
        mass = sum((m for m, _, _ in self.bodies), 0.0)
        centre = sum((m * c for m, c, _ in self.bodies), np.zeros(3)) / (mass or 1.0)
        inertia = np.zeros((3, 3))
        for m, c, about_own in self.bodies:
            d = c - centre
            inertia += about_own + m * (d @ d * np.eye(3) - np.outer(d, d))
        return mass, centre, inertia


def tree(model: Model) -> list[TreeJoint]:
    """The joints of a Model with free joints, slides and hinges, in its order.

    Raises:
        ValueError: another kind of joint.
    """
    joints: list[TreeJoint] = []
    carriers = [
        (0, np.eye(3), np.zeros(3))
    ]  # of each body: its joint, from 1, and its pose in that joint's frame
    for i in range(1, model.nbody):
        carrier, turn, origin = carriers[model.body_parentid[i]]
        pose = (turn @ matrix(model.body_quat[i]), origin + turn @ model.body_pos[i])
        for j in np.flatnonzero(model.jnt_bodyid == i):
            kind = JointType(int(model.jnt_type[j])).name
            if kind not in ("free", "slide", "hinge"):
                raise ValueError(f"the peers are not given {kind} joints")
            armature = float(model.dof_armature[model.jnt_dofadr[j]])
            anchor = model.jnt_pos[j]
            placed = (turn, origin) if kind == "free" else (pose[0], pose[1] + pose[0] @ anchor)
            joints.append(TreeJoint(carrier, kind, model.jnt_axis[j], *placed, armature))
            carrier, pose = len(joints), (np.eye(3), np.zeros(3) if kind == "free" else -anchor)
        carriers.append((carrier, *pose))
        axes = pose[0] @ matrix(model.body_iquat[i])
        inertia = axes @ np.diag(model.body_inertia[i]) @ axes.T
        if carrier:
            joints[carrier - 1].bodies.append(
                (float(model.body_mass[i]), pose[1] + pose[0] @ model.body_ipos[i], inertia)
            )
    return joints
