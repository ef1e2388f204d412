"""Forward dynamics: the articulated-body algorithm, in link frames.

(Featherstone, Rigid Body Dynamics Algorithms, ch. 7.)
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.pairs import Paired
from ..staging.scalars import opposite
from .damping import FAST, resist_actuators
from .inertias import reflected
from .joints import JOINTS, Free
from .kinematics import carried, carry
from .loads import load
from .polynomials import resist_polynomials
from .spatial import Motion


def resist(m: Machine, t: Any, h: Any) -> None:
    """dof_resist, the diagonal in addition to the bodies: armature, regularisation, dampers implicit over a
    time h.
    """
    for i in m.dofs():
        t.dof_resist[i] = t.dof_armature[i] + t.opt_regularization[0] + h * t.dof_damping[i]
    for _ in m.when(t.opt_reflects[0] == 1):
        m.call(reflected)
        for i in m.dofs():
            t.dof_resist[i] = t.dof_resist[i] + t.dof_reflected[i]


def articulated(m: Machine, t: Any) -> None:
    """qacc from qpos, qvel and the joint forces."""
    m.call(carry)
    m.call(released)


def released(m: Machine, t: Any) -> None:
    """qacc from the joint forces. link_force becomes the articulated bias force.

    Bias forces are those of the motion at qacc = 0; the unknown is the deviation from it.
    """
    for k in m.links():
        t.link_art[k] = t.link_spatial[k].articulated()
    for k in m.links(backward=True):
        own = m.locals(inertia=t.link_art[k], force=t.link_force[k])
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.release(m, t, k, own)
        p = t.link_parentid[k]
        for _ in m.when(p > 0):
            R, r = t.link_rot[k], t.link_pos[k]
            t.link_art[p] += own.inertia.lifted(R, r)
            t.link_force[p] += own.force.lifted(R, r)
    t.link_acc[0] = Motion.zero()
    for k in m.links():
        own = m.locals(acc=carried(t, k, t.link_acc[t.link_parentid[k]]))
        for kind in m.cases(JOINTS, t.link_type[k]):
            kind.follow(m, t, k, own)
        t.link_acc[k] = own.acc


def acceleration(m: Machine, t: Any) -> None:
    """qacc = (M + regularization)^-1 (dof_load - qfrc_bias)."""
    m.call(load)
    m.call(resist, 0.0)
    m.call(articulated)


def resist_late(m: Machine, t: Any, h: Any) -> None:
    """resist(), and the forces of springs in dof_load, for dampers and springs that act at the end of the
    step.
    """
    fast = t.opt_integrator[0] == FAST
    for _ in m.when(fast):
        m.call(resist, h * t.opt_dampers_act[0])
        for _ in m.when(t.opt_polynomials[0] == 1):
            m.call(resist_polynomials, h)
        for _ in m.when(t.opt_slopes[0] == 1):
            m.call(resist_actuators, h)
    for _ in m.when(opposite(fast)):
        m.call(resist, h * t.opt_implicit_damping[0])
        for _ in m.when(t.opt_polynomials[0] == 1):
            m.call(resist_polynomials, h * t.opt_implicit_damping[0])
        for _ in m.when(t.opt_implicit_stiffness[0] == 1):
            m.call(anticipate, h)


def anticipate(m: Machine, t: Any, h: Any) -> None:
    """Adds the forces of springs after a time h, with their deflection advanced by the velocity at its end,
    to dof_load.
    """
    acts = h * t.opt_springs_act[0]
    for i in m.dofs():
        grown = acts * t.dof_stiffness[i]
        for _ in m.when(t.dof_inparent[i] == 0):
            t.dof_load[i] = t.dof_load[i] - grown * t.qvel[i]
        t.dof_resist[i] = t.dof_resist[i] + h * grown
    for _ in m.when(t.opt_springs_inparent[0] == 1):
        m.call(anticipate_in_parent, acts)


def anticipate_in_parent(m: Machine, t: Any, acts: Any) -> None:
    """The same for passive_in_parent()."""
    for k in m.links():
        for kind in m.cases([Free], t.link_type[k]):
            i = t.link_dofadr[k]
            for _ in m.when(t.dof_inparent[i] == 1):
                grown = [acts * t.dof_stiffness[i + n] for n in range(6)]
                for n, force in enumerate(kind.in_parent(t, k, [0.0] * 6, grown)):
                    t.dof_load[i + n] = t.dof_load[i + n] - force


def twofold(m: Machine, t: Any) -> None:
    """qacc as from acceleration(), and in qacc_late the same with implicit dampers and springs."""
    h = t.opt_timestep[0]
    m.call(load)
    m.call(resist_late, h)
    for i in m.dofs():
        t.dof_late[i], t.load_late[i] = t.dof_resist[i], t.dof_load[i]
    m.call(resist, 0.0)
    for _ in m.when(t.opt_implicit_stiffness[0] == 1):
        m.call(load)
    m.call(carry)
    m.call(both)


def both(m: Machine, t: Any) -> None:
    """released() twice: qacc with dof_resist and dof_load, qacc_late with dof_late and load_late.

    Loops and programs of a single state traverse the tree once and compute both at the same time; see BOTH.
    """
    for k in m.links():
        t.link_carried[k] = t.link_force[k]
    m.call(exchange)
    m.call(released)
    for i in m.dofs():
        t.qacc_late[i] = t.qacc[i]
    for k in m.links():
        t.link_force[k] = t.link_carried[k]
    m.call(exchange)
    m.call(released)


BOTH = Paired(
    "both",
    {"dof_resist": "dof_late", "dof_load": "load_late"},
    {"qacc": "qacc_late", "link_acc": ""},
    ("link_force",),
)
"""both() as a version of released() that computes two cases at the same time."""


def exchange(m: Machine, t: Any) -> None:
    """Exchanges dof_resist and dof_late, dof_load and load_late."""
    for i in m.dofs():
        own = m.locals(resist=t.dof_resist[i], load=t.dof_load[i])
        t.dof_resist[i], t.dof_load[i] = t.dof_late[i], t.load_late[i]
        t.dof_late[i], t.load_late[i] = own.resist, own.load
