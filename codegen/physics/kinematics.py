"""Poses of bodies, and motions of links."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS
from .spatial import Motion, Quat, Vec3, rates


def forward_kinematics(m: Machine, t: Any) -> None:
    """xpos, xquat, xmat of every body, from qpos."""
    m.call(place)
    m.call(bodies_placed)


def bodies_placed(m: Machine, t: Any) -> None:
    """The same after place()."""
    t.link_xpos[0], t.link_xquat[0] = Vec3.zero(), Quat.identity()
    for k in m.links():
        p = t.link_parentid[k]
        at, quat = t.link_xpos[p], t.link_xquat[p]
        t.link_xpos[k] = at + quat.turn(t.link_pos[k])
        for kind in m.cases(JOINTS, t.link_type[k]):
            t.link_xquat[k] = kind.turned(t, k, quat @ t.link_quat[k])
        for _ in m.when(t.link_mocapid[k] >= 0):
            t.link_xquat[k] = (mocap_turn(t, t.link_mocapid[k]) @ t.link_xquat[k]).normalized()
    t.xpos[0], t.xquat[0], t.xmat[0] = Vec3.zero(), Quat.identity(), Quat.identity().matrix()
    for b in m.bodies():
        k = t.body_linkid[b]
        turn = t.link_xquat[k]
        quat = (turn @ t.body_linkquat[b]).normalized()
        t.xpos[b] = t.link_xpos[k] + turn.turn(t.body_linkpos[b])
        t.xquat[b], t.xmat[b] = quat, quat.matrix()
        for _ in m.when(t.body_mocaprootid[b] >= 0):
            pos, quat = mocap_pose(t, b)
            t.xpos[b], t.xquat[b], t.xmat[b] = pos, quat, quat.matrix()


def mocap_pose(t: Any, b: Any) -> tuple[Vec3, Quat]:
    """The pose in the world of a body moved by mocap_pos and mocap_quat; it is part of the world's link."""
    mocap = t.body_mocaprootid[b]
    turn = mocap_turn(t, mocap)
    quat = (turn @ t.body_mocapquat[b]).normalized()
    return t.mocap_pos[mocap] + turn.turn(t.body_mocappos[b]), quat


def mocap_turn(t: Any, mocap: Any) -> Quat:
    """The orientation in a row of mocap_quat, normalised."""
    turn: Quat = t.mocap_quat[mocap].normalized()
    return turn


def place(m: Machine, t: Any) -> None:
    """Every link's pose in its parent's frame."""
    m.opaque("sines")
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.place(t, k)
    for _ in m.when(t.opt_mocap_joints[0] == 1):
        m.call(place_on_mocap)


def place_on_mocap(m: Machine, t: Any) -> None:
    """Transforms the poses of links whose joints are attached to mocap bodies, which are relative to those
    before.
    """
    for k in m.links():
        for _ in m.when(t.link_mocapid[k] >= 0):
            mocap = t.link_mocapid[k]
            turn = mocap_turn(t, mocap).matrix()
            t.link_rot[k] = turn @ t.link_rot[k]
            t.link_pos[k] = t.mocap_pos[mocap] + turn @ t.link_pos[k]


def link_frames(m: Machine, t: Any) -> None:
    """link_xpos, link_xmat: the frames that forward_kinematics() computes by quaternions, at
    lower cost.
    """
    t.link_xpos[0], t.link_xmat[0] = Vec3.zero(), Quat.identity().matrix()
    for k in m.links():
        p = t.link_parentid[k]
        t.link_xpos[k] = t.link_xpos[p] + t.link_xmat[p] @ t.link_pos[k]
        t.link_xmat[k] = t.link_xmat[p] @ t.link_rot[k]


def falling(t: Any) -> Vec3:
    """The acceleration of free fall: gravity, if enabled."""
    g, acts = t.opt_gravity[0], t.opt_gravity_acts[0]
    return Vec3(g.x * acts, g.y * acts, g.z * acts)


def carried(t: Any, k: Any, above: Motion) -> Motion:
    """A motion of the parent's frame, expressed in the link's frame."""
    R, r = t.link_rot[k], t.link_pos[k]
    return Motion(R.left(above.ang), R.left(above.lin + above.ang.cross(r)))


def carry(m: Machine, t: Any) -> None:
    """At qacc = 0: angular velocities, accelerations, and the inertial forces, from the world outwards.

    Gravity is represented by an upward acceleration of the world.
    """
    m.call(place)
    m.call(carry_placed)


def carry_placed(m: Machine, t: Any) -> None:
    """The same after place()."""
    still = Vec3.zero()
    t.link_w[0], t.link_dw[0], t.link_rates[0] = still, still, rates(still, still)
    t.link_a[0] = -falling(t)
    for k in m.links():
        p, R, r = t.link_parentid[k], t.link_rot[k], t.link_pos[k]
        own = m.locals(
            w=R.left(t.link_w[p]), dw=R.left(t.link_dw[p]), a=R.left(t.link_a[p] + t.link_rates[p] @ r)
        )
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.spin(m, t, k, own)
        turning = rates(own.w, own.dw)
        t.link_w[k], t.link_dw[k], t.link_a[k], t.link_rates[k] = own.w, own.dw, own.a, turning
        t.link_force[k] = t.link_spatial[k].force(own.a, turning)


def velocities(m: Machine, t: Any) -> None:
    """link_vel: every link's velocity."""
    t.link_vel[0] = Motion.zero()
    for k in m.links():
        own = m.locals(vel=carried(t, k, t.link_vel[t.link_parentid[k]]))
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                own.vel = axis.add(own.vel, t.qvel[i])
        t.link_vel[k] = own.vel


def accelerations(m: Machine, t: Any) -> None:
    """link_acc: the contribution of qacc to every link's acceleration."""
    t.link_acc[0] = Motion.zero()
    for k in m.links():
        own = m.locals(acc=carried(t, k, t.link_acc[t.link_parentid[k]]))
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                own.acc = axis.add(own.acc, t.qacc[i])
        t.link_acc[k] = own.acc
