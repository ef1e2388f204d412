"""The mass matrix: the composite-rigid-body algorithm, in link frames.

An entry M(i, j) is the component along j of the force that accelerates the subtree of i. Transforming that
force from link to link takes a rotation per entry. If rows are long, forces and axes are instead expressed in
the axes of the tree's first link, about one point per chain (see Machine.chains), so that an entry is one
product of six numbers. Distances to that point are short, so cancellation is small.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.value_classes import Scalar
from .inertias import inertias
from .joints import JOINTS
from .kinematics import place
from .spatial import Inertia, Quat, Vec3
from .tendons import tendons


def mass_matrix(m: Machine, t: Any) -> None:
    """qM, with the armature: row i has the entries from the root of the tree to i."""
    m.call(place)
    for _ in m.when(t.opt_tendon_inertia[0] == 1):
        m.call(tendons)
    m.call(mass_matrix_placed)


def mass_matrix_placed(m: Machine, t: Any) -> None:
    """The same after place(), and after tendons() if tendons have inertia."""
    for k in m.links():
        t.link_crb[k] = t.link_spatial[k]
    for k in m.links(backward=True):
        inertia, p = t.link_crb[k], t.link_parentid[k]
        for _ in m.when(p > 0):
            t.link_crb[p] += inertia.lifted(t.link_rot[k], t.link_pos[k])
        lone = t.dof_alone[t.link_dofadr[k]]
        for _ in m.when(lone == 1):
            diagonal(m, t, k, inertia)
        for _ in m.when(lone == 0):
            rows_of_link(m, t, k, inertia)
    for _ in m.when(t.opt_chains[0] == 1):
        m.call(chain_axes)
        m.call(along_chains)
    m.call(inertias)


def diagonal(m: Machine, t: Any, k: Any, inertia: Inertia) -> None:
    """The rows of a link in which only the diagonal is not zero."""
    for kind in m.cases(JOINTS, t.link_type[k]):
        for i, axis in kind.principal(m, t, k):
            for j in m.ancestors(i, nearest_first=True):
                t.qM[i, j] = 0.0
            t.qM[i, i] = axis.along(axis.moves(inertia)) + t.dof_armature[i]


def rows_of_link(m: Machine, t: Any, k: Any, inertia: Inertia) -> None:
    """The rows of any other link; with opt_chains, only the entries within the link."""
    for kind in m.cases(JOINTS, t.link_type[k]):
        for i, axis in kind.dofs(m, t, k):
            force = axis.moves(inertia)
            t.dof_force[i] = force
            for j, other in kind.dofs(m, t, k):
                for _ in m.when(j < i + 1):
                    t.qM[i, j] = other.along(force)
    for i in m.dofs(k):
        t.qM[i, i] += t.dof_armature[i]
        for _ in m.when(t.opt_chains[0] == 0):
            carried = m.locals(force=t.dof_force[i])
            for c in m.climb(k):
                up = t.link_parentid[c]
                carried.force = carried.force.lifted(t.link_rot[c], t.link_pos[c])
                for kind in m.cases(JOINTS, t.link_type[up]):
                    for j, axis in kind.dofs(m, t, up):
                        t.qM[i, j] = axis.along(carried.force)


def chain_axes(m: Machine, t: Any) -> None:
    """dof_chain_*: all axes of degrees of freedom in the axes of the tree's first link, about the origin of
    the first link of their chain.
    """
    for k in m.links():
        p = t.link_parentid[k]
        own = m.locals(mat=Quat.identity().matrix(), pos=Vec3.zero())
        for _ in m.when(p > 0):
            own.mat = t.jnt_treemat[p - 1] @ t.link_rot[k]
            own.pos = t.jnt_treepos[p - 1] + t.jnt_treemat[p - 1] @ t.link_pos[k]
        t.jnt_treemat[k - 1], t.jnt_treepos[k - 1] = own.mat, own.pos
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.dofs(m, t, k):
                motion = axis.turned(own.mat)
                arm = origin(t, t.dof_chainadr[i]) - own.pos
                ang, lin = motion.ang, motion.lin + motion.ang.cross(arm)
                t.dof_chain_wx[i], t.dof_chain_wy[i], t.dof_chain_wz[i] = ang.x, ang.y, ang.z
                t.dof_chain_vx[i], t.dof_chain_vy[i], t.dof_chain_vz[i] = lin.x, lin.y, lin.z


def along_chains(m: Machine, t: Any) -> None:
    """qM, except for entries between degrees of freedom of one joint, from dof_force and chain_axes()."""
    for k in m.links():
        for _ in m.when(t.dof_alone[t.link_dofadr[k]] == 0):
            rows_along_chains(m, t, k)


def rows_along_chains(m: Machine, t: Any, k: Any) -> None:
    """The rows of a link."""
    R, pos = t.jnt_treemat[k - 1], t.jnt_treepos[k - 1]
    above = t.dof_parentid[t.link_dofadr[k]]
    for i in m.dofs(k):
        ang, lin = R @ t.dof_force[i].ang, R @ t.dof_force[i].lin
        for n in m.chains(above):
            first = t.dof_chainadr[n]
            about = ang + (pos - origin(t, first)).cross(lin)
            for j in m.chain(first, n):
                w = t.dof_chain_wx[j], t.dof_chain_wy[j], t.dof_chain_wz[j]
                v = t.dof_chain_vx[j], t.dof_chain_vy[j], t.dof_chain_vz[j]
                t.qM[i, j] = dot(w, about) + dot(v, lin)


def dot(a: tuple[Scalar, Scalar, Scalar], b: Vec3) -> Scalar:
    """Unrolled, because a loop over columns of numbers would be one over vectors."""
    return a[0] * b.x + a[1] * b.y + a[2] * b.z


def origin(t: Any, i: Any) -> Vec3:
    """The position of the link of a degree of freedom in the frame of the tree's first link."""
    pos: Vec3 = t.jnt_treepos[t.dof_jntid[i]]
    return pos
