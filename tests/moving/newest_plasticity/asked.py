"""Asks MuJoCo 4.0 for the facts: `python asked.py [NUMBER FILE]`, in this folder, with mujoco==4.0.1; writes
facts.npz.

Solvers run to convergence, without islands.
"""

from __future__ import annotations

import sys
from typing import Any

import mujoco
import numpy as np
from models import STATES, STEPS, document, models

INPUTS = ("qpos", "qvel", "ctrl", "act", "plastic")
FIELDS = ("qfrc_passive", "qfrc_spring", "qfrc_damper", "ten_length", "qacc", "sensordata", "energy")
OF_MODEL = ("jnt_springyield", "jnt_plasticadr", "tendon_springyield", "tendon_plasticadr", "key_plastic")


def asked(name: str, text: str) -> dict[str, Any]:
    """The facts of a model."""
    facts: dict[str, Any] = {}
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for column in OF_MODEL:
        facts[f"{name}/{column}"] = np.array(getattr(model, column))
    facts[f"{name}/start"] = data.plastic.copy()
    for state in range(STATES):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, 0.5 * rng.normal(size=model.nv), 1.0)
        data.qvel[:], data.ctrl[:] = 2 * rng.normal(size=model.nv), rng.normal(size=model.nu)
        data.act[:] = 0.3 * rng.normal(size=model.na)
        data.plastic[:] += 0.2 * state * rng.normal(size=model.nplastic)
        for field in INPUTS:
            facts[f"{name}/{state}/{field}"] = getattr(data, field).copy()
        mujoco.mj_forward(model, data)
        for field in FIELDS:
            facts[f"{name}/{state}/{field}"] = np.array(getattr(data, field))
        for step in range(STEPS):
            mujoco.mj_step(model, data)
            for field in ("qpos", "qvel", "act", "plastic"):
                facts[f"{name}/{state}/{step}/{field}"] = getattr(data, field).copy()
    return facts


def main() -> None:
    """Writes the facts."""
    facts: dict[str, Any] = {}
    more = range(int(sys.argv[1])) if len(sys.argv) > 1 else ()
    for name, text in ({f"random {seed}": document(seed) for seed in more} or models()).items():
        try:
            facts |= asked(name, text)
        except ValueError as error:  # of some seeds, if there are many
            print(name, str(error)[:150])
    np.savez_compressed(sys.argv[2] if len(sys.argv) > 2 else "facts.npz", **facts)


if __name__ == "__main__":
    main()
