"""Accelerations of connected frames that velocities alone cause.

The residual of an equality connect or weld has the second derivative J qacc + dJ/dt qvel. As of MuJoCo 4.0,
the reference acceleration applies to the whole of it, so dJ/dt qvel is subtracted from that of the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..staging.machines import Machine
from .kinematics import carry_placed, falling, forward_kinematics
from .spatial import Quat, Vec3


class Frame(NamedTuple):
    """A frame of a body in the world, with its angular velocity, and at qacc = 0 its angular acceleration and
    the acceleration of its origin.
    """

    quat: Quat
    w: Vec3
    dw: Vec3
    a: Vec3


def frame(t: Any, b: Any, pos: Vec3, quat: Quat) -> Frame:
    """A frame of a body."""
    k = t.body_linkid[b]
    turn = t.link_xquat[k].matrix()
    w, dw = turn @ t.link_w[k], turn @ t.link_dw[k]
    arm = t.xpos[b] + t.xmat[b] @ pos - t.link_xpos[k]
    a = turn @ t.link_a[k] + falling(t) + dw.cross(arm) + w.cross(w.cross(arm))
    return Frame(t.xquat[b] @ quat, w, dw, a)


def twisted(p: Frame, q: Frame, scale: Any) -> Vec3:
    """The second derivative of weld_residual(p, q, scale) at qacc = 0.

    Its first derivative is half of the vector part of q* (p.w - q.w) p, times the length.
    """
    apart, turning = p.w - q.w, p.dw - q.dw + p.w.cross(q.w)
    half = 0.5 * scale
    found = q.quat.conjugate() @ Quat(-0.5 * apart.dot(apart), turning.x, turning.y, turning.z) @ p.quat
    return Vec3(found.x * half, found.y * half, found.z * half)


def connections(m: Machine, t: Any) -> None:
    """connection_drift, connection_twist."""
    m.call(forward_kinematics)
    m.call(carry_placed)
    for e in m.rows_of("connection"):
        p = frame(t, t.connection_body1id[e], t.connection_pos1[e], t.connection_quat1[e])
        q = frame(t, t.connection_body2id[e], t.connection_pos2[e], t.connection_quat2[e])
        t.connection_drift[e] = p.a - q.a
        t.connection_twist[e] = twisted(p, q, t.connection_scale[e])
