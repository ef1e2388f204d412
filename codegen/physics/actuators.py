"""Actuators: activations, which depend on controls, and forces, which depend on both.

A class per keyword of DynamicsType, GainType and BiasType in schemas/model/types.xsd.

    force = gain * (activation, or control if there is none) + bias
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import both, clip, either, exp, maximum, where
from ..staging.value_classes import Scalar, operation
from .joints import Free
from .transmissions import TRANSMISSIONS, AtTendon, transmission

SHORTEST = 1e-15
"""Minimum time constant, s."""
FAR = 1e9
"""N or N m: a bound of a servo motor beyond this is treated as infinite, as in the rows of constraints."""


class Direct:
    """The control is used directly; there is no activation."""

    name, code = "none", 0

    @classmethod
    def rate(kind, t: Any, u: Any, control: Scalar, act: Scalar) -> Scalar:
        """The rate of change of the activation."""
        return 0.0

    @classmethod
    def ahead(kind, t: Any, u: Any, act: Scalar, rate: Scalar, h: Scalar) -> Scalar:
        """The activation after a time h."""
        return act + rate * h


class Integrator(Direct):
    """The activation is the integral of the control."""

    name, code = "integrator", 1

    @classmethod
    def rate(kind, t: Any, u: Any, control: Scalar, act: Scalar) -> Scalar:
        return control


class Filter(Direct):
    """A first-order low-pass filter of the control."""

    name, code = "filter", 2

    @classmethod
    def rate(kind, t: Any, u: Any, control: Scalar, act: Scalar) -> Scalar:
        return (control - act) / maximum(t.actuator_dynprm[u].p0, SHORTEST)


class FilterExact(Filter):
    """The same, integrated exactly over a step."""

    name, code = "filterexact", 3

    @classmethod
    def ahead(kind, t: Any, u: Any, act: Scalar, rate: Scalar, h: Scalar) -> Scalar:
        tau = maximum(t.actuator_dynprm[u].p0, SHORTEST)
        return act + rate * tau * (1.0 - exp(-h / tau))


class User(Direct):
    """Defined by the user; by default the activation is constant."""

    name, code = "user", 5


class MuscleDynamics(Direct):
    """A muscle is activated faster than it is deactivated (Millard et al. 2013), with a smooth transition of
    width p2 if that is positive.
    """

    name, code = "muscle", 4

    @classmethod
    def rate(kind, t: Any, u: Any, control: Scalar, act: Scalar) -> Scalar:
        prm = t.actuator_dynprm[u]
        missing, known = clip(control, 0.0, 1.0) - act, 0.5 + 1.5 * clip(act, 0.0, 1.0)
        rise, fall, width = prm.p0 * known, prm.p1 / known, prm.p2
        sharp = width < SHORTEST
        x = clip(missing / where(sharp, 1.0, width) + 0.5, 0.0, 1.0)
        smooth = fall + (rise - fall) * (x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0))
        tau = where(sharp, where(missing > 0.0, rise, fall), smooth)
        return missing / maximum(tau, SHORTEST)


DYNAMICS: list[type[Direct]] = [Direct, Integrator, Filter, FilterExact, MuscleDynamics, User]


class One:
    """1, the gain of user-defined actuators without a callback."""

    name, code = "user", 3

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        return 1.0


class Fixed(One):
    """A constant."""

    name, code = "fixed", 0

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        return prm.p0


class Affine(One):
    """A constant, plus a constant times the length, plus a constant times the velocity."""

    name, code = "affine", 1

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        return prm.p0 + prm.p1 * t.actuator_length[u] + prm.p2 * velocity


class MuscleGain(One):
    """Minus the maximum force of a muscle at its normalised length and velocity.

    Parameters: normalised lengths that correspond to the length range (p0, p1), the maximum force (p2; if
        negative, it is p3 / actuator_acc0), lengths between which there is active force (p4, p5), the maximum
        velocity (p6), the passive force at (1 + p5) / 2 (p7), the force at the maximum velocity (p8).
    """

    name, code = "muscle", 2

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        length, unit = kind.length(t, u, prm)
        speed = velocity / maximum(unit * prm.p6, SHORTEST)
        return -(kind.force(t, u, prm) * active(length, prm.p4, prm.p5) * moving(speed, prm.p8))

    @classmethod
    def force(kind, t: Any, u: Any, prm: Any) -> Scalar:
        """The maximum force."""
        return where(prm.p2 < 0.0, prm.p3 / maximum(t.actuator_muscleacc[u], SHORTEST), prm.p2)

    @classmethod
    def length(kind, t: Any, u: Any, prm: Any) -> tuple[Scalar, Scalar]:
        """The normalised length, and the unit of length."""
        bounds = t.actuator_lengthrange[u]
        unit = (bounds.second - bounds.first) / maximum(prm.p1 - prm.p0, SHORTEST)
        return prm.p0 + (t.actuator_length[u] - bounds.first) / maximum(unit, SHORTEST), unit


class MuscleBias(MuscleGain):
    """Minus the passive force of a stretched muscle; parameters as for the gain."""

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        length, _ = kind.length(t, u, prm)
        return -(kind.force(t, u, prm) * prm.p7 * stretched(length, 0.5 * (1.0 + prm.p5)))


@operation
def active(length: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """The active force as a function of length: piecewise parabolas, 0 at low and high, 1 at 1."""
    a, b = 0.5 * (low + 1.0), 0.5 * (1.0 + high)
    rise = (length - low) / maximum(a - low, SHORTEST)
    below = (1.0 - length) / maximum(1.0 - a, SHORTEST)
    above = (length - 1.0) / maximum(b - 1.0, SHORTEST)
    fall = (high - length) / maximum(high - b, SHORTEST)
    upper = where(length <= b, 1.0 - 0.5 * above * above, 0.5 * fall * fall)
    inner = where(length <= 1.0, 1.0 - 0.5 * below * below, upper)
    found = where(length <= a, 0.5 * rise * rise, inner)
    return where(both(low <= length, length <= high), found, 0.0)


@operation
def moving(velocity: Scalar, most: Scalar) -> Scalar:
    """The active force as a function of velocity: 0 at -1, 1 at rest, at most `most`."""
    end = most - 1.0
    left, rest = velocity + 1.0, end - velocity
    slow = where(velocity <= end, most - rest * rest / maximum(end, SHORTEST), most)
    return where(velocity <= -1.0, 0.0, where(velocity <= 0.0, left * left, slow))


@operation
def stretched(length: Scalar, knee: Scalar) -> Scalar:
    """The passive force as a function of length: a parabola from 1 to the knee, linear beyond."""
    width = maximum(knee - 1.0, SHORTEST)
    x, y = (length - 1.0) / width, (length - knee) / width
    return where(length <= 1.0, 0.0, where(length <= knee, 0.5 * x * x, 0.5 + y))


GAINS: list[type[One]] = [Fixed, Affine, MuscleGain, One]
BIASES: list[type[One]] = [Affine, MuscleBias]
NO_BIASES = {"none": 0, "user": 3}
"""Types of bias that are zero, and their codes."""


def controlled(m: Machine, t: Any, u: Any) -> Scalar:
    """The control after clamping."""
    own = m.locals(control=t.ctrl[u])
    for _ in m.when(t.opt_clampctrl[0] == 1):
        for _ in m.when(t.actuator_ctrllimited[u] == 1):
            own.control = clip(t.ctrl[u], t.actuator_ctrlrange[u].first, t.actuator_ctrlrange[u].second)
    return own.control


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
        for u in m.rows_of("actuator"):
            t.actuator_velocity[u] = 0.0


def ahead(m: Machine, t: Any, u: Any, e: Any, act: Scalar, rate: Scalar) -> Scalar:
    """An activation at the end of the step, within its range."""
    own = m.locals(act=act)
    for kind in m.cases(DYNAMICS, t.actuator_dyntype[u]):
        own.act = kind.ahead(t, u, act, rate, t.opt_timestep[0])
    for _ in m.when(t.actuator_actlimited[u] == 1):
        own.act = clip(own.act, t.actuator_actrange[u].first, t.actuator_actrange[u].second)
    return own.act


def regulated(m: Machine, t: Any, u: Any, early: bool) -> Scalar:
    """The input of a controller: the control, or its activation if it has dynamics, at the end of the step if
    `early` and the actuator requires that. Its rate is limited by the controller, except in the first step.
    """
    e, p, own = t.actuator_act[u], t.actuator_previous[u], m.locals(input=t.ctrl[u])
    for _ in m.when(e < 0):
        for _ in m.when(t.actuator_ctrllimited[u] == 1):
            own.input = clip(t.ctrl[u], t.actuator_ctrlrange[u].first, t.actuator_ctrlrange[u].second)
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
                t.act_dot[e] = (gathered(t, u, input - t.actuator_length[u]) - t.act[e]) / h
            for _ in m.when(p >= 0):
                t.act_dot[p] = (input - t.act[p]) / h


def controller_force(m: Machine, t: Any, u: Any) -> Scalar:
    """kp error + kd its rate + ki its integral; the input has a rate if it is an activation."""
    prm, e, own = t.actuator_controlprm[u], t.actuator_act[u], m.locals(rate=0.0, integral=0.0)
    error = regulated(m, t, u, early=True) - t.actuator_length[u]
    for _ in m.when(e >= 0):
        own.rate = t.act_dot[e]
    for _ in m.when(t.actuator_integral[u] >= 0):
        own.integral = gathered(t, u, error)
    return prm.p0 * error + prm.p2 * (own.rate - t.actuator_velocity[u]) + prm.p1 * own.integral


def actuator_forces(m: Machine, t: Any) -> None:
    """actuator_force."""
    for u in m.alike("actuator"):
        e, velocity = t.actuator_act[u], t.actuator_velocity[u]
        own = m.locals(input=0.0, force=0.0)
        for _ in m.when(t.actuator_acts[u] == 1):
            for _ in m.when(e < 0):
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
        t.actuator_force[u] = own.force
    for _ in m.when(t.opt_tendon_limits[0] == 1):
        m.call(limit_tendons)


def gather_tendons(m: Machine, t: Any) -> None:
    """ten_actuation: the sum of the forces of actuators on each tendon."""
    for f in m.rows_of("tendon"):
        t.ten_actuation[f] = 0.0
    for u in m.rows_of("actuator"):
        for _ in m.cases([AtTendon], t.actuator_trntype[u]):
            t.ten_actuation[t.actuator_target[u]] += t.actuator_force[u]


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
                t.actuator_force[u] = where(total == 0.0, 1.0, scaled) * t.actuator_force[u]
                for _ in m.when(t.actuator_forcelimited[u] == 1):
                    bounds = t.actuator_forcerange[u]
                    t.actuator_force[u] = clip(t.actuator_force[u], bounds.first, bounds.second)
    m.call(gather_tendons)


def actuation(m: Machine, t: Any) -> None:
    """actuator_length, actuator_velocity, act_dot, actuator_force, qfrc_actuator and dof_drive."""
    m.call(transmission)
    m.call(rates_of_activations)
    for _ in m.when(t.opt_controllers[0] == 1):
        m.call(rates_of_controllers)
    m.call(actuator_forces)
    for i in m.dofs():
        t.qfrc_actuator[i] = 0.0
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for u in m.rows_of("actuator"):
            for kind in m.cases(TRANSMISSIONS, t.actuator_trntype[u]):
                for i, part in kind.moment(m, t, u):
                    t.qfrc_actuator[i] = t.qfrc_actuator[i] + part * t.actuator_force[u]
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
