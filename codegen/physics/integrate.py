"""From one instant to the next.

Every way starts from what remember() kept, which is also where a failed step returns to.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .aba import late, released, settle
from .actuators import activate, actuation
from .forward import forces, observe
from .joints import JOINTS
from .kinematics import carry
from .loads import load
from .passive import passive
from .sensors import measure


def remember(m: Machine, t: Any) -> None:
    """Keep qpos, qvel, act."""
    for a in m.coordinates():
        t.start_qpos[a] = t.qpos[a]
    for i in m.dofs():
        t.start_qvel[i] = t.qvel[i]
    for e in m.rows_of("act"):
        t.start_act[e] = t.act[e]


def restore(m: Machine, t: Any) -> None:
    """Back to what remember() kept."""
    for a in m.coordinates():
        t.qpos[a] = t.start_qpos[a]
    for i in m.dofs():
        t.qvel[i] = t.start_qvel[i]
    for e in m.rows_of("act"):
        t.act[e] = t.start_act[e]


def kick(m: Machine, t: Any, h: Any) -> None:
    """Velocities after qacc for a time h."""
    for i in m.dofs():
        t.qvel[i] = t.start_qvel[i] + h * t.qacc[i]


def drift(m: Machine, t: Any, h: Any) -> None:
    """Positions after qvel for a time h; rotations by the exponential of the body-fixed rate."""
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.displace(t, k, h)


def euler(m: Machine, t: Any) -> None:
    """Semi-implicit: new velocities move positions.

    Dampers act at the step's end if the model says so, and springs likewise.
    """
    h = t.opt_timestep[0]
    m.call(remember)
    m.call(passive)
    m.call(actuation)
    m.call(observe)
    for _ in m.when(t.opt_measures[0] == 2):  # observe() has solved for accelerations
        m.call(settle)
    for _ in m.when(t.opt_measures[0] < 2):
        m.call(load)
        m.call(late, h)
        m.call(carry)
        m.call(released)
    for _ in m.when(t.opt_measures[0] == 1):
        m.call(measure)
    m.call(activate)
    m.call(kick, h)
    m.call(drift, h)


def gather_slopes(m: Machine, t: Any, weight: Any) -> None:
    """Add a stage's velocity and acceleration to their weighted means."""
    for i in m.dofs():
        t.mean_qvel[i] += weight * t.qvel[i]
        t.mean_qacc[i] += weight * t.qacc[i]
    for e in m.rows_of("act"):
        t.mean_act_dot[e] += weight * t.act_dot[e]


def forget_slopes(m: Machine, t: Any) -> None:
    """Begin new means."""
    for i in m.dofs():
        t.mean_qvel[i] = 0.0
        t.mean_qacc[i] = 0.0
    for e in m.rows_of("act"):
        t.mean_act_dot[e] = 0.0


def take_slopes(m: Machine, t: Any) -> None:
    """Let the means be qvel, qacc, act_dot."""
    for i in m.dofs():
        t.qvel[i] = t.mean_qvel[i]
        t.qacc[i] = t.mean_qacc[i]
    for e in m.rows_of("act"):
        t.act_dot[e] = t.mean_act_dot[e]


def charge(m: Machine, t: Any, h: Any) -> None:
    """Activations of a stage: after act_dot for a time h, whatever their dynamics and ranges."""
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for e in m.rows_of("act"):
            t.act[e] = t.start_act[e] + h * t.act_dot[e]


def rk4(m: Machine, t: Any) -> None:
    """The classical Runge-Kutta method; stages start from the first state, rotations on their manifold."""
    h = t.opt_timestep[0]
    m.call(remember)
    m.call(forget_slopes)
    for stage, (weight, ahead) in enumerate(((1 / 6, 0.5), (1 / 3, 0.5), (1 / 3, 1.0), (1 / 6, 0.0))):
        m.call(forces)
        if stage == 0:
            m.call(observe)
            for _ in m.when(t.opt_measures[0] == 1):
                m.call(measure)
        m.call(gather_slopes, weight)
        if ahead:
            m.call(charge, ahead * h)
            m.call(drift, ahead * h)
            m.call(kick, ahead * h)
    m.call(take_slopes)
    m.call(activate)
    m.call(drift, h)
    m.call(kick, h)
