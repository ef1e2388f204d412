"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.0; writes facts.npz.

Solvers run to convergence, without islands.
"""

from __future__ import annotations

import sys
from typing import Any

import mujoco
import numpy as np
from models import SEEDS, STATES, document

FIELDS = (
    *("qfrc_bias", "qfrc_passive", "qfrc_spring", "qfrc_damper", "actuator_force", "qfrc_actuator"),
    *("ten_length", "ten_velocity", "qacc_smooth", "efc_aref", "qacc", "qfrc_constraint", "sensordata"),
    "energy",
)
OF_MODEL = (
    *("dof_M0", "dof_invweight0", "body_invweight0", "tendon_invweight0", "actuator_acc0", "jnt_stiffness"),
    *("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly"),
    *("tendon_armature", "tendon_actfrclimited", "tendon_actfrcrange", "actuator_dampingpoly"),
    *("actuator_armature", "dof_simplenum"),
)


def asked(name: str, text: str, states: int) -> dict[str, Any]:
    """The facts of a model."""
    facts: dict[str, Any] = {}
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for column in OF_MODEL:
        facts[f"{name}/{column}"] = np.array(getattr(model, column))
    for state in range(states):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, 0.3 * rng.normal(size=model.nv), 1.0)
        data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.normal(size=model.nu)
        data.act[:] = 0.3 * rng.normal(size=model.na)
        for field in ("qpos", "qvel", "ctrl", "act"):
            facts[f"{name}/{state}/{field}"] = getattr(data, field).copy()
        mujoco.mj_forward(model, data)
        for field in FIELDS:
            facts[f"{name}/{state}/{field}"] = np.array(getattr(data, field))
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        facts[f"{name}/{state}/M"] = full[np.tril_indices(model.nv)]
        mujoco.mj_inverse(model, data)
        facts[f"{name}/{state}/qfrc_inverse"] = data.qfrc_inverse.copy()
        mujoco.mj_step(model, data)
        for field in ("qpos", "qvel", "act"):
            facts[f"{name}/{state}/next_{field}"] = getattr(data, field).copy()
    return facts


def main() -> None:
    """Writes the facts."""
    facts: dict[str, Any] = {}
    for seed in range(int(sys.argv[1])) if len(sys.argv) > 1 else SEEDS:
        try:
            facts |= asked(f"random {seed}", document(seed), STATES)
        except ValueError as error:  # of some seeds, if there are many
            print(seed, str(error)[:150])
    np.savez_compressed(sys.argv[2] if len(sys.argv) > 2 else "facts.npz", **facts)


if __name__ == "__main__":
    main()
