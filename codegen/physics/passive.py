"""Springs and dampers of the joints."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .joints import JOINTS


def passive(m: Machine, t: Any) -> None:
    """qfrc_passive: per degree of freedom, -(damping velocity + stiffness way from rest).

    A quaternion's way from rest q0 is the rotation vector of q0^-1 q by the shorter way, in the body's axes.
    """
    for k in m.links():
        for kind in m.cases(JOINTS, t.link_type[k]):
            for n, x in enumerate(kind.stretch(t, k)):
                i = t.link_dofadr[k] + n
                t.qfrc_passive[i] = -(t.dof_stiffness[i] * x + t.dof_damping[i] * t.qvel[i])
