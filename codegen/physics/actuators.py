"""Actuators: activations, which depend on controls, and forces, which depend on both.

    force = gain * (activation, or control if there is none) + bias

Actuators with several controls, or of which the force is not of this form, are in servos.py and
orientations.py.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import clip, either, where
from ..staging.value_classes import Scalar
from .actuator_kinds import BIASES, DYNAMICS, GAINS, ahead, controlled
from .joints import Free
from .orientations import activate_orientations, rates_of_orientations, torques, turn_joints
from .servos import activate_servos, mechanical_forces, rates_of_servos, servo_forces
from .transmissions import TRANSMISSIONS, AtTendon, transmission

FAR = 1e9
"""N or N m: a bound of a servo motor beyond this is treated as infinite, as in the rows of constraints."""


def rates_of_activations(m: Machine, t: Any) -> None:
    """act_dot. If actuation is disabled, it and actuator_velocity are 0, as in
    MuJoCo.
    """
    for e in m.rows_of("act"):
        t.act_dot[e] = 0.0
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for u in m.alike("actuator"):
            e = t.actuator_act[u]
            for _ in m.when(e >= 0):
                control = controlled(m, t, u)
                for kind in m.cases(DYNAMICS, t.actuator_dyntype[u]):
                    t.act_dot[e] = kind.rate(t, u, control, t.act[e])
    for _ in m.when(t.opt_actuation_acts[0] == 0):
        for o in m.rows_of("out"):
            t.actuator_velocity[o] = 0.0


def regulated(m: Machine, t: Any, u: Any, early: bool) -> Scalar:
    """The input of a controller: the control, or its activation if it has dynamics, at the end of the step if
    `early` and the actuator requires that. Its rate is limited by the controller, except in the first step.
    """
    c, e, p = t.actuator_ctrladr[u], t.actuator_act[u], t.actuator_previous[u]
    own = m.locals(input=t.ctrl[c])
    for _ in m.when(e < 0):
        for _ in m.when(t.actuator_ctrllimited[u] == 1):
            own.input = clip(t.ctrl[c], t.actuator_ctrlrange[u].first, t.actuator_ctrlrange[u].second)
    for _ in m.when(e >= 0):
        own.input = t.act[e]
        if early:
            for _ in m.when(t.actuator_actearly[u] == 1):
                own.input = ahead(m, t, u, e, t.act[e], t.act_dot[e])
    for _ in m.when(p >= 0):
        change = t.actuator_controlprm[u].p4 * t.opt_timestep[0]
        slow = clip(own.input, t.act[p] - change, t.act[p] + change)
        own.input = where(t.time[0] > 0.0, slow, own.input)
    return own.input


def gathered(t: Any, u: Any, error: Scalar) -> Scalar:
    """The integral term of a controller at the end of the step."""
    most = t.actuator_controlprm[u].p3
    return clip(t.act[t.actuator_integral[u]] + error * t.opt_timestep[0], -most, most)


def rates_of_controllers(m: Machine, t: Any) -> None:
    """act_dot of the controllers' states."""
    h = t.opt_timestep[0]
    for u in m.rows_of("actuator"):
        for _ in m.when(t.actuator_controller[u] == 1):
            input = regulated(m, t, u, early=False)
            e, p = t.actuator_integral[u], t.actuator_previous[u]
            for _ in m.when(e >= 0):
                error = input - t.actuator_length[t.actuator_outadr[u]]
                t.act_dot[e] = (gathered(t, u, error) - t.act[e]) / h
            for _ in m.when(p >= 0):
                t.act_dot[p] = (input - t.act[p]) / h


def controller_force(m: Machine, t: Any, u: Any) -> Scalar:
    """kp error + kd its rate + ki its integral; the input has a rate if it is an activation."""
    prm, e, own = t.actuator_controlprm[u], t.actuator_act[u], m.locals(rate=0.0, integral=0.0)
    o = t.actuator_outadr[u]
    error = regulated(m, t, u, early=True) - t.actuator_length[o]
    for _ in m.when(e >= 0):
        own.rate = t.act_dot[e]
    for _ in m.when(t.actuator_integral[u] >= 0):
        own.integral = gathered(t, u, error)
    return prm.p0 * error + prm.p2 * (own.rate - t.actuator_velocity[o]) + prm.p1 * own.integral


