"""Constraints and contacts of formats whose engines have rigid ones."""

from __future__ import annotations

from typing import Any

from polybody.generated.model import Cone, FrictionMixing
from polybody.lowering.assembly import OPTIONS, Assembly

IMPRATIO = 100.0
"""How much stiffer friction is than what carries the weight: what sticks creeps no faster than in Drake."""
STEPS = 2.0
"""Time steps that the time constant of a constraint has which is rigid: the shortest that is stable."""


def rigid(assembly: Assembly, mixing: FrictionMixing) -> None:
    """Make constraints as stiff as the time step lets them be, and friction one of cones.

    Args:
        assembly: its `opt_timestep` is what it is going to be.
        mixing: which friction of two shapes counts.
    """
    options: dict[str, Any] = OPTIONS | assembly.options
    step = float(options["opt_timestep"])
    assembly.solref = (STEPS * step, 1.0)
    assembly.options |= {
        "opt_friction_mixing": int(mixing),
        "opt_cone": int(Cone.elliptic),
        "opt_impratio": IMPRATIO,
    }
