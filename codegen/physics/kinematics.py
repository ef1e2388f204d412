"""Where bodies are, and how links move."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS
from .values import Motion, Quat, Vec3, rates


def forward_kinematics(m: Machine, t: Any) -> None:
    """xpos, xquat, xmat of every body, from qpos."""
    place(m, t)
    t.link_xpos[0], t.link_xquat[0] = Vec3.zero(), Quat.identity()
    for k in m.links():
        p = t.link_parentid[k]
        at, quat = t.link_xpos[p], t.link_xquat[p]
        t.link_xpos[k] = at + quat.turn(t.link_pos[k])
        for kind in m.cases(JOINTS, t.link_type[k]):
            t.link_xquat[k] = (quat @ t.link_quat[k] @ kind.quaternion(t, k)).normalized()
    t.xpos[0], t.xquat[0], t.xmat[0] = Vec3.zero(), Quat.identity(), Quat.identity().matrix()
    for b in m.bodies():
        k = t.body_linkid[b]
        turn = t.link_xquat[k]
        quat = (turn @ t.body_linkquat[b]).normalized()
        t.xpos[b] = t.link_xpos[k] + turn.turn(t.body_linkpos[b])
        t.xquat[b], t.xmat[b] = quat, quat.matrix()


def place(m: Machine, t: Any) -> None:
    """Every link's pose in its parent's frame."""
    m.opaque("sines")
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.place(t, k)


def carry(m: Machine, t: Any, moved: bool) -> None:
    """Poses, velocities and accelerations from the world outwards.

    Everything accelerates upwards instead of falling.
    """
    m.opaque("sines")
    still = Vec3.zero()
    t.link_w[0], t.link_dw[0], t.link_rates[0] = still, still, rates(still, still)
    t.link_a[0] = -t.opt_gravity[0]
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.carry(m, t, k, moved)


def velocities(m: Machine, t: Any) -> None:
    """link_vel: every link's velocity."""
    t.link_vel[0] = Motion.zero()
    for k in m.links():
        R, r, up = t.link_rot[k], t.link_pos[k], t.link_vel[t.link_parentid[k]]
        carried = Motion(R.left(up.ang), R.left(up.lin + up.ang.cross(r)))
        for kind in m.cases(JOINTS, t.link_type[k]):
            t.link_vel[k] = kind.velocity(t, k, carried)
