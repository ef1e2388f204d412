"""Flexes: positions of vertices, lengths of edges, and the forces of springs, dampers, elasticity and
bending.

Elasticity is that of linear elements of a Saint Venant-Kirchhoff material. The force of an edge on its ends
is directed along it. It is a sum over the edges of adjacent elements, of a stiffness times the change of the
squared length, damped as in Kharevych et al., Geometric, Variational Integrators for Computer Animation,
section 5.2.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import opposite, sqrt, where
from .jacobian import jacobian
from .spatial import Vec3


def lever(t: Any, q: Any) -> Vec3:
    """The velocity of a vertex per unit rate of a degree of freedom."""
    i, axis = t.flexlever_dof[q], t.dof_xaxis[t.flexlever_dof[q]]
    return axis.lin + axis.ang.cross(t.flexvert_xpos[t.flexlever_vertex[q]] - t.dof_xanchor[i])


def deform(m: Machine, t: Any) -> None:
    """flexvert_xpos, flexedge_length and flexedge_velocity; also the results of jacobian()."""
    m.call(jacobian)
    for x in m.rows_of("flexvert"):
        b = t.flex_vertbodyid[x]
        t.flexvert_xpos[x] = t.xpos[b] + t.xmat[b] @ t.flex_vert[x]
        t.flexvert_xvel[x] = Vec3.zero()
    for q in m.rows_of("flexlever"):
        t.flexvert_xvel[t.flexlever_vertex[q]] += lever(t, q) * t.qvel[t.flexlever_dof[q]]
    for e in m.rows_of("flexedge"):
        p, q = t.flexedge_first[e], t.flexedge_second[e]
        apart = t.flex_vertbodyid[p] - t.flex_vertbodyid[q]
        for _ in m.when(apart == 0):  # constant, as all lengths of a rigid flex
            t.flexedge_length[e], t.flexedge_velocity[e] = t.flexedge_length0[e], 0.0
        for _ in m.when(opposite(apart == 0)):
            edge = t.flexvert_xpos[q] - t.flexvert_xpos[p]
            length = sqrt(edge.dot(edge))
            t.flexedge_length[e] = length
            rate = (t.flexvert_xvel[q] - t.flexvert_xvel[p]).dot(edge)
            t.flexedge_velocity[e] = rate / where(length > 0.0, length, 1.0)


def elasticity(m: Machine, t: Any) -> None:
    """dof_flexspring, dof_flexdamper and dof_flexbend, which are added to qfrc_passive."""
    h = t.opt_timestep[0]
    for x in m.rows_of("flexvert"):
        t.flexvert_spring[x], t.flexvert_damper[x] = Vec3.zero(), Vec3.zero()
        t.flexvert_bend[x] = Vec3.zero()
    for s in m.rows_of("flexbend"):
        p, q = t.flexbend_vertex[s], t.flexbend_other[s]
        t.flexvert_bend[p] += (t.flexvert_xpos[p] - t.flexvert_xpos[q]) * t.flexbend_stiffness[s]
    for e in m.rows_of("flexedge"):
        length, rest = t.flexedge_length[e], t.flexedge_length0[e]
        before = length - t.flexedge_velocity[e] * h
        late = (length * length - before * before) * (t.flexedge_delay[e] / h)
        t.flexedge_excess[e] = t.opt_springs_act[0] * (length * length - rest * rest) + late
        t.flexedge_tension[e] = 0.0
    for c in m.rows_of("flexcouple"):
        pull = t.flexcouple_stiffness[c] * t.flexedge_excess[t.flexcouple_other[c]]
        t.flexedge_tension[t.flexcouple_edge[c]] += pull
    for e in m.rows_of("flexedge"):
        p, q = t.flexedge_first[e], t.flexedge_second[e]
        edge, length = t.flexvert_xpos[q] - t.flexvert_xpos[p], t.flexedge_length[e]
        inverse = where(length > 0.0, 1.0 / where(length > 0.0, length, 1.0), 0.0)
        stretch = t.flexedge_spring[e] * (length - t.flexedge_length0[e])
        spring = edge * (stretch * inverse + t.flexedge_tension[e])
        damper = edge * (t.flexedge_damper[e] * t.flexedge_velocity[e] * inverse)
        t.flexvert_spring[p] += spring
        t.flexvert_spring[q] -= spring
        t.flexvert_damper[p] += damper
        t.flexvert_damper[q] -= damper
    for i in m.dofs():
        t.dof_flexspring[i], t.dof_flexdamper[i], t.dof_flexbend[i] = 0.0, 0.0, 0.0
    for q in m.rows_of("flexlever"):
        i, x, arm = t.flexlever_dof[q], t.flexlever_vertex[q], lever(t, q)
        t.dof_flexspring[i] += arm.dot(t.flexvert_spring[x])
        t.dof_flexdamper[i] += arm.dot(t.flexvert_damper[x])
        t.dof_flexbend[i] += arm.dot(t.flexvert_bend[x])
    for i in m.dofs():
        total = t.dof_flexspring[i] + t.dof_flexdamper[i] + t.dof_flexbend[i]
        t.qfrc_passive[i] = t.qfrc_passive[i] + total
