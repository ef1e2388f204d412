"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.1; writes facts.npz.

The pairs nearly touch, or overlap; flat sides are nearly parallel. Solvers run to convergence, without
islands.
"""

from __future__ import annotations

import mujoco
import numpy as np
from models import APART, STATES, models

CUTOFF = 0.3


def turned(rng: np.random.Generator, size: float) -> np.ndarray:
    """A random rotation by about `size` rad."""
    quat = np.append(1, 0.5 * size * rng.normal(size=3))
    return quat / np.linalg.norm(quat)


def place(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator, state: int) -> None:
    """Puts the second shape of each pair beside or above the first one."""
    for k in range(model.ngeom // 2):
        one, other = model.geom(f"a{k}"), model.geom(f"b{k}")
        field = model.geom_type[one.id] == mujoco.mjtGeom.mjGEOM_HFIELD
        turn, small = turned(rng, 3), turned(rng, 0.01 if state else 2)
        way = np.array([0, 0, 1.0]) if field else np.eye(3)[rng.integers(3)] + 0.2 * rng.normal(size=3)
        if not field:
            first = model.joint(model.body_jntadr[one.bodyid[0]])
            data.qpos[first.qposadr[0] :][:7] = [APART * k, 0, 0, *turn]
        place = model.joint(model.body_jntadr[other.bodyid[0]]).qposadr[0]
        both = np.zeros(4)
        mujoco.mju_mulQuat(both, turn, small)
        world, still = np.zeros(3), np.array([1.0, 0, 0, 0])
        mujoco.mju_rotVecQuat(world, way / np.linalg.norm(way), still if field else turn)
        data.qpos[place : place + 7] = [APART * k, 0, 0, *both]
        data.qpos[place : place + 3] += 0.3 * world
        mujoco.mj_kinematics(model, data)
        if field:
            data.qpos[place : place + 3] += [0.1 * rng.normal(), 0.1 * rng.normal(), -0.12]
            continue
        gap = mujoco.mj_geomDistance(model, data, one.id, other.id, 1.0, None)
        aim = rng.choice([-0.02, -0.003, -0.0005, 0.004, 0.02])
        data.qpos[place : place + 3] -= (gap - aim) * world


def main() -> None:
    """Writes the facts."""
    facts = {}
    for name, text in models().items():
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
        data, rng = mujoco.MjData(model), np.random.default_rng(7)
        for state in range(STATES):
            mujoco.mj_resetData(model, data)
            place(model, data, rng, state)
            data.qvel[:] = 0.1 * rng.normal(size=model.nv)
            key = f"{name}/{state}"
            for field in ("qpos", "qvel"):
                facts[f"{key}/{field}"] = getattr(data, field).copy()
            mujoco.mj_forward(model, data)
            found = data.contact
            facts[f"{key}/geom"] = np.array(found.geom)[: data.ncon].reshape(-1, 2)
            rows = np.column_stack([found.dist, found.pos, found.frame])[: data.ncon]
            facts[f"{key}/contact"] = rows
            for field in ("geom_xpos", "geom_xmat"):
                facts[f"{key}/{field}"] = getattr(data, field).copy()
            nearest = []
            for k in range(0 if "field" in name else model.ngeom // 2):
                ends = np.zeros(6)
                pair = (model.geom(f"a{k}").id, model.geom(f"b{k}").id)[:: 1 - 2 * (k % 2)]
                nearest.append([mujoco.mj_geomDistance(model, data, *pair, CUTOFF, ends), *ends])
            facts[f"{key}/nearest"] = np.array(nearest).reshape(-1, 7)
            mujoco.mj_step(model, data)
            facts[f"{key}/next_qvel"] = data.qvel.copy()
    np.savez_compressed("facts.npz", **facts)


if __name__ == "__main__":
    main()
