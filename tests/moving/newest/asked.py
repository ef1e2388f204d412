"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.0; writes facts.npz.

Solvers run to convergence, without islands and with one contact of each pair, so that only what the models
are about may differ.
"""

from __future__ import annotations

import mujoco
import numpy as np
from models import STATES, models

FLAGS = mujoco.mjtDisableBit
FIELDS = ("ten_length", "qfrc_passive", "efc_margin", "efc_aref", "qacc", "sensordata")
PARAMETERS = ("dyntype", "gaintype", "biastype", "gainprm", "biasprm", "dynprm")


def main() -> None:
    """Writes the facts."""
    facts = {}
    for name, text in models().items():
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
        model.opt.disableflags |= int(FLAGS.mjDSBL_ISLAND) | int(FLAGS.mjDSBL_MULTICCD)
        data, rng = mujoco.MjData(model), np.random.default_rng(0)
        for parameter in PARAMETERS:
            facts[f"{name}/{parameter}"] = getattr(model, f"actuator_{parameter}")[..., :10]
        facts[f"{name}/weldid"] = model.body_weldid
        for state in range(STATES):
            mujoco.mj_resetData(model, data)
            size = 0.03 if "many" in name else 0.2
            mujoco.mj_integratePos(model, data.qpos, size * rng.normal(size=model.nv) * (state > 0), 1.0)
            data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.normal(size=model.nu)
            data.act[:] = 0.3 * rng.normal(size=model.na)
            for field in ("qpos", "qvel", "ctrl", "act"):
                facts[f"{name}/{state}/{field}"] = getattr(data, field).copy()
            mujoco.mj_forward(model, data)
            for field in FIELDS:
                facts[f"{name}/{state}/{field}"] = np.array(getattr(data, field))
            pairs = [
                (c.geom1, c.geom2, c.exclude, c.dist, c.includemargin) for c in data.contact[: data.ncon]
            ]
            facts[f"{name}/{state}/contact"] = np.array(pairs).reshape(-1, 5)
            mujoco.mj_step(model, data)
            for field in ("qpos", "qvel", "act"):
                facts[f"{name}/{state}/next_{field}"] = getattr(data, field).copy()
    np.savez_compressed("facts.npz", **facts)


if __name__ == "__main__":
    main()
