"""Drake's MultibodyPlant, continuous, called from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from polybody.rotations.arrays import matrix

from benchmarks.engine import Reals
from benchmarks.peers.python_peer import PythonPeer, Worker, main
from benchmarks.peers.tree import TreeJoint, tree

if TYPE_CHECKING:
    from polybody import Model


class Drake(PythonPeer):
    """``EvalTimeDerivatives`` after ``SetContinuousState``, minus the overhead of both calls."""

    label = "Drake 1.51.1"
    module = __name__


class DrakeWorker(Worker):
    """A plant of the model's joints; armature is its actuators' reflected inertia."""

    def __init__(self, model: Model) -> None:
        from pydrake.multibody import plant
        from pydrake.multibody import tree as parts

        self._parts = parts
        self.plant = plant.MultibodyPlant(0.0)
        self.plant.mutable_gravity_field().set_gravity_vector(model.opt_gravity)
        self.joints: list[Any] = []
        bodies = [self.plant.world_body()]
        self.rows = tree(model)
        for i, row in enumerate(self.rows, 1):
            mass, centre, inertia = row.load()
            load = parts.SpatialInertia.Zero()
            if mass:
                about = parts.RotationalInertia(
                    *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]
                )
                load = parts.SpatialInertia.MakeFromCentralInertia(mass, centre, about)
            bodies.append(self.plant.AddRigidBody(f"body {i}", load))
            self.joints.append(self._add(row, f"joint {i}", bodies[row.parent], bodies[i]))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        self.force = self.plant.get_applied_generalized_force_input_port()

    def _add(self, row: TreeJoint, name: str, parent: Any, child: Any) -> Any:
        from pydrake.math import RigidTransform, RotationMatrix

        place = RigidTransform(RotationMatrix(row.rotation), row.translation)
        frame = self.plant.AddFrame(
            self._parts.FixedOffsetFrame(f"place of {name}", parent.body_frame(), place)
        )
        kinds = {"hinge": self._parts.RevoluteJoint, "slide": self._parts.PrismaticJoint}
        if row.kind == "free":
            made = self._parts.QuaternionFloatingJoint(name, frame, child.body_frame())
        else:
            made = kinds[row.kind](name, frame, child.body_frame(), row.axis)
        joint = self.plant.AddJoint(made)
        if row.armature and row.kind != "free":
            actuator = self.plant.AddJointActuator(f"rotor of {name}", joint)
            actuator.set_default_gear_ratio(1.0)
            actuator.set_default_rotor_inertia(row.armature)
        return joint

    def put(self, q: Reals, v: Reals) -> tuple[Reals, ...]:
        """Free joints: quaternion, position; angular then linear velocity, both in the parent's axes."""
        there_q, there_v = np.zeros(self.plant.num_positions()), np.zeros(self.plant.num_velocities())
        i = j = 0
        for joint in self.joints:
            at_q, at_v = joint.position_start(), joint.velocity_start()
            if joint.num_velocities() == 6:
                turn = matrix(q[i + 3 : i + 7])
                there_q[at_q : at_q + 7] = np.concatenate([q[i + 3 : i + 7], q[i : i + 3]])
                there_v[at_v : at_v + 6] = np.concatenate([turn @ v[j + 3 : j + 6], v[j : j + 3]])
            else:
                there_q[at_q], there_v[at_v] = q[i], v[j]
            i, j = i + joint.num_positions(), j + joint.num_velocities()
        return (np.concatenate([there_q, there_v]),)

    def set(self, state: tuple[Reals, ...]) -> None:
        self.context.SetContinuousState(state[0])

    def push(self, q: Reals, force: Reals) -> None:
        there = np.zeros(self.plant.num_velocities())
        i = j = 0
        for joint in self.joints:
            at, nv = joint.velocity_start(), joint.num_velocities()
            there[at : at + nv] = force[j : j + nv]
            if nv == 6:
                turn = matrix(q[i + 3 : i + 7])
                there[at : at + 6] = np.concatenate([turn @ force[j + 3 : j + 6], force[j : j + 3]])
            i, j = i + joint.num_positions(), j + nv
        self.force.FixValue(self.context, there)

    def solve(self) -> Any:
        return self.plant.EvalTimeDerivatives(self.context)

    nothing = solve  # the result is cached

    def acceleration(self, q: Reals, v: Reals) -> Reals:
        found = self.solve().CopyToVector()[self.plant.num_positions() :]
        here = []
        i = 0
        for joint in self.joints:
            at, nv = joint.velocity_start(), joint.num_velocities()
            if nv == 6:
                back = matrix(
                    q[i + 3 : i + 7]
                ).T  # what rotates with the body does not affect its own angular rate
                here += [*found[at + 3 : at + 6], *(back @ found[at : at + 3])]
            else:
                here.append(found[at])
            i += joint.num_positions()
        return np.array(here)


if __name__ == "__main__":
    main(DrakeWorker)
