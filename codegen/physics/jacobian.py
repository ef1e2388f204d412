"""Velocities of bodies per unit rate of the degrees of freedom."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS
from .kinematics import forward_kinematics, link_frames


def jacobian(m: Machine, t: Any) -> None:
    """dof_xaxis, dof_xanchor, and the poses as from forward_kinematics().

    If only degree of freedom i has a velocity, which is 1, the links attached to it have the angular velocity
    dof_xaxis[i].ang. The velocity of a point x of them is dof_xaxis[i].lin + dof_xaxis[i].ang cross r, where
    r is x - dof_xanchor[i]; all in world axes.
    """
    m.call(forward_kinematics)
    for k in m.links():
        turn = t.link_xquat[k].matrix()
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                t.dof_xaxis[i] = axis.turned(turn)
                t.dof_xanchor[i] = t.link_xpos[k]


def jacobian_by_matrices(m: Machine, t: Any) -> None:
    """The same if orientations as quaternions are not requested: saves square roots."""
    jacobian(m, t)
    m.call(link_frames)
    for b in m.bodies():
        k = t.body_linkid[b]
        turn = t.link_xmat[k]
        for _ in m.when(t.body_mocaprootid[b] < 0):
            t.xpos[b] = t.link_xpos[k] + turn @ t.body_linkpos[b]
            t.xmat[b] = turn @ t.body_linkquat[b].matrix()
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                t.dof_xaxis[i] = axis.turned(t.link_xmat[k])
                t.dof_xanchor[i] = t.link_xpos[k]
