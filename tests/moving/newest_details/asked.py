"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.1; writes facts.npz."""

from __future__ import annotations

import mujoco
import numpy as np
from models import STATES, models

COLUMNS = {
    "body": ("margin", "pos", "quat"),
    "geom": ("pos", "margin", "gap"),
    "tendon": ("length0",),
    "actuator": ("gainprm", "biasprm", "trnid", "length0", "acc0"),
    "sensor": ("objid", "dim", "datatype"),
}
FIELDS = (
    *("ten_length", "ten_velocity", "wrap_xpos", "actuator_force", "qfrc_passive", "qfrc_constraint"),
    *("qacc", "sensordata"),
)


def contacts(data: mujoco.MjData) -> np.ndarray:
    """The contacts, one a row."""
    rows = [(c.geom1, c.geom2, c.exclude, c.efc_address, c.dist, *c.pos) for c in data.contact[: data.ncon]]
    return np.array(rows, dtype=float)


def main() -> None:
    """Writes the facts."""
    facts = {}
    for name, text in models().items():
        model = mujoco.MjModel.from_xml_string(text)
        for kind, columns in COLUMNS.items():
            for column in columns:
                facts[f"{name}/{kind}_{column}"] = getattr(model, f"{kind}_{column}")
        facts[f"{name}/stat_center"] = model.stat.center
        facts[f"{name}/stat_extent"] = np.array([model.stat.extent])
        model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0, 200, 1e-10
        data, rng = mujoco.MjData(model), np.random.default_rng(0)
        for state in range(STATES):
            mujoco.mj_resetData(model, data)
            if model.nv:
                mujoco.mj_integratePos(model, data.qpos, 0.2 * rng.normal(size=model.nv), 1.0)
            data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.normal(size=model.nu)
            data.act[:] = rng.normal(size=model.na)
            for field in ("qpos", "qvel", "ctrl", "act"):
                facts[f"{name}/{state}/{field}"] = getattr(data, field).copy()
            mujoco.mj_forward(model, data)
            facts[f"{name}/{state}/contact"] = contacts(data)
            for field in FIELDS:
                facts[f"{name}/{state}/{field}"] = np.array(getattr(data, field)).ravel()
            mujoco.mj_step(model, data)
            for field in ("qpos", "qvel", "act"):
                facts[f"{name}/{state}/next_{field}"] = getattr(data, field).copy()
    sizes = np.array([np.size(fact) for fact in facts.values()], dtype=np.int32)
    numbers = np.concatenate([np.ravel(fact).astype(float) for fact in facts.values()])
    np.savez_compressed("facts.npz", names=np.array("\n".join(facts)), sizes=sizes, numbers=numbers)


if __name__ == "__main__":
    main()
