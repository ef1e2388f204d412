"""MJCF that moves: every joint, transmission and actuator dynamics type, mocap bodies, keyframes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody
from polybody.model.model import Model

ARM = (Path(__file__).parent / "data" / "arm.xml").read_text()
INPUTS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")


def model(text: str = ARM, **flags: Any) -> Model:
    return polybody.lower(polybody.read("arm.xml", text=text), **flags)


def both(seed: int, text: str = ARM) -> tuple[Model, polybody.Data, Any, Any]:
    """Our Model and Data, MuJoCo's model and data, at the same random state."""
    ours, theirs = model(text), mujoco.MjModel.from_xml_string(text)
    data, other = polybody.Data(ours), mujoco.MjData(theirs)
    rng = np.random.default_rng(seed)
    other.qpos = theirs.qpos0 + 0.3 * rng.normal(size=theirs.nq)
    mujoco.mj_normalizeQuat(theirs, other.qpos)
    for name in INPUTS[1:-1]:
        getattr(other, name)[...] += rng.normal(size=getattr(other, name).shape)
    other.xfrc_applied[0] = 0
    for name in INPUTS:
        setattr(data, name, getattr(other, name))
    return ours, data, theirs, other
