"""Joint forces of external forces on bodies, and the total joint forces."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .kinematics import falling, forward_kinematics
from .rnea import fold
from .spatial import Force, Vec3


def unload(m: Machine, t: Any) -> None:
    """Sets link_load to zero."""
    for k in m.rows_of("link"):
        t.link_load[k] = Force.zero()


def at_point(t: Any, b: Any, force: Vec3, moment: Vec3, point: Vec3) -> Force:
    """A force that acts on a body at a point, in world axes, expressed in the frame of its link."""
    k = t.body_linkid[b]
    turn = t.link_xquat[k].matrix()
    arm = point - t.link_xpos[k]
    return Force(turn.left(moment + arm.cross(force)), turn.left(force))


def at_link(t: Any, b: Any, force: Vec3, moment: Vec3) -> Force:
    """The same at the body's centre of mass."""
    return at_point(t, b, force, moment, t.xpos[b] + t.xmat[b] @ t.body_ipos[b])


def add_wrench(t: Any, b: Any, force: Vec3, moment: Vec3) -> None:
    """Applies such a force."""
    t.link_load[t.body_linkid[b]] += at_link(t, b, force, moment)


def compensate(m: Machine, t: Any) -> None:
    """qfrc_gravcomp: forces against the weight of bodies, scaled by body_gravcomp."""
    m.call(forward_kinematics)
    m.call(unload)
    for b in m.bodies():
        add_wrench(t, b, falling(t) * -(t.body_mass[b] * t.body_gravcomp[b]), Vec3.zero())
    fold(m, t, t.link_load, t.qfrc_gravcomp)


def apply(m: Machine, t: Any) -> None:
    """Adds the joint forces of xfrc_applied to dof_load, and stores them in dof_external."""
    m.call(forward_kinematics)
    m.call(unload)
    for b in m.bodies():
        add_wrench(t, b, t.xfrc_applied[b].lin, t.xfrc_applied[b].ang)
    fold(m, t, t.link_load, t.dof_external)
    for i in m.dofs():
        t.dof_load[i] = t.dof_load[i] + t.dof_external[i]


def none(m: Machine, t: Any) -> None:
    """xfrc_applied is 0."""


def external(m: Machine, t: Any) -> None:
    """Adds the joint forces of xfrc_applied to dof_load, if it has any force."""
    for _ in m.when(t.external_acts[0] == 1):
        m.call(apply)


def load(m: Machine, t: Any) -> None:
    """dof_load: the joint forces that cause accelerations."""
    for i in m.dofs():
        t.dof_load[i] = t.qfrc_applied[i] + t.qfrc_passive[i] + t.qfrc_actuator[i]
    m.call(external)
