"""Inertia of actuators, reflected to their joints and tendons, and of tendons.

An inertia a along a length with the Jacobian J adds a J^T J to the mass matrix, and a J^T dJ/dt qvel to the
bias forces. Rows of the mass matrix have entries only for the ancestors of a degree of freedom: as in MuJoCo,
the products of degrees of freedom on different branches are missing, and so they are in the kinetic energy.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import where
from ..staging.value_classes import Scalar
from .kinematics import falling, forward_kinematics, velocities
from .polynomials import AT_JOINTS, square_of_gear
from .spatial import Vec3
from .tendons import apart, tendons
from .transmissions import AtTendon
from .wrapping import measured


def reflected(m: Machine, t: Any) -> None:
    """dof_reflected: what actuators add to the inertia of joints."""
    for i in m.dofs():
        t.dof_reflected[i] = 0.0
    for u in m.rows_of("actuator"):
        for _ in m.cases(AT_JOINTS, t.actuator_trntype[u]):
            for i in m.dofs(t.actuator_target[u] + 1):
                t.dof_reflected[i] += square_of_gear(t, u) * t.actuator_armature[u]


def along_tendons(m: Machine, t: Any) -> None:
    """ten_inertia: the inertia of the change of length, with what actuators add."""
    for f in m.rows_of("tendon"):
        t.ten_inertia[f] = t.tendon_armature[f]
    for u in m.rows_of("actuator"):
        for _ in m.cases([AtTendon], t.actuator_trntype[u]):
            t.ten_inertia[t.actuator_target[u]] += square_of_gear(t, u) * t.actuator_armature[u]


def inertias(m: Machine, t: Any) -> None:
    """Adds both to qM. tendons() has been called if tendons have inertia."""
    for _ in m.when(t.opt_reflects[0] == 1):
        m.call(reflected)
        for i in m.dofs():
            t.qM[i, i] += t.dof_reflected[i]
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(add_tendons)


def add_tendons(m: Machine, t: Any) -> None:
    """Adds the inertia of tendons to qM."""
    m.call(along_tendons)
    for i in m.dofs():
        t.dof_moment[i] = 0.0
    for f in m.rows_of("tendon"):
        for _ in m.saving(t.ten_inertia[f] != 0.0):
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                t.dof_moment[t.ten_J_colind[y]] = t.ten_entry[y]
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                i = t.ten_J_colind[y]
                for j in m.ancestors(i, itself=True, nearest_first=True):
                    t.qM[i, j] += t.ten_inertia[f] * t.ten_entry[y] * t.dof_moment[j]
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                t.dof_moment[t.ten_J_colind[y]] = 0.0


def tendon_inverse(m: Machine, t: Any) -> None:
    """Adds the forces that accelerate tendons by qacc to qfrc_inverse."""
    m.call(tendons)
    m.call(along_tendons)
    m.call(tendon_drifts)
    for i in m.dofs():
        t.dof_moment[i] = 0.0
    for f in m.rows_of("tendon"):
        for _ in m.saving(t.ten_inertia[f] != 0.0):
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                t.dof_moment[t.ten_J_colind[y]] = t.ten_entry[y]
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                i, force = t.ten_J_colind[y], t.ten_inertia[f] * t.ten_entry[y]
                t.qfrc_inverse[i] += force * (t.ten_drift[f] + t.ten_entry[y] * t.qacc[i])
                for j in m.ancestors(i, nearest_first=True):
                    t.qfrc_inverse[i] += force * t.dof_moment[j] * t.qacc[j]
                    t.qfrc_inverse[j] += force * t.dof_moment[j] * t.qacc[i]
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                t.dof_moment[t.ten_J_colind[y]] = 0.0


def tendon_energy(m: Machine, t: Any, total: Any) -> None:
    """Adds the kinetic energy of tendons."""
    m.call(along_tendons)
    for i in m.dofs():
        t.dof_moment[i] = 0.0
    for f in m.rows_of("tendon"):
        for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
            i = t.ten_J_colind[y]
            t.dof_moment[i] = t.ten_entry[y] * t.qvel[i]
        for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
            i = t.ten_J_colind[y]
            half = 0.5 * t.ten_inertia[f] * t.dof_moment[i]
            total.kinetic = total.kinetic + half * t.dof_moment[i]
            for j in m.ancestors(i, nearest_first=True):
                total.kinetic = total.kinetic + 2.0 * half * t.dof_moment[j]
        for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
            t.dof_moment[t.ten_J_colind[y]] = 0.0


def moving(t: Any, p: Any) -> tuple[Vec3, Vec3]:
    """The velocity of a point of a path, and its acceleration at qacc = 0, in the world."""
    k = t.body_linkid[t.wrap_body[p]]
    turn = t.link_xquat[k].matrix()
    w, dw = turn @ t.link_w[k], turn @ t.link_dw[k]
    arm = t.wrap_point[p] - t.link_xpos[k]
    velocity = turn @ t.link_vel[k].lin + w.cross(arm)
    return velocity, turn @ t.link_a[k] + falling(t) + dw.cross(arm) + w.cross(w.cross(arm))


def tendon_drifts(m: Machine, t: Any) -> None:
    """ten_drift, after tendons() and carry(). No path of a tendon with inertia goes around a shape."""
    for f in m.rows_of("tendon"):
        t.ten_drift[f] = 0.0
    for _ in m.when(t.opt_tendon_poses[0] == 1):
        m.call(drifts_of_paths)


def drifts_of_paths(m: Machine, t: Any) -> None:
    """The same of spatial tendons: a part of length l along d changes by d . (a2 - a1) + |v|^2 / l, with v
    the relative velocity of its ends across d.
    """
    m.call(forward_kinematics)
    velocities(m, t)
    for p in m.rows_of("wrap"):
        for _ in m.when(t.wrap_next[p] >= 0):
            for _ in m.when(t.wrap_over[p] < 0):
                for _ in m.when(apart(t, p, t.wrap_next[p])):
                    t.ten_drift[t.wrap_tendon[p]] += drift_of_part(t, p, t.wrap_next[p]) * t.wrap_scale[p]


def drift_of_part(t: Any, p: Any, q: Any) -> Scalar:
    """That of a straight part of a path."""
    length, along = measured(t.wrap_point[q] - t.wrap_point[p])
    v, a = moving(t, p)
    v_end, a_end = moving(t, q)
    relative = v_end - v
    across = relative - along * along.dot(relative)
    none = length < 1e-15
    return along.dot(a_end - a) + where(none, 0.0, across.dot(across) / where(none, 1.0, length))


def tendon_bias(m: Machine, t: Any) -> None:
    """Adds the bias forces of tendons to qfrc_bias, after tendons()."""
    m.call(along_tendons)
    m.call(tendon_drifts)
    for y in m.rows_of("ten_J"):
        f = t.ten_J_tendon[y]
        t.qfrc_bias[t.ten_J_colind[y]] += t.ten_inertia[f] * t.ten_drift[f] * t.ten_entry[y]


def accelerate_tendons(m: Machine, t: Any) -> None:
    """Subtracts from ten_tension the forces that accelerate tendons by qacc."""
    m.call(along_tendons)
    m.call(tendon_drifts)
    for f in m.rows_of("tendon"):
        t.ten_tension[f] += -(t.ten_inertia[f] * t.ten_drift[f])
    for y in m.rows_of("ten_J"):
        f = t.ten_J_tendon[y]
        t.ten_tension[f] += -(t.ten_inertia[f] * t.ten_entry[y] * t.qacc[t.ten_J_colind[y]])
