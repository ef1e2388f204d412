"""Orientation servos: torques that turn the child of a ball joint, or a site relative to another one, to an
orientation.

    torque = kp log(q^-1 q*) + c - kv w

Here q is the orientation, q* the desired one and w the angular velocity, relative to the parent or the other
site; the torque and w are in the axes of the child or site. Such a servo has three lengths, which are the
rotation vector of q, velocities and forces, and controls that are a rotation vector or a quaternion. A
rotation vector may be the integral of the controls; then it is kept within half a turn.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from math import pi
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import floor, sqrt, where
from ..staging.value_classes import Scalar
from .actuator_kinds import SHORTEST, ahead
from .joints import exponential, logarithm
from .servos import clamped
from .spatial import Quat, Vec3
from .transmissions import AXES, arms, turning

AT_LIMIT = 1.0 - 1e-10
"""The part of its limit from which on a torque is at it."""


def rates_of_orientations(m: Machine, t: Any) -> None:
    """act_dot of desired rotation vectors that are integrals of controls."""
    for u in turning(m, t):
        e = t.actuator_turned[u]
        for _ in m.when(e >= 0):
            for n in AXES:
                t.act_dot[e + n] = control(m, t, u, n)


def control(m: Machine, t: Any, u: Any, n: int) -> Scalar:
    """A control, clamped."""
    return clamped(m, t, u, t.ctrl[t.actuator_ctrladr[u] + n])


def asked(m: Machine, t: Any, u: Any) -> Quat:
    """The desired orientation; that of a quaternion without length is the identity."""
    own, e = m.locals(quat=Quat(1.0, 0.0, 0.0, 0.0)), t.actuator_turned[u]
    for _ in m.when(t.actuator_quatinput[u] == 1):
        parts = [control(m, t, u, n) for n in range(4)]
        square = sum((x * x for x in parts), 0.0)
        none = square < SHORTEST * SHORTEST
        share = 1.0 / sqrt(where(none, 1.0, square))
        rest = [where(none, 0.0, x * share) for x in parts[1:]]
        own.quat = Quat(where(none, 1.0, parts[0] * share), *rest)
    for _ in m.when(t.actuator_quatinput[u] == 0):
        turn = m.locals(vector=Vec3.zero())
        for _ in m.when(e < 0):
            turn.vector = Vec3(*[control(m, t, u, n) for n in AXES])
        for _ in m.when(e >= 0):
            turn.vector = Vec3(*[t.act[e + n] for n in AXES])
            for _ in m.when(t.actuator_actearly[u] == 1):
                turn.vector = Vec3(*[ahead(m, t, u, e + n, t.act[e + n], t.act_dot[e + n]) for n in AXES])
        own.quat = exponential(turn.vector)
    return own.quat


def torques(m: Machine, t: Any) -> None:
    """actuator_force of orientation servos; their norm is limited."""
    for u in turning(m, t):
        o, own = t.actuator_outadr[u], m.locals(torque=Vec3.zero())
        for _ in m.when(t.actuator_acts[u] == 1):
            length = Vec3(*[t.actuator_length[o + n] for n in AXES])
            velocity = Vec3(*[t.actuator_velocity[o + n] for n in AXES])
            error = logarithm((exponential(length).conjugate() @ asked(m, t, u)).normalized())
            kp, prm = t.actuator_gainprm[u].p0, t.actuator_biasprm[u]
            own.torque = error * kp + Vec3(prm.p0, prm.p0, prm.p0) + velocity * prm.p2
            for _ in m.when(t.actuator_forcelimited[u] == 1):
                norm, most = sqrt(own.torque.dot(own.torque)), t.actuator_forcerange[u].second
                beyond = norm > most
                own.torque = own.torque * where(beyond, most / where(beyond, norm, 1.0), 1.0)
        for n, x in enumerate(own.torque.flat()):
            t.actuator_force[o + n] = x


def turn_joints(m: Machine, t: Any) -> None:
    """Adds the torques of orientation servos to qfrc_actuator."""
    for u in turning(m, t):
        for n in AXES:
            for i, part in arms(m, t, u, n):
                t.qfrc_actuator[i] = t.qfrc_actuator[i] + part * t.actuator_force[t.actuator_outadr[u] + n]


def slope_of_torque(m: Machine, t: Any, u: Any) -> Scalar:
    """The derivative of each torque with respect to its velocity; 0 at the limit."""
    own, o = m.locals(slope=0.0), t.actuator_outadr[u]
    for _ in m.when(t.actuator_acts[u] == 1):
        own.slope = t.actuator_biasprm[u].p2
        for _ in m.when(t.actuator_forcelimited[u] == 1):
            torque = Vec3(*[t.actuator_force[o + n] for n in AXES])
            most = t.actuator_forcerange[u].second * AT_LIMIT
            own.slope = where(torque.dot(torque) < most * most, own.slope, 0.0)
    return own.slope


def activate_orientations(m: Machine, t: Any) -> None:
    """Desired rotation vectors at the end of the step: those of the same rotation within half a turn."""
    for u in turning(m, t):
        e = t.actuator_turned[u]
        for _ in m.when(e >= 0):
            for n in AXES:
                own = m.locals(rate=0.0)
                for _ in m.when(t.actuator_acts[u] == 1):
                    own.rate = t.act_dot[e + n]
                t.act[e + n] = ahead(m, t, u, e + n, t.start_act[e + n], own.rate)
            vector = Vec3(*[t.act[e + n] for n in AXES])
            angle = sqrt(vector.dot(vector))
            far = angle > pi
            less = angle - 2 * pi * floor(angle * (0.5 / pi) + 0.5)
            share = where(far, less / where(far, angle, 1.0), 1.0)
            for n, x in enumerate(vector.flat()):
                t.act[e + n] = x * share
