"""Inertias of bodies and of their subtrees, and motions per degree of freedom, about the centre of mass of
their tree, in world axes.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS, Axis, Free
from .spatial import Motion, Parameters, Vec3


def composites(m: Machine, t: Any) -> None:
    """cinert, crb, cdof, cdof_dot."""
    inertias(m, t)
    motions_of_dofs(m, t)


def inertias(m: Machine, t: Any) -> None:
    """cinert and crb. Inertias about one point in the same axes add up."""
    t.cinert[0] = Parameters(*[0.0] * 10)
    t.crb[0] = Parameters(*[0.0] * 10)
    for b in m.bodies():
        mass, moments = t.body_mass[b], t.body_inertia[b]
        out = t.xipos[b] - t.subtree_com[t.body_rootid[b]]
        square = out.dot(out)
        turned = [Vec3(row.x * moments.x, row.y * moments.y, row.z * moments.z) for row in t.ximat[b].row]
        entries = []
        for r, c in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            own = turned[r].dot(t.ximat[b].row[c]) - mass * out[r] * out[c]
            entries.append(own + mass * square if r == c else own)
        t.cinert[b] = Parameters(*entries, mass * out.x, mass * out.y, mass * out.z, mass)
        t.crb[b] = t.cinert[b]
    for b in m.bodies(backward=True):
        for _ in m.when(t.body_parentid[b] > 0):
            t.crb[t.body_parentid[b]] += t.crb[b]


def motions_of_dofs(m: Machine, t: Any) -> None:
    """cdof and cdof_dot."""
    for k in m.links():
        centre = t.subtree_com[t.body_rootid[t.jnt_bodyid[k - 1]]]
        before = about_centre(t, t.link_parentid[k], t.link_vel[t.link_parentid[k]], centre)
        arm = centre - t.link_xpos[k]
        for kind in m.cases(JOINTS, t.link_type[k]):
            if kind is Free:
                free(t, k, before, arm)
            else:
                for i, axis in kind.dofs(m, t, k):
                    t.cdof[i] = displaced(axis.turned(t.link_xmat[k]), arm)
                    t.cdof_dot[i] = crossed(before, t.cdof[i])


def free(t: Any, k: Any, before: Motion, arm: Vec3) -> None:
    """The same of a free joint, whose rotations come after its translations."""
    moved = before.lin
    for n in range(Free.nv):
        i = t.link_dofadr[k] + n
        t.cdof[i] = displaced(Axis(t.dof_axis[i]).turned(t.link_xmat[k]), arm)
        if n < 3:
            t.cdof_dot[i] = Motion.zero()
            moved = moved + t.cdof[i].lin * t.qvel[i]
        else:
            t.cdof_dot[i] = crossed(Motion(before.ang, moved), t.cdof[i])


def displaced(motion: Motion, arm: Vec3) -> Motion:
    """A motion at another point, at a distance from the first."""
    return Motion(motion.ang, motion.lin + motion.ang.cross(arm))


def crossed(frame: Motion, motion: Motion) -> Motion:
    """The rate of change of a motion that is carried along by another one (Featherstone, Rigid Body Dynamics
    Algorithms, ch. 2.9).
    """
    w = frame.ang
    return Motion(w.cross(motion.ang), w.cross(motion.lin) + frame.lin.cross(motion.ang))


def about_centre(t: Any, k: Any, motion: Motion, centre: Vec3) -> Motion:
    """A motion of a link, given in its axes, in world axes at a point."""
    turn = t.link_xmat[k]
    return displaced(Motion(turn @ motion.ang, turn @ motion.lin), centre - t.link_xpos[k])
