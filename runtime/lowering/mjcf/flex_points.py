"""Points and elements of a `flexcomp`, by its type, numbered as in MuJoCo 3.2.7."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import cos, hypot, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.generated.formats.mjcf import FlexcompType
from polybody.lowering.mjcf.poses import EPS, MINVAL

Point = tuple[float, float, float]
Counts = tuple[int, int, int]
TRIANGLES = ((0, 1, 2), (0, 2, 3))
"""The triangles of a square whose corners are in cyclic order."""
TETRAHEDRA = ((0, 3, 1, 7), (0, 1, 4, 7), (1, 3, 2, 7), (1, 2, 6, 7), (1, 5, 4, 7), (1, 6, 5, 7))
"""The tetrahedra of a cube whose corners are in cyclic order, first the lower ones, then the upper ones."""
AROUND = ((0, 0), (1, 0), (1, 1), (0, 1))
"""The corners of a square, in cyclic order."""
FLIPPED = ((0, 1, 3), (1, 2, 3))
"""Triangles of a disc where the other ones would be folded."""


class Points(NamedTuple):
    """The points and elements of a flexcomp."""

    dimension: int
    points: NDArray[np.float64]
    """(n, 3), in its own frame, before scale and pose."""
    elements: NDArray[np.int32]
    """(m, dimension + 1)"""
    texcoords: tuple[float, ...] | None = None
    """Texture coordinates that come with the points."""


def _made(
    dimension: int,
    points: list[Point],
    elements: Sequence[tuple[int, ...]],
    texcoords: list[float] | None = None,
) -> Points:
    return Points(
        dimension,
        np.array(points, dtype=np.float64).reshape(-1, 3),
        np.array(elements, dtype=np.int32).reshape(-1, dimension + 1),
        None if texcoords is None else tuple(texcoords),
    )


def grid(kind: FlexcompType, dimension: int, count: Counts, spacing: Point) -> Points:
    """Points along one, two or three sides: a grid, a circle, a square or a disc."""
    if kind is FlexcompType.CIRCLE and dimension == 1:
        return _circle(count[0], spacing[0])
    nx, ny, nz = count
    if dimension == 1:
        line = [(spacing[0] * (x - 0.5 * (nx - 1)), 0.0, 0.0) for x in range(nx)]
        return _made(1, line, [(x, x + 1) for x in range(nx - 1)])
    if dimension == 2:
        return _plane(kind, count, spacing)
    lines = [d * (np.arange(n) - 0.5 * (n - 1)) for d, n in zip(spacing, count, strict=True)]
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    # The first corner of each cube, then all corners of each, and those of its tetrahedra.
    first = np.arange(nx * ny * nz, dtype=np.int32).reshape(count)[:-1, :-1, :-1].reshape(-1, 1)
    corners = np.array([nz * ny * a + nz * b + up for up in (0, 1) for a, b in AROUND], dtype=np.int32)
    elements = (first + corners[np.array(TETRAHEDRA).ravel()]).reshape(-1, 4)
    return Points(3, points, elements)


def _circle(count: int, spacing: float) -> Points:
    """A closed line with one point less than counted."""
    number = count - 1
    step = 2 * pi / number
    radius = spacing / sin(step / 2) / 2
    points = [(radius * cos(step * n), radius * sin(step * n), 0.0) for n in range(number)]
    return _made(1, points, [(n, (n + 1) % number) for n in range(number)])


def _plane(kind: FlexcompType, count: Counts, spacing: Point) -> Points:
    nx, ny, nz = count
    points: list[Point] = []
    elements: list[tuple[int, ...]] = []
    disc = kind is FlexcompType.DISC
    for i, j in product(range(nx), range(ny)):
        x, y = spacing[0] * (i - 0.5 * (nx - 1)), spacing[1] * (j - 0.5 * (ny - 1))
        points.append((x, y, 0.0))
        if i < nx - 1 and j < ny - 1:
            across = (x < -EPS and y > -EPS) or (x > -EPS and y < -EPS)
            square = [nz * ny * (i + a) + nz * (j + b) for a, b in AROUND]
            halves = FLIPPED if disc and across else TRIANGLES
            elements += [tuple(square[corner] for corner in corners) for corners in halves]
    if disc:
        size = (0.5 * spacing[0] * (nx - 1), 0.5 * spacing[1] * (ny - 1))
        points = [(*_rounded((x, y), size), 0.0) for x, y, _ in points]
    return _made(2, points, elements)


def _rounded(place: tuple[float, float], size: tuple[float, float]) -> tuple[float, float]:
    """Maps a point of a square to a disc: its distance from the centre becomes that in the maximum norm."""
    far, length = max(map(abs, place)), hypot(*place)
    if length * length < EPS:
        return (place[0] * size[0] * far, place[1] * size[1] * far)
    return (place[0] / length * size[0] * far, place[1] / length * size[1] * far)


class Surface:
    """The points on the surface of a box, and its centre, which is point 0."""

    def __init__(self, kind: FlexcompType, count: Counts, spacing: Point) -> None:
        self.kind, self.count = kind, count
        x, y, z = (0.5 * d * (n - 1) for d, n in zip(spacing, count, strict=True))
        self.size = (x, y, z)

    def number(self, x: int, y: int, z: int) -> int:
        """The index of the point at a grid position: faces normal to z first, then y, then x."""
        nx, ny, nz = self.count
        inner = nz - 2
        if z in (0, nz - 1):
            return (nx * ny if z else 0) + x * ny + y + 1
        start = 2 * nx * ny
        if y in (0, ny - 1):
            return start + (nx * inner if y else 0) + x * inner + z
        start += 2 * nx * inner
        return start + ((ny - 2) * inner if x else 0) + (y - 1) * inner + z

    def place(self, *where: int) -> Point:
        """The position of the point at a grid position."""
        x, y, z = (2.0 * i / (n - 1) - 1 for i, n in zip(where, self.count, strict=True))
        a, b, c = self.size
        if self.kind is FlexcompType.CYLINDER:
            x, y = _rounded((x, y), (1.0, 1.0))
        elif self.kind is FlexcompType.ELLIPSOID:
            length = sqrt(x * x + y * y + z * z)
            if length * length >= EPS:
                x, y, z = x / length, y / length, z / length
        return (x * a, y * b, z * c)


def at(axes: tuple[int, int, int], place: tuple[int, int, int]) -> tuple[int, int, int]:
    """A grid position given along axes in another order."""
    found = dict(zip(axes, place, strict=True))
    return (found[0], found[1], found[2])


def box(kind: FlexcompType, count: Counts, spacing: Point, textured: bool) -> Points:
    """Tetrahedra from a centre to the faces of a box, cylinder or ellipsoid.

    Args:
        kind: the shape.
        count: number of points along each side.
        spacing: their distances along each side.
        textured: whether points have texture coordinates.
    """
    whole = Surface(kind, count, spacing)
    points, elements, texcoords = [(0.0, 0.0, 0.0)], [], [0.0, 0.0]
    for normal, one, other in ((2, 0, 1), (1, 0, 2), (0, 1, 2)):
        for level in (0, count[normal] - 1):
            for i, j in product(range(count[one]), range(count[other])):
                place = at((normal, one, other), (level, i, j))
                inside = all(0 < place[axis] < count[axis] - 1 for axis in range(normal + 1, 3))
                if inside:
                    points.append(whole.place(*place))
                    texcoords += [i / max(count[one] - 1, 1), j / max(count[other] - 1, 1)]
                if i < count[one] - 1 and j < count[other] - 1:
                    ends = [
                        whole.number(*at((normal, one, other), (level, i + a, j + b))) for a, b in AROUND
                    ]
                    elements += [(0, ends[0], ends[1], ends[2]), (0, ends[0], ends[3], ends[2])]
    return _made(3, points, elements, texcoords if textured else None)


def merged(vertices: Any, faces: Any) -> tuple[Any, Any]:
    """A mesh without duplicate vertices."""
    _, first, which = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return vertices[first[order]], rank[which.reshape(-1)][faces]


def of_mesh(vertices: Any, faces: Any, dimension: int, origin: Point) -> Points:
    """The faces of a mesh or, for dimension 3, the tetrahedra from a point to them that have a volume.

    Args:
        vertices: (n, 3).
        faces: (m, 3).
        dimension: 2 or 3.
        origin: the point.
    """
    points = vertices.astype(np.float64)
    if dimension == 2:
        return Points(2, points, faces.astype(np.int32))
    centre = np.array(origin, dtype=np.float64)
    a, b, c = np.moveaxis(points[faces] - centre, 1, 0)
    thick = np.einsum("ni,ni->n", np.cross(a, b), c) >= MINVAL
    corners = faces[thick] + 1
    elements = np.concatenate([np.zeros((len(corners), 1), dtype=np.int32), corners], axis=1)
    return Points(3, np.concatenate([centre[None], points]), elements.astype(np.int32))
