"""The triangles of meshes in bounding volume trees, for searches that visit only a few of them (tree.h)."""

from __future__ import annotations

from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import ShapeType
from polybody.model.model import Model

Rows = NDArray[Any]
IN_A_LEAF = 4
"""Maximum number of triangles of a leaf."""


class Tree(NamedTuple):
    """A mesh's triangles in the order of its tree."""

    vertices: Rows
    """(n, 3), float32, m."""
    faces: Rows
    """(m, 3), int32: rows of the vertices."""
    boxes: Rows
    """(nodes, 6): minima, then maxima, m."""
    levels: int


def mesh_trees(model: Model) -> dict[int, Tree]:
    """The trees of the meshes that geoms use, by mesh. Meshes are checked before (check_meshes)."""
    return model.once("mesh trees", lambda: _mesh_trees(model))


def _mesh_trees(model: Model) -> dict[int, Tree]:
    shaped = np.isin(model.geom_type, (ShapeType.mesh, ShapeType.sdf)) & (model.geom_dataid >= 0)
    found = {}
    for mesh in sorted(set(model.geom_dataid[shaped].tolist())):
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        vertices = np.ascontiguousarray(model.mesh_vert[first : first + count], np.float32)
        first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        found[mesh] = tree(vertices, np.asarray(model.mesh_face[first : first + count], np.int32))
    return found


def tree(vertices: Rows, faces: Rows) -> Tree:
    """A balanced tree: each node's triangles are split in halves along the axis with the largest spread of
    their centres.

    Args:
        vertices: (n, 3), m.
        faces: (m, 3), rows of the vertices.
    """
    count = len(faces)
    levels = max(0, ceil(log2(max(count, 1) / IN_A_LEAF)))
    corners = vertices[faces].astype(np.float64)
    centres, order = corners.mean(axis=1), np.arange(count)
    for level in range(levels):
        owner = _owners(count, level)
        keys = _along_widest(centres[order], _starts(count, level), owner)
        order = order[np.lexsort((keys, owner))]
    low, high = corners[order].min(axis=1, initial=np.inf), corners[order].max(axis=1, initial=-np.inf)
    boxes = [
        np.hstack([_reduced(np.minimum, low, level, np.inf), _reduced(np.maximum, high, level, -np.inf)])
        for level in range(levels + 1)
    ]
    return Tree(vertices, np.ascontiguousarray(faces[order]), np.concatenate(boxes), levels)


def _starts(count: int, level: int) -> Rows:
    """First indices of the shares of a level's nodes, and the end of the last one."""
    return np.arange((1 << level) + 1, dtype=np.int64) * count >> level


def _owners(count: int, level: int) -> Rows:
    return np.repeat(np.arange(1 << level), np.diff(_starts(count, level)))


def _along_widest(centres: Rows, starts: Rows, owner: Rows) -> Rows:
    """For each centre, its coordinate on the axis with the largest spread of the centres of its node."""
    spread = np.maximum.reduceat(centres, starts[:-1]) - np.minimum.reduceat(centres, starts[:-1])
    found: Rows = np.take_along_axis(centres, spread.argmax(axis=1)[owner][:, None], axis=1)[:, 0]
    return found


def _reduced(over: Any, values: Rows, level: int, empty: float) -> Rows:
    starts = _starts(len(values), level)
    if not len(values):
        return np.full((1, 3), empty)
    found: Rows = over.reduceat(values, starts[:-1])
    return found
