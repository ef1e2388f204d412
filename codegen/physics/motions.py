"""Motions of bodies, and the forces that they require.

A body moves with its link: link_w, link_dw, link_a at qacc = 0 come from carry(), link_vel from velocities(),
link_acc from articulated() or accelerations(), all in the link's axes. Momenta and forces are summed there,
about the link's origin, and then rotated to world axes.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import both, maximum, opposite, where
from .inertias import accelerate_tendons
from .kinematics import falling, forward_kinematics, mocap_pose
from .loads import at_link, at_point
from .poses import LIGHT
from .releases import newest
from .spatial import Force, Inertia, Motion, Vec3, skew
from .tendons import PARTS, SHAPES, Site
from .transmissions import AtTendon
from .wrapping import chosen, measured


def held(m: Machine, t: Any, b: Any) -> Inertia:
    """A body's inertia in the frame of its link, displaced by mocap_pos and mocap_quat."""
    own = m.locals(inertia=t.body_linkspatial[b])
    for _ in m.when(t.body_mocaprootid[b] >= 0):
        pos, quat = mocap_pose(t, b)
        own.inertia = t.body_spatial[b].lifted(quat.matrix(), pos)
    return own.inertia


def gather(m: Machine, t: Any, forces: Any) -> None:
    """Sums a quantity of bodies over their subtrees."""
    for b in m.bodies(backward=True):
        own = m.locals(force=forces[b])
        for j in m.joints(b, backward=True):
            own.force = own.force.lifted(t.link_rot[j + 1], t.link_pos[j + 1])
        forces[t.body_parentid[b]] += own.force


def momenta(m: Machine, t: Any) -> None:
    """body_momentum."""
    t.body_momentum[0] = Force.zero()
    for b in m.bodies():
        t.body_momentum[b] = held(m, t, b) @ t.link_vel[t.body_linkid[b]]
    gather(m, t, t.body_momentum)


def interactions(m: Machine, t: Any) -> None:
    """body_force."""
    t.body_force[0] = Force.zero()
    for b in m.bodies():
        k = t.body_linkid[b]
        turning = t.link_rates[k] + skew(t.link_acc[k].ang)
        t.body_force[b] = held(m, t, b).force(t.link_a[k] + t.link_acc[k].lin, turning)
    m.call(outside)
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(constraint_forces)
    for _ in m.when(both(newest(t), t.opt_tendon_poses[0] == 1)):
        m.call(pull)
    gather(m, t, t.body_force)


def pull(m: Machine, t: Any) -> None:
    """Subtracts the forces of spatial tendons from body_force: as of MuJoCo 4.0; as of 3.2.7, sensors of
    forces do not register them.
    """
    for f in m.rows_of("tendon"):
        t.ten_tension[f] = 0.0
        for _ in m.when(t.opt_tendon_forces[0] == 1):
            t.ten_tension[f] = t.ten_spring[f] + t.ten_damper[f]
        for _ in m.when(t.opt_constrained[0] == 1):
            t.ten_tension[f] += t.ten_constraint[f]
    for _ in m.when(t.opt_actuation_acts[0] == 1):
        for u in m.rows_of("actuator"):
            for _ in m.cases([AtTendon], t.actuator_trntype[u]):
                force = t.actuator_force[t.actuator_outadr[u]]
                t.ten_tension[t.actuator_target[u]] += t.actuator_gear[u].lin.x * force
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(accelerate_tendons)
    for p in m.rows_of("wrap"):
        for _ in m.cases(PARTS, t.wrap_type[p]):
            b, tension = t.wrap_body[p], t.ten_tension[t.wrap_tendon[p]]
            own = at_point(t, b, t.wrap_pull[p] * tension, t.wrap_twist[p] * tension, t.wrap_point[p])
            t.body_force[b] = t.body_force[b] - own
    for p in m.rows_of("wrap"):
        for _ in m.when(t.wrap_next[p] >= 0):
            q, g = t.wrap_next[p], t.wrap_over[p]
            for _ in m.when(g < 0):
                pull_between(m, t, p, q, measured(t.wrap_point[q] - t.wrap_point[p])[1], 1.0)
            for _ in m.when(g >= 0):
                pull_around(m, t, p, q, g)


def pull_around(m: Machine, t: Any, p: Any, q: Any, g: Any) -> None:
    """The forces within links of a path from one site to the next around a shape, or past it."""
    free, x, y = where(t.wrap_free[g] > 0.0, 1.0, 0.0), t.wrap_point[p], t.wrap_point[q]
    pull_between(m, t, p, q, measured(y - x)[1], free)
    pull_between(m, t, p, g, measured(chosen(free, y, t.wrap_first[g]) - x)[1], 1.0 - free)
    pull_between(m, t, g, q, measured(y - chosen(free, x, t.wrap_last[g]))[1], 1.0 - free)


