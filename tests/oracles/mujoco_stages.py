"""What MuJoCo leaves after a step, with the forces between bodies of the same evaluation.

After a step of several stages, fields belong to the last one. MuJoCo's own mj_rnePostConstraint then mixes
its accelerations with the velocities after the step, so it is called here with those of the evaluation.
"""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np

STAGES = ((0.5, 0), (0.5, 1), (1.0, 2))
"""The fraction of the time step at which each later stage of RK4 is, and the stage whose rates lead there."""


def evaluated(model: Any, state: Any) -> tuple[Any, Any]:
    """Take a step; returns the simulation after it, and its results with the forces between bodies.

    Args:
        model: an MjModel.
        state: an MjData; it is not changed.
    """
    moved = copy.copy(state)
    mujoco.mj_step(model, moved)
    results = copy.copy(moved)
    results.qvel[:] = last_velocities(model, state)
    mujoco.mj_rnePostConstraint(model, results)
    return moved, results


def last_velocities(model: Any, state: Any) -> Any:
    """The velocities of the last evaluation of a step from a state."""
    if model.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4:
        return state.qvel.copy()
    data, h = copy.copy(state), model.opt.timestep
    qpos, qvel, act, time = data.qpos.copy(), data.qvel.copy(), data.act.copy(), data.time
    mujoco.mj_forward(model, data)
    rates = [(data.qvel.copy(), data.qacc.copy(), data.act_dot.copy())]
    for ahead, of in STAGES:
        velocity, acceleration, activation = rates[of]
        data.qpos[:], data.qvel[:] = qpos, qvel + ahead * h * acceleration
        data.act[:], data.time = act + ahead * h * activation, time + ahead * h
        mujoco.mj_integratePos(model, data.qpos, velocity, ahead * h)
        mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_NONE, 1)
        rates.append((data.qvel.copy(), data.qacc.copy(), data.act_dot.copy()))
    return np.array(rates[-1][0])

