"""OpenRAVE XML against an independent reader of the text, and Pinocchio models of its result.

Link poses are compared with products of matrices from joint to joint (`tests/oracles/openrave_chain.py`),
mass matrices, biases and accelerations with Pinocchio, whose model has a joint at every anchor.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
import polybody
from polybody.lowering import lowered
from polybody.rotations.arrays import matrix

from tests.differential.report import Comparison, condition
from tests.oracles import openrave_chain as chain

ENGINE = f"a second reading of the text and Pinocchio {pin.__version__}"
SUFFIX = ".xml"
GRAVITY = (0.3, -0.2, -9.81)
STATES = 3
TOLERANCES = {
    "masses": 1e-10,  # mass, centre of mass, inertia about it
    "poses as loaded": 1e-10,
    "poses": 1e-10,  # at random values of the degrees of freedom, including joints that follow others
    "poses by Pinocchio": 1e-10,
    "mass matrix": 1e-10,
    "bias": 1e-10,
    "acceleration": 1e-9,
}


class Place(NamedTuple):
    """A joint of the Model and of Pinocchio."""

    model: int
    """The index of its first velocity in the Model."""
    pin: int
    joint: chain.Joint | None
    """None for a free link."""
    index: int
    """Pinocchio's index of the joint."""
    body: int
    """The body that it moves."""
    kind: str


def compare_files(paths: Sequence[Path], *, seed: int, workers: int = 1, steps: int = 0) -> list[Comparison]:
    """Compare each file in this process; no worker processes are needed. A file may use others anywhere in
    the folder that contains all of them.
    """
    folder = Path(os.path.commonpath([path.resolve().parent for path in paths]))
    return [compare(path, seed, folder) for path in paths]


def compare(path: Path, seed: int, folder: Path) -> Comparison:
    """Compare one file, which may use others in a folder. A file that polybody rejects for a missing part or
    a fault of the text is reported as skipped.
    """
    result = Comparison(str(path))
    try:
        document = polybody.read(path, policy="warn", format="openrave", roots=[folder])
        made = lowered(document, policy="warn", disable=("constraint",))
    except polybody.ValidationError as error:
        first = next(each for each in error.diagnostics if each.severity == "error")
        if first.code == "PB099":
            result.failure = str(first)
        else:
            result.skipped = f"refused: {first}".replace("\n", "; ")
        return result
    compare_model(made, chain.bodies(path), result, np.random.default_rng(seed))
    return result


def compare_model(
    made: Any, found: Sequence[chain.Body], result: Comparison, rng: np.random.Generator
) -> None:
    """Compare a Model and its native coordinates with the bodies of the independent reader."""
    model, native = made.model, made.native
    names = {name: row for row, name in enumerate(model.names["body"])}
    scoped = len(found) > 1
    rows = {
        link: names[f"{body.name}::{link.name}" if scoped else link.name]
        for body in found
        for link in body.links
    }
    if len(rows) != model.nbody - 1:
        result.failure = f"{model.nbody - 1} bodies for {len(rows)} links"
        return
    _compare_masses(model, rows, result)
    data = polybody.Data(model)
    _compare_poses(model, data, rows, {b: b.placed(b.start()) for b in found}, result, "poses as loaded")
    start = native.q(model.qpos0)
    for _ in range(STATES):
        q = start.copy()
        values, at = {}, 0
        for body in found:
            values[body] = body.start()
            for joint in body.indexed:
                drawn = [_drawn(joint, place, rng) for place in range(joint.count)]
                values[body][joint] = [0.0] * joint.count if joint.rigid else drawn
                q[at : at + joint.count] = values[body][joint]
                at += joint.count
            if any(parent is None and link is body.links[0] for _, parent, link in body.tree()):
                at += 7  # the base is free
            values[body] = body.followed(values[body])
        data.qpos[:] = native.qpos(q)
        placed = {body: body.placed(values[body]) for body in found}
        _compare_poses(model, data, rows, placed, result, "poses")
    if model.nv:
        _compare_dynamics(model, found, rows, result, rng)


