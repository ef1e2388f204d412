"""Facts about a Model that select the solver's code paths, and the C text of its program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from polybody.collision import collision_table
from polybody.collision.table import FUNCTIONS
from polybody.constraints.solver import FACTS
from polybody.generated.model import EqualityType, Jacobian, JointType, ObjectType, Release, ShapeType, Solver
from polybody.model.flags import DISABLE, ENABLE
from polybody.model.model import Model

__all__ = ["facts", "program_text", "unread"]

MAX_UPDATES = 600
"""Maximum number of operations on rows for which elimination is written as straight-line code."""
LEFT = ("nsensor", "nactuator", "nbody")
"""Facts about parts that programs leave to the driver."""
POSES_OF_BODIES = {"xpos": 3, "xquat": 4, "xmat": 9}
POSES_OF_SITES = {"site_xpos": 3, "site_xmat": 9}
ROUND = (ShapeType.plane, ShapeType.sphere, ShapeType.capsule)
"""Shapes of which only the z axis affects contacts with each other."""
SHAPES = len(FUNCTIONS)
WORD = 64
"""Pairs of lower types than this are handled by programs."""
DENSE = 64
"""Maximum number of degrees of freedom for which rows of J and of matrices have all columns."""
MULTIFRONTAL = 128
"""Number of degrees of freedom above which Newton's method uses fronts."""
SPARSE = 60
"""Number of degrees of freedom from which on the Jacobian is sparse, if the Model leaves it open."""


def facts(model: Model) -> dict[str, int]:
    """The values of FACTS for a Model; computed once."""
    return model.once("constraint facts", lambda: _facts(model))


def _disabled(model: Model) -> int:
    """The flags that disable parts; without constraints, each of these is disabled."""
    off = int(model.opt_disableflags)
    if off & DISABLE["constraint"]:
        off |= sum(DISABLE[word] for word in ("equality", "frictionloss", "limit", "contact"))
    return off


def _facts(model: Model) -> dict[str, int]:
    names = (
        *("nv", "nbody", "njnt", "ntendon", "neq", "nsensor", "nactuator", "nformula", "nJformula"),
        "nconnection",
    )
    found = {name: int(getattr(model, name)) for name in names}
    nv, jacobian = found["nv"], int(model.opt_jacobian)
    found["words"], found["blocks"] = (nv + 63) // 64, (nv + 7) // 8
    found["flexes"] = model.nflex > 0
    found["dense"] = nv <= DENSE and not found["flexes"]
    found["sparse"] = jacobian == Jacobian.sparse or (jacobian == Jacobian.auto and nv >= SPARSE)
    found["release"] = int(model._column("opt_release"))
    found["off"], found["cone"] = _disabled(model), int(model.opt_cone)
    found["solver"], found["noslip"] = int(model.opt_solver), int(model.opt_noslip_iterations) > 0
    found["multifrontal"] = nv > MULTIFRONTAL and found["solver"] == Solver.Newton
    newest = found["release"] == Release.v4_0
    asked = bool(int(model.opt_enableflags) & ENABLE["island"])
    alone = found["solver"] == Solver.CG and not found["noslip"] and not found["flexes"]
    found["by_islands"] = asked and (int(model.ntree) > 1 if newest else alone)
    found["frictional"] = bool((model.dof_frictionloss > 0).any() or (model.tendon_frictionloss > 0).any())
    found["surfaces"] = bool(np.any(model.geom_surfacevel))
    found["adhesive"] = bool(np.any(model.geom_adhesion) or np.any(model.pair_adhesion))
    found["exact"] = bool(nv and int(model.opt_enableflags) & ENABLE["diagexact"])
    prescribed = np.asarray(model._column("dof_prescribed"))
    found["servos"], found["prescribed"] = bool((prescribed < 0).any()), bool((prescribed > 0).any())
    limited = np.asarray(model.jnt_limited, dtype=bool)
    found["limited"] = bool(limited.any() or np.asarray(model.tendon_limited, dtype=bool).any())
    found["balls"] = bool((limited & (np.asarray(model.jnt_type) == JointType.ball)).any())
    table = collision_table(model) if model.ngeom or model.nflex else None
    found["swept"] = table is not None and len(table.swept) > 1
    found["touching"] = found["flexes"] or (table is not None and (len(table.listed) > 0 or found["swept"]))
    return {name: int(found[name]) for name in FACTS}


def program_text(model: Model) -> str:
    """The C text that finds and solves the constraints of one Model; "" if it has none.

    It contains only numbers of the Model.
    """
    if not model.opt_constrained:
        return ""
    known = facts(model)
    lines = [f"#define POLYBODY_{name} {value}" for name, value in known.items() if name not in LEFT]
    searched = bool(known["touching"]) and collision_table(model).searched
    lines += [f"#define POLYBODY_pairs {_pairs(model):#x}ull", f"#define POLYBODY_searched {searched:d}"]
    if known["dense"]:
        lines += _elimination(np.asarray(model.dof_parentid).tolist())
    return "\n".join(["#define POLYBODY_PROGRAM", *lines, '#include "solver/program.h"', ""])


