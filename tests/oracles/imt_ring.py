"""imt-ring 1.7.1, x_xy's engine, evaluated on one file in the document's coordinates.

If ring contradicts the document or itself, its result is corrected or withheld, never adjusted to ours:

- the dynamics of `free`, `free_2d` and `cor` use the linear velocity in the link's axes, the document and
    ring's own integrator that in the parent's: mass matrix and bias are mapped by v_link = R^T v
    (`_velocity_map`), trajectories are withheld;
- `saddle`, `rr_imp` and `rsaddle` have constant motion axes, which is correct only at second angle 0 and
    while one of the two rates is 0: random states respect that, transforms are evaluated at other states as
    well, and there are no trajectories;
- the integrator of quaternions adds 1e-8 rad/s to each angular speed: trajectories with `spherical` are
    accurate to about 1e-9 only (`exact_turns` is the same integrator without it);
- `cor` is rejected in a file although the engine supports it: it is registered under another name;
- numbers may be separated by one space only, and the root's `name` is rejected: the text is normalised;
- quaternions are passive (coordinates of the parent to coordinates of the link), here as in the document.

JAX compiles for seconds for each file, so callers use worker processes: `ask` returns plain data.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

# Joints for which ring's own step agrees with the document.
STEPPED = frozenset(("frozen", "px", "py", "pz", "rx", "ry", "rz", "spherical", "p3d", "rr"))
# Joints whose velocities ring's dynamics interpret differently from its integrator.
MAPPED = frozenset(("free", "free_2d", "cor"))
# Joints that are correct only at second angle 0 and with one of the two rates 0.
TWO_HINGES = frozenset(("saddle", "rr_imp", "rsaddle"))
QUATERNION = frozenset(("free", "cor", "spherical"))
_COR = "cor_of_document"


@dataclasses.dataclass(frozen=True)
class State:
    """A state in native coordinates and ring's results there; None where ring is wrong."""

    q: np.ndarray
    qd: np.ndarray
    pos: np.ndarray  # (nbody, 3) origins in the world
    rot: np.ndarray  # (nbody, 4) passive quaternions, world to body
    passive: np.ndarray  # springs and dampers
    mass_matrix: np.ndarray | None = None
    bias: np.ndarray | None = None
    acceleration: np.ndarray | None = None  # (M + r I)^-1 (passive - bias)
    step_acceleration: np.ndarray | None = None  # (M + r I + dt D)^-1 (passive - bias), as in ring's step
    solved: np.ndarray | None = None  # M + r I
    solved_in_step: np.ndarray | None = None  # M + r I + dt D


@dataclasses.dataclass(frozen=True)
class Answer:
    """All of ring's results for one file. Per-body arrays are in document order."""

    path: str
    names: list[str]
    joints: list[str]
    parents: list[int]
    dt: float
    gravity: np.ndarray
    axes: dict[str, np.ndarray]  # body -> (n, 3) randomly drawn axes
    mass: np.ndarray
    first_moment: np.ndarray  # (nbody, 3)
    inertia: np.ndarray  # (nbody, 3, 3) about the body's origin
    states: list[State]
    trajectory: tuple[np.ndarray, np.ndarray] | None  # (steps + 1, nq), (steps + 1, nv) from states[0]
    why_no_trajectory: str = ""
    trajectory_solved: np.ndarray | None = None  # (steps, nv, nv): M + r I + dt D of each step


REGULARIZATION = 1e-6


def ask(path: str | Path, *, seed: int = 0, states: int = 3, steps: int = 100) -> Answer:
    """Load a file in ring and evaluate it at seeded random states.

    In the last state every angle is random: if the file has two-hinge joints, only kinematics and passive
    forces are valid there. Raises whatever ring raises for files that it does not load.
    """
    system = load(Path(path).read_text())
    joints = ["cor" if j == _COR else j for j in system.link_types]
    rng = np.random.default_rng(seed)
    evaluate = _evaluator(system)
    inconsistent = any(j in TWO_HINGES for j in joints)
    found = []
    for k in range(states):
        anywhere = k == states - 1
        q, qd = random_state(joints, rng, still_hinge=None if anywhere and inconsistent else k % 2)
        found.append(_state(system, joints, evaluate, q, qd, dynamics=not (anywhere and inconsistent)))
    odd = sorted(set(joints) - STEPPED)
    trajectory, solved = (None, None) if odd else _trajectory(system, evaluate, found[0], steps)
    why = "ring's step contradicts the document on joint " + ", ".join(odd) if odd else ""
    if trajectory is not None and not np.isfinite(trajectory[0]).all():
        trajectory, why = None, "ring's own trajectory goes non-finite"
    _forget_compiled()
    inertia = system.links.inertia
    return Answer(
        path=str(path),
        names=list(system.link_names),
        joints=joints,
        parents=[int(p) for p in system.link_parents],
        dt=float(system.dt),
        gravity=np.asarray(system.gravity),
        axes=_axes(system, joints),
        mass=np.asarray(inertia.mass).reshape(-1),
        first_moment=np.asarray(inertia.h).reshape(-1, 3),
        inertia=np.asarray(inertia.it_3x3).reshape(-1, 3, 3),
        states=found,
        trajectory=trajectory,
        why_no_trajectory=why,
        trajectory_solved=solved,
    )


