"""Drake 1.51, the engine for URDF, SDFormat and model directives, evaluated on one file.

The plant is continuous and without geometry. `CalcBiasTerm` excludes gravity; the contribution of force
elements includes gravity, springs, bushings and the joints' damping. Models keep their names: with renaming
Drake would split a model that includes a URDF. Drake is slow to import, so callers use worker processes:
`ask` returns plain data.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

STATES = 3
"""The default state and random ones; the last of them with actuator inputs."""
STRONG = 3.0
"""Magnitude of the actuator inputs, N or N m."""


@dataclasses.dataclass(frozen=True)
class State:
    """A state in Drake's coordinates, and Drake's results there."""

    q: np.ndarray
    v: np.ndarray
    u: np.ndarray
    desired: tuple[np.ndarray, np.ndarray] | None
    poses: np.ndarray  # (nbody, 4, 4), the world first
    velocities: np.ndarray  # (nbody, 6): angular velocity, then that of the origin, in the world frame
    mass_matrix: np.ndarray
    bias: np.ndarray
    gravity: np.ndarray
    forces: np.ndarray  # of gravity and all force elements
    acceleration: np.ndarray | None
    why_none: str = ""


@dataclasses.dataclass(frozen=True)
class Answer:
    """All of Drake's results for one file. Body names are qualified, and the world is the first body."""

    path: str
    instances: list[str]
    bodies: list[str]
    q_names: list[str]
    v_names: list[str]
    actuators: list[str]
    joints: list[dict[str, Any]]
    frames: dict[str, np.ndarray]  # (4, 4): poses of frames in the world in the default state
    mass: np.ndarray
    centre: np.ndarray  # (nbody, 3)
    inertia: np.ndarray  # (nbody, 3, 3) about the origin
    states: list[State]
    warnings: list[str]
    constraints: int


class _Said(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(f"{record.levelname}: {record.getMessage()[:300]}")


def ask(path: Path | str, *, seed: int = 0, packages: Mapping[str, str] | None = None) -> Answer:
    """Load a file and evaluate it at seeded states.

    Raises:
        RuntimeError: Drake does not load it.
    """
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    said = _load(plant, Path(path), packages or {})
    plant.Finalize()
    return _answer(plant, Path(path), seed, said)


def _load(plant: Any, path: Path, packages: Mapping[str, str]) -> list[str]:
    from pydrake.multibody.parsing import Parser

    handler, log = _Said(), logging.getLogger("drake")
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.WARNING)
    parser = Parser(plant=plant)
    parser.SetAutoRenaming(False)
    known = parser.package_map()
    for name, folder in packages.items():
        if known.Contains(name):
            known.Remove(name)
        known.Add(name, folder)
    manifest = next((above for above in path.resolve().parents if (above / "package.xml").exists()), None)
    if manifest is not None:
        with contextlib.suppress(RuntimeError):  # a package of that name is already known
            known.AddPackageXml(str(manifest / "package.xml"))
    parser.AddModels(str(path))
    return handler.said


def _answer(plant: Any, path: Path, seed: int, said: list[str]) -> Answer:
    from pydrake.multibody.tree import BodyIndex, FrameIndex

    context = plant.CreateDefaultContext()
    bodies = [plant.get_body(BodyIndex(row)) for row in range(plant.num_bodies())]
    mass, centre, inertia = np.zeros(len(bodies)), np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3, 3))
    for row, body in enumerate(bodies[1:], 1):
        spatial = body.CalcSpatialInertiaInBodyFrame(context)
        mass[row], centre[row] = spatial.get_mass(), spatial.get_com()
        inertia[row] = spatial.CalcRotationalInertia().CopyToFullMatrix3()
    names = [_full(plant, body) for body in bodies]
    frames = {}
    for row in range(plant.num_frames()):
        frame = plant.get_frame(FrameIndex(row))
        if frame.name():
            frames[_full(plant, frame)] = frame.CalcPoseInWorld(context).GetAsMatrix4()
    rng = np.random.default_rng([seed, zlib.crc32(path.name.encode())])
    states = [_state(plant, context, bodies, rng, number) for number in range(STATES)]
    return Answer(
        str(path),
        sorted({plant.GetModelInstanceName(body.model_instance()) for body in bodies}),
        names,
        list(plant.GetPositionNames()),
        list(plant.GetVelocityNames()),
        [_full(plant, plant.get_joint_actuator(each)) for each in plant.GetJointActuatorIndices()],
        [_joint(plant, each) for each in plant.GetJointIndices()],
        frames,
        mass,
        centre,
        inertia,
        states,
        said,
        plant.num_constraints(),
    )


