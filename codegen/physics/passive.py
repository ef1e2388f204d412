"""Springs and dampers of the joints."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS


def stretch(m: Machine, t: Any) -> None:
    """dof_stretch: the way from rest along each degree of freedom.

    A quaternion's way from rest q0 is the rotation vector of q0^-1 q by the shorter way, in the body's axes.
    """
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            for n, x in enumerate(kind.stretch(t, k)):
                t.dof_stretch[t.link_dofadr[k] + n] = x


def passive(m: Machine, t: Any) -> None:
    """qfrc_passive: per degree of freedom, -(stiffness way from rest + damping velocity)."""
    m.call(stretch)
    for i in m.dofs():
        force = t.dof_stiffness[i] * t.dof_stretch[i] + t.dof_damping[i] * t.qvel[i]
        t.qfrc_passive[i] = -(t.opt_passive_acts[0] * force)
