"""The flat faces of convex hulls, as MuJoCo 4.0 merges them from triangles.

Triangles are merged if their normals have the same polar and azimuthal angle, rounded to 0.01 rad, in the
axes of the mesh as its file gives it, and if they have edges in common.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.model.model import Model
from polybody.rotations.arrays import matrix

Rows = NDArray[Any]
ROUNDED = 0.01
"""Angles of normals are rounded to multiples of this, rad."""
UPRIGHT = 1e-7
"""A normal whose z is within this of 1 or -1 has no azimuth."""
NOISE = 5e-7
"""Precision of vertices, as a part of the greatest coordinate: they are of float32. Components of a normal
that may be noise are zero.
"""
TINY = 1e-15
WORD = (1 << 64) - 1
START, END = -1, -2
Angles = tuple[float, float]
CUBE = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)], np.float32)
"""The directions from the middle of a cube to its faces, edges and corners; the 14th is none."""


class Polygons(NamedTuple):
    """The faces of one hull. Numbers of vertices are rows of its mesh's vertices."""

    normal: Rows
    """(n, 3): outward, in the axes of the mesh."""
    polygon: Rows
    """int32: of each polygon, and after the last, where its vertices begin in this array; then the vertices,
    counterclockwise.
    """
    meeting: Rows
    """int32: of each vertex, and after the last, where its polygons begin in this array; then these."""
    extreme: Rows
    """(27,), int32: for each direction of CUBE the vertex of the hull's graph that is farthest along it."""


def mesh_polygons(model: Model) -> dict[int, Polygons]:
    """The polygons of the meshes that have a hull, by the start of its graph."""
    return model.once("mesh polygons", lambda: _mesh_polygons(model))


def _mesh_polygons(model: Model) -> dict[int, Polygons]:
    found = {}
    for mesh in np.flatnonzero(model.mesh_graphadr >= 0).tolist():
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        graph = model.mesh_graph[int(model.mesh_graphadr[mesh]) :]
        turn = matrix(np.asarray(model.mesh_quat[mesh]))
        vertices = np.asarray(model.mesh_vert[first : first + count], np.float32)
        found[int(model.mesh_graphadr[mesh])] = polygons(vertices, graph, turn)
    return found


def polygons(vertices: Rows, graph: Rows, turn: Rows) -> Polygons:
    """The polygons of a hull.

    Args:
        vertices: (n, 3), float32, m.
        graph: of the hull, as mesh_graph.
        turn: (3, 3), from the axes of the vertices to those of the mesh's file.
    """
    number, triangles = int(graph[0]), int(graph[1])
    start = 2 + 3 * number + 3 * triangles
    faces = np.asarray(graph[start : start + 3 * triangles], np.int64).reshape(-1, 3)
    points = vertices.astype(np.float64)
    rings = list(_rings(faces, points @ turn.T))
    normals = np.array([_normal(points[ring[:3]]) for ring in rings]).reshape(-1, 3)
    owners: list[list[int]] = [[] for _ in range(len(vertices))]
    for polygon, ring in enumerate(rings):
        for vertex in ring:
            owners[vertex].append(polygon)
    corners = vertices[graph[2 + number : 2 + 2 * number]]
    along = (corners[:, :1] * CUBE[:, 0] + corners[:, 1:2] * CUBE[:, 1]) + corners[:, 2:] * CUBE[:, 2]
    return Polygons(normals, _lists(rings), _lists(owners), along.argmax(axis=0).astype(np.int32))


def _rings(faces: Rows, points: Rows) -> Iterator[list[int]]:
    """The vertices around each polygon."""
    groups: dict[Angles, dict[tuple[int, int], int]] = {}
    for face, key in zip(faces.tolist(), _angles(points, faces), strict=True):
        if key is not None:
            _join(groups.setdefault(key, {}), face)
    for key in hash_order(list(groups)):
        yield from _around(groups[key])


def _angles(points: Rows, faces: Rows) -> Iterator[Angles | None]:
    """The rounded azimuth and polar angle of each triangle's normal; None of one without area."""
    one, other = points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]
    normal = np.cross(one, other)
    length = np.sqrt((normal**2).sum(axis=1))
    noise = NOISE * np.abs(points).max(initial=0.0) * np.maximum(np.abs(one), np.abs(other)).max(axis=1)
    normal = np.where(np.abs(normal) < noise[:, None], 0.0, normal / np.maximum(length, TINY)[:, None])
    x, y, z = normal.T
    upright = np.abs(z) > 1.0 - UPRIGHT
    azimuth = np.where(upright, 0.0, np.round(np.arctan2(y, x) / ROUNDED)) + 0.0
    polar = np.round(np.where(upright, np.pi * (z < 0), np.arccos(np.clip(z, -1.0, 1.0))) / ROUNDED) + 0.0
    for area, *key in zip(length.tolist(), azimuth.tolist(), polar.tolist(), strict=True):
        yield (key[0], key[1]) if area >= TINY else None


