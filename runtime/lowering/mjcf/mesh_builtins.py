"""Meshes that are made from parameters: `builtin` and `params` of `mesh`, with MuJoCo's vertices.

Those that enclose a volume and have no faces here get the faces of their convex hull.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import copysign, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody import geometry
from polybody.generated.formats.mjcf import FlexcompType
from polybody.geometry import GeometryError, RawMesh
from polybody.geometry.cache import STORE
from polybody.lowering.mjcf import flex_points

Reals = NDArray[np.float64]
Params = tuple[float, ...]
Counts = tuple[int, int, int]

LARGEST = 1_000_000
"""Maximum number of vertices: some seconds."""
GOLDEN = np.float32((1.0 + sqrt(5.0)) / 2.0)
ICOSAHEDRON = (
    *((0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2)),
    *((10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11)),
    *((6, 2, 10), (8, 6, 7), (9, 8, 1)),
)
"""Its faces."""
EQUATOR = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))
FRONT, BACK, BELOW = ((0, 1, 2), (0, 2, 3)), ((1, 0, 3), (1, 3, 2)), ((0, 2, 1), (0, 3, 2))
"""Triangles of a square whose corners are in cyclic order, by the side that is outside."""


class Builtin(NamedTuple):
    """A kind of mesh."""

    make: Callable[[Params], RawMesh]
    fewest: int
    """Number of parameters."""
    most: int


def builtin_mesh(kind: str, params: Params) -> RawMesh:
    """The mesh of a kind.

    Raises:
        GeometryError: there is no such mesh.
    """
    row = BUILTINS[kind]
    if not row.fewest <= len(params) <= row.most:
        many = f"{row.fewest}" if row.fewest == row.most else f"{row.fewest} or {row.most}"
        raise GeometryError(f"is a {kind} of {len(params)} numbers in `params`; it needs {many}")
    return STORE.get(("builtin", kind, params), lambda: row.make(params))


def is_surface(kind: str, params: Params) -> bool:
    """Whether a mesh has no volume, so that its inertia is that of a shell."""
    return kind in ("square", "disc") or (kind in SOLIDS and len(params) > 6 and params[6] < 3)


def _whole(kind: str, what: str, value: float, least: int, most: int | None = None) -> int:
    """A parameter as an integer, truncated as in MuJoCo."""
    if not value >= least or (most is not None and value >= most + 1):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise GeometryError(f"is a {kind} whose {what} is {value:g}; it must be {bounds}")
    _count(value)
    return int(value)


def _count(number: float) -> None:
    """Refuse a mesh of too many vertices."""
    if number > LARGEST:
        raise GeometryError(f"needs {number:.3g} vertices; the limit of meshes from parameters is {LARGEST}")


def _check(kind: str, what: str, value: float, fits: bool, bounds: str) -> None:
    if not fits:
        raise GeometryError(f"is a {kind} whose {what} is {value:g}; it must be {bounds}")


def _sphere(params: Params) -> RawMesh:
    """An icosahedron whose faces are divided repeatedly; in 32 bits."""
    times = _whole("sphere", "subdivision", params[0], 0, 4)
    one, none, phi = np.float32(1), np.float32(0), GOLDEN
    points = [(-one, phi, none), (one, phi, none), (-one, -phi, none), (one, -phi, none)]
    points += [(none, -one, phi), (none, one, phi), (none, -one, -phi), (none, one, -phi)]
    points += [(phi, none, -one), (phi, none, one), (-phi, none, -one), (-phi, none, one)]
    norm = sqrt(1.0 + float(phi * phi))
    found = [tuple(np.float32(float(x) / norm) for x in point) for point in points]
    faces: list[tuple[int, ...]] = list(ICOSAHEDRON)
    for _ in range(times):
        middles: dict[tuple[int, int], int] = {}

        def middle(a: int, b: int, known: dict[tuple[int, int], int] = middles) -> int:
            key = (min(a, b), max(a, b))
            if key not in known:
                x, y, z = ((p + q) / np.float32(2) for p, q in zip(found[a], found[b], strict=True))
                length = np.sqrt(x * x + y * y + z * z)
                known[key] = len(found)
                found.append((x / length, y / length, z / length))
            return known[key]

        divided: list[tuple[int, ...]] = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            divided += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = divided
    return geometry.raw_mesh(np.array(found), faces)


def _hemisphere(params: Params) -> RawMesh:
    """Rows of points from the pole to the equator, and the centre of the flat side."""
    last = _whole("hemisphere", "resolution", params[0], 0, 10)
    points = [(0.0, 0.0, 1.0)]
    for row, side in product(range(last + 1), range(4)):
        factor = (row + 1) / (last + 1)
        start, end = (
            [up + factor * (x - up) for up, x in zip((0, 0, 1), EQUATOR[(side + k) % 4], strict=True)]
            for k in (0, 1)
        )
        delta = [(b - a) / (row + 1) for a, b in zip(start, end, strict=True)]
        for i in range(row + 1):
            x, y, z = (a + i * d for a, d in zip(start, delta, strict=True))
            norm = sqrt(x * x + y * y + z * z)
            points.append((x / norm, y / norm, z / norm))
    faces: list[tuple[int, ...]] = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)]
    for row, side in product(range(last), range(4)):
        here, there = 2 * row * (row + 1) + 1, 2 * (row + 1) * (row + 2) + 1
        count, next_count = 4 * (row + 1), 4 * (row + 2)
        for i in range(row + 2):
            one, other = i + (row + 1) * side, i + (row + 2) * side
            a, b = here + one % count, there + (other + 1) % next_count
            faces.append((a, there + other % next_count, b))
            if i < row + 1:
                faces.append((a, b, here + (one + 1) % count))
    start_row, count = 2 * last * (last + 1) + 1, 4 * (last + 1)
    faces += [(start_row + i, len(points), start_row + (i + 1) % count) for i in range(count)]
    return geometry.raw_mesh([*points, (0.0, 0.0, 0.0)], faces)


def _cone(params: Params) -> RawMesh:
    """The corners of a regular polygon and of a smaller one above it, or a tip."""
    count, radius = _whole("cone", "number of vertices", params[0], 3), params[1]
    _check("cone", "radius", radius, 0 <= radius <= 1, "from 0 to 1")
    around = [(cos(2 * i * pi / count), sin(2 * i * pi / count)) for i in range(2 * count)]
    points = [(x, y, -1.0) for x, y in around[:count]]
    points += [(radius * x, radius * y, 1.0) for x, y in around[count:]] if radius > 0 else [(0.0, 0.0, 1.0)]
    return geometry.raw_mesh(points)


def _powers(function: Callable[[float], float], angles: Sequence[float], exponent: float) -> Reals:
    """Powers of sines or cosines that keep the sign."""
    values = [function(angle) for angle in angles]
    return np.array([copysign(abs(value) ** exponent, value) for value in values])


def _supersphere(params: Params) -> RawMesh:
    """https://en.wikipedia.org/wiki/Superellipsoid"""
    count = _whole("supersphere", "resolution", params[0], 3)
    _count(count * count)
    east, north = params[1:]
    for what, value in (("east-west exponent", east), ("north-south exponent", north)):
        _check("supersphere", what, value, value >= 0, "at least 0")
    up = [-pi / 2 + i * pi / count for i in range(1, count)]
    around = [-pi + j * 2 * pi / count for j in range(count)]
    flat, high = _powers(cos, up, north)[:, None], _powers(sin, up, north)[:, None]
    x, y = flat * _powers(cos, around, east), flat * _powers(sin, around, east)
    rings = np.stack([x, y, np.broadcast_to(high, x.shape)], axis=-1).reshape(-1, 3)
    points = np.concatenate([[[0, 0, -1]], rings, [[0, 0, 1]]])
    j = np.arange(count)
    k, top = (j + 1) % count, len(points) - 1
    faces = [np.stack([np.zeros_like(j), 1 + k, 1 + j], axis=1)]
    for i in range(count - 2):
        a, b, c, d = (1 + (i + up) * count + n for up, n in ((0, j), (0, k), (1, k), (1, j)))
        faces.append(np.stack([a, b, d, b, c, d], axis=1).reshape(-1, 3))
    start = 1 + (count - 2) * count
    faces.append(np.stack([start + j, start + k, np.full_like(j, top)], axis=1))
    return geometry.raw_mesh(points, np.concatenate(faces))


