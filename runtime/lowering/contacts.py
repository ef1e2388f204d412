"""Constraints and contacts of formats whose engines treat them as rigid."""

from __future__ import annotations

import math
from typing import Any

from polybody.assembly import gather
from polybody.assembly.parts import OPTIONS, Assembly
from polybody.generated.model import Cone, FrictionMixing

IMPRATIO = 100.0
"""Ratio of the stiffness of friction to that in the normal direction: sticking contacts creep no faster than
in Drake.
"""
STEPS = 2.0
"""Time constant of a rigid constraint in time steps: the shortest that is stable."""

STIFFNESS, DISSIPATION = 1e9, 1600.0
"""N/m and s/m, for shapes that neither yield nor bounce: 0.0006 of the speed remains."""
REDUCTION = 0.01
"""Fraction of the violation of a limit that is corrected per step, as in DART: robots often start beyond
their limits. A time constant of two steps stops a motion in one step; a damping ratio r corrects 1 / (4
r^2) of the error.
"""


def rigid(assembly: Assembly, mixing: FrictionMixing) -> None:
    """Make constraints as stiff as the time step allows, with elliptic friction cones.

    Args:
        assembly: its `opt_timestep` must be final.
        mixing: combination rule for the friction of two shapes.
    """
    options: dict[str, Any] = OPTIONS | assembly.options
    step = float(options["opt_timestep"])
    touching = gather.having(gather.flattened([assembly.world, *assembly.bodies], "geoms"), "contype")
    if None in gather.values(touching, "stiffness"):
        for geom in touching:
            if geom.stiffness is None:
                geom.stiffness, geom.dissipation = STIFFNESS, DISSIPATION
    assembly.solref = (STEPS * step, 1.0)
    assembly.solref_limit = (STEPS * step, 0.5 / math.sqrt(REDUCTION))
    assembly.options |= {
        "opt_friction_mixing": int(mixing),
        "opt_cone": int(Cone.elliptic),
        "opt_impratio": IMPRATIO,
    }
