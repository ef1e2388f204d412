"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.1; writes facts.npz.

Columns of the model, and what a step without contacts makes of random states.
"""

from __future__ import annotations

import mujoco
import numpy as np
from models import STATES, models

COLUMNS = {
    "body": ("parentid", "pos", "quat", "ipos", "iquat", "mass", "inertia"),
    "geom": ("dataid", "bodyid", "pos", "quat", "size", "aabb", "rbound", "friction", "margin"),
    "jnt": ("type", "pos", "axis", "range", "stiffness", "margin", "solimp", "actfrcrange"),
    "cam": ("pos", "quat", "fovy", "ipd"),
    "dof": ("damping", "armature", "frictionloss"),
    "site": ("bodyid", "pos", "quat", "size"),
    "hfield": ("size",),
    "light": ("pos", "dir", "attenuation"),
    "mesh": ("scale", "pos", "quat", "vert", "normal", "face", "facenormal"),
    "tendon": ("range", "stiffness", "damping", "lengthspring", "width", "length0"),
    "eq": ("solimp",),
    "pair": ("margin", "friction"),
    "actuator": ("gear", "dynprm", "gainprm", "biasprm", "ctrlrange", "forcerange", "cranklength"),
    "sensor": ("cutoff",),
    "key": ("qpos", "qvel", "act", "ctrl", "mpos", "time"),
}
FIELDS = ("xpos", "xquat", "qfrc_bias", "qfrc_passive", "actuator_force", "qacc_smooth")
LARGE = 40
"""Number of numbers of a column beyond which their weighted sum stands for them."""


def reduced(column: np.ndarray) -> np.ndarray:
    """A column, or if it is large, three weighted sums of it."""
    numbers = np.asarray(column, dtype=float).ravel()
    if len(numbers) <= LARGE:
        return numbers
    place = np.arange(len(numbers))
    return np.array([np.mean(numbers * np.cos(k * place)) for k in (0.0, 0.1, 1.0)])


def main() -> None:
    """Writes the facts."""
    facts = {}
    for name, text in models().items():
        model = mujoco.MjModel.from_xml_string(text)
        for kind, columns in COLUMNS.items():
            for column in columns:
                if kind == "actuator" and len(getattr(model, f"actuator_{column}")) != model.nactuator:
                    continue  # rows are those of controls or forces there, and of actuators here
                facts[f"{name}/{kind}_{column}"] = reduced(getattr(model, f"{kind}_{column}"))
        facts[f"{name}/eq_data"] = reduced(model.eq_data[:, :11])
        data, rng = mujoco.MjData(model), np.random.default_rng(0)
        if model.nv == 0:
            continue
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        for state in range(STATES):
            mujoco.mj_resetData(model, data)
            mujoco.mj_integratePos(model, data.qpos, 0.2 * rng.normal(size=model.nv) * (state > 0), 1.0)
            data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.normal(size=model.nu)
            for field in ("qpos", "qvel", "ctrl"):
                facts[f"{name}/{state}/{field}"] = getattr(data, field).copy()
            mujoco.mj_forward(model, data)
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
