"""Passive forces: springs, dampers, elements between bodies, tendons, the medium, and gravity
compensation.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .elements import elements
from .flexes import deform, elasticity
from .fluid import fluid
from .joints import JOINTS, Free, logarithm, quaternion
from .loads import compensate
from .plasticity import displaced_from_rest
from .polynomials import add_polynomials
from .spatial import Vec3
from .tendons import tendons, tensions


def stretch(m: Machine, t: Any) -> None:
    """dof_stretch: the deflection from rest of each degree of freedom.

    For a quaternion with rest q0 it is the rotation vector of q0^-1 q with an angle of at most pi, in the
    body's axes.
    """
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            for n, x in enumerate(kind.stretch(m, t, k)):
                t.dof_stretch[t.link_dofadr[k] + n] = x
    for _ in m.when(t.opt_yields[0] == 1):
        m.call(displaced_from_rest)


def passive(m: Machine, t: Any) -> None:
    """qfrc_passive, and qfrc_fluid, qfrc_gravcomp and qfrc_element if these act; also the results of
    tendons().

    If a joint's actuators provide gravity compensation, it is not part of the passive forces.
    """
    m.call(stretch)
    springs, dampers = t.opt_springs_act[0], t.opt_dampers_act[0]
    for i in m.dofs():
        stiffness, damping = springs * t.dof_stiffness[i], dampers * t.dof_damping[i]
        t.qfrc_passive[i] = -(stiffness * t.dof_stretch[i] + damping * t.qvel[i])
    for _ in m.when(t.opt_springs_inparent[0] == 1):
        m.call(passive_in_parent)
    for _ in m.when(t.opt_polynomials[0] == 1):
        m.call(add_polynomials)
    for _ in m.when(t.opt_fluid_acts[0] == 1):
        m.call(fluid)
        for i in m.dofs():
            t.qfrc_passive[i] = t.qfrc_passive[i] + t.qfrc_fluid[i]
    for _ in m.when(t.opt_gravcomp_acts[0] == 1):
        m.call(compensate)
        for i in m.dofs():
            for _ in m.when(t.jnt_actgravcomp[t.dof_jntid[i]] == 0):
                t.qfrc_passive[i] = t.qfrc_passive[i] + t.qfrc_gravcomp[i]
    for _ in m.when(t.opt_elements_act[0] == 1):
        m.call(elements)
        for i in m.dofs():
            t.qfrc_passive[i] = t.qfrc_passive[i] + t.qfrc_element[i]
    for _ in m.when(t.opt_tendons[0] == 1):
        m.call(tendons)
    for _ in m.when(t.opt_tendon_forces[0] == 1):
        m.call(tensions)
    for _ in m.when(t.opt_flexes[0] == 2):
        m.call(deform)
        m.call(elasticity)
    for _ in m.when(t.opt_cables[0] == 1):
        m.call(cables)


def cables(m: Machine, t: Any) -> None:
    """Adds the torques of cables at the ball joints between their bodies to qfrc_passive.

    The torque -K (v - v0) acts on the body and its opposite on the parent, with v the rotation vector of the
    body relative to its parent and K diagonal in the parent's axes; in the body's axes it is the ball's joint
    force.
    """
    for j in m.rows_of("jnt"):
        for _ in m.when(t.jnt_cable[j] == 1):
            k = j + 1
            a, i = t.link_qposadr[k], t.link_dofadr[k]
            turn = t.body_quat[t.jnt_bodyid[j]] @ quaternion(t, a).normalized()
            bent, stiff = logarithm(turn) - t.jnt_cablerest[j], t.jnt_cablestiffness[j]
            couple = Vec3(stiff.x * bent.x, stiff.y * bent.y, stiff.z * bent.z)
            for n, x in enumerate(turn.conjugate().turn(couple).flat()):
                t.qfrc_passive[i + n] = t.qfrc_passive[i + n] - x


def passive_in_parent(m: Machine, t: Any) -> None:
    """qfrc_passive of free joints whose springs and dampers act along axes of the parent."""
    for k in m.links():
        for kind in m.cases([Free], t.link_type[k]):
            i = t.link_dofadr[k]
            for _ in m.when(t.dof_inparent[i] == 1):
                stiffness, damping = numbers(t, i)
                for n, force in enumerate(kind.in_parent(t, k, stiffness, damping)):
                    t.qfrc_passive[i + n] = -force


def numbers(t: Any, i: Any) -> tuple[list[Any], list[Any]]:
    """Stiffness and damping of a free joint's degrees of freedom; 0 of what is disabled."""
    springs, dampers = t.opt_springs_act[0], t.opt_dampers_act[0]
    return [springs * t.dof_stiffness[i + n] for n in range(6)], [
        dampers * t.dof_damping[i + n] for n in range(6)
    ]


def springs_and_dampers(m: Machine, t: Any) -> None:
    """The parts of the passive forces. qfrc_spring = -stiffness * deflection, qfrc_damper =
    -damping * velocity, of joints and tendons. Parts that do not act are 0.
    """
    for flag, forces in (
        (t.opt_fluid_acts, t.qfrc_fluid),
        (t.opt_gravcomp_acts, t.qfrc_gravcomp),
        (t.opt_elements_act, t.qfrc_element),
        (t.opt_sticks, t.qfrc_adhesion),
    ):
        for _ in m.when(flag[0] == 0):
            for i in m.dofs():
                forces[i] = 0.0
    springs, dampers = t.opt_springs_act[0], t.opt_dampers_act[0]
    for i in m.dofs():
        t.qfrc_spring[i] = -(springs * t.dof_stiffness[i] * t.dof_stretch[i])
        t.qfrc_damper[i] = -(dampers * t.dof_damping[i] * t.qvel[i])
    for _ in m.when(t.opt_springs_inparent[0] == 1):
        m.call(springs_and_dampers_in_parent)
    for _ in m.when(t.opt_polynomials[0] == 1):
        for i in m.dofs():
            t.qfrc_spring[i] += t.dof_polyspring[i]
            t.qfrc_damper[i] += t.dof_polydamper[i]
    for _ in m.when(t.opt_tendon_forces[0] == 1):
        for y in m.rows_of("ten_J"):
            i, f = t.ten_J_colind[y], t.ten_J_tendon[y]
            t.qfrc_spring[i] += t.ten_entry[y] * t.ten_spring[f]
            t.qfrc_damper[i] += t.ten_entry[y] * t.ten_damper[f]
    for _ in m.when(t.opt_flexes[0] == 2):
        for i in m.dofs():
            t.qfrc_spring[i] += t.dof_flexspring[i]
            t.qfrc_damper[i] += t.dof_flexdamper[i]


def springs_and_dampers_in_parent(m: Machine, t: Any) -> None:
    """The same for passive_in_parent()."""
    none = [0.0] * 6
    for k in m.links():
        for kind in m.cases([Free], t.link_type[k]):
            i = t.link_dofadr[k]
            for _ in m.when(t.dof_inparent[i] == 1):
                stiffness, damping = numbers(t, i)
                for n, force in enumerate(kind.in_parent(t, k, stiffness, none)):
                    t.qfrc_spring[i + n] = -force
                for n, force in enumerate(kind.in_parent(t, k, none, damping)):
                    t.qfrc_damper[i + n] = -force