def actuator_forces(m: Machine, t: Any) -> None:
    """actuator_force; that of servos follows in servo_forces()."""
    for u in m.alike("actuator"):
        e, velocity = t.actuator_act[u], t.actuator_velocity[t.actuator_outadr[u]]
        own = m.locals(input=0.0, force=0.0)
        for _ in m.when(t.actuator_acts[u] == 1):
            for _ in m.when(t.actuator_input[u] >= 0):
                own.input = controlled(m, t, u)
            for _ in m.when(e >= 0):
                own.input = t.act[e]
                for _ in m.when(t.actuator_actearly[u] == 1):
                    own.input = ahead(m, t, u, e, t.act[e], t.act_dot[e])
            for kind in m.cases(GAINS, t.actuator_gaintype[u]):
                own.force = kind.value(t, u, t.actuator_gainprm[u], velocity) * own.input
            for kind in m.cases(BIASES, t.actuator_biastype[u]):
                own.force = own.force + kind.value(t, u, t.actuator_biasprm[u], velocity)
            for _ in m.when(t.actuator_controller[u] == 1):
                own.force = controller_force(m, t, u)
            for _ in m.when(t.actuator_clamped[u] == 1):
                own.force = clip(own.force, t.actuator_forcerange[u].first, t.actuator_forcerange[u].second)
        t.actuator_force[t.actuator_outadr[u]] = own.force


def gather_tendons(m: Machine, t: Any) -> None:
    """ten_actuation: the sum of the forces of actuators on each tendon."""
    for f in m.rows_of("tendon"):
        t.ten_actuation[f] = 0.0
    for u in m.rows_of("actuator"):
        for _ in m.cases([AtTendon], t.actuator_trntype[u]):
            t.ten_actuation[t.actuator_target[u]] += t.actuator_force[t.actuator_outadr[u]]


def limit_tendons(m: Machine, t: Any) -> None:
    """Scales the forces of actuators on a tendon so that their sum is within tendon_actfrcrange; then their
    own ranges limit them.
    """
    m.call(gather_tendons)
    for u in m.rows_of("actuator"):
        for _ in m.cases([AtTendon], t.actuator_trntype[u]):
            f = t.actuator_target[u]
            for _ in m.when(t.tendon_actfrclimited[f] == 1):
                total, bounds = t.ten_actuation[f], t.tendon_actfrcrange[f]
                scaled = clip(total, bounds.first, bounds.second) / where(total == 0.0, 1.0, total)
                o = t.actuator_outadr[u]
                t.actuator_force[o] = where(total == 0.0, 1.0, scaled) * t.actuator_force[o]
                for _ in m.when(t.actuator_forcelimited[u] == 1):
                    bounds = t.actuator_forcerange[u]
                    t.actuator_force[o] = clip(t.actuator_force[o], bounds.first, bounds.second)
    m.call(gather_tendons)


