"""Mechanical energy."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .elements import ELEMENTS
from .flexes import deform
from .inertias import reflected, tendon_energy
from .kinematics import falling, forward_kinematics, velocities
from .passive import stretch
from .polynomials import polynomial_energy, stored
from .spatial import Pair
from .tendons import beyond, tendons


def energy(m: Machine, t: Any) -> None:
    """energy: potential (gravity, zero at the world's origin, and springs) and kinetic, armature included.

    Bushings do not contribute: their forces have no potential.
    """
    m.call(forward_kinematics)
    m.call(stretch)
    velocities(m, t)
    gravity, springs = falling(t), t.opt_springs_act[0]
    total = m.locals(potential=0.0, kinetic=0.0)
    for b in m.bodies():
        com = t.xpos[b] + t.xmat[b] @ t.body_ipos[b]
        total.potential = total.potential - t.body_mass[b] * com.dot(gravity)
    for k in m.links():
        v = t.link_vel[k]
        total.kinetic = total.kinetic + 0.5 * v.dot(t.link_spatial[k] @ v)
    for i in m.dofs():
        x, v = t.dof_stretch[i], t.qvel[i]
        total.potential = total.potential + 0.5 * springs * t.dof_stiffness[i] * x * x
        total.kinetic = total.kinetic + 0.5 * t.dof_armature[i] * v * v
    for _ in m.when(t.opt_polynomials[0] == 1):
        polynomial_energy(m, t, total)
    for _ in m.when(t.opt_reflects[0] == 1):
        m.call(reflected)
        for i in m.dofs():
            total.kinetic = total.kinetic + 0.5 * t.dof_reflected[i] * t.qvel[i] * t.qvel[i]
    for _ in m.when(t.opt_elements_act[0] == 1):
        for e in m.rows_of("element"):
            for kind in m.cases(ELEMENTS, t.element_type[e]):
                total.potential = total.potential + kind.energy(t, e)
    for _ in m.when(t.opt_tendon_forces[0] == 1):
        m.call(tendons)
        for f in m.rows_of("tendon"):
            x = beyond(m, t, f)
            total.potential = total.potential + 0.5 * springs * t.tendon_stiffness[f] * x * x
        for _ in m.when(t.opt_polynomials[0] == 1):
            for f in m.rows_of("tendon"):
                own = springs * stored(t.tendon_stiffnesspoly[f], beyond(m, t, f))
                total.potential = total.potential + own
    for _ in m.when(t.opt_flexes[0] == 2):
        m.call(deform)
        for e in m.rows_of("flexedge"):
            x = t.flexedge_length[e] - t.flexedge_length0[e]
            total.potential = total.potential + 0.5 * t.flexedge_spring[e] * x * x
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(tendons)
        tendon_energy(m, t, total)
    t.energy[0] = Pair(total.potential, total.kinetic)
