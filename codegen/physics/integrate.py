"""Integrators.

All of them start from the state stored by remember(), which is also restored after a failed step.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import either, opposite
from .aba import released, resist, resist_late
from .actuators import activate, actuation
from .constrained import constrained, late, swap
from .crba import mass_matrix
from .damping import coriolis, derivative, kept
from .forward import (
    forces,
    measure_step,
    observe,
    observe_constrained,
    observe_last,
    observe_stage,
    warm_again,
)
from .joints import JOINTS
from .kinematics import carry
from .loads import load
from .ltl import eliminate, eliminate_both, substitute, substitute_both
from .passive import passive
from .plasticity import exchange_tendons, keep_tendons, yield_springs
from .releases import newest
from .rnea import bias
from .servos import exchange_motion, keep_motion
from .stages import keep_rates, leave_rates, take_rates


def remember(m: Machine, t: Any) -> None:
    """Stores qpos, qvel, act, qacc_warmstart, plastic."""
    for a in m.coordinates():
        t.start_qpos[a] = t.qpos[a]
    for i in m.dofs():
        t.start_qvel[i] = t.qvel[i]
    for e in m.rows_of("act"):
        t.start_act[e] = t.act[e]
    for p in m.rows_of("plastic"):
        t.start_plastic[p] = t.plastic[p]
    for _ in m.when(t.opt_constrained[0] == 1):
        for i in m.dofs():
            t.start_warm[i] = t.qacc_warmstart[i]


def restore(m: Machine, t: Any) -> None:
    """Restores the state stored by remember()."""
    for a in m.coordinates():
        t.qpos[a] = t.start_qpos[a]
    for i in m.dofs():
        t.qvel[i] = t.start_qvel[i]
    for e in m.rows_of("act"):
        t.act[e] = t.start_act[e]
    for p in m.rows_of("plastic"):
        t.plastic[p] = t.start_plastic[p]
    for _ in m.when(t.opt_constrained[0] == 1):
        for i in m.dofs():
            t.qacc_warmstart[i] = t.start_warm[i]


def kick(m: Machine, t: Any, h: Any) -> None:
    """Velocities after qacc for a time h."""
    for i in m.dofs():
        t.qvel[i] = t.start_qvel[i] + h * t.qacc[i]


def kick_late(m: Machine, t: Any, h: Any) -> None:
    """Velocities after qacc_late for a time h."""
    for i in m.dofs():
        t.qvel[i] = t.start_qvel[i] + h * t.qacc_late[i]


def drift(m: Machine, t: Any, h: Any) -> None:
    """Positions after qvel for a time h; rotations by the exponential of the body-fixed rate."""
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.displace(t, k, h)


def finish(m: Machine, t: Any, h: Any) -> None:
    """Positions at the end of a step of one stage, and what follows from them."""
    m.call(drift, h)
    for _ in m.when(t.opt_yields[0] == 1):
        m.call(yield_springs, h)


def euler(m: Machine, t: Any) -> None:
    """Semi-implicit Euler: positions are integrated with the new velocities.

    Dampers and springs act at the end of the step if the model requires it; see resist_late().
    """
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(euler_constrained)
    for _ in m.when(t.opt_constrained[0] == 0):
        m.call(euler_smooth)


def euler_constrained(m: Machine, t: Any) -> None:
    """The same with constraints; qacc remains that of the instant at which the step begins."""
    h = t.opt_timestep[0]
    m.call(remember)
    m.call(passive)
    m.call(constrained)
    m.call(observe_constrained)
    m.call(late, h)
    m.call(activate)
    m.call(kick_late, h)
    m.call(finish, h)


def euler_smooth(m: Machine, t: Any) -> None:
    """The same without constraints."""
    h = t.opt_timestep[0]
    m.call(remember)
    m.call(passive)
    m.call(actuation)
    m.call(observe)
    for _ in m.when(both_known(t)):
        m.call(keep_load)
        m.call(kick_late, h)
        for _ in m.when(t.observes[0] == 0):
            m.call(settle)
    for _ in m.when(opposite(both_known(t))):
        m.call(load)
        m.call(keep_load)
        m.call(resist_late, h)
        m.call(carry)
        m.call(released)
        m.call(measure_step)
        m.call(kick, h)
    m.call(activate)
    m.call(finish, h)


def both_known(t: Any) -> Any:
    """Whether observe() has computed the accelerations with and without forces at the end of the step."""
    return either(t.opt_measures[0] == 2, t.opt_late[0] * t.observes[0] == 2)


def settle(m: Machine, t: Any) -> None:
    """qacc becomes the accelerations that include forces at the end of the step, as in any step that is asked
    only for the state.
    """
    for i in m.dofs():
        t.qacc[i] = t.qacc_late[i]


def keep_load(m: Machine, t: Any) -> None:
    """start_load, from which again() computes qacc if the step's accelerations include forces at its end."""
    for i in m.dofs():
        t.start_load[i] = t.dof_load[i]


