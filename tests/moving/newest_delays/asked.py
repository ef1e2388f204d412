"""Asks MuJoCo 4.0 for the facts: `python asked.py [NUMBER FILE]`, in this folder, with mujoco==4.0.1; writes
facts.npz.
"""

from __future__ import annotations

import sys

import mujoco
import numpy as np
from models import KEPT, STEPS, document

STATE = ("qpos", "qvel", "act", "history")
SHOWN = ("sensordata", "actuator_force")
COLUMNS = (
    *("actuator_history", "actuator_historyadr", "actuator_delay", "sensor_history", "sensor_historyadr"),
    *("sensor_delay", "sensor_interval"),
)


def main(number: int = KEPT, file: str = "facts.npz") -> None:
    """Writes the facts of the first models."""
    facts = {}
    for seed in range(number):
        model = mujoco.MjModel.from_xml_string(document(seed))
        model.opt.tolerance, model.opt.iterations = 0, 200
        data, rng = mujoco.MjData(model), np.random.default_rng(seed)
        for column in COLUMNS:
            facts[f"{seed}/{column}"] = getattr(model, column)
        facts[f"{seed}/history"] = data.history.copy()
        data.qvel[:] = 0.5 * rng.normal(size=model.nv)
        facts[f"{seed}/qvel"] = data.qvel.copy()
        facts[f"{seed}/ctrl"] = controls = rng.normal(size=(STEPS, model.nu))
        rows = {field: [] for field in (*STATE, *SHOWN, "forward")}
        for step in range(STEPS):
            data.ctrl[:] = controls[step]
            if step % 10 == 3:
                mujoco.mj_forward(model, data)
                mujoco.mj_forward(model, data)
                rows["forward"].append((*data.sensordata, *data.actuator_force, *data.qacc))
            mujoco.mj_step(model, data)
            for field in (*STATE, *SHOWN):
                rows[field].append(getattr(data, field).copy())
        facts |= {f"{seed}/steps/{field}": np.array(found) for field, found in rows.items()}
    np.savez_compressed(file, **facts)


if __name__ == "__main__":
    main(*([int(sys.argv[1]), sys.argv[2]] if len(sys.argv) > 2 else []))
