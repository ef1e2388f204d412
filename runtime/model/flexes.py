"""Columns derived from flexes, such as the bodies that their vertices move with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError, Problem
from polybody.generated.model import EqualityType

Columns = Mapping[str, NDArray[Any]]
Rows = NDArray[np.int64]
COUNTS = {1: 1, 2: 3, 3: 6}
"""Number of edges of an element, by its dimension."""


def ranges(known: Columns, kind: str, bound: int) -> list[slice]:
    """The rows of each flex in an axis of vertices, edges or elements.

    Args:
        known: the columns.
        kind: "vert", "edge" or "elem".
        bound: number of rows of the axis.

    Raises:
        ModelError: a flex refers to rows that do not exist.
    """
    starts, counts = known[f"flex_{kind}adr"].tolist(), known[f"flex_{kind}num"].tolist()
    for flex, (start, count) in enumerate(zip(starts, counts, strict=True)):
        if start < 0 or count < 0 or start + count > bound:
            what = f"flex_{kind}adr {start} and flex_{kind}num {count} are not within the {bound} rows"
            raise ModelError([Problem(f"{what} that there are", "flex", flex)])
    return [slice(start, start + count) for start, count in zip(starts, counts, strict=True)]


def of_flexes(known: Columns) -> dict[str, NDArray[Any]]:
    """flex_rigid, flex_centered and flex_edgeequality."""
    bodies, places = known["flex_vertbodyid"], known["flex_vert"]
    parts = ranges(known, "vert", len(bodies))
    kept = known["eq_obj1id"][known["eq_type"] == EqualityType.flex].tolist()
    found = {
        "rigid": [bool((bodies[rows] == bodies[rows][:1]).all()) for rows in parts],
        "centered": [not places[rows].any() for rows in parts],
        "edgeequality": [flex in kept for flex in range(len(parts))],
    }
    return {f"flex_{name}": np.array(rows, dtype=np.uint8) for name, rows in found.items()}


def ends(known: Columns) -> tuple[Rows, Rows]:
    """The rows of the vertices at both ends of each edge, and the flex of each edge.

    Raises:
        ModelError: an edge refers to a vertex that its flex does not have.
    """
    edges = known["flex_edge"]
    found, owner = np.zeros(edges.shape, dtype=np.int64), np.zeros(len(edges), dtype=np.int64)
    vertices = ranges(known, "vert", len(known["flex_vertbodyid"]))
    for flex, (rows, places) in enumerate(zip(ranges(known, "edge", len(edges)), vertices, strict=True)):
        local = edges[rows]
        if local.size and not 0 <= local.min() <= local.max() < places.stop - places.start:
            text = "flex_edge refers to vertices that the flex does not have"
            raise ModelError([Problem(text, "flex", flex)])
        found[rows], owner[rows] = local + places.start, flex
    return found, owner


def forces(known: Columns) -> dict[str, NDArray[Any]]:
    """Columns for the kernels: ends of edges and the forces along them, couplings, levers."""
    rows, owner = ends(known)
    springs, dampers = (bool(known[f"opt_{kind}_act"]) for kind in ("springs", "dampers"))
    flexible = (known["flexedge_rigid"] == 0) & (known["flex_rigid"][owner] == 0)
    found: dict[str, NDArray[Any]] = {
        "flexedge_first": rows[:, 0].astype(np.int32),
        "flexedge_second": rows[:, 1].astype(np.int32),
        "flexedge_spring": np.where(flexible & springs, known["flex_edgestiffness"][owner], 0.0),
        "flexedge_damper": np.where(flexible & dampers, known["flex_edgedamping"][owner], 0.0),
        "flexedge_delay": np.where(dampers, known["flex_damping"][owner], 0.0).astype(np.float64),
    }
    edges, others, stiffness = _couplings(known)
    found |= {"flexcouple_edge": edges, "flexcouple_other": others, "flexcouple_stiffness": stiffness}
    acting = (found["flexedge_spring"], found["flexedge_damper"], stiffness, known["flexbend_stiffness"])
    acts = any(map(np.any, acting))
    kind = 0 if not len(owner) else 2 if acts and known["opt_passive_acts"] else 1
    return found | {"opt_flexes": np.array(kind, np.int32)}


def _couplings(known: Columns) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """The stiffness of elements, summed: rows and columns of a matrix over edges, and its entries.

    As in MuJoCo, a flex whose first stiffness is 0 has no elasticity.
    """
    first, second, stiff = [], [], []
    elements = ranges(known, "elem", len(known["flex_stiffness"]))
    edges = ranges(known, "edge", len(known["flex_edge"]))
    for flex, (rows, places) in enumerate(zip(elements, edges, strict=True)):
        width, values = COUNTS.get(int(known["flex_dim"][flex]), 0), known["flex_stiffness"][rows]
        if width < COUNTS[2] or known["flex_rigid"][flex] or not len(values) or values[0, 0] == 0:
            continue
        start = int(known["flex_elemedgeadr"][flex])
        local = known["flex_elemedge"][start : start + width * len(values)].reshape(-1, width)
        if len(local) < len(values) or not 0 <= local.min() <= local.max() < places.stop - places.start:
            text = "flex_elemedge refers to edges that the flex does not have"
            raise ModelError([Problem(text, "flex", flex)])
        upper, right = np.triu_indices(width)
        numbers = values[:, : len(upper)]
        for one, other in ((upper, right), (right, upper)):
            kept = slice(None) if one is upper else upper != right
            first.append(local[:, one[kept]].ravel() + places.start)
            second.append(local[:, other[kept]].ravel() + places.start)
            stiff.append(numbers[:, kept].ravel())
    if not first:
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0)
    keys = np.concatenate(first).astype(np.int64) * len(known["flex_edge"]) + np.concatenate(second)
    unique, which = np.unique(keys, return_inverse=True)
    total = np.bincount(which.reshape(-1), np.concatenate(stiff)).astype(np.float64)
    one, other = np.divmod(unique, len(known["flex_edge"]))
    return one.astype(np.int32), other.astype(np.int32), total


def levers(known: Columns) -> dict[str, NDArray[Any]]:
    """The degrees of freedom that move each vertex, and where they are listed.

    If no edge of a flex can change its length, its vertices have none: nothing depends on their velocities.
    """
    above, last = known["dof_parentid"].tolist(), known["body_lastdof"].tolist()
    moved, dofs = [], []
    needed = _of_changing_flexes(known)
    for vertex, body in enumerate(known["flex_vertbodyid"].tolist()):
        dof = last[body] if needed[vertex] else -1
        while dof >= 0:
            moved.append(vertex)
            dofs.append(dof)
            dof = above[dof]
    vertices = np.array(moved, dtype=np.int64)
    return {
        "flexlever_vertex": vertices.astype(np.int32),
        "flexlever_dof": np.array(dofs, dtype=np.int32),
        "flex_leveradr": np.searchsorted(vertices, np.arange(len(known["flex_vertbodyid"]))).astype(np.int32),
        "flex_levernum": np.bincount(vertices, minlength=len(known["flex_vertbodyid"])).astype(np.int32),
    }


def _of_changing_flexes(known: Columns) -> NDArray[np.bool_]:
    """Whether each vertex belongs to a flex that has an edge between bodies that are not welded together."""
    bodies = known["flex_vertbodyid"]
    welds, found = known["body_weldid"][bodies], np.zeros(len(bodies), dtype=np.bool_)
    edges, _ = ends(known)
    vertices = ranges(known, "vert", len(bodies))
    for rows, places in zip(ranges(known, "edge", len(edges)), vertices, strict=True):
        found[places] = bool((welds[edges[rows, 0]] != welds[edges[rows, 1]]).any())
    return found


def of_edges(known: Columns) -> dict[str, NDArray[Any]]:
    """flexedge_rigid: whether both ends are welded together."""
    welds = known["body_weldid"][known["flex_vertbodyid"]]
    rows, _ = ends(known)
    found = welds[rows[:, 0]] == welds[rows[:, 1]] if len(welds) else np.zeros(0)
    return {"flexedge_rigid": found.astype(np.uint8)}