def _supertorus(params: Params) -> RawMesh:
    """https://en.wikipedia.org/wiki/Supertoroid"""
    count = _whole("supertorus", "resolution", params[0], 3)
    _count(count * count)
    radius, minor, major = params[1:]
    _check("supertorus", "radius", radius, 0 < radius <= 1, "above 0, up to 1")
    for what, value in (("minor exponent", minor), ("major exponent", major)):
        _check("supertorus", what, value, value > 0, "positive")
    angles = [2 * pi * i / count for i in range(count)]
    across = 1 + radius * _powers(cos, angles, minor)
    x, y = (across * _powers(function, angles, major)[:, None] for function in (cos, sin))
    z = np.broadcast_to(radius * _powers(sin, angles, minor), x.shape)
    i, j = np.divmod(np.arange(count * count), count)
    a, b, c, d = (
        (i + p) % count * count + (j + q) % count for p, q in ((0, 0), (1, 0), (1, 1), (0, 1))
    )
    faces = np.stack([a, b, d, b, c, d], axis=1).reshape(-1, 3)
    return geometry.raw_mesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), faces)


def _edges(number: int, scale: float, gamma: float) -> Reals:
    """Boundaries of bins from -1 to 1, denser towards 0 with gamma, scaled."""
    found, at, step = [], -1.0, 2.0 / number
    for _ in range(number + 1):
        found.append((gamma * at**5 + (1 - gamma) * at if gamma else at) * scale)
        at += step
    return np.array(found)


