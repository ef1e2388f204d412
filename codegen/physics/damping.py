"""qDeriv: the derivative of joint forces with respect to velocities, for the implicit integrators.

As in MuJoCo, of the derivative of (qfrc_passive + qfrc_actuator - qfrc_bias) with respect to qvel it
includes:

* entries between degrees of freedom one of which is an ancestor of the other;
* of actuators the gain, times the unclamped control, and the bias: as of 3.2.7 whether or not a limit is
    active, as of 4.0 unless their force, or the force of all actuators on their joint or tendon, is at a
    limit;
* of dampers (including those of tendons and of edges of flexes), the medium and, for `implicit`, of Coriolis
    and centrifugal forces, everything.

As of 4.0, `implicitfast` includes the same as `implicit` for bodies that move freely and carry no others
(dof_gyroscopic).

Entries (i, j) with j = i or an ancestor of i are in qDeriv, entries (j, i) at the same positions of
qDeriv_above. The latter exist only for `implicit`, and for `implicitfast` if there are such bodies; else the
matrix of `implicitfast` is symmetric.

The part of bodies is computed like the mass matrix: about a link's origin, the derivative of the force on its
subtree with respect to the rate of a degree of freedom i is I (2 v - w) x s plus the Coriolis force of the
moving mass, with I the composite inertia, v the velocity of the link, and w that of the joint itself. (After
Singh, Russell, Wensing, Efficient Analytical Derivatives of Rigid Body Dynamics using Spatial Vector Algebra,
IEEE RA-L 7, 2022.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..staging.machines import Machine
from ..staging.scalars import both, either, maximum, opposite, where
from ..staging.slopes import slopes
from .actuator_kinds import BIASES, GAINS, ahead, controlled
from .flexes import lever
from .fluid import against_medium, motion, parts, slope
from .joints import JOINTS
from .orientations import slope_of_torque
from .polynomials import AT_JOINTS
from .releases import newest
from .servos import MOTOR, slope_of_friction, slope_of_motor
from .spatial import Flow, Force, Mat3, Motion, Pair, Slope, Sym3, Vec3
from .transmissions import AXES, TRANSMISSIONS, AtTendon, arms, turning

IMPLICIT, FAST = 2, 3  # codes of integrators
AT_BOUND = 1e-10
"""How far from a bound, relative to it, the sum of forces on a tendon is at it."""


def coriolis(t: Any) -> Any:
    """Whether all derivatives of some body are included, so that the matrix is not symmetric."""
    return either(t.opt_integrator[0] == IMPLICIT, t.opt_gyroscopic[0] == 1)


def whole(t: Any, i: Any) -> Any:
    """Whether all derivatives are included in row i."""
    return either(t.opt_integrator[0] == IMPLICIT, t.dof_gyroscopic[i] == 1)


def kept(t: Any, i: Any) -> Any:
    """Whether a step uses more of row i than the diagonal: `implicitfast` of MuJoCo does not for a body that
    moves freely and has a diagonal mass matrix, unless all of its derivatives are included.
    """
    return either(whole(t, i), t.dof_simplenum[i] == 0)


def still_slopes(m: Machine, t: Any) -> None:
    """qDeriv without the part of bodies."""
    for i in m.dofs():
        for j in m.ancestors(i, itself=True):
            t.qDeriv[i, j] = 0.0


def flow(t: Any, k: Any) -> Flow:
    """The flow of the mass of a link itself."""
    own, v = t.link_spatial[k], t.link_vel[k]
    half = (own.I.xx + own.I.yy + own.I.zz) * 0.5
    J = Sym3(half - own.I.xx, -own.I.xy, half - own.I.yy, -own.I.xz, -own.I.yz, half - own.I.zz).full()
    h, w = own.h, v.ang
    turning = Mat3(J.z * w.y - J.y * w.z, J.x * w.z - J.z * w.x, J.y * w.x - J.x * w.y)
    carried = Mat3(h * v.lin.x, h * v.lin.y, h * v.lin.z)
    return Flow(v.lin * own.mass + w.cross(h), carried + turning)


def drifts(m: Machine, t: Any) -> None:
    """dof_drift and jnt_flow of single links.

    With a change of velocity along a degree of freedom s, the acceleration of its subtree changes by
    dof_drift and by a term that depends on the subtree's own velocities.
    """
    for k in m.links():
        t.jnt_flow[k - 1] = flow(t, k)
        v = t.link_vel[k]
        for kind in m.cases(JOINTS, t.link_type[k]):
            joint = m.locals(motion=Motion.zero())
            for i, axis in kind.dofs(m, t, k):
                joint.motion = axis.add(joint.motion, t.qvel[i])
            above = v.ang - joint.motion.ang
            for i, axis in kind.dofs(m, t, k):
                s = axis.add(Motion.zero(), 1.0)
                lin = (above.cross(s.lin) + v.lin.cross(s.ang)) * 2.0
                t.dof_drift[i] = Motion((above + v.ang).cross(s.ang), lin)


def drags(m: Machine, t: Any) -> None:
    """jnt_drag: the derivative of the medium's forces on a link with respect to the link's velocity."""
    m.call(motion)
    for k in m.links():
        t.jnt_drag[k - 1] = Slope.zero()
    for part in parts(m, t):
        own = m.locals(slope=slope(m, part, against_medium(m, t, part)))
        for _ in m.when(both(t.opt_integrator[0] == FAST, t.dof_gyroscopic[t.link_dofadr[part.link]] == 0)):
            own.slope = own.slope.symmetric()
        t.jnt_drag[part.link - 1] += own.slope.lifted(part.turn, part.centre)


def slopes_of_bodies(m: Machine, t: Any) -> None:
    """qDeriv of Coriolis and centrifugal forces, for `implicit`, and of the medium."""
    for _ in m.when(coriolis(t)):
        m.call(motion)
        m.call(drifts)
    for _ in m.when(t.opt_fluid_acts[0] == 1):
        m.call(drags)
    for k in m.links(backward=True):
        n, p = k - 1, t.link_parentid[k]
        for _ in m.when(p > 0):
            R, r = t.link_rot[k], t.link_pos[k]
            for _ in m.when(coriolis(t)):
                t.jnt_flow[p - 1] += t.jnt_flow[n].lifted(R, r)
            for _ in m.when(t.opt_fluid_acts[0] == 1):
                t.jnt_drag[p - 1] += t.jnt_drag[n].lifted(R, r)
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                s = axis.add(Motion.zero(), 1.0)
                local = m.locals(row=Force.zero(), column=Force.zero())
                for _ in m.when(t.opt_fluid_acts[0] == 1):
                    local.row, local.column = t.jnt_drag[n].left(s), t.jnt_drag[n] @ s
                for _ in m.when(coriolis(t)):
                    for _ in m.when(whole(t, i)):
                        moved = t.jnt_flow[n]
                        local.row = local.row - Force(moved.left(s), Vec3.zero())
                        local.column = local.column - (t.link_crb[k] @ t.dof_drift[i] + moved @ s.ang)
                t.dof_row[i], t.dof_column[i] = local.row, local.column
            for i, _ in kind.dofs(m, t, k):
                for j, axis in kind.dofs(m, t, k):
                    for _ in m.when(j < i + 1):
                        enter(m, t, i, j, axis, Local(t.dof_row[i], t.dof_column[i], t.dof_force[i]))
        for i in m.dofs(k):
            own = m.locals(row=t.dof_row[i], column=t.dof_column[i], force=t.dof_force[i])
            for c in m.climb(k):
                up, R, r = t.link_parentid[c], t.link_rot[c], t.link_pos[c]
                own.row = own.row.lifted(R, r)
                for _ in m.when(coriolis(t)):
                    own.column, own.force = own.column.lifted(R, r), own.force.lifted(R, r)
                for kind in m.cases(JOINTS, t.link_type[up]):
                    for j, axis in kind.dofs(m, t, up):
                        enter(m, t, i, j, axis, own)


class Local(NamedTuple):
    """Quantities of a degree of freedom expressed at some link: see enter()."""

    row: Force
    column: Force
    force: Force


def enter(m: Machine, t: Any, i: Any, j: Any, axis: Any, local: Any) -> None:
    """Sets entries (i, j) and (j, i); `axis` is that of j, and `local` the quantities of i in the axes of j's
    link.

    Args:
        local: `row`, the derivative of i's joint force with respect to a motion of the link; `column`, the
            derivative of the force on the link with respect to i's rate; `force`, the force for a unit
            acceleration of i.
    """
    t.qDeriv[i, j] = axis.along(local.row)
    for _ in m.when(coriolis(t)):
        t.qDeriv_above[i, j] = axis.along(local.column)
        for _ in m.when(whole(t, i)):
            t.qDeriv[i, j] = axis.along(local.row) - t.dof_drift[j].dot(local.force)


def add(m: Machine, t: Any, i: Any, j: Any, rate: Any) -> None:
    """Adds to (i, j) and (j, i)."""
    t.qDeriv[i, j] += rate
    for _ in m.when(coriolis(t)):
        t.qDeriv_above[i, j] += rate


def slopes_of_tendons(m: Machine, t: Any) -> None:
    """qDeriv of tendons' dampers."""
    for f in m.rows_of("tendon"):
        own = m.locals(slope=t.opt_dampers_act[0] * t.tendon_damping[f])
        for _ in m.when(opposite(newest(t))):
            own.slope = maximum(own.slope, 0.0)
        for _ in m.when(t.opt_polynomials[0] == 1):
            own.slope = own.slope + t.ten_polyslope[f]
        for _ in m.saving(own.slope != 0.0):
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                t.dof_moment[t.ten_J_colind[y]] = t.ten_entry[y]
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                i = t.ten_J_colind[y]
                for j in m.ancestors(i, itself=True, nearest_first=True):
                    add(m, t, i, j, -(own.slope * t.ten_entry[y] * t.dof_moment[j]))
            for y in m.rows_of("ten_J", t.tendon_rowadr[f], t.tendon_rownnz[f]):
                t.dof_moment[t.ten_J_colind[y]] = 0.0


