"""Inverse dynamics: the recursive Newton-Euler algorithm, in link frames."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .inertias import reflected, tendon_bias, tendon_inverse
from .joints import JOINTS
from .kinematics import accelerations, carry_placed, place
from .tendons import tendons


def fold(m: Machine, t: Any, forces: Any, result: Any) -> None:
    """Joint forces from the forces of links, which are summed over subtrees."""
    for k in m.links(backward=True):
        force = forces[k]
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                result[i] = axis.along(force)
        p = t.link_parentid[k]
        for _ in m.when(p > 0):
            forces[p] += force.lifted(t.link_rot[k], t.link_pos[k])


def bias(m: Machine, t: Any) -> None:
    """qfrc_bias: the joint forces for qacc = 0."""
    m.call(place)
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(tendons)
    m.call(bias_placed)


def bias_placed(m: Machine, t: Any) -> None:
    """The same after place(), and after tendons() if tendons have inertia."""
    m.call(carry_placed)
    fold(m, t, t.link_force, t.qfrc_bias)
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(tendon_bias)


def inverse(m: Machine, t: Any) -> None:
    """qfrc_inverse = (M + regularization) qacc + qfrc_bias."""
    m.call(place)
    m.call(inverse_placed)


def inverse_placed(m: Machine, t: Any) -> None:
    """The same after place()."""
    m.call(carry_placed)
    accelerations(m, t)
    for k in m.links():
        t.link_force[k] += t.link_spatial[k] @ t.link_acc[k]
    fold(m, t, t.link_force, t.qfrc_inverse)
    for i in m.dofs():
        t.qfrc_inverse[i] += (t.dof_armature[i] + t.opt_regularization[0]) * t.qacc[i]
    for _ in m.when(t.opt_reflects[0] == 1):
        m.call(reflected)
        for i in m.dofs():
            t.qfrc_inverse[i] += t.dof_reflected[i] * t.qacc[i]
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(tendon_inverse)
