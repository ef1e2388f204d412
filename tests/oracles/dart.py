"""DART 6.20, SKEL's engine, evaluated on one file in its own coordinates.

The skeletons' vectors are concatenated in the order of the file. DART's results are used as they are, with
these exceptions:

- a locked joint's velocity is 0 in random states: DART sets it to 0 in the middle of its first forward
  dynamics, which mixes both velocities;
- steps are those of World::step without its constraint solver, so that commands act until they are changed;
- DART drops the third power and all above of turns below 1e-3 rad, which makes them short by up to 1.7e-10 a
  step: ball and free joints are moved by its own law with the exact exponential (`_moved`).

DART crashes on some files, so it runs in a process of its own.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tests.waiting import PATIENCE


class RefusedError(Exception):
    """DART does not load the file, or ends the process that runs it."""


@dataclasses.dataclass(frozen=True)
class State:
    """A state and DART's results there; forces exclude those of springs and dampers."""

    q: np.ndarray
    v: np.ndarray
    poses: np.ndarray  # (nbody, 4, 4)
    mass_matrix: np.ndarray
    bias: np.ndarray  # Coriolis and gravity
    gravity: np.ndarray
    acceleration: np.ndarray
    solved: np.ndarray  # M + dt D + dt^2 K without prescribed joints: the matrix solved for accelerations


@dataclasses.dataclass(frozen=True)
class Answer:
    """DART's results for a file."""

    timestep: float
    bodies: list[tuple[str, str, bool]]  # skeleton, body, whether the skeleton moves
    joints: list[tuple[str, str, str, int]]  # skeleton, joint, kind, how many degrees of freedom
    moves: np.ndarray  # (nv,) whether the degree of freedom's skeleton moves
    mass: np.ndarray
    centre: np.ndarray
    moment: np.ndarray  # (nbody, 3, 3) about the centre of mass
    states: list[State]
    trajectory: tuple[np.ndarray, np.ndarray]  # q, v: (steps + 1, nv)