def slopes_of_flexes(m: Machine, t: Any) -> None:
    """qDeriv of dampers along edges of flexes.

    Degrees of freedom that move both ends do not contribute.
    """
    for e in m.rows_of("flexedge"):
        for _ in m.saving(both(t.flexedge_damper[e] != 0.0, opposite(newest(t)))):
            p, q = t.flexedge_first[e], t.flexedge_second[e]
            edge, length = t.flexvert_xpos[q] - t.flexvert_xpos[p], t.flexedge_length[e]
            along = edge * where(length > 0.0, 1.0 / where(length > 0.0, length, 1.0), 0.0)
            for x, sign in ((p, -1.0), (q, 1.0)):
                for y in m.rows_of("flexlever", t.flex_leveradr[x], t.flex_levernum[x]):
                    t.dof_moment[t.flexlever_dof[y]] += lever(t, y).dot(along) * sign
            for x in (p, q):
                for y in m.rows_of("flexlever", t.flex_leveradr[x], t.flex_levernum[x]):
                    i = t.flexlever_dof[y]
                    for j in m.ancestors(i, itself=True, nearest_first=True):
                        add(m, t, i, j, -(t.flexedge_damper[e] * t.dof_moment[i] * t.dof_moment[j]))
            for x in (p, q):
                for y in m.rows_of("flexlever", t.flex_leveradr[x], t.flex_levernum[x]):
                    t.dof_moment[t.flexlever_dof[y]] = 0.0


