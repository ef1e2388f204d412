"""Meshes that the tests write to files: (vertices, faces), faces counterclockwise seen from outside."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

Solid = tuple[NDArray[np.float32], NDArray[np.int32]]


def tetrahedron() -> Solid:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    return vertices, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)


def box(x: float = 1.0, y: float = 0.7, z: float = 0.4) -> Solid:
    corners = np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)], dtype=np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], dtype=np.int32)


def cloud(count: int = 40, seed: int = 0) -> Solid:
    """Random points on a convex hull, and a few points inside."""
    points = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    points *= np.array([1, 0.6, 0.3], dtype=np.float32)
    hull = ConvexHull(points.astype(np.float64))
    faces = hull.simplices.astype(np.int32)
    a, b, c = (points[faces[:, k]].astype(np.float64) for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return points, faces


def torus(around: int = 24, across: int = 12, saddle: float = 0.3) -> Solid:
    """Neither convex nor symmetric."""
    u = np.arange(around)[:, None] * 2 * np.pi / around
    v = np.arange(across)[None, :] * 2 * np.pi / across
    radius = 1 + (0.3 + 0.1 * np.cos(u)) * np.cos(v)
    z = (0.3 + 0.1 * np.cos(u)) * np.sin(v) + saddle * np.sin(u)
    points = np.stack([radius * np.cos(u), radius * np.sin(u), z], axis=-1).reshape(-1, 3)
    row, column = (grid.ravel() for grid in np.meshgrid(range(around), range(across), indexing="ij"))
    at = [(row + i) % around * across + (column + j) % across for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    faces = np.concatenate([np.stack([at[0], at[1], at[2]], 1), np.stack([at[0], at[2], at[3]], 1)])
    return points.astype(np.float32), faces.astype(np.int32)


def small() -> Solid:
    """Size in millimetres: faces whose normals are too short to be used."""
    vertices, faces = torus()
    return vertices * np.float32(2e-3) + np.float32(0.01), faces


def sheet() -> Solid:
    """Both sides of a surface: zero volume, and normals that cancel."""
    vertices, faces = torus(8, 6)
    return vertices, np.concatenate([faces, faces[:, ::-1]])


SOLIDS: dict[str, Callable[[], Solid]] = {
    function.__name__: function for function in (tetrahedron, box, cloud, torus, small)
}


def stl(vertices: NDArray[np.float32], faces: NDArray[np.int32]) -> bytes:
    """A binary STL file."""
    head = b"\0" * 80 + struct.pack("<I", len(faces))
    record = np.zeros(len(faces), dtype=np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    record["v"] = vertices[faces]
    return head + record.tobytes()


def obj(vertices: NDArray[np.float32], faces: NDArray[np.int32]) -> bytes:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.astype(float).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    return "\n".join(lines).encode()


def msh(
    vertices: NDArray[np.float32],
    faces: NDArray[np.int32],
    normals: NDArray[np.float32] | None = None,
    texcoords: NDArray[np.float32] | None = None,
) -> bytes:
    """MuJoCo's own format."""
    normals = np.empty((0, 3)) if normals is None else normals
    texcoords = np.empty((0, 2)) if texcoords is None else texcoords
    head = struct.pack("<4i", len(vertices), len(normals), len(texcoords), len(faces))
    numbers = b"".join(part.astype("<f4").tobytes() for part in (vertices, normals, texcoords))
    return head + numbers + faces.astype("<i4").tobytes()


WRITERS = {"stl": stl, "obj": obj, "msh": msh}


def text(values: object) -> str:
    """Numbers for an attribute of XML, exactly."""
    return " ".join(repr(value) for value in np.asarray(values, dtype=np.float64).ravel().tolist())