def hash_order(keys: list[Angles]) -> list[Angles]:
    """Distinct keys in the order in which a hash table of LLVM's C++ library has them after they are put in.
    Of polygons that face a plane equally, MuJoCo takes the first.
    """
    hashes, buckets, after, before = [_hash(key) for key in keys], 0, {START: END}, dict[int, int]()
    for node, code in enumerate(hashes):
        if node + 1 > buckets:
            buckets = _next_prime(2 * buckets + 1)
            order = _grouped(_followed(after), hashes, buckets)
            after, before = dict(zip([START, *order], [*order, END], strict=True)), {}
            for previous, other in after.items():
                if other != END:
                    before.setdefault(hashes[other] % buckets, previous)
        previous = before.setdefault(code % buckets, START)
        after[node], after[previous] = after[previous], node
        if previous == START and after[node] != END:
            before[hashes[after[node]] % buckets] = node
            before[code % buckets] = START
    return [keys[node] for node in _followed(after)]


def _followed(after: dict[int, int]) -> list[int]:
    found, node = [], after[START]
    while node != END:
        found.append(node)
        node = after[node]
    return found


def _grouped(order: list[int], hashes: list[int], buckets: int) -> list[int]:
    """The order after the number of buckets has changed. Nodes of a bucket are together where its first was;
    later ones that did not follow it come before it.
    """
    found: dict[int, list[int]] = {}
    last = END
    for node in order:
        bucket = hashes[node] % buckets
        if bucket in found and bucket != last:
            found[bucket].insert(0, node)
        else:
            found.setdefault(bucket, []).append(node)
            last = bucket
    return [node for group in found.values() for node in group]


def _hash(key: Angles) -> int:
    """The bits of both numbers, combined as by Boost's hash_combine."""
    first, second = struct.unpack("2Q", struct.pack("2d", *key))
    combined: int = (first ^ (second + 0x9E3779B9 + (first << 6 & WORD) + (first >> 2))) & WORD
    return combined


def _next_prime(least: int) -> int:
    return next(n for n in range(max(least, 2), 2 * least + 3) if all(n % k for k in range(2, isqrt(n) + 1)))


def _join(edges: dict[tuple[int, int], int], face: list[int]) -> None:
    """Add a triangle to a group, whose outlines are directed edges with the numbers of their polygons. An
    edge that two triangles have in opposite directions is inside.
    """
    joined, kept = [], []
    for a, b in ((face[0], face[1]), (face[1], face[2]), (face[2], face[0])):
        if (b, a) in edges:
            joined.append(edges.pop((b, a)))
        else:
            kept.append((a, b))
    own = min(joined) if joined else max(edges.values(), default=-1) + 1
    for edge in [edge for edge, polygon in edges.items() if polygon in joined]:
        edges[edge] = own
    edges.update(dict.fromkeys(kept, own))


def _around(edges: dict[tuple[int, int], int]) -> Iterator[list[int]]:
    """The vertices along the outlines of a group, from the first edge of each; three edges are in their own
    order.
    """
    if len(edges) == 3:
        yield [a for a, _ in edges]
        return
    after: dict[tuple[int, int], int] = {}
    for (a, b), polygon in list(edges.items())[1:]:
        after.setdefault((polygon, a), b)
    for polygon in sorted(set(edges.values())):
        ring = list(next(edge for edge, owner in edges.items() if owner == polygon))
        for _ in edges:
            vertex = after.get((polygon, ring[-1]))
            if vertex is None or vertex == ring[0]:
                break
            ring.append(vertex)
        if vertex == ring[0] and len(ring) > 2:
            yield ring


def _normal(corners: Rows) -> Rows:
    """The normal of a triangle; (1, 0, 0) if it has no area."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    length = np.sqrt(normal @ normal)
    return normal / length if length >= TINY else np.array([1.0, 0.0, 0.0])


def _lists(parts: list[list[int]]) -> Rows:
    """Lists in one array: where each begins, where the last one ends, then all of them."""
    starts = len(parts) + 1 + np.cumsum([0, *map(len, parts)])
    return np.array([*starts.tolist(), *(number for part in parts for number in part)], np.int32)