def actuation(m: Machine, t: Any) -> None:
    """actuator_length, actuator_velocity, act_dot, actuator_force, qfrc_actuator and dof_drive."""
    m.call(transmission)
    m.call(rates_of_activations)
    for _ in m.when(t.opt_controllers[0] == 1):
        m.call(rates_of_controllers)
    for _ in m.when(t.opt_servos[0] == 1):
        m.call(rates_of_servos)
    for _ in m.when(t.opt_orientations[0] * t.opt_actuation_acts[0] == 1):
        m.call(rates_of_orientations)
    m.call(actuator_forces)
    for _ in m.when(t.opt_servos[0] == 1):
        m.call(servo_forces)
    for _ in m.when(t.opt_orientations[0] == 1):
        m.call(torques)
    for _ in m.when(t.opt_tendon_limits[0] == 1):
        m.call(limit_tendons)
    for _ in m.when(t.opt_servos[0] == 1):
        m.call(mechanical_forces)
    for i in m.dofs():
        t.qfrc_actuator[i] = 0.0
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for u in m.rows_of("actuator"):
            for kind in m.cases(TRANSMISSIONS, t.actuator_trntype[u]):
                for i, part in kind.moment(m, t, u):
                    t.qfrc_actuator[i] = t.qfrc_actuator[i] + part * t.actuator_force[t.actuator_outadr[u]]
        for _ in m.when(t.opt_orientations[0] == 1):
            m.call(turn_joints)
        for _ in m.when(t.opt_gravcomp_acts[0] == 1):
            for i in m.dofs():
                for _ in m.when(t.jnt_actgravcomp[t.dof_jntid[i]] == 1):
                    t.qfrc_actuator[i] = t.qfrc_actuator[i] + t.qfrc_gravcomp[i]
        for i in m.dofs():
            for _ in m.when(t.dof_actfrclimited[i] == 1):
                bounds = t.jnt_actfrcrange[t.dof_jntid[i]]
                t.qfrc_actuator[i] = clip(t.qfrc_actuator[i], bounds.first, bounds.second)
    m.call(drive)


def drive(m: Machine, t: Any) -> None:
    """dof_drive, and limits of servo motors. Actuators of a degree of freedom with prescribed motion exert no
    force. For a servo motor, dof_drive is the velocity that constraint rows enforce. The rows' force bounds
    are centred at the midpoint of the motor's bounds, which the motor exerts in addition. If only one bound
    is finite, the motor exerts that bound.
    """
    for i in m.dofs():
        for _ in m.when(t.dof_prescribed[i] > 0):
            given = t.qfrc_actuator[i]
            for _ in m.when(t.dof_prescribed[i] == 1):
                t.dof_drive[i] = given
            for _ in m.when(t.dof_prescribed[i] == 2):
                t.dof_drive[i] = (given - t.qvel[i]) / t.opt_timestep[0]
            t.qfrc_actuator[i] = 0.0
        for _ in m.when(t.dof_prescribed[i] < 0):
            t.dof_drive[i] = t.qfrc_actuator[i]
            bounds = t.dof_servorange[i]
            t.qfrc_actuator[i] = 0.0
            for _ in m.when(t.opt_constrained[0] == 1):
                low, high = bounds.first, bounds.second
                share = where(either(low < -FAR, high > FAR), 1.0, 0.5)
                ends = where(low < -FAR, 0.0, low) + where(high > FAR, 0.0, high)
                t.qfrc_actuator[i] = share * ends
    for _ in m.when(t.opt_springs_inparent[0] == 1):
        m.call(servos_in_parent)


def servos_in_parent(m: Machine, t: Any) -> None:
    """Forces of servo motors along axes of the parent, as joint forces."""
    for k in m.links():
        for kind in m.cases([Free], t.link_type[k]):
            i = t.link_dofadr[k]
            for _ in m.when(t.dof_inparent[i] - t.dof_prescribed[i] > 1):
                f = [t.qfrc_actuator[i + n] for n in range(6)]
                for n, force in enumerate(kind.from_parent(t, k, f)):
                    t.qfrc_actuator[i + n] = force


def activate(m: Machine, t: Any) -> None:
    """act at the end of the step, from start_act and act_dot."""
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for u in m.alike("actuator"):
            e = t.actuator_act[u]
            for _ in m.when(e >= 0):
                own = m.locals(rate=0.0)
                for _ in m.when(t.actuator_acts[u] == 1):
                    own.rate = t.act_dot[e]
                t.act[e] = ahead(m, t, u, e, t.start_act[e], own.rate)
            for _ in m.when(t.actuator_controller[u] == 1):
                for memory in (t.actuator_integral[u], t.actuator_previous[u]):
                    for _ in m.when(memory >= 0):
                        rate = t.act_dot[memory]
                        for _ in m.when(t.actuator_acts[u] == 1):
                            t.act[memory] = ahead(m, t, u, memory, t.start_act[memory], rate)
        for _ in m.when(t.opt_servos[0] == 1):
            m.call(activate_servos)
        for _ in m.when(t.opt_orientations[0] == 1):
            m.call(activate_orientations)
