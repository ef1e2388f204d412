"""The reference engines: models and states built from ours, loops compiled against their wheels."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polybody import Model

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / "build" / "benchmarks"
STATES = 64  # as in timing.h
FREE, SLIDE, HINGE = 0, 2, 3


def matrix(quat: np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion (w first)."""
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def states(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random ``qpos``, ``qvel`` and applied forces, a row a state, the same for all engines."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (STATES, model.nq))
    for joint in np.flatnonzero(model.jnt_type == FREE):
        at = model.jnt_qposadr[joint] + 3
        q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1, keepdims=True)
    return q, rng.uniform(-1, 1, (STATES, model.nv)), rng.uniform(-1, 1, (STATES, model.nv))


def write_states(path: Path, *arrays: np.ndarray) -> None:
    np.concatenate([array.ravel() for array in arrays]).tofile(path)


# --- MuJoCo ---------------------------------------------------------------------------------------------
def write_mujoco(model: Model, path: Path) -> None:
    """Our Model as a compiled MuJoCo model, through MjSpec (files cannot nest 1000 deep)."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = model.opt_timestep
    spec.option.gravity = model.opt_gravity
    bodies = [spec.worldbody]
    for i in range(1, model.nbody):
        body = bodies[model.body_parentid[i]].add_body(
            name=f"b{i}",
            pos=model.body_pos[i],
            quat=model.body_quat[i],
            mass=model.body_mass[i],
            ipos=model.body_ipos[i],
            iquat=model.body_iquat[i],
            inertia=model.body_inertia[i],
            explicitinertial=True,
        )
        bodies.append(body)
        for joint in np.flatnonzero(model.jnt_bodyid == i):
            body.add_joint(
                type=mujoco.mjtJoint(int(model.jnt_type[joint])),
                axis=model.jnt_axis[joint],
                pos=model.jnt_pos[joint],
                armature=model.dof_armature[model.jnt_dofadr[joint]],
            )
    compiled = spec.compile()
    if not np.array_equal(compiled.body_parentid, model.body_parentid):
        raise ValueError(
            "MuJoCo renumbers these bodies; list a body's children right after it, subtree by subtree"
        )
    mujoco.mj_saveModel(compiled, str(path), None)


def build_mujoco() -> Path:
    import mujoco

    package = Path(mujoco.__file__).parent
    library = next(package.glob("libmujoco.so.*"))
    flags = ["-O2", f"-I{package / 'include'}", str(library), f"-Wl,-rpath,{package}"]
    return compile_peer("mujoco.c", [os.environ.get("CC", "cc")], flags, version("mujoco"))


# --- Pinocchio ------------------------------------------------------------------------------------------
@dataclass
class _Joint:
    """A joint for Pinocchio and the bodies that it carries, in its own frame: mass, centre, inertia there."""

    parent: int
    kind: str
    axis: np.ndarray
    rotation: np.ndarray
    translation: np.ndarray
    armature: float
    bodies: list[tuple[float, np.ndarray, np.ndarray]] = field(default_factory=list)


def write_pinocchio(model: Model, path: Path) -> None:
    """Our Model as the text that pinocchio.cpp reads: a joint a line, each but a body's last without mass.

    Bodies without joints are merged into the joint that carries them, as Pinocchio does with fixed joints.
    """
    joints: list[_Joint] = []
    carriers = [
        (0, np.eye(3), np.zeros(3))
    ]  # of each body: its joint, from 1, and its pose in that one's frame
    for i in range(1, model.nbody):
        carrier, rotation, origin = carriers[model.body_parentid[i]]
        pose = (rotation @ matrix(model.body_quat[i]), origin + rotation @ model.body_pos[i])
        for j in np.flatnonzero(model.jnt_bodyid == i):
            kind = {FREE: "free", SLIDE: "slide", HINGE: "hinge"}[int(model.jnt_type[j])]
            armature = float(model.dof_armature[model.jnt_dofadr[j]])
            placed = (rotation, origin) if kind == "free" else pose
            joints.append(_Joint(carrier, kind, model.jnt_axis[j], *placed, armature))
            carrier, pose = len(joints), (np.eye(3), np.zeros(3))
        carriers.append((carrier, *pose))
        axes = pose[0] @ matrix(model.body_iquat[i])
        inertia = axes @ np.diag(model.body_inertia[i]) @ axes.T
        centre = pose[1] + pose[0] @ model.body_ipos[i]
        joints[carrier - 1].bodies.append((float(model.body_mass[i]), centre, inertia))

    def numbers(*values: object) -> str:
        return " ".join(repr(float(number)) for value in values for number in np.ravel(np.asarray(value)))

    rows = [f"{numbers(model.opt_gravity, model.opt_timestep)} {len(joints)}"]
    for joint in joints:
        place = numbers(joint.axis, joint.rotation, joint.translation)
        rows.append(f"{joint.parent} {joint.kind} {place} {numbers(*_merged(joint.bodies), joint.armature)}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _merged(load: list[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Several rigid bodies as one: mass, centre, inertia about the centre (parallel axes)."""
    mass = sum((m for m, _, _ in load), 0.0)
    centre = sum((m * c for m, c, _ in load), np.zeros(3)) / (mass or 1.0)
    inertia = np.zeros((3, 3))
    for m, c, about_own in load:
        d = c - centre
        inertia += about_own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, inertia