def unread(model: Model, several: bool = False) -> dict[str, frozenset[int]]:
    """Indices of columns of a simulation that rows and their solver do not read if only the state is
    requested; a program need not compute them.

    The solver of `several` states at once takes moments about positions of bodies.
    """
    known = facts(model)
    if known["flexes"] or model.opt_adheres or model.opt_sticks:
        return {}
    found: dict[str, frozenset[int]] = {}
    kinds = np.asarray(model.eq_type)
    joined = (kinds == EqualityType.connect) | (kinds == EqualityType.weld)
    at_sites = joined & (np.asarray(model.eq_objtype) == ObjectType.SITE)
    if not joined.any():
        found |= {name: frozenset(range(size * model.nbody)) for name, size in POSES_OF_BODIES.items()}
    if several:
        found.pop("xpos", None)
    if not at_sites.any():
        found |= {name: frozenset(range(size * model.nsite)) for name, size in POSES_OF_SITES.items()}
    newest = known["release"] == Release.v4_0
    if known["solver"] == Solver.Newton and not known["noslip"] and not newest:
        found |= {"qLD": frozenset(range(model.nM)), "qLDiagInv": frozenset(range(model.nv))}
    if not known["touching"]:
        axes, whole = np.zeros((2, model.ngeom), dtype=bool)
    else:
        axes, whole = _looked_at(model)
    xpos = np.repeat(~axes, 3).reshape(-1, 3)
    xmat = np.repeat(~whole, 9).reshape(-1, 9)
    xmat[:, 2::3] = ~axes[:, np.newaxis]
    return found | {
        "geom_xpos": frozenset(np.flatnonzero(xpos).tolist()),
        "geom_xmat": frozenset(np.flatnonzero(xmat).tolist()),
    }


def _looked_at(model: Model) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The geoms whose positions and z axes are read, and those whose other axes are read too. The axes of
    round shapes that only touch round shapes are not read.
    """
    table, kinds = collision_table(model), np.asarray(model.geom_type)
    axes, whole = np.zeros((2, model.ngeom), dtype=bool)
    axes[table.listed["geom"]] = True
    axes[table.swept] = True
    is_round = np.isin(kinds, ROUND)
    others = ~is_round[table.listed["geom"]].all(axis=1)
    whole[table.listed["geom"][others]] = True
    moving = np.any(model.geom_surfacevel, axis=1)
    whole |= axes & moving
    if not is_round[table.swept].all():
        whole[table.swept] = True
    return axes, whole


def _pairs(model: Model) -> int:
    """A bit mask of the pairs of round shape types that can touch, the lower type first."""
    if not facts(model)["touching"]:
        return 0
    table = collision_table(model)
    kinds = np.asarray(model.geom_type)
    found = {(int(a), int(b)) for a, b in np.sort(kinds[table.listed["geom"]], axis=1)}
    swept = sorted(set(kinds[table.swept].tolist()))
    found |= {(a, b) for a in swept for b in swept if a <= b}
    bits = [a * SHAPES + b for a, b in found]
    return sum(1 << bit for bit in bits if bit < WORD)


def _elimination(parent: list[int]) -> list[str]:
    """The lists of limbs.h for the tree of degrees of freedom; none if they would be long."""
    above: list[list[int]] = []
    height = [0] * len(parent)
    for p in parent:
        above.append([*above[p], p] if p >= 0 else [])
    if sum(map(len, above)) > MAX_UPDATES:
        return []
    for k in reversed(range(len(parent))):
        if parent[k] >= 0:
            height[parent[k]] = max(height[parent[k]], height[k] + 1)
    levels = [[k for k in range(len(parent)) if height[k] == h] for h in range(max(height) + 1)]
    tree, paths = [], []
    for level in levels:
        tree += [f"PIVOT({k})" for k in level]
        depth = max(len(above[k]) for k in level)
        tree += [f"LOWER({k}, {above[k][-1 - j]})" for j in range(depth) for k in level if j < len(above[k])]
    for k in sorted(range(len(parent)), key=lambda k: len(above[k])):
        paths += [*(f"BELOW({k}, {i})" for i in above[k]), f"FINISH({k})"]
    every = " ".join(f"TAKE({k})" for k in range(len(parent)))
    entries, place = [], 0
    for k, path in enumerate(above):
        entries += [f"ENTRY({k}, {i}, {place + j})" for j, i in enumerate(path)]
        entries.append(f"DIAGONAL({k}, {place + len(path)})")
        place += len(path) + 1
    return [
        f"#define POLYBODY_ALL(TAKE) {every}",
        f"#define POLYBODY_ENTRIES(ENTRY, DIAGONAL) {' '.join(entries)}",
        f"#define POLYBODY_LIMBS(PIVOT, LOWER) {' '.join(tree)}",
        f"#define POLYBODY_PATHS(BELOW, FINISH) {' '.join(paths)}",
    ]
