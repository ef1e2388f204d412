"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.1; writes facts.npz.

In the states two bodies of a pair are anywhere, parallel, concentric, flush with each other, almost
parallel, or turned about one axis. A mesh over a plane is turned in any way, by right angles, or by almost
right ones. The solver runs to convergence.
"""

from __future__ import annotations

import mujoco
import numpy as np
from models import PAIRS, STATES, models

KINDS = 6
TURNED = (0, 4)
"""Kinds of states in which the first body is turned as well. In others, axes of both bodies are equally
far apart, and rounding errors of turned ones would decide between them.
"""


def right(rng: np.random.Generator) -> np.ndarray:
    """A rotation by right angles, as a quaternion whose matrix has no rounding errors."""
    if rng.integers(2):
        return np.eye(4)[rng.integers(4)]
    return 0.5 * rng.choice([-1.0, 1.0], 4)


def place(sizes: np.ndarray, kind: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The position and the quaternion of the second body in the frame of the first, which has none."""
    reach = sizes.max()
    pos, quat = rng.uniform(-1, 1, 3) * reach, rng.normal(size=4)
    if kind in (1, 3):
        quat = right(rng)
    if kind == 2:
        pos = np.zeros(3)
        quat = quat if rng.integers(2) else right(rng)
    if kind == 3:
        axis, matrix = rng.integers(3), np.zeros(9)
        mujoco.mju_quat2Mat(matrix, quat)
        extent = np.abs(matrix.reshape(3, 3)) @ sizes[1]
        pos *= rng.integers(0, 2, 3)
        pos[axis] = 0.98 * (sizes[0] + extent)[axis]
    if kind == 4:
        quat, near = right(rng), rng.normal(size=3) * 10.0 ** rng.uniform(-9, -2)
        mujoco.mju_quatIntegrate(quat, near, 1.0)
    if kind == 5:
        mujoco.mju_axisAngle2Quat(quat, np.eye(3)[rng.integers(3)], rng.choice([np.pi / 4, 1.0]))
    return pos, quat / np.linalg.norm(quat)


def state(model: mujoco.MjModel, data: mujoco.MjData, number: int, rng: np.random.Generator) -> None:
    """Sets positions and velocities."""
    data.qvel[:] = rng.normal(size=model.nv)
    if model.geom_type[0] == mujoco.mjtGeom.mjGEOM_PLANE:
        put_on_plane(model, data, number, rng)
        return
    for k in range(PAIRS):
        first, second = data.qpos[14 * k : 14 * k + 7], data.qpos[14 * k + 7 : 14 * k + 14]
        sizes = model.geom_size[2 * k : 2 * k + 2].copy()
        if model.geom_type[0] == mujoco.mjtGeom.mjGEOM_CAPSULE:
            sizes = np.stack([sizes[:, 0], sizes[:, 0], sizes[:, 0] + sizes[:, 1]], axis=1)
        pos, quat = place(sizes, (number + k) % KINDS, rng)
        first[3:] = rng.normal(size=4) if (number + k) % KINDS in TURNED else (1, 0, 0, 0)
        first[3:] /= np.linalg.norm(first[3:])
        mujoco.mju_rotVecQuat(second[:3], pos, first[3:])
        second[:3] += first[:3]
        mujoco.mju_mulQuat(second[3:], first[3:], quat)


def put_on_plane(model: mujoco.MjModel, data: mujoco.MjData, number: int, rng: np.random.Generator) -> None:
    """Sets positions of meshes: the lowest vertex is up to 4 cm below the plane, or slightly above."""
    for k in range(PAIRS):
        pose = data.qpos[7 * k : 7 * k + 7]
        pose[3:] = rng.normal(size=4) if (number + k) % 3 == 0 else right(rng)
        pose[3:] /= np.linalg.norm(pose[3:])
        if (number + k) % 3 == 2:
            mujoco.mju_quatIntegrate(pose[3:], rng.normal(size=3) * 10.0 ** rng.uniform(-4, -2), 1.0)
        pose[2] = 0.0
        mujoco.mj_kinematics(model, data)
        mesh, geom = k, k + 1
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        corners = model.mesh_vert[first : first + count] @ data.geom_xmat[geom].reshape(3, 3).T
        pose[2] = -(corners[:, 2].min() + data.geom_xpos[geom, 2]) + rng.uniform(-0.04, 0.005)


def contacts(data: mujoco.MjData, number: int) -> list[tuple[float, ...]]:
    """The contacts of a state, one a row."""
    return [
        (number, c.geom1, c.geom2, c.exclude, c.dist, c.includemargin, *c.pos, *c.frame)
        for c in data.contact[: data.ncon]
    ]


def main() -> None:
    """Writes the facts."""
    facts = {}
    for name, text in models().items():
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
        data, rng = mujoco.MjData(model), np.random.default_rng(0)
        rows, states = [], {field: [] for field in ("qpos", "qvel", "next_qpos", "next_qvel")}
        for number in range(STATES):
            mujoco.mj_resetData(model, data)
            state(model, data, number, rng)
            for when in ("", "next_"):
                for field in ("qpos", "qvel"):
                    states[when + field].append(getattr(data, field).copy())
                mujoco.mj_step(model, data)
                rows += contacts(data, number) if not when else []
        facts |= {f"{name}/{field}": np.array(values) for field, values in states.items()}
        facts[f"{name}/contact"] = np.array(rows)
    np.savez_compressed("facts.npz", **facts)


if __name__ == "__main__":
    main()
