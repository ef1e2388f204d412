"""What an actuator is made of: its activation, its gain and its bias.

A class per keyword of DynamicsType, GainType and BiasType in schemas/model/types.xsd.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import both, clip, exp, maximum, where
from ..staging.value_classes import Scalar, operation

SHORTEST = 1e-15
"""Minimum time constant, s."""


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


class MotorStates(Direct):
    """The states of a DC motor, which have their own formulas: see servos.py."""

    name, code = "dcmotor", 6


class PidStates(Direct):
    """The states of a PID controller: see servos.py."""

    name, code = "pid", 7


DYNAMICS: list[type[Direct]] = [
    *(Direct, Integrator, Filter, FilterExact, MuscleDynamics, User),
    *(MotorStates, PidStates),
]


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
        return prm.p0 + prm.p1 * t.actuator_length[t.actuator_outadr[u]] + prm.p2 * velocity


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
        length = t.actuator_length[t.actuator_outadr[u]]
        return prm.p0 + (length - bounds.first) / maximum(unit, SHORTEST), unit


class MuscleBias(MuscleGain):
    """Minus the passive force of a stretched muscle; parameters as for the gain."""

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        length, _ = kind.length(t, u, prm)
        return -(kind.force(t, u, prm) * prm.p7 * stretched(length, 0.5 * (1.0 + prm.p5)))


class MotorGain(One):
    """None: the force of a DC motor has its own formula, see servos.py."""

    name, code = "dcmotor", 4

    @classmethod
    def value(kind, t: Any, u: Any, prm: Any, velocity: Scalar) -> Scalar:
        return 0.0


class PidGain(MotorGain):
    """None: the force of a PID controller has its own formula, see servos.py."""

    name, code = "pid", 5


class TurningGain(MotorGain):
    """None: the torque of an orientation servo has its own formula, see orientations.py."""

    name, code = "so3", 6


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


GAINS: list[type[One]] = [Fixed, Affine, MuscleGain, One, MotorGain, PidGain, TurningGain]
BIASES: list[type[One]] = [Affine, MuscleBias]
NO_BIASES = {"none": 0, "user": 3, "dcmotor": 4, "so3": 5}
"""Types of bias that are zero, and their codes."""


def controlled(m: Machine, t: Any, u: Any) -> Scalar:
    """The control after clamping, of an actuator with one."""
    c = t.actuator_ctrladr[u]
    own = m.locals(control=t.ctrl[c])
    for _ in m.when(t.opt_clampctrl[0] == 1):
        for _ in m.when(t.actuator_ctrllimited[u] == 1):
            own.control = clip(t.ctrl[c], t.actuator_ctrlrange[u].first, t.actuator_ctrlrange[u].second)
    return own.control


def ahead(m: Machine, t: Any, u: Any, e: Any, act: Scalar, rate: Scalar) -> Scalar:
    """An activation at the end of the step, within its range."""
    own = m.locals(act=act)
    for kind in m.cases(DYNAMICS, t.actuator_dyntype[u]):
        own.act = kind.ahead(t, u, act, rate, t.opt_timestep[0])
    for _ in m.when(t.actuator_actlimited[u] == 1):
        own.act = clip(own.act, t.actuator_actrange[u].first, t.actuator_actrange[u].second)
    return own.act
