"""How bodies move in the world, and the forces that this takes.

Points of a body are those of its link: link_w, link_dw, link_a at qacc = 0 come from carry(), link_vel from
velocities(), link_acc from articulated() or accelerations(), all in the link's axes. Here they are turned
into the world's.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import maximum
from .kinematics import falling
from .poses import LIGHT
from .spatial import Force, Motion, Vec3


def body_velocities(m: Machine, t: Any) -> None:
    """cvel, after forward_kinematics(), centres() and velocities()."""
    t.cvel[0] = Motion.zero()
    for b in m.bodies():
        k = t.body_linkid[b]
        turn = t.link_xquat[k].matrix()
        w, v = turn @ t.link_vel[k].ang, turn @ t.link_vel[k].lin
        t.cvel[b] = Motion(w, v + w.cross(t.subtree_com[t.body_rootid[b]] - t.link_xpos[k]))


def velocity_at(t: Any, b: Any, x: Vec3) -> Vec3:
    """Of the point of a body that is at x in the world, after body_velocities()."""
    velocity: Vec3 = t.cvel[b].lin + t.cvel[b].ang.cross(x - t.subtree_com[t.body_rootid[b]])
    return velocity


def turned_inertia(t: Any, b: Any, w: Vec3) -> Vec3:
    """A body's central inertia in the world times w."""
    own, moments = t.ximat[b].left(w), t.body_inertia[b]
    turned: Vec3 = t.ximat[b] @ Vec3(moments.x * own.x, moments.y * own.y, moments.z * own.z)
    return turned


def momenta(m: Machine, t: Any) -> None:
    """subtree_linvel, subtree_angmom, after body_velocities().

    Momenta are summed about the centre of mass of everything and then moved.
    """
    still, origin = Vec3.zero(), t.subtree_com[0]
    t.subtree_linvel[0], t.subtree_angmom[0] = still, still
    for b in m.bodies():
        momentum = velocity_at(t, b, t.xipos[b]) * t.body_mass[b]
        t.subtree_linvel[b] = momentum
        t.subtree_angmom[b] = turned_inertia(t, b, t.cvel[b].ang) + (t.xipos[b] - origin).cross(momentum)
    for b in m.bodies(backward=True):
        p = t.body_parentid[b]
        t.subtree_linvel[p] += t.subtree_linvel[b]
        t.subtree_angmom[p] += t.subtree_angmom[b]
    for b in m.rows_of("body"):
        momentum = t.subtree_linvel[b]
        t.subtree_angmom[b] = t.subtree_angmom[b] - (t.subtree_com[b] - origin).cross(momentum)
        t.subtree_linvel[b] = momentum * (1.0 / maximum(t.body_subtreemass[b], LIGHT))


def body_accelerations(m: Machine, t: Any) -> None:
    """cacc, cfrc_ext, cfrc_int, after body_velocities() and what leaves link_acc."""
    still, none = Vec3.zero(), Force(Vec3.zero(), Vec3.zero())
    t.cacc[0], t.cfrc_ext[0], t.cfrc_int[0] = Motion(still, -falling(t)), none, none
    for b in m.bodies():
        k = t.body_linkid[b]
        turn, centre = t.link_xquat[k].matrix(), t.subtree_com[t.body_rootid[b]]
        a = turn @ (t.link_a[k] + t.link_acc[k].lin)
        dw, w = turn @ (t.link_dw[k] + t.link_acc[k].ang), t.cvel[b].ang
        arm, out = t.xipos[b] - t.link_xpos[k], t.xipos[b] - centre
        v = velocity_at(t, b, t.link_xpos[k])
        t.cacc[b] = Motion(dw, a + dw.cross(centre - t.link_xpos[k]) - w.cross(v))
        force = (a + dw.cross(arm) + w.cross(w.cross(arm))) * t.body_mass[b]
        moment = turned_inertia(t, b, dw) + w.cross(turned_inertia(t, b, w))
        applied = t.xfrc_applied[b]
        t.cfrc_ext[b] = Force(applied.ang + out.cross(applied.lin), applied.lin)
        t.cfrc_int[b] = Force(moment + out.cross(force), force) - t.cfrc_ext[b]
    for b in m.bodies(backward=True):
        t.cfrc_int[t.body_parentid[b]] += t.cfrc_int[b]
