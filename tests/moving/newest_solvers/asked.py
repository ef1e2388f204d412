"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.0; writes facts.npz.

Solvers run as the models say, from the same states for all models of a scene.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from models import STATES, models


def main() -> None:
    """Writes the facts."""
    facts: dict[str, Any] = {}
    for name, text in models().items():
        model, scene = mujoco.MjModel.from_xml_string(text), name.split(",")[0]
        data, rng = mujoco.MjData(model), np.random.default_rng(7)
        states: dict[str, list[Any]] = {"qpos": [], "qvel": [], "qacc_warmstart": []}
        found: dict[str, list[Any]] = {"qacc": [], "solver_niter": [], "dof_island": []}
        if "RK4" in name:
            found["next_qvel"] = []
        for state in range(STATES):
            if state < STATES - 1:
                mujoco.mj_resetData(model, data)
                change = 0.04 * rng.normal(size=model.nv) * (state > 0)
                mujoco.mj_integratePos(model, data.qpos, change, 1.0)
                data.qvel[:] = (0.5 * rng.normal(size=model.nv)).round(3)
                data.qacc_warmstart[:] = (3 * rng.normal(size=model.nv)).round(3) * (state > 0)
                for field, values in states.items():
                    values.append(getattr(data, field).copy())
            else:
                for field, values in states.items():
                    getattr(data, field)[:] = values[-1]
                data.qacc_warmstart[:] = found["qacc"][-1]
            mujoco.mj_forward(model, data)
            iterations, count = np.full(model.nv, -1), max(1, data.nisland)
            iterations[:count] = data.solver_niter[:count]
            found["solver_niter"].append(iterations)
            found["dof_island"].append(data.dof_island.copy() if data.nisland else np.full(model.nv, -1))
            found["qacc"].append(data.qacc.copy())
            if "RK4" in name:
                mujoco.mj_step(model, data)
                found["next_qvel"].append(data.qvel.copy())
        facts |= {f"{scene}/{field}": np.array(values) for field, values in states.items()}
        facts |= {f"{name}/{field}": np.array(found[field]) for field in found}
    for key, values in facts.items():
        facts[key] = values.astype(np.int8) if values.dtype.kind == "i" else values
    np.savez_compressed("facts.npz", **facts)


if __name__ == "__main__":
    main()
