"""The engines' results for the same scenes: pydrake (continuous, point contact), dartpy and MuJoCo."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.scenes.documents import Solid, sdf, skel, urdf

STEP = 1e-3
"""s, for DART and MuJoCo."""


class Peer(NamedTuple):
    """A scene in an engine. Poses and velocities of a solid are queried by its row."""

    advance: Callable[[float], None]
    """Advance by a number of seconds."""
    height: Callable[[int], Any]
    """The position of the solid's centre, (3,), m."""
    velocity: Callable[[int], Any]
    """Angular, then linear velocity in the world, (6,)."""
    push: Callable[[int, float], None]
    """Give a solid a velocity along x, m/s, and stop its rotation."""


def drake(form: str, solids: Sequence[Solid], friction: float, accuracy: float = 1e-2) -> Peer:
    """A continuous MultibodyPlant with point contact, integrated by Drake's default integrator with a given
    accuracy.
    """
    import logging

    import pydrake.all as pydrake

    logging.getLogger("drake").setLevel(logging.ERROR)
    text = {"urdf": urdf, "sdf": sdf}[form](solids, friction)
    builder = pydrake.DiagramBuilder()
    plant, _ = pydrake.AddMultibodyPlantSceneGraph(builder, 0.0)
    plant.set_contact_model(pydrake.ContactModel.kPoint)
    pydrake.Parser(plant).AddModelsFromString(text, form)
    plant.Finalize()
    simulator = pydrake.Simulator(builder.Build())
    simulator.get_mutable_integrator().set_target_accuracy(accuracy)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    bodies = [plant.GetBodyByName(solid.name) for solid in solids]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for body, solid in zip(bodies, solids, strict=True):
            plant.SetFreeBodyPose(context, body, pydrake.RigidTransform([0, 0, solid.height]))

    def push(row: int, speed: float) -> None:
        velocities = plant.GetVelocities(context).copy()
        first = bodies[row].floating_velocities_start_in_v()
        velocities[first : first + 6] = [0, 0, 0, speed, 0, 0]
        plant.SetVelocities(context, velocities)

    def velocity(row: int) -> Any:
        found = plant.EvalBodySpatialVelocityInWorld(context, bodies[row])
        return np.concatenate([found.rotational(), found.translational()])

    return Peer(
        lambda seconds: simulator.AdvanceTo(simulator.get_context().get_time() + seconds),
        lambda row: plant.EvalBodyPoseInWorld(context, bodies[row]).translation(),
        velocity,
        push,
    )


def dart(form: str, solids: Sequence[Solid], friction: float) -> Peer:
    """A World of DART, read from the scene's SKEL, without automatic sleeping."""
    import dartpy

    assert form == "skel"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.skel"
        path.write_text(skel(solids), encoding="utf-8")
        world = dartpy.utils.SkelParser.readWorld(str(path))
    bodies = [world.getSkeleton(solid.name).getBodyNode(0) for solid in solids]
    for skeleton in [world.getSkeleton(i) for i in range(world.getNumSkeletons())]:
        for body in range(skeleton.getNumBodyNodes()):
            for shape in skeleton.getBodyNode(body).getShapeNodes():
                if shape.getDynamicsAspect() is not None:
                    shape.getDynamicsAspect().setFrictionCoeff(friction)

    def advance(seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            world.step()

    def push(row: int, speed: float) -> None:
        bodies[row].getParentJoint().setVelocities([0, 0, 0, speed, 0, 0])

    return Peer(
        advance,
        lambda row: bodies[row].getWorldTransform().translation(),
        lambda row: np.concatenate([bodies[row].getAngularVelocity(), bodies[row].getLinearVelocity()]),
        push,
    )


def mujoco(form: str, solids: Sequence[Solid], friction: float) -> Peer:
    """The scene as MJCF with MuJoCo's defaults except for the time step and elliptic cones."""
    import mujoco as engine

    bodies = "".join(
        f'<body name="{solid.name}" pos="0 0 {solid.height}"><freejoint/><geom type="'
        + (f'sphere" size="{solid.size[0]}"' if len(solid.size) == 1 else _halves(solid.size))
        + f' mass="{solid.mass}" friction="{friction} 0.005 0.0001"/></body>'
        for solid in solids
    )
    model = engine.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" cone="elliptic"/><worldbody>'
        f'<geom type="plane" size="0 0 1" friction="{friction} 0.005 0.0001"/>{bodies}</worldbody></mujoco>'
    )
    data = engine.MjData(model)

    def advance(seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            engine.mj_step(model, data)

    def velocity(row: int) -> Any:
        found = np.zeros(6)
        engine.mj_objectVelocity(model, data, engine.mjtObj.mjOBJ_BODY, row + 1, found, 0)
        return found

    def push(row: int, speed: float) -> None:
        data.qvel[6 * row : 6 * row + 6] = [speed, 0, 0, 0, 0, 0]

    return Peer(advance, lambda row: data.xpos[row + 1], velocity, push)


def _halves(size: Sequence[float]) -> str:
    return 'box" size="' + " ".join(repr(edge / 2) for edge in size) + '"'


# --- measurements ------------------------------------------------------------------------------------


def slide(peer: Peer, height: float, friction: float, speed: float = 2.0) -> dict[str, float]:
    """As `ours.slide`."""
    peer.advance(1.0)
    start = peer.height(0)[0]
    peer.push(0, speed)
    peer.advance(speed / friction / 9.81 + 0.5)
    stopped = peer.height(0)[0] - start
    peer.advance(1.0)
    return {
        "distance": stopped,
        "creep": peer.height(0)[0] - start - stopped,
        "depth": height - peer.height(0)[2],
    }


def stack(peer: Peer, solids: Sequence[Solid]) -> dict[str, float]:
    """As `ours.stack`."""
    peer.advance(3.0)
    places = np.array([peer.height(row) for row in range(len(solids))])
    return {
        "sunk": max(solid.height - z for solid, z in zip(solids, places[:, 2], strict=True)),
        "drift": float(np.abs(places[:, :2]).max()),
        "speed": max(float(np.abs(peer.velocity(row)).max()) for row in range(len(solids))),
    }


def roll(peer: Peer, radius: float, speed: float = 1.0) -> dict[str, float]:
    """As `ours.roll`."""
    peer.advance(1.0)
    peer.push(0, speed)
    peer.advance(1.0)
    velocity = peer.velocity(0)
    return {"speed": velocity[3], "slip": velocity[3] - velocity[1] * radius}


def bounce(peer: Peer, radius: float) -> dict[str, float]:
    """As `ours.bounce`."""
    heights, speeds = [], []
    for _ in range(800):
        peer.advance(STEP)
        heights.append(peer.height(0)[2])
        speeds.append(peer.velocity(0)[5])
    return {"share": max(speeds) / -min(speeds), "depth": radius - min(heights)}