def pull_between(m: Machine, t: Any, p: Any, q: Any, along: Vec3, share: Any) -> None:
    """Subtracts the forces of a straight part of a path between bodies of the same link from body_force.
    These accelerate nothing, so wrap_pull does not have them. Both act along a line through the site.
    """
    one, other = t.wrap_body[p], t.wrap_body[q]
    for _ in m.when(both(t.body_linkid[one] == t.body_linkid[other], opposite(one == other))):
        force = along * (t.ten_tension[t.wrap_tendon[p]] * t.wrap_scale[p] * share)
        for _ in m.cases([Site], t.wrap_type[p]):
            add_pair(t, one, other, force, t.wrap_point[p])
        for _ in m.cases(SHAPES, t.wrap_type[p]):
            add_pair(t, one, other, force, t.wrap_point[q])


def add_pair(t: Any, one: Any, other: Any, force: Vec3, point: Vec3) -> None:
    """A force on one of two bodies, and its opposite on the other."""
    t.body_force[one] = t.body_force[one] + at_point(t, one, force, Vec3.zero(), point)
    t.body_force[other] = t.body_force[other] - at_point(t, other, force, Vec3.zero(), point)


def outside(m: Machine, t: Any) -> None:
    """Subtracts xfrc_applied from body_force, if it has any force."""
    for _ in m.when(t.external_acts[0] == 1):
        m.call(applied)


def applied(m: Machine, t: Any) -> None:
    """The same unconditionally."""
    m.call(forward_kinematics)
    for b in m.bodies():
        t.body_force[b] = t.body_force[b] - at_link(t, b, t.xfrc_applied[b].lin, t.xfrc_applied[b].ang)


def constraint_forces(m: Machine, t: Any) -> None:
    """xfrc_constraint, which is subtracted from body_force."""
    m.call(forward_kinematics)
    m.opaque("weigh_constraints")
    for b in m.bodies():
        own = at_link(t, b, t.xfrc_constraint[b].lin, t.xfrc_constraint[b].ang)
        t.body_force[b] = t.body_force[b] - own


def body_velocities(m: Machine, t: Any) -> None:
    """cvel."""
    t.cvel[0] = Motion.zero()
    for b in m.bodies():
        k = t.body_linkid[b]
        turn = t.link_xmat[k]
        w, v = turn @ t.link_vel[k].ang, turn @ t.link_vel[k].lin
        t.cvel[b] = Motion(w, v + w.cross(t.subtree_com[t.body_rootid[b]] - t.link_xpos[k]))


def about(t: Any, b: Any, force: Force, x: Vec3) -> Force:
    """A quantity of a body in its link's frame, in world axes about x."""
    k = t.body_linkid[b]
    turn = t.link_xmat[k]
    lin = turn @ force.lin
    return Force(turn @ force.ang + (t.link_xpos[k] - x).cross(lin), lin)


def subtree_velocity(t: Any, b: Any, momentum: Vec3) -> Vec3:
    """The velocity of the centre of mass of a body's subtree."""
    return momentum * (1.0 / maximum(t.body_subtreemass[b], LIGHT))


def subtree_motions(m: Machine, t: Any) -> None:
    """subtree_linvel, subtree_angmom."""
    for b in m.rows_of("body"):
        momentum = about(t, b, t.body_momentum[b], t.subtree_com[b])
        t.subtree_angmom[b], t.subtree_linvel[b] = momentum.ang, subtree_velocity(t, b, momentum.lin)


def body_accelerations(m: Machine, t: Any) -> None:
    """cacc, cfrc_ext, cfrc_int.

    The world's cfrc_int is the sum of those of its children, each about the centre of its tree.
    """
    still, none = Vec3.zero(), Force(Vec3.zero(), Vec3.zero())
    t.cacc[0], t.cfrc_ext[0], t.cfrc_int[0] = Motion(still, -falling(t)), none, none
    for b in m.bodies():
        k = t.body_linkid[b]
        turn, centre = t.link_xmat[k], t.subtree_com[t.body_rootid[b]]
        a = turn @ (t.link_a[k] + t.link_acc[k].lin)
        dw, w, arm = turn @ (t.link_dw[k] + t.link_acc[k].ang), t.cvel[b].ang, centre - t.link_xpos[k]
        v = t.cvel[b].lin - w.cross(arm)
        t.cacc[b] = Motion(dw, a + dw.cross(arm) - w.cross(v))
        own = m.locals(force=t.xfrc_applied[b])
        for _ in m.when(t.opt_constrained[0] == 1):
            own.force = own.force + t.xfrc_constraint[b]
        force, out = own.force, t.xipos[b] - centre
        t.cfrc_ext[b] = Force(force.ang + out.cross(force.lin), force.lin)
        t.cfrc_int[b] = about(t, b, t.body_force[b], centre)
        for _ in m.when(t.body_parentid[b] == 0):
            t.cfrc_int[0] += t.cfrc_int[b]
