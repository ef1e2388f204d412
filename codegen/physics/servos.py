"""Servos: PID controllers and DC motors. They have up to four controls, and states in a fixed order.

A PID controller pulls with

    kp (pos - length) + kv (vel - velocity) + ki z + ff,        dz/dt = pos - length

A DC motor with the resistance R and the motor constant K pulls with K i, where the current i follows from
V - K velocity over R at once, or with the electrical time constant. Its voltage V is a control, or R / K
times the torque that a PID controller asks for, plus the back-EMF. R may depend on the temperature, which the
losses R i^2 raise. Cogging and LuGre friction (Canudas de Wit et al., IEEE TAC 40, 1995) act in addition, and
no limit of the force applies to them.

As in MuJoCo 4.0, servos of rotations about a line turn to the nearest angle (actuator_period).
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any, NamedTuple

from ..staging.machines import Machine
from ..staging.scalars import both, clip, exp, floor, maximum, minimum, sin, where
from ..staging.value_classes import Scalar
from .actuator_kinds import SHORTEST, Filter, FilterExact, ahead, controlled

PID, MOTOR, CIRCLE = 1, 2, 3
"""Codes in actuator_servo; the last one are servos with a gain and a bias whose length is an angle."""


class Inputs(NamedTuple):
    """Desired length and velocity, additional force, and voltage of a servo; 0 without such a control."""

    pos: Scalar
    vel: Scalar
    ff: Scalar
    voltage: Scalar


def within(t: Any, control: Scalar, bounds: Any) -> Scalar:
    """A control, clamped to bounds that are in order."""
    limited = both(t.opt_clampctrl[0] == 1, bounds.first < bounds.second)
    return where(limited, clip(control, bounds.first, bounds.second), control)


def inputs(m: Machine, t: Any, u: Any, most: Scalar) -> Inputs:
    """The controls of a servo, clamped; the first of them changes by at most `most` per second if it has a
    state for that.
    """
    own = m.locals(pos=0.0, vel=0.0, ff=0.0, voltage=0.0)
    for _ in m.when(t.actuator_ctrlpos[u] >= 0):
        own.pos = clamped(m, t, u, t.ctrl[t.actuator_ctrlpos[u]])
    for _ in m.when(t.actuator_ctrlvel[u] >= 0):
        own.vel = within(t, t.ctrl[t.actuator_ctrlvel[u]], t.actuator_velrange[u])
    for _ in m.when(t.actuator_ctrlff[u] >= 0):
        own.ff = within(t, t.ctrl[t.actuator_ctrlff[u]], t.actuator_ffrange[u])
    for _ in m.when(t.actuator_ctrlvoltage[u] >= 0):
        own.voltage = clamped(m, t, u, t.ctrl[t.actuator_ctrlvoltage[u]])
    for _ in m.when(t.actuator_slewed[u] >= 0):
        last, step = t.act[t.actuator_slewed[u]], most * t.opt_timestep[0]
        for _ in m.when(t.actuator_ctrlpos[u] >= 0):
            own.pos = clip(nearest(own.pos, last, t.actuator_period[u]), last - step, last + step)
        for _ in m.when(t.actuator_ctrlpos[u] < 0):
            for _ in m.when(t.actuator_ctrlvel[u] >= 0):
                own.vel = clip(own.vel, last - step, last + step)
            for _ in m.when(t.actuator_ctrlvel[u] < 0):
                own.ff = clip(own.ff, last - step, last + step)
    return Inputs(own.pos, own.vel, own.ff, own.voltage)


def clamped(m: Machine, t: Any, u: Any, control: Scalar) -> Scalar:
    """A control, clamped to actuator_ctrlrange if that limits it."""
    own = m.locals(control=control)
    for _ in m.when(t.opt_clampctrl[0] == 1):
        for _ in m.when(t.actuator_ctrllimited[u] == 1):
            own.control = clip(control, t.actuator_ctrlrange[u].first, t.actuator_ctrlrange[u].second)
    return own.control


def nearest(angle: Scalar, other: Scalar, period: Scalar) -> Scalar:
    """The angle plus a multiple of the period, so that it is nearest to another one; itself if that is 0."""
    return angle - period * floor((angle - other) / where(period > 0.0, period, 1.0) + 0.5)


def error(t: Any, u: Any, pos: Scalar) -> Scalar:
    """The desired length less the length; on a circle, the shorter way."""
    return nearest(pos - t.actuator_length[t.actuator_outadr[u]], 0.0, t.actuator_period[u])


def gathering(z: Scalar, rate: Scalar, most: Scalar) -> Scalar:
    """The rate of an integral z, which does not grow beyond `most`, unless that is 0."""
    above, below = both(most > 0.0, z >= most), both(most > 0.0, z <= -most)
    return where(above, minimum(rate, 0.0), where(below, maximum(rate, 0.0), rate))


# --- PID controllers ----------------------------------------------------------------------------


def pid_inputs(m: Machine, t: Any, u: Any) -> Inputs:
    return inputs(m, t, u, t.actuator_dynprm[u].p1)


def pid_rates(m: Machine, t: Any, u: Any) -> None:
    """act_dot of a PID controller."""
    asked = pid_inputs(m, t, u)
    p, e = t.actuator_slewed[u], t.actuator_gathered[u]
    for _ in m.when(p >= 0):
        t.act_dot[p] = (asked.pos - t.act[p]) / t.opt_timestep[0]
    for _ in m.when(e >= 0):
        t.act_dot[e] = gathering(t.act[e], error(t, u, asked.pos), t.actuator_dynprm[u].p0)


def pid_force(m: Machine, t: Any, u: Any) -> Scalar:
    """The force of a PID controller. Parameters of the bias: a constant, -kp, -kv."""
    prm, e = t.actuator_biasprm[u], t.actuator_gathered[u]
    asked, velocity = pid_inputs(m, t, u), t.actuator_velocity[t.actuator_outadr[u]]
    length = t.actuator_length[t.actuator_outadr[u]]
    pos = nearest(asked.pos, length, t.actuator_period[u])
    own = m.locals(force=-(prm.p1 * pos) - prm.p2 * asked.vel + asked.ff)
    for _ in m.when(e >= 0):
        z = m.locals(z=t.act[e])
        for _ in m.when(t.actuator_actearly[u] == 1):
            z.z = ahead(m, t, u, e, t.act[e], t.act_dot[e])
        own.force = own.force + t.actuator_gainprm[u].p0 * z.z
    return own.force + (prm.p0 + prm.p1 * length + prm.p2 * velocity)


# --- DC motors ----------------------------------------------------------------------------------


def motor_inputs(m: Machine, t: Any, u: Any) -> Inputs:
    return inputs(m, t, u, t.actuator_dynprm[u].p7)


def resistance(m: Machine, t: Any, u: Any) -> Scalar:
    """R at the temperature of the winding: its state is the difference from the surroundings."""
    prm, e = t.actuator_gainprm[u], t.actuator_temperature[u]
    own = m.locals(R=prm.p0)
    for _ in m.when(e >= 0):
        own.R = prm.p0 * (1.0 + prm.p2 * (t.act[e] + t.actuator_dynprm[u].p4 - prm.p3))
    return own.R


def driven(m: Machine, t: Any, u: Any, asked: Inputs) -> Scalar:
    """The voltage that the controller asks for, before its limit. The controller knows R at the reference
    temperature.
    """
    prm, e = t.actuator_gainprm[u], t.actuator_gathered[u]
    velocity = t.actuator_velocity[t.actuator_outadr[u]]
    own = m.locals(integral=0.0, volts=0.0)
    for _ in m.when(e >= 0):
        own.integral = t.act[e]
    for _ in m.when(t.actuator_regulated[u] == 1):
        length = t.actuator_length[t.actuator_outadr[u]]
        torque = prm.p4 * (asked.pos - length) + prm.p6 * (asked.vel - velocity)
        torque = torque + prm.p5 * own.integral + asked.ff
        own.volts = prm.p0 / prm.p1 * torque + prm.p1 * velocity
    return own.volts


def limited(value: Scalar, most: Scalar) -> Scalar:
    """A value within limits of both signs, if they are positive."""
    return where(most > 0.0, clip(value, -most, most), value)


def voltage(m: Machine, t: Any, u: Any, asked: Inputs) -> Scalar:
    """The voltage between the terminals."""
    return limited(driven(m, t, u, asked), t.actuator_gainprm[u].p7) + asked.voltage


def change(t: Any, u: Any, V: Scalar, R: Scalar, current: Scalar) -> Scalar:
    """The rate of change of a current, before its limit."""
    K, velocity = t.actuator_gainprm[u].p1, t.actuator_velocity[t.actuator_outadr[u]]
    return (V / R - K / R * velocity - current) / maximum(t.actuator_dynprm[u].p0, SHORTEST)


def decay(t: Any, u: Any) -> Scalar:
    """The rate at which bristles forget their deflection, in 1/s; not positive. The friction of fast motion
    is p3 of the bias, that at rest p4, and p5 the velocity at which one becomes the other.
    """
    prm, velocity = t.actuator_biasprm[u], t.actuator_velocity[t.actuator_outadr[u]]
    ratio = velocity / maximum(prm.p5, SHORTEST)
    most = prm.p3 + (prm.p4 - prm.p3) * exp(-(ratio * ratio))
    return -(t.actuator_dynprm[u].p5 * abs(velocity)) / maximum(most, SHORTEST)


def motor_rates(m: Machine, t: Any, u: Any) -> None:
    """act_dot of a DC motor."""
    asked, velocity = motor_inputs(m, t, u), t.actuator_velocity[t.actuator_outadr[u]]
    prm, dyn, h = t.actuator_gainprm[u], t.actuator_dynprm[u], t.opt_timestep[0]
    p, e = t.actuator_slewed[u], t.actuator_gathered[u]
    for _ in m.when(p >= 0):
        first = m.locals(value=asked.ff)
        for _ in m.when(t.actuator_ctrlvel[u] >= 0):
            first.value = asked.vel
        for _ in m.when(t.actuator_ctrlpos[u] >= 0):
            first.value = asked.pos
        t.act_dot[p] = (first.value - t.act[p]) / h
    for _ in m.when(e >= 0):
        t.act_dot[e] = gathering(t.act[e], asked.pos - t.actuator_length[t.actuator_outadr[u]], dyn.p8)
    V, R, c = voltage(m, t, u, asked), resistance(m, t, u), t.actuator_current[u]
    for _ in m.when(t.actuator_temperature[u] >= 0):
        e = t.actuator_temperature[u]
        now = m.locals(current=(V - prm.p1 * velocity) / R)
        for _ in m.when(c >= 0):
            now.current = t.act[c]
        t.act_dot[e] = (R * now.current * now.current - t.act[e] / dyn.p2) / dyn.p3
    for _ in m.when(t.actuator_bristle[u] >= 0):
        e = t.actuator_bristle[u]
        t.act_dot[e] = decay(t, u) * t.act[e] + velocity
    for _ in m.when(c >= 0):
        t.act_dot[c] = limited(change(t, u, V, R, t.act[c]), dyn.p1)


def current_ahead(t: Any, u: Any, current: Scalar, rate: Scalar) -> Scalar:
    """The current at the end of the step."""
    constant = maximum(t.actuator_dynprm[u].p0, SHORTEST)
    return current + rate * constant * (1.0 - exp(-t.opt_timestep[0] / constant))


def motor_force(m: Machine, t: Any, u: Any) -> Scalar:
    """K i, with the current at the end of the step if it is a state."""
    K, c = t.actuator_gainprm[u].p1, t.actuator_current[u]
    own = m.locals(force=0.0)
    for _ in m.when(c >= 0):
        own.force = K * current_ahead(t, u, t.act[c], t.act_dot[c])
    for _ in m.when(c < 0):
        V, gain = voltage(m, t, u, motor_inputs(m, t, u)), K / maximum(resistance(m, t, u), SHORTEST)
        own.force = gain * V - gain * K * t.actuator_velocity[t.actuator_outadr[u]]
    return own.force


def mechanical(m: Machine, t: Any, u: Any) -> Scalar:
    """Cogging and friction of a motor."""
    prm, dyn, e = t.actuator_biasprm[u], t.actuator_dynprm[u], t.actuator_bristle[u]
    own = m.locals(force=prm.p0 * sin(prm.p1 * t.actuator_length[t.actuator_outadr[u]] + prm.p2))
    for _ in m.when(e >= 0):
        own.force = own.force - (dyn.p5 * t.act[e] + dyn.p6 * t.act_dot[e])
    return own.force


def activate_motor(m: Machine, t: Any, u: Any) -> None:
    """The states of a motor at the end of the step; that of the bristles is exact for a constant velocity,
    and does not depend on act_dot.
    """
    h, dyn, velocity = t.opt_timestep[0], t.actuator_dynprm[u], t.actuator_velocity[t.actuator_outadr[u]]
    on = where(t.actuator_acts[u] == 1, 1.0, 0.0)
    for e in (t.actuator_slewed[u], t.actuator_temperature[u]):
        for _ in m.when(e >= 0):
            t.act[e] = t.start_act[e] + on * t.act_dot[e] * h
    for _ in m.when(t.actuator_gathered[u] >= 0):
        e = t.actuator_gathered[u]
        z = t.start_act[e] + on * t.act_dot[e] * h
        t.act[e] = where(dyn.p8 > 0.0, clip(z, -dyn.p8, dyn.p8), z)
    for _ in m.when(t.actuator_bristle[u] >= 0):
        e, a = t.actuator_bristle[u], decay(t, u)
        left, moves = exp(a * h), abs(a) > SHORTEST
        gathered = where(moves, (left - 1.0) / where(moves, a, 1.0), h)
        t.act[e] = left * t.start_act[e] + gathered * velocity
    for _ in m.when(t.actuator_current[u] >= 0):
        e = t.actuator_current[u]
        t.act[e] = current_ahead(t, u, t.start_act[e], on * t.act_dot[e])


def slope_of_motor(m: Machine, t: Any, u: Any) -> Scalar:
    """The derivative of a motor's force with respect to its velocity, as in MuJoCo 4.0: 0 of what is at a
    limit, and of friction only the damping of the bristles.
    """
    prm, dyn, c = t.actuator_gainprm[u], t.actuator_dynprm[u], t.actuator_current[u]
    R, K, asked = maximum(resistance(m, t, u), SHORTEST), prm.p1, motor_inputs(m, t, u)
    own = m.locals(driven=0.0, slope=0.0)
    for _ in m.when(t.actuator_regulated[u] == 1):
        own.driven = inside(driven(m, t, u, asked), prm.p7, K - prm.p6 * prm.p0 / K)
    for _ in m.when(c >= 0):
        constant = maximum(dyn.p0, SHORTEST)
        slope = K * (own.driven - K) * (1.0 - exp(-t.opt_timestep[0] / constant)) / R
        own.slope = inside(change(t, u, voltage(m, t, u, asked), R, t.act[c]), dyn.p1, slope)
    for _ in m.when(c < 0):
        own.slope = K * own.driven / R - K * K / R
    for _ in m.when(t.actuator_forcelimited[u] == 1):
        force, bounds = motor_force(m, t, u), t.actuator_forcerange[u]
        own.slope = where(both(bounds.first < force, force < bounds.second), own.slope, 0.0)
    return own.slope + slope_of_friction(m, t, u)


def slope_of_friction(m: Machine, t: Any, u: Any) -> Scalar:
    """The part of it that no limit concerns."""
    own = m.locals(slope=0.0)
    for _ in m.when(t.actuator_bristle[u] >= 0):
        own.slope = -t.actuator_dynprm[u].p6
    return own.slope


def inside(value: Scalar, most: Scalar, slope: Scalar) -> Scalar:
    """The derivative of a value with limits of both signs: 0 at them."""
    return where(both(most > 0.0, abs(value) >= most), 0.0, slope)


# --- servos with a gain and a bias, on a circle ---------------------------------------------------


def circle_rates(m: Machine, t: Any, u: Any) -> None:
    """act_dot of a filter, which turns to the nearest angle, too."""
    for _ in m.cases([Filter, FilterExact], t.actuator_dyntype[u]):
        e = t.actuator_act[u]
        asked = nearest(controlled(m, t, u), t.act[e], t.actuator_period[u])
        t.act_dot[e] = (asked - t.act[e]) / maximum(t.actuator_dynprm[u].p0, SHORTEST)


def circle_force(m: Machine, t: Any, u: Any) -> Scalar:
    """The force of a servo that turns to the nearest angle."""
    e, prm = t.actuator_act[u], t.actuator_biasprm[u]
    length, own = t.actuator_length[t.actuator_outadr[u]], m.locals(input=0.0)
    for _ in m.when(t.actuator_input[u] >= 0):
        own.input = controlled(m, t, u)
    for _ in m.when(e >= 0):
        own.input = t.act[e]
        for _ in m.when(t.actuator_actearly[u] == 1):
            own.input = ahead(m, t, u, e, t.act[e], t.act_dot[e])
    force = t.actuator_gainprm[u].p0 * nearest(own.input, length, t.actuator_period[u])
    return force + (prm.p0 + prm.p1 * length + prm.p2 * t.actuator_velocity[t.actuator_outadr[u]])


# --- all ------------------------------------------------------------------------------------------


def rates_of_servos(m: Machine, t: Any) -> None:
    """act_dot of the states of servos."""
    for u in m.rows_of("actuator"):
        for _ in m.when(t.actuator_servo[u] == PID):
            pid_rates(m, t, u)
        for _ in m.when(t.actuator_servo[u] == MOTOR):
            motor_rates(m, t, u)
        for _ in m.when(t.actuator_servo[u] == CIRCLE):
            circle_rates(m, t, u)


def servo_forces(m: Machine, t: Any) -> None:
    """actuator_force of servos, if they are enabled; limit_tendons() and mechanical_forces() complete it."""
    for u in m.rows_of("actuator"):
        for _ in m.when(t.actuator_servo[u] * t.actuator_acts[u] > 0):
            own = m.locals(force=0.0)
            for _ in m.when(t.actuator_servo[u] == PID):
                own.force = pid_force(m, t, u)
            for _ in m.when(t.actuator_servo[u] == MOTOR):
                own.force = motor_force(m, t, u)
            for _ in m.when(t.actuator_servo[u] == CIRCLE):
                own.force = circle_force(m, t, u)
            for _ in m.when(t.actuator_clamped[u] == 1):
                own.force = clip(own.force, t.actuator_forcerange[u].first, t.actuator_forcerange[u].second)
            t.actuator_force[t.actuator_outadr[u]] = own.force


def mechanical_forces(m: Machine, t: Any) -> None:
    """Adds cogging and friction of motors, which no limit concerns, to actuator_force."""
    for u in m.rows_of("actuator"):
        for _ in m.when(t.actuator_servo[u] * t.actuator_acts[u] == MOTOR):
            out = t.actuator_outadr[u]
            t.actuator_force[out] = t.actuator_force[out] + mechanical(m, t, u)


def activate_servos(m: Machine, t: Any) -> None:
    """act of servos at the end of the step. A desired angle that is an activation stays near the length."""
    for u in m.rows_of("actuator"):
        for _ in m.when(t.actuator_servo[u] == PID):
            for e in (t.actuator_slewed[u], t.actuator_gathered[u]):
                for _ in m.when(e >= 0):
                    own = m.locals(rate=0.0)
                    for _ in m.when(t.actuator_acts[u] == 1):
                        own.rate = t.act_dot[e]
                    t.act[e] = ahead(m, t, u, e, t.start_act[e], own.rate)
        for _ in m.when(t.actuator_servo[u] == MOTOR):
            activate_motor(m, t, u)
        for _ in m.when(t.actuator_servo[u] == CIRCLE):
            for _ in m.when(t.actuator_act[u] >= 0):
                e = t.actuator_act[u]
                t.act[e] = nearest(t.act[e], t.actuator_length[t.actuator_outadr[u]], t.actuator_period[u])


def keep_motion(m: Machine, t: Any) -> None:
    """Stores lengths and velocities of actuators: states of servos at the end of a step depend on those at
    its beginning.
    """
    for o in m.rows_of("out"):
        t.actuator_start_length[o] = t.actuator_length[o]
        t.actuator_start_velocity[o] = t.actuator_velocity[o]


def exchange_motion(m: Machine, t: Any) -> None:
    """Exchanges lengths and velocities of actuators and the stored ones."""
    for o in m.rows_of("out"):
        own = m.locals(length=t.actuator_length[o], velocity=t.actuator_velocity[o])
        t.actuator_length[o] = t.actuator_start_length[o]
        t.actuator_velocity[o] = t.actuator_start_velocity[o]
        t.actuator_start_length[o], t.actuator_start_velocity[o] = own.length, own.velocity
