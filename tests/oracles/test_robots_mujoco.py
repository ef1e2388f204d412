"""Real robots in MuJoCo: smooth dynamics and steps, springs and dampers included."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from benchmarks.models import load, robots
from benchmarks.models.mujoco_models import offsets
from benchmarks.peers.mujoco_peer import compile_model
from tests.oracles.robots import RESULTS, Kernel, Reals, error, full, loops, random_states, specialised

COUNT = 5
OFF = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT


def without_constraints(name: str) -> mujoco.MjModel:
    """The robot as MuJoCo reads it; a robot without a file is written from our Model."""
    if name not in robots.MJCF:
        return compile_model(load(name))
    compiled = mujoco.MjModel.from_xml_path(str(robots.installed(*robots.MJCF[name])))
    compiled.opt.disableflags |= OFF
    return compiled


def compare(name: str, call: Kernel, kernels: tuple[str, ...]) -> None:
    model, compiled = load(name), without_constraints(name)
    given, shift = random_states(model, COUNT), offsets(compiled)
    results: dict[str, Reals] = {}
    for kernel in kernels:
        results |= {f"{kernel} {column}": values for column, values in call(kernel, given).items()}
    theirs: dict[str, list[Reals]] = {key: [] for key in results}
    for q, v, force in zip(given["qpos"], given["qvel"], given["qfrc_applied"], strict=True):
        data = mujoco.MjData(compiled)
        data.qpos, data.qvel, data.qfrc_applied = q + shift, v, force
        mujoco.mj_forward(compiled, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(compiled, M, data.qM)
        found = {
            "forward_kinematics xpos": data.xpos.copy(),
            "forward_kinematics xmat": data.xmat.copy(),
            "mass_matrix qM": M,
            "bias qfrc_bias": data.qfrc_bias.copy(),
            "passive qfrc_passive": data.qfrc_passive.copy(),
            "acceleration qacc": data.qacc_smooth.copy(),
        }
        mujoco.mj_step(compiled, data)
        found |= {"step qpos": data.qpos - shift, "step qvel": data.qvel.copy()}
        for key, rows in theirs.items():
            rows.append(found[key].ravel())
    for key, values in results.items():
        ours = full(model, values) if key == "mass_matrix qM" else values
        assert error(ours, np.array(theirs[key])) < 1e-10, key


KERNELS = tuple(kernel for kernel in RESULTS if kernel != "inverse")


@pytest.mark.parametrize("name", [*robots.MJCF, "panda", "talos", "chain of 100"])
def test_loops(name: str) -> None:
    compare(name, loops(load(name)), KERNELS)


@pytest.mark.parametrize("name", robots.MJCF)
def test_specialised(name: str) -> None:
    compare(name, specialised(load(name)), KERNELS)
