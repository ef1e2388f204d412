"""The Models for which the constraints of a batch are solved in all lanes at once."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from polybody.collision import collision_table
from polybody.collision.copies import read
from polybody.constraints.solver import MODEL
from polybody.generated.model import EqualityType, Solver
from polybody.model.flags import ENABLE
from polybody.model.model import Model
from polybody.model.variants import sources

MAX_TILES = 64
"""Maximum number of blocks of up to three degrees of freedom in the matrix of Newton's method."""
EQUALITIES = (EqualityType.connect, EqualityType.weld, EqualityType.joint, EqualityType.tendon)


LANES = frozenset(("body_invweight0", "dof_invweight0", "tendon_invweight0", "stat_meaninertia", "body_ipos"))
"""Columns in which the Models of lanes that are solved at once may differ."""
FRICTIONS = frozenset(("geom_friction", "pair_friction"))
"""Contact parameters in which they may differ."""


def why_one_by_one(model: Model, parameters: Collection[str] = ()) -> str:
    """Why the states of a batch are solved one after another; "" if all lanes are solved at once.

    Lanes support Newton's method, pyramidal and elliptic cones, limits, dry friction, contacts of any shapes,
    and the equalities connect, weld, joint and tendon. The solver of a single state supports everything.

    Args:
        model: the Model of all states, except for
        parameters: the names of columns that differ between states.
    """
    reason = model.once("constraints one by one", lambda: _reason(model))
    if not reason and not all(_may_differ(model, name) for name in parameters):
        return "states differ in more than frictions and masses"
    return reason


def _may_differ(model: Model, parameter: str) -> bool:
    """Whether Models of lanes may differ in a given column."""
    if parameter in FRICTIONS:
        return True
    touching = {name for name in read(model) if parameter in sources(model, name)}
    if touching - LANES or "body_invweight0" in touching:  # the masses soften contacts
        return False
    return not any(parameter in sources(model, name) for name, _ in MODEL if name not in LANES)


def _reason(model: Model) -> str:
    if not model.nv:
        return "nothing in it moves"
    if int(model.opt_solver) != Solver.Newton:
        return "its solver is not Newton"
    if int(model.opt_noslip_iterations) > 0:
        return "it has noslip iterations"
    if np.any(model._column("dof_prescribed") != 0):
        return "it has servo motors or prescribed motions"
    if np.any((model.dof_frictionloss > 0) & (np.asarray(model._column("dof_inparent")) > 0)):
        return "it has dry friction along the axes of a free joint's parent"
    if int(model.nformula):
        return "its joints depend on each other by formulas"
    if not set(model.eq_type.tolist()) <= {int(kind) for kind in EQUALITIES}:
        return "it has equalities of flexes"
    if np.any(model._column("actuator_adhesion") >= 0):
        return "it has adhesion actuators"
    if np.any(model.geom_surfacevel):
        return "it has surfaces that move"
    if np.any(model.geom_adhesion) or np.any(model.pair_adhesion):
        return "it has contacts that pull"
    if int(model.opt_enableflags) & ENABLE["diagexact"]:
        return "its constraints have exact diagonals"
    if int(model.nflex):
        return "it has flexes"
    if _tiles(model) > MAX_TILES:
        return "it has too many degrees of freedom"
    if model.ngeom and len(collision_table(model).swept):
        return "it has too many candidate pairs of geoms"
    return ""


def _tiles(model: Model) -> int:
    """Number of tiles, as counted in build.h."""
    tiles, used = 0, 3
    for dof, parent in enumerate(model.dof_parentid.tolist()):
        if used == 3 or parent != dof - 1:
            tiles, used = tiles + 1, 0
        used += 1
    return tiles
