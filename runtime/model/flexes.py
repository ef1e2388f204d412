"""What follows of flexes from the given columns: which bodies their vertices move with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.generated.model import EqualityType

Columns = Mapping[str, NDArray[Any]]
Rows = NDArray[np.int64]


def ranges(known: Columns, kind: str, bound: int) -> list[slice]:
    """The rows of each flex in an axis of flexes' parts.

    Args:
        known: the columns.
        kind: "vert", "edge" or "elem".
        bound: how many rows there are.

    Raises:
        ModelError: rows are asked for that there are not.
    """
    starts, counts = known[f"flex_{kind}adr"].tolist(), known[f"flex_{kind}num"].tolist()
    for flex, (start, count) in enumerate(zip(starts, counts, strict=True)):
        if start < 0 or count < 0 or start + count > bound:
            what = f"flex {flex}: flex_{kind}adr {start} and flex_{kind}num {count}"
            raise ModelError([f"{what} are not within the {bound} rows that there are"])
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
    """The rows of the vertices at both ends of each edge, and the flex that each edge belongs to.

    Raises:
        ModelError: an edge has a vertex that its flex has not.
    """
    edges = known["flex_edge"]
    found, owner = np.zeros(edges.shape, dtype=np.int64), np.zeros(len(edges), dtype=np.int64)
    vertices = ranges(known, "vert", len(known["flex_vertbodyid"]))
    for flex, (rows, places) in enumerate(zip(ranges(known, "edge", len(edges)), vertices, strict=True)):
        local = edges[rows]
        if local.size and not 0 <= local.min() <= local.max() < places.stop - places.start:
            raise ModelError([f"flex {flex}: flex_edge has vertices that the flex has not"])
        found[rows], owner[rows] = local + places.start, flex
    return found, owner


def of_edges(known: Columns) -> dict[str, NDArray[Any]]:
    """flexedge_rigid: both ends are welded together."""
    welds = known["body_weldid"][known["flex_vertbodyid"]]
    rows, _ = ends(known)
    found = welds[rows[:, 0]] == welds[rows[:, 1]] if len(welds) else np.zeros(0)
    return {"flexedge_rigid": found.astype(np.uint8)}
