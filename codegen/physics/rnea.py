"""Inverse dynamics: recursive Newton-Euler, in the links' own axes."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS
from .kinematics import carry


def newton_euler(m: Machine, t: Any, moved: bool, result: Any) -> None:
    """Joint forces for the motion at qacc, or at qacc = 0."""
    carry(m, t, moved)
    for k in m.links():
        t.link_force[k] = t.link_spatial[k].force(t.link_w[k], t.link_dw[k], t.link_a[k], t.link_rates[k])
    for k in m.links(backward=True):
        force = t.link_force[k]
        for kind in m.cases(JOINTS, t.link_type[k]):
            for n, x in enumerate(kind.project(m, t, k, force)):
                result[t.link_dofadr[k] + n] = x
        p = t.link_parentid[k]
        for _ in m.when(p > 0):
            t.link_force[p] += force.lifted(t.link_rot[k], t.link_pos[k])


def bias(m: Machine, t: Any) -> None:
    """qfrc_bias: the joint forces that keep qacc at zero."""
    newton_euler(m, t, False, t.qfrc_bias)


def inverse(m: Machine, t: Any) -> None:
    """qfrc_inverse = (M + regularization) qacc + qfrc_bias."""
    newton_euler(m, t, True, t.qfrc_inverse)
    for i in m.dofs():
        t.qfrc_inverse[i] += (t.dof_armature[i] + t.opt_regularization[0]) * t.qacc[i]
