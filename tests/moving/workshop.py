"""A Model with every kind of joint, transmission, camera mode and actuator that affects motion, at random
states.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
from polybody.model.model import Model

PATH = Path(__file__).with_name("workshop.xml")
INPUTS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")


def workshop(integrator: str = "Euler", **words: Any) -> Model:
    """The Model without constraints, with energies."""
    model = pb.load(PATH, disable="constraint", enable="energy", **words)
    return model.replace(opt_integrator=integrator)


def state(model: Model, seed: int, external: bool = True) -> dict[str, Any]:
    """Inputs of a simulation by name; quaternions are not normalised."""
    rng = np.random.default_rng(seed)
    data = pb.Data(model)
    found = {name: getattr(data, name) + rng.normal(size=getattr(data, name).shape) for name in INPUTS}
    found["xfrc_applied"][0] = 0.0
    if not external:
        found["xfrc_applied"][...] = 0.0
    found["qpos"] = model.qpos0 + 0.3 * rng.normal(size=model.nq)
    return found


def put(target: Any, values: dict[str, Any]) -> None:
    """Copy the inputs into a Data of ours or of MuJoCo."""
    for name, value in values.items():
        getattr(target, name)[...] = value


def away(ours: Any, theirs: Any) -> float:
    """The largest difference, relative to one more than the largest number of the second array."""
    theirs = np.asarray(theirs)
    apart = np.abs(np.asarray(ours).reshape(theirs.shape) - theirs).max(initial=0.0)
    return float(apart / (1.0 + np.abs(theirs).max(initial=0.0)))
