"""Springs and dampers whose forces are polynomials, and dampers of actuators.

As in MuJoCo from 3.7.0 on, the force of a spring is -(a x + b x^2 + c x^3), that of a damper
-(a v + b v |v| + c v^3). The spring of a ball pulls along the rotation vector, by the polynomial of its
length; that of a free joint likewise, of translation and rotation each. Actuators add dampers to their joints
or tendons, times the square of the gear. Here are the terms besides the first one of a joint's or tendon's
own.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import maximum, sqrt
from ..staging.value_classes import Scalar
from .joints import JOINTS, Ball, Free
from .transmissions import AtJoint, AtJointInParent

AT_JOINTS = [AtJoint, AtJointInParent]
VECTORS: dict[type[Any], tuple[int, ...]] = {Ball: (0,), Free: (0, 3)}
"""The first degree of freedom of each vector along which springs pull."""


def stiffer(poly: Any, x: Scalar) -> Scalar:
    """What the coefficients of square and cube add to the force per displacement or velocity."""
    return (poly.first + poly.second * x) * x


def steeper(poly: Any, x: Scalar) -> Scalar:
    """What they add to the derivative of the force."""
    return (2.0 * poly.first + 3.0 * poly.second * x) * x


def stored(poly: Any, x: Scalar) -> Scalar:
    """What they add to the potential energy."""
    return (poly.first * (1 / 3) + poly.second * x * 0.25) * x * x * x


def speed(v: Scalar) -> Scalar:
    """The absolute value."""
    return maximum(v, -v)


def square_of_gear(t: Any, u: Any) -> Scalar:
    """The factor on what an actuator adds to its joint or tendon."""
    gear = t.actuator_gear[u].lin.x
    return gear * gear


def vectors(t: Any, k: Any, kind: Any) -> list[tuple[list[Any], Scalar]]:
    """The vectors along which the springs of a joint pull: their degrees of freedom, and their lengths, which
    are signed for one coordinate.
    """
    i, found = t.link_dofadr[k], []
    for first in VECTORS.get(kind, ()):
        rows = [i + first + n for n in range(3)]
        found.append((rows, sqrt(sum((t.dof_stretch[row] * t.dof_stretch[row] for row in rows), 0.0))))
    return found or [([i], t.dof_stretch[i])]


def polynomials(m: Machine, t: Any) -> None:
    """dof_polyspring, dof_polydamper, dof_polyslope, from dof_stretch."""
    springs, dampers = t.opt_springs_act[0], t.opt_dampers_act[0]
    for i in m.dofs():
        v, poly = t.qvel[i], t.dof_dampingpoly[i]
        t.dof_polydamper[i] = -(dampers * stiffer(poly, speed(v)) * v)
        t.dof_polyslope[i] = dampers * steeper(poly, speed(v))
    for u in m.rows_of("actuator"):
        for _ in m.cases(AT_JOINTS, t.actuator_trntype[u]):
            square, poly = dampers * square_of_gear(t, u), t.actuator_dampingpoly[u]
            for i in m.dofs(t.actuator_target[u] + 1):
                v = t.qvel[i]
                t.dof_polydamper[i] += -(square * (t.actuator_damping[u] + stiffer(poly, speed(v))) * v)
                t.dof_polyslope[i] += square * (t.actuator_damping[u] + steeper(poly, speed(v)))
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            for rows, x in vectors(t, k, kind):
                factor = springs * stiffer(t.jnt_stiffnesspoly[k - 1], x)
                for row in rows:
                    t.dof_polyspring[row] = -(factor * t.dof_stretch[row])


def polynomial_energy(m: Machine, t: Any, total: Any) -> None:
    """Adds the potential energy of these terms of joints' springs."""
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            for _, x in vectors(t, k, kind):
                own = t.opt_springs_act[0] * stored(t.jnt_stiffnesspoly[k - 1], x)
                total.potential = total.potential + own


def add_polynomials(m: Machine, t: Any) -> None:
    """The same forces, which are added to qfrc_passive."""
    m.call(polynomials)
    for i in m.dofs():
        t.qfrc_passive[i] = t.qfrc_passive[i] + (t.dof_polyspring[i] + t.dof_polydamper[i])


def resist_polynomials(m: Machine, t: Any, h: Any) -> None:
    """Adds the effect of these dampers after a time h to dof_resist."""
    for i in m.dofs():
        t.dof_resist[i] = t.dof_resist[i] + h * t.dof_polyslope[i]