def _full(plant: Any, element: Any) -> str:
    return f"{plant.GetModelInstanceName(element.model_instance())}::{element.name()}"


def _joint(plant: Any, index: Any) -> dict[str, Any]:
    joint = plant.get_joint(index)
    return {
        "name": _full(plant, joint),
        "type": joint.type_name(),
        "q": (joint.position_start(), joint.num_positions()) if joint.num_positions() else (0, 0),
        "v": (joint.velocity_start(), joint.num_velocities()) if joint.num_velocities() else (0, 0),
        "lower": np.array(joint.position_lower_limits()),
        "upper": np.array(joint.position_upper_limits()),
    }


def _state(plant: Any, context: Any, bodies: list[Any], rng: np.random.Generator, number: int) -> State:
    from pydrake.multibody.tree import MultibodyForces

    if number == 0:
        q, v = np.array(plant.GetPositions(plant.CreateDefaultContext())), np.zeros(plant.num_velocities())
    else:
        q = rng.uniform(-1.2, 1.2, plant.num_positions())  # in the unique range of pitch
        for row, name in enumerate(plant.GetPositionNames()):
            if name.endswith("_qw"):
                turn = rng.normal(size=4)
                q[row : row + 4] = turn / np.linalg.norm(turn)
        v = rng.uniform(-1.0, 1.0, plant.num_velocities())
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    poses = np.array([plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4() for body in bodies])
    moving = np.array([plant.EvalBodySpatialVelocityInWorld(context, body).get_coeffs() for body in bodies])
    u, desired, nothing = np.zeros(plant.num_actuators()), None, np.zeros(0)
    if plant.num_velocities() == 0:
        return State(q, v, u, None, poses, moving, np.zeros((0, 0)), nothing, nothing, nothing, nothing)
    if number == STATES - 1 and plant.num_actuators():
        u = rng.uniform(-STRONG, STRONG, plant.num_actuators()) * rng.choice([1.0, 100.0])
        desired = _desired(plant, context, rng)
    if plant.num_actuators():
        plant.get_actuation_input_port().FixValue(context, u)
    matrix, bias = plant.CalcMassMatrix(context), plant.CalcBiasTerm(context)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    acting = np.array(plant.CalcGeneralizedForces(context, forces))
    gravity = plant.CalcGravityGeneralizedForces(context)
    acceleration, why = None, ""
    try:
        derivatives = plant.EvalTimeDerivatives(context).CopyToVector()
        acceleration = derivatives[plant.num_positions() :]
    except Exception as refusal:  # singular, or constraints, which a continuous plant does not support
        why = " ".join(str(refusal).split())[:120]
    return State(q, v, u, desired, poses, moving, matrix, bias, gravity, acting, acceleration, why)


def _desired(plant: Any, context: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray] | None:
    """Give all controllers desired states: numbers for all coordinates and velocities."""
    from pydrake.multibody.tree import ModelInstanceIndex

    controlled = [
        plant.get_joint_actuator(each)
        for each in plant.GetJointActuatorIndices()
        if plant.get_joint_actuator(each).has_controller()
    ]
    if not controlled:
        return None
    q, v = rng.uniform(-1, 1, plant.num_positions()), rng.uniform(-1, 1, plant.num_velocities())
    for row in range(plant.num_model_instances()):
        instance = ModelInstanceIndex(row)
        own = list(plant.GetJointActuatorIndices(instance))
        rows = [plant.get_joint_actuator(each) for each in own]
        if not any(each.has_controller() for each in rows):
            continue
        wanted_q = [q[each.joint().position_start()] for each in rows]
        wanted_v = [v[each.joint().velocity_start()] for each in rows]
        plant.get_desired_state_input_port(instance).FixValue(context, np.array(wanted_q + wanted_v))
    return q, v
