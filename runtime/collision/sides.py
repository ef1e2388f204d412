"""The flat sides of convex hulls as MuJoCo 4.0 finds them, for contacts of faces.

Triangles whose normals are in the same cell of a grid of two angles are one side, or several if they are not
connected. MuJoCo keeps the cells in a hash table of libc++, whose order is the order of the sides; it decides
which of several faces at a vertex, or edges from it, is tried first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, ceil, pi
from struct import pack, unpack
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.rotations.arrays import matrix

Rows = NDArray[Any]
Edge = tuple[int, int]

CELL = 0.01
"""Width of a cell, rad."""
EXACT = 1e-6
"""Components of normals below this are zero in the vertices of the file: single precision is less exact."""
MOST = 512
"""MOST_SIDES of ccd_faces.h: if a side has more corners, or a vertex more sides, there is one contact."""


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The sides of a mesh, as the record of that name has them; empty if there are none."""

    normal: Rows
    start: Rows
    vert: Rows
    map_start: Rows
    map: Rows


class _Order:
    """The order of keys in std::unordered_map of libc++, whose nodes are in one list, by buckets."""

    def __init__(self) -> None:
        self.hashes: list[int] = []
        self.following: dict[int, int] = {-1: -1}
        self.buckets = 0
        self.before: dict[int, int] = {}

    def bucket(self, node: int) -> int:
        value, count = self.hashes[node], self.buckets
        return value % count if count & count - 1 else value & count - 1

    def add(self, value: int) -> None:
        """Insert a node with this hash."""
        node = len(self.hashes)
        self.hashes.append(value)
        if node + 1 > self.buckets:
            count = self.buckets
            self._resize(max(2 * count + (count <= 2 or bool(count & count - 1)), node + 1))
        place, first = self.bucket(node), self.before.get(self.bucket(node))
        before = -1 if first is None else first
        self.following[node], self.following[before] = self.following[before], node
        if first is None:
            self.before[place] = -1
            if self.following[node] >= 0:
                self.before[self.bucket(self.following[node])] = node

    def _resize(self, count: int) -> None:
        self.buckets = 2 if count <= 2 else _prime(count) if count & count - 1 else count
        self.before = {}
        last, last_bucket = -1, -1
        while (node := self.following[last]) >= 0:
            place = self.bucket(node)
            if place == last_bucket:
                last = node
            elif place not in self.before:
                self.before[place] = last
                last, last_bucket = node, place
            else:
                first = self.before[place]
                self.following[last] = self.following[node]
                self.following[node] = self.following[first]
                self.following[first] = node

    def nodes(self) -> list[int]:
        found, node = [], self.following[-1]
        while node >= 0:
            found.append(node)
            node = self.following[node]
        return found


def _prime(least: int) -> int:
    """The first prime that is not less."""
    while any(least % k == 0 for k in range(2, ceil(least**0.5) + 1)):
        least += 1
    return least


def _bits(number: float) -> int:
    return int(unpack("<Q", pack("<d", number))[0]) if number else 0


def _hash(one: float, other: float) -> int:
    """MuJoCo's hash of a pair of numbers."""
    first = _bits(one)
    return first ^ (_bits(other) + 0x9E3779B9 + (first << 6) + (first >> 2) & (1 << 64) - 1)


class _Cell:
    """Triangles with about the same normal: their outer edges, in order, and for each the number of its
    island of connected triangles.
    """

    def __init__(self, triangle: Sequence[int]) -> None:
        a, b, c = triangle
        self.edges: list[Edge] = [(a, b), (b, c), (c, a)]
        self.islands = [0, 0, 0]
        self.count = 1

    def add(self, triangle: Sequence[int]) -> None:
        """Attach a triangle, or begin an island with it."""
        a, b, c = triangle
        island, added = -1, []
        for edge in ((a, b), (b, c), (c, a)):
            if edge[::-1] not in self.edges:
                added.append(edge)
                continue
            place = self.edges.index(edge[::-1])
            other = self.islands[place]
            if island == -1:
                island = other
            elif other != island:
                self.count -= 1
                island = self._join(island, other)
            del self.edges[place], self.islands[place]
        if island == -1:
            island = self.count
            self.count += 1
        self.edges += added
        self.islands += [island] * len(added)

    def _join(self, one: int, other: int) -> int:
        kept, gone = min(one, other), max(one, other)
        self.islands = [kept if k == gone else k - (k > gone) for k in self.islands]
        return kept

    def outlines(self) -> list[list[int]]:
        """The corners of each side."""
        if len(self.edges) == 3:
            return [[edge[0] for edge in self.edges]]
        found = []
        for island in range(self.count):
            own = [(k, edge) for k, edge in enumerate(self.edges) if self.islands[k] == island]
            if not own:
                continue
            path = list(own[0][1])
            for _ in self.edges:
                following = [edge[1] for k, edge in own if k and edge[0] == path[-1]]
                if not following:
                    break
                if following[0] == path[0]:
                    found.append(path)
                    break
                path.append(following[0])
        return [path for path in found if len(path) > 2]