def pinocchio_states(
    model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Our states in Pinocchio's coordinates: scalar last, linear parts of free joints in body axes."""
    q, v, tau = q.copy(), v.copy(), tau.copy()
    for joint in np.flatnonzero(model.jnt_type == FREE):
        at, dof = model.jnt_qposadr[joint] + 3, model.jnt_dofadr[joint]
        for s in range(STATES):
            rotation = matrix(q[s, at : at + 4])
            v[s, dof : dof + 3] = rotation.T @ v[s, dof : dof + 3]
            tau[s, dof : dof + 3] = rotation.T @ tau[s, dof : dof + 3]
        q[:, at : at + 4] = np.roll(q[:, at : at + 4], -1, axis=1)
    return q, v, tau


def from_pinocchio(model: Model, q: np.ndarray, v: np.ndarray, qacc: np.ndarray) -> np.ndarray:
    """Pinocchio's accelerations in our coordinates, at our ``q`` and ``v``."""
    qacc = qacc.copy()
    for joint in np.flatnonzero(model.jnt_type == FREE):
        at, dof = model.jnt_qposadr[joint] + 3, model.jnt_dofadr[joint]
        for s in range(STATES):
            rotation = matrix(q[s, at : at + 4])
            linear = rotation.T @ v[s, dof : dof + 3]
            turning = np.cross(v[s, dof + 3 : dof + 6], linear)
            qacc[s, dof : dof + 3] = rotation @ (qacc[s, dof : dof + 3] + turning)
    return qacc


def build_pinocchio(native: bool) -> Path:
    """Pinocchio's headers compiled as its own releases are, or also for the machine at hand."""
    includes = [folder for path in sys.path for folder in _cmeel_includes(Path(path))]
    limits = ["LIMIT_LIST_SIZE=30", "LIMIT_VECTOR_SIZE=30", "CFG_NO_PREPROCESSED_HEADERS"]
    flags = ["-std=c++17", "-O3", "-DNDEBUG", "-w", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
    flags += [f"-DBOOST_MPL_{limit}" for limit in limits] + [f"-I{folder}" for folder in includes]
    flags += ["-march=native"] if native else []
    return compile_peer("pinocchio.cpp", [os.environ.get("CXX", "c++")], flags, version("pin"))


def _cmeel_includes(site: Path) -> list[Path]:
    include = site / "cmeel.prefix" / "include"
    return [folder for folder in (include, include / "eigen3") if folder.is_dir()]


# --- building and running -------------------------------------------------------------------------------
def compile_peer(source: str, compiler: list[str], flags: list[str], release: str) -> Path:
    """Compile ``source`` unless the same source, flags, engine and compiler were compiled before."""
    about = subprocess.run([*compiler, "--version"], check=True, capture_output=True, text=True).stdout
    key = hashlib.sha256(
        "\0".join(
            [about, release, *flags, (HERE / source).read_text(), (HERE / "timing.h").read_text()]
        ).encode()
    ).hexdigest()[:16]
    program = CACHE / f"{Path(source).stem}-{key}"
    if not program.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        print(f"compiling {source} (once; Pinocchio takes a minute or two)", file=sys.stderr, flush=True)
        made = program.with_suffix(f".{os.getpid()}")
        subprocess.run([*compiler, str(HERE / source), *flags, "-o", str(made)], check=True)
        made.replace(program)
    return program


def run(program: Path, *arguments: Path, copies: Path) -> dict[str, float]:
    """Run a fresh copy of ``program`` and return what it printed, microseconds by name.

    Where the loader puts a binary's pages can change its speed by half; medians over copies even that out.
    """
    copy = copies / program.name
    shutil.copy(program, copy)
    done = subprocess.run([copy, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    copy.unlink()
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}
