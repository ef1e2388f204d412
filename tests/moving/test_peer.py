"""Every field compared with MuJoCo's, at random states and in steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.moving.workshop import PATH, away, put, state, workshop

mujoco = pytest.importorskip("mujoco")
FIELDS = (
    *("xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos"),
    *("site_xmat", "cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "subtree_com", "cvel"),
    *("subtree_linvel", "subtree_angmom", "actuator_length", "actuator_velocity", "act_dot"),
    *("actuator_force", "qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_passive"),
    *("qfrc_actuator", "qfrc_smooth", "qacc_smooth", "qacc", "cacc", "cfrc_int", "cfrc_ext", "energy"),
)
INTEGRATORS = {"Euler": 0, "RK4": 1}
TURNED = 14
"""The actuator between two rotated sites, for which MuJoCo multiplies the quaternions in the wrong order."""


def peer(integrator: str = "Euler") -> tuple[Any, Any]:
    model = mujoco.MjModel.from_xml_path(str(PATH))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.integrator = INTEGRATORS[integrator]
    return model, mujoco.MjData(model)


@pytest.mark.parametrize("seed", range(6))
def test_fields_at_an_instant(seed: int) -> None:
    model, (theirs, other) = workshop(), peer()
    data = pb.Data(model)
    values = state(model, seed)
    put(data, values)
    put(other, values)
    mujoco.mj_normalizeQuat(theirs, other.qpos)
    pb.forward(model, data)
    mujoco.mj_forward(theirs, other)
    mujoco.mj_subtreeVel(theirs, other)
    mujoco.mj_rnePostConstraint(theirs, other)
    for name in FIELDS:
        ours, found = np.array(getattr(data, name)), np.array(getattr(other, name))
        if name == "actuator_length":
            assert away(ours[TURNED], found[TURNED]) > 1e-3
            ours, found = np.delete(ours, TURNED), np.delete(found, TURNED)
        assert away(ours, found) < 1e-11, name


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(3))
def test_steps(seed: int, integrator: str) -> None:
    model, (theirs, other) = workshop(integrator), peer(integrator)
    data = pb.Data(model)
    values = state(model, seed)
    put(data, values)
    put(other, values)
    mujoco.mj_normalizeQuat(theirs, other.qpos)
    pb.step(model, data, 20)
    mujoco.mj_step(theirs, other, 20)
    for name in ("qpos", "qvel", "act"):
        ours = np.array(getattr(data, name))
        if name == "qpos":
            mujoco.mj_normalizeQuat(theirs, ours)
        assert away(ours, getattr(other, name)) < 1e-10, name


@pytest.mark.parametrize("flag", ["passive", "gravity", "clampctrl", "actuation", "eulerdamp"])
def test_flags(flag: str) -> None:
    model, (theirs, other) = workshop(), peer()
    theirs.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
    model = pb.load(PATH, disable=("constraint", flag), enable="energy")
    data = pb.Data(model)
    values = state(model, 7)
    put(data, values)
    put(other, values)
    mujoco.mj_normalizeQuat(theirs, other.qpos)
    mujoco.mj_forward(theirs, other)
    pb.forward(model, data)
    for name in (
        "qfrc_passive", "qfrc_gravcomp", "qfrc_actuator", "actuator_velocity", "act_dot", "qacc", "energy",
    ):  # fmt: skip
        assert away(getattr(data, name), getattr(other, name)) < 1e-11, name
    pb.step(model, data, 10)
    mujoco.mj_step(theirs, other, 10)
    for name in ("qvel", "act"):
        assert away(getattr(data, name), getattr(other, name)) < 1e-10, name
