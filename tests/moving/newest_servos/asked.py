"""Asks MuJoCo 4.0 for the facts: `python asked.py [NUMBER FILE]`, in this folder, with mujoco==4.0.1; writes
facts.npz.
"""

from __future__ import annotations

import sys

import mujoco
import numpy as np
from models import KEPT, STATES, STEPS, texts

INPUTS = ("qpos", "qvel", "ctrl", "act")
FIELDS = (
    *("actuator_length", "actuator_velocity", "actuator_force", "act_dot", "qfrc_actuator", "qacc"),
    "sensordata",
)
PARAMETERS = ("gainprm", "biasprm", "dynprm", "actnum", "actadr", "ctrlnum", "ctrlspec")


def main(number: int = KEPT, file: str = "facts.npz") -> None:
    """Writes the facts of the first models, and of those with a limit."""
    facts = {}
    for seed, text in texts(number).items():
        model = mujoco.MjModel.from_xml_string(text)
        data, rng = mujoco.MjData(model), np.random.default_rng(int(seed.split()[-1]))
        for parameter in PARAMETERS:
            facts[f"{seed}/{parameter}"] = getattr(model, f"actuator_{parameter}")[..., :10]
        for state in range(STATES):
            mujoco.mj_resetData(model, data)
            mujoco.mj_integratePos(model, data.qpos, 1.5 * rng.normal(size=model.nv), 1.0)
            data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), 3 * rng.normal(size=model.nu)
            data.act[:] = 0.2 * rng.normal(size=model.na)
            for field in INPUTS:
                facts[f"{seed}/{state}/{field}"] = getattr(data, field).copy()
            mujoco.mj_forward(model, data)
            for field in FIELDS:
                facts[f"{seed}/{state}/{field}"] = np.array(getattr(data, field))
            for step in range(STEPS):
                mujoco.mj_step(model, data)
                for field in ("qpos", "qvel", "act"):
                    facts[f"{seed}/{state}/{step}/{field}"] = getattr(data, field).copy()
    np.savez_compressed(file, **facts)


if __name__ == "__main__":
    main(*([int(sys.argv[1]), sys.argv[2]] if len(sys.argv) > 2 else []))
