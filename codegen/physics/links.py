"""Converts bodies with any number of joints to a tree of links with one joint each; once, when a model is
created.

Link k is moved by joint k - 1; link 0 is the world. All links of a body except the last are massless; bodies
without joints belong to the link to which they are attached. Frames are placed as the joints require (see
joints.py), so the dynamics algorithms need no anchors, joint axes or welds.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import either
from .joints import JOINTS
from .spatial import Quat, Vec3

CHAIN = 32
"""Maximum number of degrees of freedom of a chain; forces are expressed about its first link for all of
them.
"""
ROUNDING = 1e-30
"""Square of the relative size of numbers that differ from zero only by rounding."""


def prepare(m: Machine, t: Any) -> None:
    """The columns of links, which are zero initially, each body's pose in its link, and chains."""
    chains(m, t)
    t.body_linkid[0] = 0
    t.body_linkpos[0] = Vec3.zero()
    t.body_linkquat[0] = Quat.identity()
    t.body_mocappos[0], t.body_mocapquat[0] = Vec3.zero(), Quat.identity()
    for b in m.bodies():
        p = t.body_parentid[b]
        for _ in m.when(t.body_mocapid[b] >= 0):
            t.body_mocappos[b], t.body_mocapquat[b] = Vec3.zero(), Quat.identity()
        for _ in m.when(t.body_mocapid[b] < 0):
            above = t.body_mocapquat[p]
            t.body_mocappos[b] = t.body_mocappos[p] + above.turn(t.body_pos[b])
            t.body_mocapquat[b] = (above @ t.body_quat[b].normalized()).normalized()
        above = m.locals(pos=t.body_linkpos[p], quat=t.body_linkquat[p], mocap=-1)
        for _ in m.when(t.body_jntnum[b] > 0):
            for _ in m.when(t.body_mocaprootid[p] >= 0):
                above.pos, above.quat = t.body_mocappos[p], t.body_mocapquat[p]
                above.mocap = t.body_mocaprootid[p]
        parent_pos, parent_quat = above.pos, above.quat
        at = m.locals(
            link=t.body_linkid[p],
            pos=parent_pos + parent_quat.turn(t.body_pos[b]),
            quat=(parent_quat @ t.body_quat[b].normalized()).normalized(),
        )
        for j in m.joints(b):
            k = j + 1
            t.link_type[k] = t.jnt_type[j]
            t.link_parentid[k] = at.link
            t.link_qposadr[k] = t.jnt_qposadr[j]
            t.link_dofadr[k] = t.jnt_dofadr[j]
            t.link_pitch[k] = t.jnt_pitch[j]
            t.link_mocapid[k] = above.mocap
            for kind in m.cases(JOINTS, t.jnt_type[j]):
                pos, quat = kind.base(t, j, at.pos, at.quat, parent_pos, parent_quat)
                t.link_dofnum[k] = kind.nv
                t.link_origin[k], t.link_quat[k], t.link_base[k] = pos, quat, quat.matrix()
                at.pos, at.quat = kind.offset(t, j)
            at.link, above.mocap = k, -1
        t.body_linkid[b], t.body_linkpos[b], t.body_linkquat[b] = at.link, at.pos, at.quat
        t.body_linkspatial[b] = t.body_spatial[b].lifted(at.quat.matrix(), at.pos)
        t.link_spatial[at.link] += t.body_linkspatial[b]


def chains(m: Machine, t: Any) -> None:
    """dof_chainadr, dof_chainparentid: sequences of degrees of freedom in which each is the parent of the
    next.

    Each branch begins a chain, so that identical branches have identical chains.
    """
    for i in m.dofs():
        t.dof_chainparentid[i] = 0  # whether it begins one for that reason
    for i in m.dofs():
        above = t.dof_parentid[i]
        for _ in m.when(above >= 0):
            for _ in m.when(i - above > 1):
                t.dof_chainparentid[above + 1] = 1
    for i in m.dofs():
        above, begins = t.dof_parentid[i], t.dof_chainparentid[i]
        t.dof_chainadr[i], t.dof_chainparentid[i] = i, above
        for _ in m.when(above >= 0):
            for _ in m.when(i - above + begins < 2):
                first = t.dof_chainadr[above]
                for _ in m.when(i - first < CHAIN):
                    t.dof_chainadr[i], t.dof_chainparentid[i] = first, t.dof_chainparentid[above]


def prepare_loops(m: Machine, t: Any) -> None:
    """The same, and dof_alone."""
    prepare(m, t)
    alone(m, t)


def alone(m: Machine, t: Any) -> None:
    """dof_alone: degrees of freedom whose row of the mass matrix is diagonal, to rounding, and so are those
    of their descendants.

    dof_simplenum says so within MuJoCo's tolerances, which are too coarse for accelerations. None counts with
    the implicit integrators or in a medium: their derivatives need dof_force, and their factors all entries;
    nor if tendons have inertia, which adds entries.
    """
    implicit = either(t.opt_integrator[0] > 1, either(t.opt_fluid_acts[0] == 1, t.opt_tendon_inertia[0] == 1))
    for k in m.links(backward=True):
        own = t.link_spatial[k]
        aside, size = Vec3(own.I.xy, own.I.xz, own.I.yz), own.I.xx + own.I.yy + own.I.zz
        coupled = either(
            own.h.dot(own.h) > ROUNDING * own.mass * size, aside.dot(aside) > ROUNDING * size * size
        )
        for i in m.dofs(k):
            t.dof_alone[i] = 0
            for _ in m.when(t.dof_simplenum[i] > 0):
                t.dof_alone[i] = 1
        for _ in m.when(either(coupled, implicit)):
            for i in m.dofs(k):
                t.dof_alone[i] = 0
    for k in m.links(backward=True):
        p = t.link_parentid[k]
        for _ in m.when(p > 0):
            for _ in m.when(t.dof_alone[t.link_dofadr[k]] == 0):
                for i in m.dofs(p):
                    t.dof_alone[i] = 0