def expect(m: Machine, t: Any, h: Any) -> None:
    """Computes the factors qLD, qLD_above of M - h qDeriv."""
    m.call(derivative)
    m.call(resist, 0.0)
    for i in m.dofs():
        for j in m.ancestors(i, itself=True):
            t.qLD[i, j] = t.qM[i, j]
            for _ in m.when(kept(t, i)):
                t.qLD[i, j] = t.qM[i, j] - h * t.qDeriv[i, j]
        for _ in m.when(opposite(kept(t, i))):
            t.qLD[i, i] += -(h * t.qDeriv[i, i])
        t.qLD[i, i] += t.dof_resist[i] - t.dof_armature[i]
    for _ in m.when(t.opt_reflects[0] == 1):  # both contain it
        for i in m.dofs():
            t.qLD[i, i] -= t.dof_reflected[i]
    for _ in m.when(coriolis(t)):
        for i in m.dofs():
            for j in m.ancestors(i, itself=True):
                t.qLD_above[i, j] = t.qM[i, j]
                for _ in m.when(kept(t, i)):
                    t.qLD_above[i, j] = t.qM[i, j] - h * t.qDeriv_above[i, j]


def solve_implicit(m: Machine, t: Any) -> None:
    """qacc from dof_load, by these factors."""
    for _ in m.when(coriolis(t)):
        m.call(eliminate_both)
        m.call(substitute_both)
    for _ in m.when(opposite(coriolis(t))):
        m.call(eliminate)
        m.call(substitute)


def implicit(m: Machine, t: Any) -> None:
    """Implicit in velocities: the forces are linearised by qDeriv; positions are integrated with the new
    velocities.
    """
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(implicit_constrained)
    for _ in m.when(t.opt_constrained[0] == 0):
        m.call(implicit_smooth)


def implicit_constrained(m: Machine, t: Any) -> None:
    """The same with constraints; qacc remains that of the instant at which the step begins."""
    h = t.opt_timestep[0]
    for f in (remember, passive, constrained, observe_constrained):
        m.call(f)
    for i in m.dofs():
        t.qacc_late[i] = t.qacc[i]
    m.call(expect, h)
    for i in m.dofs():
        t.dof_load[i] = t.dof_load[i] + t.qfrc_constraint[i]
    m.call(solve_implicit)
    m.call(swap)
    m.call(activate)
    m.call(kick_late, h)
    m.call(finish, h)


def implicit_smooth(m: Machine, t: Any) -> None:
    """The same without constraints."""
    h = t.opt_timestep[0]
    for f in (remember, passive, actuation, observe, load, bias, mass_matrix):
        m.call(f)
    m.call(keep_load)
    for i in m.dofs():
        t.qacc_late[i] = t.qacc[i]
    m.call(expect, h)
    m.call(solve_implicit)
    m.call(measure_step)
    m.call(activate)
    m.call(kick, h)
    m.call(finish, h)
    for _ in m.when(either(t.opt_measures[0] == 3, t.observes[0] == 2)):  # observe() has computed them
        m.call(swap)


def implicitfast(m: Machine, t: Any) -> None:
    """implicit() with only those derivatives that give a symmetric matrix. If it differs from the mass matrix
    only on the diagonal, it is no more expensive than Euler's method with implicit dampers.
    """
    for _ in m.when(t.opt_slopes[0] < 2):
        m.call(euler)
    for _ in m.when(t.opt_slopes[0] == 2):
        m.call(implicit)