def _wedge(params: Params) -> RawMesh:
    """Points of a unit sphere in front, with three normals each: outwards and two tangents."""
    rows, columns = (_whole("wedge", "resolution", value, 1) for value in params[:2])
    _count(rows * columns)
    width, height, gamma = params[2:]
    _check("wedge", "horizontal field of view", width, 0 < width <= 180, "above 0, up to 180")
    _check("wedge", "vertical field of view", height, 0 < height <= 90, "above 0, up to 90")
    _check("wedge", "gamma", gamma, 0 <= gamma <= 1, "from 0 to 1")
    xs, ys = _edges(rows, width * pi / 180, gamma), _edges(columns, height * pi / 180, gamma)
    points, normals = [], []
    for i, j in product(range(rows), range(columns)):
        a, e = 0.5 * (xs[i + 1] + xs[i]), 0.5 * (ys[j + 1] + ys[j])
        points.append((cos(e) * sin(a), sin(e), -cos(e) * cos(a)))
        one = np.array([cos(e) * cos(a), 0, cos(e) * sin(a)])
        other = np.array([-sin(e) * sin(a), cos(e), sin(e) * cos(a)])
        one, other = (each / (np.linalg.norm(each) or 1.0) for each in (one, other))
        normals += [np.cross(other, one), one, other]
    return geometry.raw_mesh(points, normals=np.array(normals))


def _plate(params: Params) -> RawMesh:
    """The middles of a grid's cells, with three normals each: the axes."""
    rows, columns = (_whole("plate", "resolution", value, 1) for value in params)
    _count(rows * columns)
    x, y = (-1 + (np.arange(number) + 0.5) * (2.0 / number) for number in (rows, columns))
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), np.full((rows, columns), -1.0)], axis=-1)
    first = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)[:-1, :-1].ravel()
    a, b, c, d = first, first + columns, first + 1, first + columns + 1
    faces = np.stack([a, b, c, d, c, b], axis=1).reshape(-1, 3)
    normals = np.tile(np.eye(3), (rows * columns, 1))
    return geometry.raw_mesh(points.reshape(-1, 3), faces, normals, face_normals=3 * faces)


