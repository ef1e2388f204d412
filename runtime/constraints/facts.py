"""What of a Model decides which of the solver's text acts, and the text of its program."""

from __future__ import annotations

import numpy as np
from polybody.collision import collision_table
from polybody.constraints.solver import FACTS
from polybody.model.model import Model

__all__ = ["facts", "program_text"]

DENSE = 64
"""Degrees of freedom up to which rows of J and of matrices have all columns."""
SPARSE = 60
"""Degrees of freedom from which on the Jacobian is sparse where the Model leaves that open."""


def facts(model: Model) -> dict[str, int]:
    """The numbers that FACTS names, of a Model; made once."""
    return model.once("constraint facts", lambda: _facts(model))


def _facts(model: Model) -> dict[str, int]:
    names = ("nv", "nbody", "njnt", "ntendon", "neq", "nsensor", "nu", "nformula", "nJformula")
    found = {name: int(getattr(model, name)) for name in names}
    nv, jacobian = found["nv"], int(model.opt_jacobian)
    found["words"], found["blocks"] = (nv + 63) // 64, (nv + 7) // 8
    found["flexes"] = model.nflex > 0
    found["dense"] = nv <= DENSE and not found["flexes"]
    found["sparse"] = jacobian == 1 or (jacobian == 2 and nv >= SPARSE)
    found["off"], found["cone"] = int(model.opt_disableflags), int(model.opt_cone)
    found["solver"], found["noslip"] = int(model.opt_solver), int(model.opt_noslip_iterations) > 0
    found["frictional"] = bool((model.dof_frictionloss > 0).any() or (model.tendon_frictionloss > 0).any())
    prescribed = np.asarray(model._column("dof_prescribed"))
    found["servos"], found["prescribed"] = bool((prescribed < 0).any()), bool((prescribed > 0).any())
    limited = np.asarray(model.jnt_limited, dtype=bool)
    found["limited"] = bool(limited.any() or np.asarray(model.tendon_limited, dtype=bool).any())
    found["balls"] = bool((limited & (np.asarray(model.jnt_type) == 1)).any())
    table = collision_table(model) if model.ngeom or model.nflex else None
    found["swept"] = table is not None and len(table.swept) > 1
    found["touching"] = table is not None and (len(table.listed) > 0 or found["swept"])
    return {name: int(found[name]) for name in FACTS}


def program_text(model: Model) -> str:
    """The C text that finds and solves the constraints of one Model, or "" where it has none.

    Only numbers of the Model are in it.
    """
    if not model.opt_constrained:
        return ""
    lines = [f"#define POLYBODY_{name} {value}" for name, value in facts(model).items()]
    return "\n".join(["#define POLYBODY_PROGRAM", *lines, '#include "constraints/program.h"', ""])
