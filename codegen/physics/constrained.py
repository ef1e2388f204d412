"""Accelerations with constraints: the inputs of constraint rows, and the calls of the solver.

The rows and the solver are hand-written (runtime/constraints); kernels call them as opaque functions.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import either
from .aba import articulated, resist, resist_late
from .actuators import actuation
from .connections import connections
from .crba import mass_matrix_placed
from .damping import FAST
from .flexes import deform
from .formulas import formulas
from .jacobian import jacobian
from .kinematics import accelerations, place
from .loads import load
from .ltl import decompose, substitute
from .passive import passive
from .poses import geoms, sites
from .rnea import bias_placed, inverse_placed

HELD = 1e30
"""Inertia of a degree of freedom with prescribed motion, kg or kg m^2."""


def find(m: Machine, t: Any) -> None:
    """Makes the rows of the constraints at qpos. passive() has computed active tendons and flexes."""
    for f in (jacobian, geoms, sites, mass_matrix_placed, formulas):
        m.call(f)
    for _ in m.when(t.opt_flexes[0] == 1):
        m.call(deform)
    for _ in m.when(t.opt_drifts[0] == 1):
        m.call(connections)
    m.opaque("find_constraints")
    for _ in m.when(t.opt_sticks[0] == 1):
        m.call(attract)


def attract(m: Machine, t: Any) -> None:
    """Adds qfrc_adhesion, of contacts that pull, to the passive forces."""
    m.opaque("pull_contacts")
    for i in m.dofs():
        t.qfrc_passive[i] = t.qfrc_passive[i] + t.qfrc_adhesion[i]


def unconstrained(m: Machine, t: Any) -> None:
    """qfrc_smooth and qacc_smooth, from the factors of the mass matrix: the solver needs them in any case."""
    m.call(load)
    m.call(resist, 0.0)
    for _ in m.when(t.opt_prescribed[0] == 1):
        m.call(articulated)
        m.call(hold)
        m.call(bias_placed)
        m.call(decompose)
    for _ in m.when(t.opt_prescribed[0] == 0):
        m.call(bias_placed)
        m.call(decompose)
        m.call(substitute)
    for i in m.dofs():
        t.qfrc_smooth[i] = t.dof_load[i] - t.qfrc_bias[i]
        t.qacc_smooth[i] = t.qacc[i]


def hold(m: Machine, t: Any) -> None:
    """Gives degrees of freedom with prescribed motion an inertia so large that constraint forces do not move
    them.
    """
    for i in m.dofs():
        for _ in m.when(t.dof_prescribed[i] > 0):
            t.dof_resist[i] = HELD


def constrained(m: Machine, t: Any) -> None:
    """qacc and qfrc_constraint from qpos, qvel and applied forces."""
    m.call(find)
    m.call(actuation)
    m.call(unconstrained)
    m.opaque("solve_constraints")


def invert(m: Machine, t: Any) -> None:
    """qfrc_constraint for given qacc."""
    m.call(find)
    m.opaque("invert_constraints")


def inverse_dynamics(m: Machine, t: Any) -> None:
    """qfrc_inverse = (M + regularization) qacc + qfrc_bias - qfrc_passive - qfrc_constraint, with the
    constraint forces at these accelerations.
    """
    m.call(passive)
    for _ in m.when(t.opt_constrained[0] == 1):
        m.call(invert)
    for _ in m.when(t.opt_constrained[0] == 0):
        m.call(place)
    m.call(inverse_placed)
    for i in m.dofs():
        t.qfrc_inverse[i] = t.qfrc_inverse[i] - t.qfrc_passive[i]
    for _ in m.when(t.opt_constrained[0] == 1):
        for i in m.dofs():
            t.qfrc_inverse[i] = t.qfrc_inverse[i] - t.qfrc_constraint[i]


def accelerate(m: Machine, t: Any) -> None:
    """link_acc for qacc."""
    accelerations(m, t)


def late(m: Machine, t: Any, h: Any) -> None:
    """qacc_late: qacc with dampers and springs that act at the end of a time h; constraint forces are
    unchanged.

    For `implicitfast` it is always computed from the forces, even if nothing acts at the end of the step: the
    accelerations of a solver that has not converged differ from those of its forces.
    """
    for i in m.dofs():
        t.qacc_late[i] = t.qacc[i]
    for _ in m.when(either(t.opt_late[0] == 1, t.opt_integrator[0] == FAST)):
        for i in m.dofs():
            t.dof_load[i] = t.dof_load[i] + t.qfrc_constraint[i]
        m.call(resist_late, h)
        blocks = t.opt_prescribed[0] + t.opt_springs_inparent[0]  # not representable as a diagonal
        for _ in m.when(blocks > 0):
            m.call(articulated)
        for _ in m.when(blocks < 1):
            for _ in m.when(t.opt_late[0] == 1):  # else unconstrained() has computed the factors
                m.call(decompose)
            m.call(substitute)
        m.call(swap)


def swap(m: Machine, t: Any) -> None:
    """Exchanges qacc and qacc_late."""
    for i in m.dofs():
        own = m.locals(acc=t.qacc[i])
        t.qacc[i] = t.qacc_late[i]
        t.qacc_late[i] = own.acc