def slopes_of_actuators(m: Machine, t: Any) -> None:
    """qDeriv of actuators."""
    for u in m.rows_of("actuator"):
        slope = slope_of_actuator(m, t, u)
        for _ in m.saving(slope != 0.0):
            for kind in m.cases(TRANSMISSIONS, t.actuator_trntype[u]):
                for i, part in kind.moment(m, t, u):
                    t.dof_moment[i] += part
                for i, part in kind.moment(m, t, u):
                    for j in m.ancestors(i, itself=True, nearest_first=True):
                        add(m, t, i, j, slope * part * t.dof_moment[j])
                for i, _ in kind.moment(m, t, u):
                    t.dof_moment[i] = 0.0
    for _ in m.when(t.opt_orientations[0] == 1):
        m.call(slopes_of_orientations)


def slopes_of_orientations(m: Machine, t: Any) -> None:
    """qDeriv of orientation servos."""
    for u in turning(m, t):
        slope = slope_of_torque(m, t, u)
        for _ in m.saving(slope != 0.0):
            for n in AXES:
                for i, part in arms(m, t, u, n):
                    t.dof_moment[i] += part
                for i, part in arms(m, t, u, n):
                    for j in m.ancestors(i, itself=True, nearest_first=True):
                        add(m, t, i, j, slope * part * t.dof_moment[j])
                for i, _ in arms(m, t, u, n):
                    t.dof_moment[i] = 0.0


