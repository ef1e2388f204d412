"""Stages of a Runge-Kutta step as of MuJoCo 4.0."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import cos, sin, sqrt, where
from ..staging.value_classes import operation
from .joints import Ball, Free, vector
from .spatial import Vec3

SERIES = 0.0625
"""Square of an angle below which a series is exact to rounding, rad^2."""


@operation
def rotation_rate(u: Vec3, w: Vec3) -> Vec3:
    """The rate of a rotation vector u at the angular velocity w, in the axes that u turns."""
    square = u.dot(u)
    small = square < SERIES
    half = 0.5 * sqrt(where(small, 1.0, square))
    series = 1 / 12 + square * (1 / 720 + square * (1 / 30240 + square * (1 / 1209600 + square / 47900160)))
    closed = (1.0 - half * cos(half) / sin(half)) / where(small, 1.0, square)
    across = u.cross(w)
    return w + across * 0.5 + u.cross(across) * where(small, series, closed)


def take_rates(m: Machine, t: Any, h: Any) -> None:
    """qvel becomes the rate of the displacement from the beginning of the step, which is that of the previous
    stage for a time h: of ball and free joints, the rate of a rotation vector. stage_qvel keeps qvel.

    After H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29, 1999.
    """
    for i in m.dofs():
        t.stage_qvel[i] = t.qvel[i]
    for k in m.links():
        for kind, first in ((Ball, 0), (Free, 3)):
            for _ in m.cases([kind], t.link_type[k]):
                i = t.link_dofadr[k] + first
                rate = rotation_rate(vector(t.stage_rate, i) * h, vector(t.qvel, i))
                for n, x in enumerate(rate.flat()):
                    t.qvel[i + n] = x
    m.call(keep_rates)


def keep_rates(m: Machine, t: Any) -> None:
    """stage_rate, from qvel."""
    for i in m.dofs():
        t.stage_rate[i] = t.qvel[i]


def leave_rates(m: Machine, t: Any) -> None:
    """qvel as before take_rates()."""
    for i in m.dofs():
        t.qvel[i] = t.stage_qvel[i]