def random_state(
    joints: list[str],
    rng: np.random.Generator,
    still_hinge: int | None,
    widths: dict[str, tuple[int, int]] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Random native coordinates and velocities.

    still_hinge: 0 or 1 puts two-hinge joints at second angle 0 with that other rate 0; None: at any state.
    widths: nq, nv per joint; ring's own by default.
    """
    qs, qds = [np.zeros(0)], [np.zeros(0)]
    for joint in joints:
        nq, nv = widths[joint] if widths else _widths(joint)
        q, qd = rng.uniform(-0.7, 0.7, nq), rng.uniform(-0.5, 0.5, nv)
        if joint in QUATERNION:
            quat = rng.normal(size=4)
            q[:4] = quat / np.linalg.norm(quat)
        if joint in TWO_HINGES and still_hinge is not None:
            q[1], qd[1 - still_hinge] = 0.0, 0.0
        qs.append(q)
        qds.append(qd)
    return np.concatenate(qs), np.concatenate(qds)


@functools.cache
def _engine() -> Any:
    """The module `ring`, with JAX on the CPU in double precision and without messages."""
    os.environ.update(JAX_PLATFORMS="cpu", JAX_ENABLE_X64="1", WANDB_MODE="disabled")
    warnings.filterwarnings("ignore", module=r"(jax|ring|flax|tree_utils|wandb).*")
    import jax
    import ring

    if not jax.config.jax_enable_x64:
        raise RuntimeError("JAX was imported in single precision before the oracle could ask for double")
    model = ring.algorithms.get_joint_model("cor")
    ring.register_new_joint_type(_COR, model, *_widths("cor"), overwrite=True)
    return ring


def exact_turns(quat: Any, spin: Any, dt: float) -> Any:
    """Ring's step of a quaternion by an angular velocity (rad/s) in the body's axes, without the 1e-8."""
    import jax.numpy as jnp
    from ring import maths

    speed = jnp.linalg.norm(spin)
    half = -speed * dt / 2  # passive
    axis = spin / jnp.where(speed == 0, 1, speed)
    return maths.quat_mul(jnp.concatenate([jnp.cos(half)[None], jnp.sin(half) * axis]), quat)


def _forget_compiled() -> None:
    """Discard a file's compiled functions: the next file cannot use them, and a worker's memory would grow
    with every file.
    """
    import jax

    jax.clear_caches()


def _widths(joint: str) -> tuple[int, int]:
    import ring

    return ring.base.Q_WIDTHS[joint], ring.base.QD_WIDTHS[joint]


def load(text: str) -> Any:
    """A ring System from the text of a file; what ring alone rejects is rewritten first."""
    ring = _engine()
    root = ElementTree.fromstring(text)
    if "name" in root.attrib:
        root.set("model", root.attrib.pop("name"))
    for element in root.iter():
        for key, value in element.attrib.items():
            if key not in ("name", "model", "color", "edge_color"):
                element.set(key, " ".join(value.split()))
        if element.get("joint") == "cor":
            element.set("joint", _COR)
    return ring.io.load_sys_from_str(ElementTree.tostring(root, encoding="unicode"))


def _axes(system: Any, joints: list[str]) -> dict[str, np.ndarray]:
    axes = {}
    for i, joint in enumerate(joints):
        if joint in ("rr", "rr_imp", "rsaddle"):
            drawn = system.links.joint_params[joint]
            rows = (
                [drawn["joint_axes"][i], drawn["residual"][i]]
                if joint == "rr_imp"
                else [drawn["joint_axes"][i]]
            )
            axes[system.link_names[i]] = np.concatenate([np.asarray(row).reshape(-1, 3) for row in rows])
    return axes


def _evaluator(system: Any) -> Callable[..., Any]:
    ring = _engine()
    import jax
    import jax.numpy as jnp
    from ring.algorithms import dynamics, kinematics

    @jax.jit
    def evaluate(q: Any, qd: Any) -> Any:
        placed, state = kinematics.forward_kinematics(system, ring.State.create(system, q=q, qd=qd))
        mass_matrix = dynamics.compute_mass_matrix(placed)
        bias = dynamics.inverse_dynamics(placed, qd, jnp.zeros_like(qd))
        spring = dynamics._spring_force(placed, q)
        after = dynamics.step(system, state)
        return state.x.pos, state.x.rot, mass_matrix, bias, spring, after.q, after.qd

    return evaluate


def _state(
    system: Any,
    joints: list[str],
    evaluate: Callable[..., Any],
    q: np.ndarray,
    qd: np.ndarray,
    *,
    dynamics: bool,
) -> State:
    to_ring, rate = _velocity_map(joints, q, qd)
    pos, rot, mass_matrix, bias, spring, _, after = (np.asarray(x) for x in evaluate(q, to_ring @ qd))
    damping, armature, stiffness = (
        np.asarray(x) for x in (system.link_damping, system.link_armature, system.link_spring_stiffness)
    )
    passive = stiffness * spring - damping * qd
    if not dynamics:
        return State(q, qd, pos, rot, passive)
    # Armature, dampers and springs act on the document's velocities, so they are added after the map.
    bodies_only = mass_matrix - np.diag(armature)
    mass_matrix = to_ring.T @ bodies_only @ to_ring + np.diag(armature)
    bias = to_ring.T @ (bias + bodies_only @ rate)
    force = passive - bias
    solved, in_step = _solved(system, mass_matrix)
    acceleration = np.linalg.solve(solved, force) if len(qd) else force
    if MAPPED & set(joints):
        step_acceleration = np.linalg.solve(in_step, force)
    else:
        step_acceleration = (after - qd) / float(system.dt)
    return State(
        q, qd, pos, rot, passive, mass_matrix, bias, acceleration, step_acceleration, solved, in_step
    )


def _solved(system: Any, mass_matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matrices solved for accelerations: M + r I, and M + r I + dt D in a step."""
    regular = mass_matrix + REGULARIZATION * np.eye(len(mass_matrix))
    return regular, regular + float(system.dt) * np.diag(np.asarray(system.link_damping))


def _velocity_map(joints: list[str], q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T and T' qd with v_ring = T v_document: linear velocities of free bodies are transformed to the link's
    axes.
    """
    to_ring, rate = np.eye(len(qd)), np.zeros(len(qd))
    i = j = 0
    for joint in joints:
        nq, nv = _widths(joint)
        linear = slice(j + 1, j + 3) if joint == "free_2d" else slice(j + 3, j + 6)
        if joint == "free_2d":
            c, s = np.cos(q[i]), np.sin(q[i])
            to_ring[linear, linear] = [[c, s], [-s, c]]
            y, z = to_ring[linear, linear] @ qd[linear]
            rate[linear] = qd[j] * z, -qd[j] * y
        elif joint in MAPPED:
            turn = passive_matrix(q[i : i + 4])
            spin = qd[j : j + 3]
            to_ring[linear, linear] = turn
            rate[linear] = -np.cross(spin, turn @ qd[linear])
            if joint == "cor":
                arm, last = q[i + 7 : i + 10], slice(j + 6, j + 9)
                to_ring[last, j : j + 3] = np.cross(np.eye(3), arm).T  # spin -> spin x arm
                rate[last] = np.cross(spin, qd[last])
        i, j = i + nq, j + nv
    return to_ring, rate


def passive_matrix(quat: np.ndarray) -> np.ndarray:
    """Matrix that maps the parent's coordinates of a vector to the link's, for a passive unit quaternion."""
    w, x, y, z = quat
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _trajectory(
    system: Any, evaluate: Callable[..., Any], start: State, steps: int
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """q and qd of a trajectory, and the matrices solved in its steps."""
    qs, qds, solved = [start.q], [start.qd], []
    for _ in range(steps):
        _, _, mass_matrix, _, _, q, qd = (np.asarray(x) for x in evaluate(qs[-1], qds[-1]))
        qs.append(q)
        qds.append(qd)
        solved.append(_solved(system, mass_matrix)[1])
    return (np.array(qs), np.array(qds)), np.array(solved)