def slope_of_actuator(m: Machine, t: Any, u: Any) -> Any:
    """The derivative of an actuator's force with respect to its velocity."""
    own = m.locals(input=0.0, slope=0.0)
    e = t.actuator_act[u]
    for _ in m.when(t.actuator_input[u] >= 0):
        own.input = t.ctrl[t.actuator_input[u]]
        for _ in m.when(newest(t)):
            own.input = controlled(m, t, u)
    for _ in m.when(e >= 0):
        own.input = t.act[e]
        for _ in m.when(both(newest(t), t.actuator_actearly[u] == 1)):
            own.input = ahead(m, t, u, e, t.act[e], t.act_dot[e])
    for _ in m.when(t.actuator_acts[u] == 1):
        for kind in m.cases(GAINS, t.actuator_gaintype[u]):
            own.slope = slope_of(m, t, u, kind, t.actuator_gainprm[u]) * own.input
        for kind in m.cases(BIASES, t.actuator_biastype[u]):
            own.slope = own.slope + slope_of(m, t, u, kind, t.actuator_biasprm[u])
    for _ in m.when(newest(t)):
        for _ in m.when(t.actuator_forcelimited[u] == 1):
            own.slope = within(t.actuator_force[t.actuator_outadr[u]], t.actuator_forcerange[u], own.slope)
        for _ in m.when(t.actuator_servo[u] * t.actuator_acts[u] == MOTOR):
            own.slope = slope_of_motor(m, t, u)
        for _ in m.cases(AT_JOINTS, t.actuator_trntype[u]):
            i = t.link_dofadr[t.actuator_target[u] + 1]
            for _ in m.when(t.dof_actfrclimited[i] == 1):
                own.slope = within(t.qfrc_actuator[i], t.jnt_actfrcrange[t.dof_jntid[i]], own.slope)
        for _ in m.when(t.opt_tendon_limits[0] == 1):
            for _ in m.cases([AtTendon], t.actuator_trntype[u]):
                f = t.actuator_target[u]
                for _ in m.when(t.tendon_actfrclimited[f] == 1):
                    left = m.locals(slope=0.0)
                    for _ in m.when(t.actuator_servo[u] * t.actuator_acts[u] == MOTOR):
                        left.slope = slope_of_friction(m, t, u)
                    clamped = within(
                        t.ten_actuation[f], narrowed(t.tendon_actfrcrange[f]), own.slope - left.slope
                    )
                    own.slope = left.slope + clamped
    return own.slope


def narrowed(bounds: Any) -> Pair:
    """Bounds at which a sum of scaled forces counts as being."""
    low, high = bounds.first, bounds.second
    return Pair(low + AT_BOUND * maximum(low, -low), high - AT_BOUND * maximum(high, -high))


def within(force: Any, bounds: Any, slope: Any) -> Any:
    """The derivative of a force that was clamped: 0 at its bounds."""
    return where(both(bounds.first < force, force < bounds.second), slope, 0.0)


def slope_of(m: Machine, t: Any, u: Any, kind: Any, prm: Any) -> Any:
    """The derivative of a gain or bias with respect to the actuator's velocity."""
    by = slopes(m, lambda v: [kind.value(t, u, prm, v[0])], [t.actuator_velocity[t.actuator_outadr[u]]])
    return by[0][0]


def resist_actuators(m: Machine, t: Any, h: Any) -> None:
    """Adds the effect of actuators after a time h to dof_resist; each of them drives one hinge, slide or
    screw.
    """
    for u in m.rows_of("actuator"):
        slope = slope_of_actuator(m, t, u)
        for _ in m.saving(slope != 0.0):
            k, gear = t.actuator_target[u] + 1, t.actuator_gear[u].lin.x
            t.dof_resist[t.link_dofadr[k]] += -(h * slope * gear * gear)


def derivative(m: Machine, t: Any) -> None:
    """qDeriv, and for `implicit` qDeriv_above."""
    of_bodies = either(coriolis(t), t.opt_fluid_acts[0] == 1)
    for i in m.dofs():
        t.dof_moment[i] = 0.0
    for _ in m.when(of_bodies):
        m.call(slopes_of_bodies)
    for _ in m.when(opposite(of_bodies)):
        m.call(still_slopes)
    for _ in m.when(t.opt_dampers_act[0] == 1):
        for i in m.dofs():
            t.qDeriv[i, i] += -t.dof_damping[i]
            for _ in m.when(coriolis(t)):
                t.qDeriv_above[i, i] += -t.dof_damping[i]
    for _ in m.when(t.opt_polynomials[0] == 1):
        for i in m.dofs():
            t.qDeriv[i, i] += -t.dof_polyslope[i]
            for _ in m.when(coriolis(t)):
                t.qDeriv_above[i, i] += -t.dof_polyslope[i]
    for _ in m.when(t.opt_tendon_forces[0] == 1):
        m.call(slopes_of_tendons)
    for _ in m.when(t.opt_flexes[0] == 2):
        m.call(slopes_of_flexes)
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        m.call(slopes_of_actuators)
