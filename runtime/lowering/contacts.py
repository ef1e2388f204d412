"""Constraints and contacts of formats whose engines have rigid ones."""

from __future__ import annotations

import math
from typing import Any

from polybody.generated.model import Cone, FrictionMixing
from polybody.lowering.assembly import OPTIONS, Assembly

IMPRATIO = 100.0
"""How much stiffer friction is than what carries the weight: what sticks creeps no faster than in Drake."""
STEPS = 2.0
"""Time steps that the time constant of a constraint has which is rigid: the shortest that is stable."""

STIFFNESS, DISSIPATION = 1e9, 1600.0
"""N/m and s/m, of shapes that neither give way nor bounce: 0.0006 of a speed is left."""
REDUCTION = 0.01
"""The share that is undone in a step of what is beyond a limit, DART's: robots often start beyond theirs.
A time constant of two steps stops what moves in one; a damping ratio r undoes 1 / (4 r^2) of the error."""


def rigid(assembly: Assembly, mixing: FrictionMixing) -> None:
    """Make constraints as stiff as the time step lets them be, and friction one of cones.

    Args:
        assembly: its `opt_timestep` is what it is going to be.
        mixing: which friction of two shapes counts.
    """
    options: dict[str, Any] = OPTIONS | assembly.options
    step = float(options["opt_timestep"])
    for body in (assembly.world, *assembly.bodies):
        for geom in body.geoms:
            if geom.contype and geom.stiffness is None:
                geom.stiffness, geom.dissipation = STIFFNESS, DISSIPATION
    assembly.solref = (STEPS * step, 1.0)
    assembly.solref_limit = (STEPS * step, 0.5 / math.sqrt(REDUCTION))
    assembly.options |= {
        "opt_friction_mixing": int(mixing),
        "opt_cone": int(Cone.elliptic),
        "opt_impratio": IMPRATIO,
    }
