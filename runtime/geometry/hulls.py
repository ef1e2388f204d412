"""Convex hulls and their graphs.

Qhull makes the hull (Barber, Dobkin and Huhdanpaa, The Quickhull Algorithm for Convex Hulls, ACM TOMS 22,
1996), through scipy. Its facets, in its order, are those of MuJoCo, which calls the same version with the
same options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.geometry import loops
from polybody.geometry.errors import GeometryError

Rows = NDArray[np.int32]
Reals = NDArray[np.float64]
Singles = NDArray[np.float32]

STAGE = 8192
"""Number of vertices of a hull that is made without checks: seconds, in the worst case."""
MAX_EFFORT = 20_000_000
"""Sum of squared numbers of corners of flat sides beyond which a hull is not continued."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """The convex hull of a set of points. All fields except ``neighbours`` refer to rows of the points.

    The order of ``vertices`` and of the neighbours of one is Qhull's where the facets determine it.
    """

    vertices: Rows
    """(n,): the points that are corners of the hull."""
    faces: Rows
    """(m, 3): its triangles, counterclockwise seen from outside."""
    offsets: Rows
    """(n,): first index in ``neighbours`` for each vertex."""
    neighbours: Rows
    """(n + 3 m,): for each vertex those that share an edge with it, as rows of ``vertices``, and then -1."""

    def graph(self) -> Rows:
        """All of it in one array, in the layout of mjModel's mesh_graph."""
        counts = np.array([len(self.vertices), len(self.faces)], dtype=np.int32)
        return np.concatenate([counts, self.offsets, self.vertices, self.neighbours, self.faces.ravel()])


def convex_hull(points: Singles, most_vertices: int = -1, *, widest: bool = False) -> Hull:
    """The convex hull of (n, 3) points.

    Args:
        points: C-contiguous; the hull's own numbers are 64-bit.
        most_vertices: if positive, at least 4: Qhull stops when the hull has this many vertices.
        widest: whether each of them is the one farthest outside of the hull so far, as in MuJoCo from 3.10
            on; this matters only if there are more points.

    Raises:
        GeometryError: the points are in a plane, or too close to one for a hull, or the hull takes too long.
    """
    if len(points) < 4:
        raise GeometryError(f"has {len(points)} vertices; a convex hull needs 4")
    if not np.isfinite(points).all():
        raise GeometryError("has NaN or infinite vertices, and so no convex hull")
    limited = most_vertices > 3
    first = "Q9 " if widest and limited else ""
    made = _bounded(points.astype(np.float64), most_vertices - 4 if limited else len(points), first)
    corners, planes = made.simplices.astype(np.int32, copy=False), np.ascontiguousarray(made.equations)
    faces = loops.orient(points, corners, np.ascontiguousarray(made.neighbors, dtype=np.int32), planes)
    if len(corners) == 4 == len(points):  # the first simplex: for each corner, the facet without it
        vertices = np.append(corners[3], corners[0, 2])
    else:
        vertices = loops.order_of_vertices(corners, planes, len(points))
    local = np.empty(len(points), dtype=np.int32)
    local[vertices] = np.arange(len(vertices), dtype=np.int32)
    offsets, neighbours = loops.adjacency(local[corners], len(vertices))
    return Hull(vertices, faces, offsets, neighbours)


def _bounded(points: Reals, most: int, first: str) -> Any:
    """Qhull's result for points, with at most this many vertices and four, in bounded time.

    Qhull's time for flat sides grows with the cube of their number of corners. Therefore it is first limited
    to a number of vertices, which changes nothing if there are fewer, and then continued only if there are no
    such sides.
    """
    from scipy.spatial import ConvexHull, QhullError

    stop = STAGE
    while True:
        last = min(most, len(points)) <= stop
        options = "Qt" if last and most >= len(points) else f"Qt {first}TA{min(most, stop)}"
        try:
            made = ConvexHull(points, qhull_options=options)
        except QhullError:
            raise GeometryError("has no convex hull: its vertices lie in a plane, or almost") from None
        if last or len(made.vertices) < 0.95 * stop:
            return made
        if _effort(made.equations) > MAX_EFFORT:
            raise GeometryError(
                "has a convex hull with flat faces of thousands of vertices, which takes too long",
                "reduce the mesh, or give maxhullvert",
            )
        stop *= 2


def _effort(planes: Reals) -> int:
    """The sum of the squared numbers of corners of flat sides; triangles do not count."""
    starts = np.flatnonzero(np.concatenate([[True], (planes[1:] != planes[:-1]).any(axis=1), [True]]))
    triangles = np.diff(starts).astype(np.int64)
    return int(((triangles[triangles > 1] + 2) ** 2).sum())