def _keys(points: Rows, faces: Rows) -> list[tuple[float, float] | None]:
    """The cell of each triangle: multiples of CELL of the azimuth and the polar angle of its normal; None if
    it has none.
    """
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        normals = normals / lengths[:, None]
    normals[np.abs(normals) < EXACT] = 0.0
    found: list[tuple[float, float] | None] = []
    for (x, y, z), length in zip(normals.tolist(), lengths.tolist(), strict=True):
        if not length >= 1e-15:
            found.append(None)
        elif abs(z) > 1.0 - 1e-7:
            found.append((0.0, _rounded(pi / CELL) if z < 0 else 0.0))
        else:
            found.append((_rounded(atan2(y, x) / CELL), _rounded(np.arccos(z) / CELL)))
    return found


def _rounded(x: float) -> float:
    """Rounded half away from zero, as in C."""
    return float(np.copysign(np.floor(abs(x) + 0.5), x)) + 0.0


def _outlines(points: Rows, faces: Rows) -> list[list[int]]:
    cells: dict[tuple[float, float], _Cell] = {}
    order = _Order()
    for triangle, key in zip(faces.tolist(), _keys(points, faces), strict=True):
        if key is None:
            continue
        if key in cells:
            cells[key].add(triangle)
        else:
            cells[key] = _Cell(triangle)
            order.add(_hash(*key))
    made = list(cells.values())
    return [path for node in order.nodes() for path in made[node].outlines()]


def sides_of_mesh(vertices: Rows, graph: Rows, pos: Rows, quat: Rows, scale: Rows) -> Sides:
    """The sides of a mesh.

    Args:
        vertices: (n, 3), as mesh_vert.
        graph: of its hull, as mesh_graph.
        pos, quat, scale: the translation, rotation and scale that took the vertices of the file to these: the
            grid of angles is that of the file.
    """
    n, m = int(graph[0]), int(graph[1])
    faces = graph[2 + 3 * n + 3 * m :][: 3 * m].reshape(m, 3)
    points = vertices.astype(np.float64)
    file = (points @ np.asarray(matrix(quat)).T + pos) / np.where(scale == 0, 1.0, scale)
    outlines = _outlines(file, faces)
    corners = [len(path) for path in outlines]
    verts = np.array([v for path in outlines for v in path], np.int32)
    owners = np.repeat(np.arange(len(outlines), dtype=np.int32), corners)
    order = np.argsort(verts, kind="stable")
    degree = np.bincount(verts, minlength=len(vertices))
    if max(corners, default=0) > MOST or degree.max(initial=0) > MOST:
        outlines, corners, verts, order, degree = [], [], verts[:0], order[:0], degree * 0
    starts = np.concatenate([[0], np.cumsum(corners)]).astype(np.int32)
    normal = _areas(points, verts, starts)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return Sides(
        np.divide(normal, length, out=np.tile([1.0, 0.0, 0.0], (len(outlines), 1)), where=length >= 1e-15),
        starts,
        verts,
        np.concatenate([[0], np.cumsum(degree)]).astype(np.int32),
        owners[order],
    )


def _areas(points: Rows, verts: Rows, starts: Rows) -> Rows:
    """Twice the vector areas of outlines, which are given as in Sides (Newell's method)."""
    following = np.arange(1, len(verts) + 1)
    following[starts[1:] - 1] = starts[:-1]
    first = np.repeat(starts[:-1], np.diff(starts))
    corner, origin = points[verts], points[verts[first]]
    if not len(verts):
        return np.zeros((0, 3))
    return np.asarray(np.add.reduceat(np.cross(corner - origin, corner[following] - origin), starts[:-1]))


def seeds(corners: Rows) -> Rows:
    """Of the vertices of a hull's graph, (n, 3) in single precision, the first one that is farthest along
    each of the directions (x, y, z) of -1, 0 and 1, x slowest.
    """
    steps = np.arange(-1, 2, dtype=np.float32)
    x, y, z = np.meshgrid(steps, steps, steps, indexing="ij")
    v = corners.astype(np.float32)
    far = v[:, 0, None] * x.ravel() + v[:, 1, None] * y.ravel() + v[:, 2, None] * z.ravel()
    return np.asarray(np.argmax(far, axis=0), np.int32)
