"""Of which Models the constraints of a batch are solved in all lanes at once."""

from __future__ import annotations

import numpy as np
from polybody.collision import collision_table
from polybody.generated.model import EqualityType
from polybody.model.model import Model

NEWTON = 2
MOST_TILES = 64
"""Blocks of up to three degrees of freedom that the matrix of Newton's method has."""
EQUALITIES = (EqualityType.connect, EqualityType.weld, EqualityType.joint, EqualityType.tendon)


def why_one_by_one(model: Model) -> str:
    """Why the states of a batch are solved one after the other; "" if all lanes are solved at once.

    Lanes have Newton's method, with pyramidal and elliptic cones, limits, dry friction, contacts of any
    shapes, and the equalities connect, weld, joint and tendon. The solver of a single state does the rest.
    """
    return model.once("constraints one by one", lambda: _reason(model))


def _reason(model: Model) -> str:
    if int(model.opt_solver) != NEWTON:
        return "its solver is not Newton's method"
    if int(model.opt_noslip_iterations) > 0:
        return "it has iterations that take slip away"
    if np.any(model._column("dof_prescribed") != 0):
        return "it has servo motors, or motions that are given"
    if int(model.nformula):
        return "its joints depend on each other by formulas"
    if not set(model.eq_type.tolist()) <= {int(kind) for kind in EQUALITIES}:
        return "it has equalities of flexes"
    if np.any(model._column("actuator_adhesion") >= 0):
        return "it has actuators that adhere"
    if int(model.nflex):
        return "it has flexes"
    if _tiles(model) > MOST_TILES:
        return "it has too many degrees of freedom"
    if model.ngeom and len(collision_table(model).swept):
        return "it has more candidate pairs of geoms than are tested one by one"
    return ""


def _tiles(model: Model) -> int:
    """As build.h counts them."""
    tiles, used = 0, 3
    for dof, parent in enumerate(model.dof_parentid.tolist()):
        if used == 3 or parent != dof - 1:
            tiles, used = tiles + 1, 0
        used += 1
    return tiles
