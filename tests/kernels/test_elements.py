"""Springs and dampers between bodies: loops, straight-line code, batches and the readable machine agree."""

from __future__ import annotations

import numpy as np
import polybody
import pytest
from polybody.assembly.parts import Assembly, Body, Element, Joint
from polybody.diagnostics import Findings
from polybody.generated.model import ElementType, JointType


def model() -> polybody.Model:
    """Two free bodies with a bushing between them, and a spring from the world to a body on a hinge."""
    assembly = Assembly("sprung")
    solid = {"mass": 1.5, "ipos": (0.1, 0.2, -0.1), "inertia": np.diag([0.4, 0.5, 0.3])}
    a = assembly.body(Body("a", joints=[Joint("a", JointType.free)], **solid))
    arm = Body("arm", a, pos=(0.5, 0, 0), joints=[Joint("j", JointType.hinge, axis=(0, 1, 0))], **solid)
    assembly.body(arm)
    c = assembly.body(Body("c", joints=[Joint("c", JointType.free, qpos0=(1, 0, 0, 1, 0, 0, 0))], **solid))
    turn = np.array([0.9, 0.1, -0.3, 0.2])
    stiff = {"stiffness": (400, 50, 600), "damping": (4, 5, 6)}
    twist = {"torque_stiffness": (100, 20, 30), "torque_damping": (1, 2, 3)}
    frames = {"pos1": (0.3, 0, 0.1), "quat1": turn, "pos2": (0, -0.1, 0.1), "quat2": (1, 0, 0, 0)}
    assembly.elements.append(Element(ElementType.bushing, arm, c, **frames, **stiff, **twist))
    line = {"stiffness": (120, 0, 0), "damping": (7, 0, 0), "length": 0.3}
    assembly.elements.append(Element(ElementType.spring, None, arm, (1, 1, 1), pos2=(0, 0, -1), **line))
    return assembly.build(Findings())


def state(made: polybody.Model) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    qpos = made.qpos0 + rng.uniform(-0.3, 0.3, made.nq)
    for first in (3, 11):
        qpos[first : first + 4] /= np.linalg.norm(qpos[first : first + 4])
    return qpos, rng.uniform(-1, 1, made.nv)


def test_every_kind_of_kernel_takes_the_same_steps() -> None:
    made = model()
    qpos, qvel = state(made)
    ends = []
    for kernels in ("loop", "specialized"):
        sim = polybody.Stepper(made, kernels)
        sim.data.qpos, sim.data.qvel = qpos, qvel
        sim.step(50)
        ends.append(np.concatenate([sim.data.qpos, sim.data.qvel]))
    batch = polybody.BatchStepper(made, 3)
    batch.qpos[:], batch.qvel[:] = qpos, qvel
    batch.step(50)
    ends += [np.concatenate([batch.qpos[row], batch.qvel[row]]) for row in range(3)]
    for end in ends[1:]:
        assert end == pytest.approx(ends[0], rel=1e-9, abs=1e-11)
    assert np.abs(ends[0] - np.concatenate([qpos, qvel])).max() > 0.1


def test_forces_are_equal_and_opposite() -> None:
    """For trees that only a bushing connects: forces, and moments about the world's origin."""
    made = model()
    alone = made.replace(
        element_stiffness=made.element_stiffness * [[1], [0]],
        element_damping=made.element_damping * [[1], [0]],
    )
    data = polybody.Data(alone)
    data.qpos, data.qvel = state(alone)
    polybody.forward(alone, data)
    forces, moments = [], []
    for name in ("a", "c"):
        row = alone.names["body"].index(name)
        first = int(alone.jnt_dofadr[alone.names["joint"].index(name)])
        force, moment = data.qfrc_element[first : first + 3], data.qfrc_element[first + 3 : first + 6]
        forces.append(force)
        moments.append(np.cross(data.xpos[row], force) + data.xmat[row].reshape(3, 3) @ moment)
    assert forces[0] == pytest.approx(-forces[1], abs=1e-11)
    assert moments[0] == pytest.approx(-moments[1], abs=1e-11)
    assert np.linalg.norm(forces[0]) > 10


def test_forces_on_bodies_at_the_tips_are_specialised() -> None:
    """Includes gravity compensation of a link to which nothing is attached."""
    made = model().replace(body_gravcomp=np.array([0, 0.5, 0.7, 1.2]))
    ends = []
    for kernels in ("loop", "specialized"):
        sim = polybody.Stepper(made, kernels)
        sim.data.qpos, sim.data.qvel = state(made)
        sim.step(20)
        ends.append(np.concatenate([sim.data.qpos, sim.data.qvel]))
    assert ends[0] == pytest.approx(ends[1], rel=1e-9, abs=1e-11)


def test_the_potential_of_a_spring_is_lost_to_motion() -> None:
    """Without dampers energy is conserved; bushings are excluded since they have no potential."""
    made = model()
    calm = made.replace(
        element_damping=np.zeros((2, 3)),
        element_stiffness=made.element_stiffness * [[0], [1]],
        element_torque_damping=np.zeros((2, 3)),
        element_torque_stiffness=np.zeros((2, 3)),
        opt_integrator="RK4",
        opt_timestep=1e-4,
    )
    sim = polybody.Stepper(calm, "loop")
    sim.data.qpos, sim.data.qvel = state(calm)
    before = sum(polybody.energy(calm, sim.data))
    kinetic = polybody.energy(calm, sim.data)[1]
    sim.step(2000)
    assert sum(polybody.energy(calm, sim.data)) == pytest.approx(before, rel=1e-7)
    assert abs(polybody.energy(calm, sim.data)[1] - kinetic) > 0.1
