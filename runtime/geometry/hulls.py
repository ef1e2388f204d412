"""Convex hulls and their graphs.

Qhull makes the hull (Barber, Dobkin and Huhdanpaa, The Quickhull Algorithm for Convex Hulls, ACM TOMS 22,
1996), through scipy. Its facets, in its order, are those of MuJoCo, which calls the same version with the
same options.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.errors import GeometryError

Rows = NDArray[np.int32]
Singles = NDArray[np.float32]
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """The convex hull of a set of points, whose rows are named in all that follows but ``neighbours``.

    The order of ``vertices`` and of the neighbours of one is Qhull's where the facets tell it.
    """

    vertices: Rows
    """(n,): the points that are corners of the hull."""
    faces: Rows
    """(m, 3): its triangles, counterclockwise seen from outside."""
    offsets: Rows
    """(n,): where in ``neighbours`` those of a vertex begin."""
    neighbours: Rows
    """(n + 3 m,): of each vertex those that share an edge with it, as rows of ``vertices``, and then -1."""

    def graph(self) -> Rows:
        """All of it in one array, laid out as in mjModel's mesh_graph."""
        counts = np.array([len(self.vertices), len(self.faces)], dtype=np.int32)
        return np.concatenate([counts, self.offsets, self.vertices, self.neighbours, self.faces.ravel()])


def convex_hull(points: Singles | Reals, most_vertices: int = -1) -> Hull:
    """The convex hull of (n, 3) points.

    Args:
        points: finite coordinates, m.
        most_vertices: if positive, at least 4, Qhull stops when the hull has so many vertices.

    Raises:
        GeometryError: the points lie in a plane, or too close to one for a hull.
    """
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 4:
        raise GeometryError(f"has {len(points)} vertices; a convex hull needs 4")
    if not np.isfinite(points).all():
        raise GeometryError("has vertices that are not finite, of which there is no convex hull")
    options = "Qt" + (f" TA{most_vertices - 4}" if most_vertices > 3 else "")
    try:
        made = ConvexHull(points.astype(np.float64), qhull_options=options)
    except QhullError:
        raise GeometryError("has no convex hull: its vertices lie in a plane, or almost") from None
    corners, planes = made.simplices, made.equations
    faces = _oriented(points, corners, made.neighbors, planes[:, :3])
    vertices = _in_order(corners, planes, len(points))
    local = np.zeros(len(points), dtype=np.int32)
    local[vertices] = np.arange(len(vertices), dtype=np.int32)
    offsets, neighbours = _adjacency(local[corners], len(vertices))
    return Hull(vertices.astype(np.int32), faces, offsets, neighbours)


def _oriented(points: Singles | Reals, corners: Rows, beside: Rows, normals: Reals) -> Rows:
    """The facets counterclockwise; of those without area, as their neighbours have it."""
    a, b, c = (points[corners[:, k]].astype(np.float64) for k in range(3))
    left, right = b - a, c - a
    cross = np.cross(left, right)
    along = np.einsum("ij,ij->i", cross, normals)
    swapped = along < 0
    scale = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    doubtful = set(np.flatnonzero(np.abs(along) <= 1e-9 * scale).tolist())
    while doubtful:
        settled = {}
        for row in doubtful:
            for k in range(3):
                other = int(beside[row, k])
                if other not in doubtful:
                    same = _same_direction(corners[row].tolist(), corners[other].tolist(), k)
                    settled[row] = bool(swapped[other]) != same
                    break
        if not settled:
            break
        for row, value in settled.items():
            swapped[row] = value
        doubtful -= settled.keys()
    faces: Rows = corners.astype(np.int32)
    faces[swapped] = faces[swapped][:, [1, 0, 2]]
    return faces


def _same_direction(facet: list[int], other: list[int], opposite: int) -> bool:
    """Whether two facets run in the same direction along the edge opposite to a corner of the first."""
    start, end = facet[(opposite + 1) % 3], facet[(opposite + 2) % 3]
    return other.index(end) == (other.index(start) + 1) % 3


def _in_order(corners: Rows, planes: Reals, count: int) -> Rows:
    """The vertices in the order in which Qhull, given so many points, touched them last.

    Facets are listed in the order of their making. Those made for one new point have it as their first
    corner; facets of more than three corners are cut into triangles, of one plane, at the very end.
    """
    if len(corners) == 4 == count:  # the first simplex: a facet for each corner, which it lacks
        return np.append(corners[3], corners[0, 2])
    same = (planes[1:] == planes[:-1]).all(axis=1)
    cut = np.zeros(len(corners), dtype=bool)
    cut[1:] |= same
    cut[:-1] |= same
    new = np.ones(len(corners), dtype=np.int64)
    new[1:] = corners[1:, 0] != corners[:-1, 0]
    step = np.where(cut, len(corners) + 1, np.cumsum(new))
    vertex, steps, place = corners.ravel(), np.repeat(step, 3), np.arange(corners.size)
    order = np.lexsort((place, -steps, vertex))
    first = order[np.concatenate([[True], np.diff(vertex[order]) > 0])]
    found: Rows = vertex[first[np.lexsort((place[first], steps[first]))]]
    return found


def _adjacency(corners: Rows, count: int) -> tuple[Rows, Rows]:
    """Where each vertex's neighbours begin; they, in the order of the facets, -1 behind those of each."""
    one = corners[:, [0, 0, 1, 1, 2, 2]].ravel().astype(np.int64)
    other = corners[:, [1, 2, 0, 2, 0, 1]].ravel().astype(np.int64)
    pairs, first = np.unique(one * count + other, return_index=True)
    order = np.lexsort((first, pairs // count))
    one, other = pairs[order] // count, pairs[order] % count
    degrees = np.bincount(one, minlength=count)
    offsets = np.concatenate([[0], np.cumsum(degrees + 1)[:-1]])
    neighbours = np.full(len(pairs) + count, -1, dtype=np.int32)
    neighbours[np.arange(len(pairs)) + one] = other
    return offsets.astype(np.int32), neighbours