# --- of the shapes of `flexcomp` --------------------------------------------------------------------------


def _counts(kind: str, params: Params, least: Counts) -> tuple[Counts, tuple[float, float, float]]:
    x, y, z = (_whole(kind, "count", value, low) for value, low in zip(params[:3], least, strict=True))
    _count(x * y * z)
    return (x, y, z), (params[3], params[4], params[5])


def _sheet(kind: str) -> Callable[[Params], RawMesh]:
    def make(params: Params) -> RawMesh:
        count, spacing = _counts(kind, params, (1, 1, 1))
        if count[2] != 1:
            raise GeometryError(f"is a {kind} whose third count is {count[2]}; it must be 1")
        return _raw(flex_points.grid(FlexcompType(kind), 2, count, spacing))

    return make


def _grid(params: Params) -> RawMesh:
    dimension = _whole("grid", "dimension", params[6], 2, 3) if len(params) > 6 else 3
    if dimension == 2:
        return _sheet("grid")(params[:6])
    return _raw(flex_points.grid(FlexcompType.GRID, 3, *_counts("grid", params, (1, 1, 1))))


def _boxlike(kind: str) -> Callable[[Params], RawMesh]:
    def make(params: Params) -> RawMesh:
        dimension = _whole(kind, "dimension", params[6], 2, 3) if len(params) > 6 else 3
        count, spacing = _counts(kind, params, (2, 2, 2))
        if dimension == 3:
            return _raw(flex_points.box(FlexcompType(kind), count, spacing, False))
        return geometry.raw_mesh(*_open_box(FlexcompType(kind), count, spacing))

    return make


def _open_box(
    kind: FlexcompType, count: Counts, spacing: tuple[float, float, float]
) -> tuple[list[flex_points.Point], list[tuple[int, ...]]]:
    """The points and outward triangles on the sides of a box, cylinder or ellipsoid; the top is open."""
    whole = flex_points.Surface(kind, count, spacing)
    numbers: dict[tuple[int, int, int], int] = {}
    faces: list[tuple[int, ...]] = []
    for normal, one, other in ((2, 0, 1), (1, 0, 2), (0, 1, 2)):
        levels = (0,) if normal == 2 else (0, count[normal] - 1)
        for level in levels:
            outside = BELOW if normal == 2 else FRONT if (level == 0) == (normal == 1) else BACK

            def at(i: int, j: int, axes: Counts = (normal, one, other), level: int = level) -> Counts:
                return flex_points.at(axes, (level, i, j))

            for i, j in product(range(count[one]), range(count[other])):
                numbers.setdefault(at(i, j), len(numbers))
            for i, j in product(range(count[one] - 1), range(count[other] - 1)):
                corners = [numbers[at(i + a, j + b)] for a, b in flex_points.AROUND]
                faces += [tuple(corners[corner] for corner in triangle) for triangle in outside]
    return [whole.place(*place) for place in numbers], faces


def _raw(points: flex_points.Points) -> RawMesh:
    """The points, and the triangles of a surface."""
    return geometry.raw_mesh(points.points, points.elements if points.dimension == 2 else None)


SOLIDS = ("grid", "box", "cylinder", "ellipsoid")
BUILTINS: dict[str, Builtin] = {
    "sphere": Builtin(_sphere, 1, 1),
    "hemisphere": Builtin(_hemisphere, 1, 1),
    "cone": Builtin(_cone, 2, 2),
    "supersphere": Builtin(_supersphere, 3, 3),
    "supertorus": Builtin(_supertorus, 4, 4),
    "wedge": Builtin(_wedge, 5, 5),
    "plate": Builtin(_plate, 2, 2),
    "grid": Builtin(_grid, 6, 7),
    **{kind: Builtin(_boxlike(kind), 6, 7) for kind in SOLIDS[1:]},
    **{kind: Builtin(_sheet(kind), 6, 6) for kind in ("square", "disc")},
}
"""The kinds of meshes, by keyword."""
