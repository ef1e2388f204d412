"""DART's skeleton, called from Python. It has no armature, so models are passed without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from polybody.rotations.arrays import matrix

from benchmarks.engine import Reals
from benchmarks.peers.python_peer import PythonPeer, Worker, main
from benchmarks.peers.tree import TreeJoint, tree

if TYPE_CHECKING:
    from polybody import Model


NOTHING = 1e-12


class Dart(PythonPeer):
    """``computeForwardDynamics`` after ``setPositions`` and ``setVelocities``, minus the overhead of all
    calls.
    """

    label = "DART 6.20.0"
    module = __name__


class DartWorker(Worker):
    def __init__(self, model: Model) -> None:
        import dartpy

        self._dynamics, self._isometry = dartpy.dynamics, dartpy.math.Isometry3
        self.skeleton = dartpy.dynamics.Skeleton("model")
        self.skeleton.setGravity(model.opt_gravity)
        self.rows = tree(model)
        bodies: list[Any] = [None]
        self.joints = []
        for i, row in enumerate(self.rows, 1):
            joint, body = self._pair(row, f"joint {i}", bodies[row.parent])
            mass, centre, inertia = row.load()
            if not mass:  # DART requires some
                mass, inertia = NOTHING, NOTHING * np.eye(3)
            body.setInertia(dartpy.dynamics.Inertia(mass, centre, inertia))
            bodies.append(body)
            self.joints.append(joint)

    def _pair(self, row: TreeJoint, name: str, parent: Any) -> Any:
        d = self._dynamics
        kinds = {
            "hinge": (d.RevoluteJointProperties, self.skeleton.createRevoluteJointAndBodyNodePair),
            "slide": (d.PrismaticJointProperties, self.skeleton.createPrismaticJointAndBodyNodePair),
            "free": (d.FreeJointProperties, self.skeleton.createFreeJointAndBodyNodePair),
        }
        properties, make = kinds[row.kind]
        wanted = properties()
        wanted.mName = name
        wanted.mT_ParentBodyToJoint = self._place(row)
        if row.kind != "free":
            wanted.mAxis = row.axis
        return make(parent, wanted)

    def _place(self, row: TreeJoint) -> Any:
        place = self._isometry()
        place.set_rotation(row.rotation)
        place.set_translation(row.translation)
        return place

    def put(self, q: Reals, v: Reals) -> tuple[Reals, ...]:
        """Free joints: rotation vector, position; angular then linear velocity, in the parent's axes."""
        there_q: list[float] = []
        there_v: list[float] = []
        i = j = 0
        for row in self.rows:
            if row.kind == "free":
                place = self._isometry()
                turn = matrix(q[i + 3 : i + 7])
                place.set_rotation(turn)
                place.set_translation(q[i : i + 3])
                there_q += self._dynamics.FreeJoint.convertToPositions(place).tolist()
                there_v += [*(turn @ v[j + 3 : j + 6]), *v[j : j + 3]]
                i, j = i + 7, j + 6
            else:
                there_q.append(q[i])
                there_v.append(v[j])
                i, j = i + 1, j + 1
        return np.array(there_q), np.array(there_v)

    def set(self, state: tuple[Reals, ...]) -> None:
        self.skeleton.setPositions(state[0])
        self.skeleton.setVelocities(state[1])

    def push(self, q: Reals, force: Reals) -> None:
        there: list[float] = []
        i = j = 0
        for row in self.rows:
            if row.kind == "free":
                there += [*(matrix(q[i + 3 : i + 7]) @ force[j + 3 : j + 6]), *force[j : j + 3]]
                i, j = i + 7, j + 6
            else:
                there.append(force[j])
                i, j = i + 1, j + 1
        self.skeleton.setForces(np.array(there))

    def solve(self) -> None:
        self.skeleton.computeForwardDynamics()

    def nothing(self) -> object:
        return self.skeleton.getNumDofs()

    def acceleration(self, q: Reals, v: Reals) -> Reals:
        found = self.skeleton.getAccelerations()
        here: list[float] = []
        i = j = 0
        for row in self.rows:
            if row.kind == "free":
                here += [*found[j + 3 : j + 6], *(matrix(q[i + 3 : i + 7]).T @ found[j : j + 3])]
                i, j = i + 7, j + 6
            else:
                here.append(found[j])
                i, j = i + 1, j + 1
        return np.array(here)


if __name__ == "__main__":
    main(DartWorker)
