"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.1; writes facts.npz.

Solvers run to convergence, without islands and with one contact of each pair, so that only what the models
are about may differ.
"""

from __future__ import annotations

import mujoco
import numpy as np
from models import STATES, models

FLAGS = mujoco.mjtDisableBit
FIELDS = ("efc_aref", "qacc", "qfrc_passive", "qfrc_adhesion", "sensordata")


def main() -> None:
    """Writes the facts."""
    facts = {}
    for name, text in models().items():
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
        model.opt.disableflags |= int(FLAGS.mjDSBL_ISLAND) | int(FLAGS.mjDSBL_MULTICCD)
        data, rng = mujoco.MjData(model), np.random.default_rng(0)
        facts[f"{name}/stage"], facts[f"{name}/surface"] = model.sensor_needstage, model.geom_surfacevel
        for state in range(STATES):
            mujoco.mj_resetData(model, data)
            size = 0.3 if "inside" in name else 0.05
            mujoco.mj_integratePos(model, data.qpos, size * rng.normal(size=model.nv) * (state > 0), 1.0)
            data.qvel[:] = rng.normal(size=model.nv)
            for field in ("qpos", "qvel"):
                facts[f"{name}/{state}/{field}"] = getattr(data, field).copy()
            mujoco.mj_forward(model, data)
            for field in FIELDS:
                facts[f"{name}/{state}/{field}"] = np.array(getattr(data, field))
            found = data.contact[: data.ncon]
            rows = [(c.geom1, c.geom2, c.exclude, c.dim, c.adhesion, *c.surfacevel) for c in found]
            facts[f"{name}/{state}/contact"] = np.array(rows).reshape(-1, 8)
            mujoco.mj_step(model, data)
            for field in ("qpos", "qvel"):
                facts[f"{name}/{state}/next_{field}"] = getattr(data, field).copy()
    np.savez_compressed("facts.npz", **facts)


if __name__ == "__main__":
    main()