def ask(path: Path, *, seed: int = 0, states: int = 3, steps: int = 100) -> Answer:
    """Evaluate a file in DART.

    Raises:
        RefusedError: it gives no results.
        TimeoutError: it does not finish.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, path, seed, states, steps), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(PATIENCE):
            raise TimeoutError(f"DART does not end on {path}")
        answer = ours.recv()
    except EOFError:
        process.join(PATIENCE)
        raise RefusedError(f"DART ends its process with {process.exitcode}") from None
    finally:
        process.kill()
        process.join(PATIENCE)
    if isinstance(answer, Exception):
        raise answer
    found: Answer = answer
    return found


def _answer(pipe: Connection, path: Path, seed: int, states: int, steps: int) -> None:
    sys.stdout.flush()
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silent, stream)
    try:
        asked = _Asked(path)
    except Exception as error:  # DART rejects files with whatever it throws
        pipe.send(RefusedError(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"))
        return
    try:
        pipe.send(asked.answer(seed, states, steps))
    except Exception:
        pipe.send(RuntimeError(traceback.format_exc()))


class _Asked:
    def __init__(self, path: Path) -> None:
        import dartpy

        self.path = path
        self.load = dartpy.utils.SkelParser.readWorld
        self.world = self.load(str(path))
        if self.world is None:
            raise RefusedError("readWorld gives nothing")
        self.skeletons = [self.world.getSkeleton(i) for i in range(self.world.getNumSkeletons())]

    def answer(self, seed: int, states: int, steps: int) -> Answer:
        bodies = [(s, s.getBodyNode(b)) for s in self.skeletons for b in range(s.getNumBodyNodes())]
        joints = [(s, body.getParentJoint()) for s, body in bodies]
        rng = np.random.default_rng(seed)
        first = (self.gathered("getPositions"), self.gathered("getVelocities"))
        locked = np.array(
            [_word(joint) == "LOCKED" for _, joint in joints for _ in range(joint.getNumDofs())], dtype=bool
        )
        moves = np.array([s.isMobile() for s in self.skeletons for _ in range(s.getNumDofs())], dtype=bool)
        found = [self.state(first[0], np.where(locked, 0.0, first[1]))]
        for _ in range(states - 1):
            q = first[0] + rng.uniform(-0.6, 0.6, len(first[0])) * moves
            v = rng.uniform(-0.5, 0.5, len(q)) * (moves & ~locked)
            found.append(self.state(q, v))
        inertias = [body.getInertia() for _, body in bodies]
        return Answer(
            timestep=self.world.getTimeStep(),
            bodies=[(s.getName(), body.getName(), bool(s.isMobile())) for s, body in bodies],
            joints=[(s.getName(), j.getName(), j.getType(), j.getNumDofs()) for s, j in joints],
            moves=moves,
            mass=np.array([body.getMass() for _, body in bodies]),
            centre=np.array([body.getLocalCOM() for _, body in bodies]).reshape(-1, 3),
            moment=np.array([inertia.getMoment() for inertia in inertias]).reshape(-1, 3, 3),
            states=found,
            trajectory=self.trajectory(steps),
        )

    def gathered(self, method: str) -> np.ndarray:
        """Vectors of all skeletons, concatenated."""
        parts = [np.array(getattr(s, method)(), dtype=float) for s in self.skeletons if s.getNumDofs()]
        return np.concatenate([np.zeros(0), *parts])

    def dense(self, method: str) -> np.ndarray:
        """Block diagonal matrix of all skeletons' matrices."""
        sizes = [s.getNumDofs() for s in self.skeletons]
        found = np.zeros((sum(sizes), sum(sizes)))
        start = 0
        for s, size in zip(self.skeletons, sizes, strict=True):
            if size:
                found[start : start + size, start : start + size] = getattr(s, method)()
            start += size
        return found

    def put(self, q: np.ndarray, v: np.ndarray) -> None:
        start = 0
        for s in self.skeletons:
            part = slice(start, start + s.getNumDofs())
            s.setPositions(q[part])
            s.setVelocities(v[part])
            start = part.stop

    def state(self, q: np.ndarray, v: np.ndarray) -> State:
        self.put(q, v)
        poses = [
            s.getBodyNode(b).getWorldTransform() for s in self.skeletons for b in range(s.getNumBodyNodes())
        ]
        joints = [s.getJoint(j) for s in self.skeletons for j in range(s.getNumJoints())]
        given = [_word(joint) for joint in joints for _ in range(joint.getNumDofs())]
        free = np.array([word not in ("ACCELERATION", "VELOCITY", "LOCKED") for word in given], dtype=bool)
        solved = self.dense("getAugMassMatrix")[np.ix_(free, free)]
        mass, bias, gravity = (
            self.dense("getMassMatrix"),
            self.gathered("getCoriolisAndGravityForces"),
            self.gathered("getGravityForces"),
        )
        for s in self.skeletons:
            s.computeForwardDynamics()
        matrices = np.array([pose.matrix() for pose in poses]).reshape(-1, 4, 4)
        return State(q, v, matrices, mass, bias, gravity, self.gathered("getAccelerations"), solved)

    def trajectory(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Of a freshly loaded world: the steps of World::step without the constraint solver."""
        world: Any = self.load(str(self.path))
        self.skeletons = [world.getSkeleton(i) for i in range(world.getNumSkeletons())]
        q, v = [self.gathered("getPositions")], [self.gathered("getVelocities")]
        step = world.getTimeStep()
        for _ in range(steps):
            for s in self.skeletons:
                if s.isMobile() and s.getNumDofs():
                    before = [(j, np.array(j.getPositions())) for j in _round(s)]
                    s.computeForwardDynamics()
                    s.integrateVelocities(step)
                    s.integratePositions(step)
                    for joint, start in before:
                        joint.setPositions(_moved(joint, start, step))
            q.append(self.gathered("getPositions"))
            v.append(self.gathered("getVelocities"))
        return np.array(q), np.array(v)


def _round(skeleton: Any) -> list[Any]:
    """The ball and free joints of a skeleton."""
    joints = [skeleton.getJoint(j) for j in range(skeleton.getNumJoints())]
    return [joint for joint in joints if joint.getType() in ("BallJoint", "FreeJoint")]


def _moved(joint: Any, start: np.ndarray, step: float) -> np.ndarray:
    """Coordinates after a step with the joint's velocity, which is constant in the axes that DART uses."""
    v = step * np.array(joint.getVelocities())
    turn = Rotation.from_rotvec(start[:3])
    if joint.getType() == "BallJoint":
        return (turn * Rotation.from_rotvec(v)).as_rotvec()
    parent, child = (
        np.array(getattr(joint, f"getTransformFrom{side}BodyNode")().matrix()) for side in ("Parent", "Child")
    )
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn.as_matrix(), start[3:]
    pose = parent @ pose @ np.linalg.inv(child)
    about, along = child[:3, :3] @ v[:3], child[:3, :3] @ v[3:]
    pose[:3, :3] = Rotation.from_rotvec(about).as_matrix() @ pose[:3, :3]
    pose[:3, 3] += along + np.cross(child[:3, 3], about)
    pose = np.linalg.inv(parent) @ pose @ child
    return np.concatenate([Rotation.from_matrix(pose[:3, :3]).as_rotvec(), pose[:3, 3]])


def _word(joint: Any) -> str:
    """The kind of a joint's actuator."""
    return str(joint.getActuatorType()).rpartition(".")[2]