def _drawn(joint: chain.Joint, place: int, rng: np.random.Generator) -> float:
    low, high = (-np.pi, np.pi) if joint.circular else joint.bounds[place]
    return float(rng.uniform(max(low, -1.5), min(high, 1.5)) if max(low, -1.5) < min(high, 1.5) else low)


def _compare_masses(model: polybody.Model, rows: Mapping[chain.Link, int], result: Comparison) -> None:
    for link, row in rows.items():
        assert link.mass is not None
        mass, centre, inertia = link.mass
        axes = matrix(model.body_iquat[row])
        result.add("masses", np.array([model.body_mass[row]]), np.array([mass]))
        result.add("masses", model.body_ipos[row], centre)
        result.add("masses", axes @ np.diag(model.body_inertia[row]) @ axes.T, inertia)


def _compare_poses(
    model: polybody.Model,
    data: polybody.Data,
    rows: Mapping[chain.Link, int],
    placed: Mapping[chain.Body, Mapping[chain.Link, np.ndarray]],
    result: Comparison,
    quantity: str,
) -> None:
    polybody.forward_kinematics(model, data)
    for poses in placed.values():
        for link, pose in poses.items():
            row = rows[link]
            result.add(quantity, data.xpos[row], pose[:3, 3], scale=1.0)
            result.add(quantity, data.xmat[row].reshape(3, 3), pose[:3, :3])


# --- dynamics -----------------------------------------------------------------------------------------------


def _se3(pose: np.ndarray) -> pin.SE3:
    return pin.SE3(pose[:3, :3].copy(), pose[:3, 3].copy())


