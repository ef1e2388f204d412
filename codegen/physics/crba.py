"""The mass matrix: composite rigid bodies, in the links' own axes."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS
from .kinematics import place


def mass_matrix(m: Machine, t: Any) -> None:
    """qM, with the armature: row i from the first degree of freedom of the tree to i itself."""
    m.call(place)
    for k in m.links():
        t.link_crb[k] = t.link_spatial[k]
    for k in m.links(backward=True):
        inertia, p = t.link_crb[k], t.link_parentid[k]
        for _ in m.when(p > 0):
            t.link_crb[p] += inertia.lifted(t.link_rot[k], t.link_pos[k])
        for kind in m.cases(JOINTS, t.link_type[k]):
            for i, axis in kind.freedoms(m, t, k):
                force = axis.moves(inertia)
                t.dof_force[i] = force
                for j, other in kind.freedoms(m, t, k):
                    for _ in m.when(j < i + 1):
                        t.qM[i, j] = other.along(force)
        for i in m.dofs(k):
            t.qM[i, i] += t.dof_armature[i]
            felt = m.locals(force=t.dof_force[i])
            for c in m.climb(k):
                up = t.link_parentid[c]
                felt.force = felt.force.lifted(t.link_rot[c], t.link_pos[c])
                for kind in m.cases(JOINTS, t.link_type[up]):
                    for j, axis in kind.freedoms(m, t, up):
                        t.qM[i, j] = axis.along(felt.force)