def gather_slopes(m: Machine, t: Any, weight: Any) -> None:
    """Adds a stage's velocity and acceleration to their weighted means."""
    for i in m.dofs():
        t.mean_qvel[i] += weight * t.qvel[i]
        t.mean_qacc[i] += weight * t.qacc[i]
    for e in m.rows_of("act"):
        t.mean_act_dot[e] += weight * t.act_dot[e]


def forget_slopes(m: Machine, t: Any) -> None:
    """Initialises the means."""
    for i in m.dofs():
        t.mean_qvel[i] = 0.0
        t.mean_qacc[i] = 0.0
    for e in m.rows_of("act"):
        t.mean_act_dot[e] = 0.0


def follow_means(m: Machine, t: Any, h: Any) -> None:
    """The state after the means for a time h. qacc and act_dot remain those of the last stage."""
    for i in m.dofs():
        t.qvel[i] = t.mean_qvel[i]
    for exchange in (True, False):
        m.call(exchange_rates)
        for _ in m.when(t.opt_servos[0] == 1):
            m.call(exchange_motion)
        if exchange:
            m.call(activate)
    m.call(drift, h)
    for _ in m.when(t.opt_yields[0] == 1):
        m.call(exchange_tendons)
        m.call(yield_springs, h)
        m.call(exchange_tendons)
    for i in m.dofs():
        t.qvel[i] = t.start_qvel[i] + h * t.mean_qacc[i]


def exchange_rates(m: Machine, t: Any) -> None:
    """Exchanges act_dot and its mean."""
    for e in m.rows_of("act"):
        own = m.locals(rate=t.act_dot[e])
        t.act_dot[e] = t.mean_act_dot[e]
        t.mean_act_dot[e] = own.rate


def charge(m: Machine, t: Any, h: Any) -> None:
    """Activations of a stage: advanced by act_dot for a time h, ignoring their dynamics and ranges."""
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for e in m.rows_of("act"):
            t.act[e] = t.start_act[e] + h * t.act_dot[e]


def recall_half(m: Machine, t: Any) -> None:
    """ctrl becomes the controls that act in the middle of the step."""
    for c in m.rows_of("ctrl"):
        t.ctrl[c] = t.ctrl_half[c]


def recall_end(m: Machine, t: Any) -> None:
    """ctrl becomes the controls that act at the end of the step."""
    for c in m.rows_of("ctrl"):
        t.ctrl[c] = t.ctrl_end[c]


def rk4(m: Machine, t: Any) -> None:
    """The classical Runge-Kutta method; stages start from the initial state, rotations on their manifold.

    As of MuJoCo 3.2.7, means of angular velocities are rates of the displacement, and the solver starts in
    each stage from the result of the last one.
    """
    h, corrected = t.opt_timestep[0], newest(t)
    m.call(remember)
    m.call(forget_slopes)
    before = 0.0
    recalled = {1: recall_half, 2: recall_half, 3: recall_end}
    for stage, (weight, ahead) in enumerate(((1 / 6, 0.5), (1 / 3, 0.5), (1 / 3, 1.0), (1 / 6, 0.0))):
        if stage in recalled:
            for _ in m.when(t.opt_delays[0] == 1):
                m.call(recalled[stage])
        for _ in m.when(t.opt_constrained[0] == 0):
            m.call(forces)
            if stage == 0:
                m.call(observe_stage)
        for _ in m.when(t.opt_constrained[0] == 1):
            if stage:
                for _ in m.when(corrected):
                    m.call(warm_again)
            m.call(passive)
            m.call(constrained)
            if stage == 0:
                m.call(observe_constrained)
        if not stage:
            for _ in m.when(t.opt_servos[0] == 1):
                m.call(keep_motion)
            for _ in m.when(t.opt_yields[0] == 1):
                m.call(keep_tendons)
        for _ in m.when(corrected):
            if stage:
                m.call(take_rates, before * h)
            else:
                m.call(keep_rates)
        m.call(gather_slopes, weight)
        if not ahead:
            for _ in m.when(corrected):
                m.call(leave_rates)
        before = ahead
        if ahead:
            m.call(charge, ahead * h)
            m.call(drift, ahead * h)
            m.call(kick, ahead * h)
    m.call(observe_last)
    m.call(follow_means, h)