def _model(
    found: Sequence[chain.Body], rows: Mapping[chain.Link, int], ours: polybody.Model
) -> tuple[pin.Model, list[Place], list[tuple[int, int, np.ndarray]]]:
    """Pinocchio's model of bodies: a joint at each anchor, with the axes of the joint's first link."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array([*GRAVITY, 0, 0, 0]))
    places: list[Place] = []
    frames = []

    def add(parent: int, kind: Any, placement: np.ndarray, place: tuple[Any, ...]) -> int:
        index = model.addJoint(parent, kind, _se3(placement), f"joint {len(places)}")
        joint, body, adr, what = place
        places.append(Place(adr, model.joints[index].idx_v, joint, index, body, what))
        return int(index)

    for body in found:
        carried: dict[chain.Link, tuple[int, np.ndarray]] = {
            link: (0, link.pose) for link in body.links if link.static
        }
        for joint, parent, link in _depth_first(body):
            row = rows[link]
            first = int(ours.body_dofadr[row])
            if parent is None or joint is None:
                index = add(0, pin.JointModelFreeFlyer(), chain.EYE, (None, row, first, "free"))
                carried[link] = (index, chain.EYE)
                continue
            index, frame = carried[parent]
            forward = parent is joint.one
            back = np.linalg.inv(joint.rel)
            at = frame @ (chain.EYE if forward else back) @ chain.shift(joint.anchor)
            rest = chain.shift(-joint.anchor) @ (joint.rel if forward else chain.EYE)
            if not joint.rigid:
                for number, kind in enumerate(_kinds(joint, forward)):
                    name = joint.kind if forward else f"{joint.kind} reversed"
                    index = add(index, kind, at, (joint, row, first + number, name))
                    at = chain.EYE
            carried[link] = (index, at @ rest)
        for link, (index, pose) in carried.items():
            frames.append((rows[link], index, pose))
            assert link.mass is not None
            mass, centre, inertia = link.mass
            model.appendBodyToJoint(index, pin.Inertia(mass, centre, inertia), _se3(pose))
    return model, places, frames


def _depth_first(body: chain.Body) -> list[tuple[Any, Any, chain.Link]]:
    """The rows of the tree in depth-first order: Pinocchio requires each subtree to be a contiguous range."""
    below: dict[Any, list[Any]] = {}
    for row in body.tree():
        below.setdefault(row[1] if row[1] is None or not row[1].static else None, []).append(row)
    found, todo = [], list(reversed(below.get(None, ())))
    while todo:
        row = todo.pop()
        found.append(row)
        todo += reversed(below.get(row[2], ()))
    return found


def _kinds(joint: chain.Joint, forward: bool) -> list[Any]:
    """The primitives from parent to child."""
    if joint.kind == "spherical":
        return [pin.JointModelSpherical()]
    axes = joint.axes if forward else [-axis for axis in reversed(joint.axes)]
    primitive = (
        pin.JointModelPrismaticUnaligned if joint.kind == "slider" else pin.JointModelRevoluteUnaligned
    )
    return [primitive(np.asarray(axis)) for axis in axes]


def _compare_dynamics(
    model: polybody.Model,
    found: Sequence[chain.Body],
    rows: Mapping[chain.Link, int],
    result: Comparison,
    rng: np.random.Generator,
) -> None:
    model = model.replace(opt_gravity=GRAVITY)
    other, places, frames = _model(found, rows, model)
    theirs, data = other.createData(), polybody.Data(model)
    if other.nv != model.nv:
        result.failure = f"{model.nv} velocities for {other.nv} of Pinocchio"
        return
    for _ in range(STATES):
        q, speed, acceleration = pin.neutral(other), rng.normal(size=other.nv), rng.normal(size=other.nv)
        data.qpos[:] = model.qpos0
        across, drift = np.zeros((model.nv, other.nv)), np.zeros(model.nv)
        for place in places:
            _state(model, data, other, place, q, speed, across, drift, rng)
        data.qvel[:] = across @ speed
        polybody.forward(model, data)
        pin.framesForwardKinematics(other, theirs, q)
        dense = polybody.mass_matrix(model, data)
        mass = pin.crba(other, theirs, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(other, theirs, q, speed)
        result.add("mass matrix", across.T @ dense @ across, mass)
        ours = across.T @ (data.qfrc_bias + dense @ drift)
        result.add("bias", ours, bias, scale=float(np.abs(mass).max(initial=0) * 10))
        solved = condition(mass)
        applied = mass @ acceleration + bias
        data.qfrc_applied[:] = np.linalg.solve(across.T, applied)
        polybody.forward(model, data)
        got = np.linalg.solve(across, data.qacc - drift)
        result.add("acceleration", got, acceleration, solved)
        for row, index, pose in frames:
            found_pose = theirs.oMi[index].homogeneous @ pose
            result.add("poses by Pinocchio", data.xpos[row], found_pose[:3, 3], scale=1.0)
            result.add("poses by Pinocchio", data.xmat[row].reshape(3, 3), found_pose[:3, :3])


def _state(
    model: polybody.Model,
    data: polybody.Data,
    other: pin.Model,
    place: Place,
    q: np.ndarray,
    speed: np.ndarray,
    across: np.ndarray,
    drift: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """A random value of one joint on both sides, and the map of its velocities: qvel = across v."""
    row = int(model.dof_jntid[place.model])
    adr, start = int(model.jnt_qposadr[row]), other.joints[place.index].idx_q
    ours, theirs = slice(place.model, place.model + 3), slice(place.pin, place.pin + 3)
    if place.kind == "free":
        quat, pos = _quaternion(rng), rng.normal(size=3)
        data.qpos[adr : adr + 7] = [*pos, *quat]
        q[start : start + 7] = [*pos, *quat[1:], quat[0]]
        turn = chain.of_quaternion(quat)[:3, :3]
        across[ours, theirs] = turn
        across[place.model + 3 : place.model + 6, place.pin + 3 : place.pin + 6] = np.eye(3)
        linear, angular = speed[theirs], speed[place.pin + 3 : place.pin + 6]
        drift[ours] = turn @ np.cross(angular, linear)
    elif place.kind.startswith("spherical"):
        quat = _quaternion(rng)
        q[start : start + 4] = [*quat[1:], quat[0]]
        assert place.joint is not None
        rel = place.joint.rel[:3, :3] if place.kind == "spherical" else np.eye(3)
        axis = rel.T @ quat[1:]
        data.qpos[adr : adr + 4] = [quat[0], *axis]
        across[ours, theirs] = rel.T
    else:
        value = float(rng.uniform(-1, 1))
        data.qpos[adr] = q[start] = value
        across[place.model, place.pin] = 1.0


def _quaternion(rng: np.random.Generator) -> np.ndarray:
    quat = rng.normal(size=4)
    return quat / np.linalg.norm(quat)
