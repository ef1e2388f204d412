"""Rays: how far it is from points along directions to the shapes of a scene.

All rays are intersected with one shape at a time. Which shapes count is as in MuJoCo: those of a body that is
left out do not, nor invisible ones, nor on request static ones and those of groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.errors import ModelError
from polybody.generated.model import ShapeType
from polybody.model.data import Data
from polybody.model.model import Model

Reals = NDArray[np.float64]
LEAST = 1e-15
"""What counts as nothing, of directions and of determinants."""
GROUPS = 6
TRIANGLES_AT_ONCE = 1 << 18
"""Rays times triangles that are intersected at a time."""


def ray(
    model: Model,
    data: Data,
    pos: ArrayLike,
    direction: ArrayLike,
    *,
    geomgroup: Sequence[bool] | None = None,
    static: bool = True,
    exclude: int = -1,
) -> tuple[float, int]:
    """The distance to the first shape along a ray, in lengths of the direction, and its geom.

    Args:
        model: the Model.
        data: the simulation, with poses of geoms from :func:`polybody.forward`.
        pos: origin of the ray, (3,), m, in the world.
        direction: direction of the ray, (3,), in the world.
        geomgroup: which of the six groups of geoms are tested; None: all.
        static: whether geoms of bodies that are welded to the world are tested.
        exclude: a body whose geoms are skipped; -1 for none.

    Returns:
        The distance and the row of the geom; -1 and -1 if nothing is hit. A sphere, capsule, cylinder or
        box is hit from inside, too, a plane from above.

    Raises:
        ValueError: the direction has zero length, numbers are not finite, or an array has the wrong shape.
        ModelError: a geom refers to a mesh or a height field that the Model does not have.
    """
    lengths, geoms = multi_ray(
        model, data, pos, np.reshape(direction, (1, 3)), geomgroup=geomgroup, static=static, exclude=exclude
    )
    return float(lengths[0]), int(geoms[0])


def multi_ray(
    model: Model,
    data: Data,
    pos: ArrayLike,
    directions: ArrayLike,
    *,
    geomgroup: Sequence[bool] | None = None,
    static: bool = True,
    exclude: int = -1,
) -> tuple[Reals, NDArray[np.int32]]:
    """`ray` for several rays: distances (n,) and geoms (n,).

    Args:
        model, data, geomgroup, static, exclude: as of :func:`ray`.
        pos: origins of the rays, (3,) for all, or (n, 3).
        directions: (n, 3).
    """
    way = np.asarray(directions, dtype=np.float64)
    if way.ndim != 2 or way.shape[1] != 3:
        raise ValueError(f"directions have the shape (n, 3), what was given {way.shape}")
    start = np.broadcast_to(np.asarray(pos, dtype=np.float64), way.shape)
    if not (np.isfinite(start).all() and np.isfinite(way).all()):
        raise ValueError("a ray has numbers that are not finite")
    if len(way) and not (np.linalg.norm(way, axis=1) >= LEAST).all():
        raise ValueError("a ray has a direction without length")
    if geomgroup is not None and len(geomgroup) != GROUPS:
        raise ValueError(f"there are {GROUPS} groups of geoms, and {len(geomgroup)} were given")
    found, which = np.full(len(way), np.inf), np.full(len(way), -1, dtype=np.int32)
    for geom in _counted(model, geomgroup, static, exclude):
        place, turn = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
        hits = _shape(model, geom, (start - place) @ turn, way @ turn)
        nearer = hits < found
        found[nearer], which[nearer] = hits[nearer], geom
    return np.where(which >= 0, found, -1.0), which


def _counted(model: Model, groups: Sequence[bool] | None, static: bool, exclude: int) -> Iterator[int]:
    """The geoms that count."""
    colour, material = model.geom_rgba[:, 3], model.geom_matid
    if len(model.mat_rgba):
        colour = np.where(material >= 0, model.mat_rgba[material.clip(0), 3], colour)
    wanted = (colour != 0) & (model.geom_bodyid != exclude)
    if not static:
        wanted &= model.body_weldid[model.geom_bodyid] != 0
    if groups is not None:
        wanted &= np.asarray(groups, dtype=bool)[model.geom_group.clip(0, GROUPS - 1)]
    yield from np.flatnonzero(wanted).tolist()


def _shape(model: Model, geom: int, start: Reals, way: Reals) -> Reals:
    """How far rays in a geom's axes go to it, (n,); infinite where they do not meet it."""
    kind, size = ShapeType(int(model.geom_type[geom])), model.geom_size[geom].tolist()
    if kind in (ShapeType.mesh, ShapeType.sdf):
        return _mesh(model, int(model.geom_dataid[geom]), start, way)
    if kind is ShapeType.hfield:
        return _height_field(model, int(model.geom_dataid[geom]), start, way)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Reals = SHAPES[kind](start, way, size)
    return found


def _first(*hits: Reals) -> Reals:
    """The nearest hits that are not behind."""
    nearest: Reals = np.min([np.where(hit >= 0, hit, np.inf) for hit in hits], axis=0)  # NaN is no hit
    return nearest


def _roots(a: Reals, b: Reals, c: Reals) -> tuple[Reals, Reals]:
    """Where a x^2 + 2 b x + c is 0; NaN where nowhere, or all but at one place."""
    square = b * b - a * c
    root = np.sqrt(np.where(square < LEAST, np.nan, square))
    return (-b - root) / a, (-b + root) / a


def _entry(a: Reals, b: Reals, c: Reals) -> Reals:
    """The first of these places that is not behind."""
    return _first(*_roots(a, b, c))


def _dots(a: Reals, b: Reals) -> Reals:
    found: Reals = np.einsum("ni,ni->n", a, b)
    return found


def _plane(start: Reals, way: Reals, size: Sequence[float]) -> Reals:
    length = np.where(way[:, 2] > -LEAST, np.nan, -start[:, 2] / way[:, 2])
    at = start + length[:, None] * way
    inside = np.ones(len(way), dtype=bool)
    for axis in (0, 1):
        if size[axis] > 0:
            inside &= np.abs(at[:, axis]) <= size[axis]
    return np.where(inside, _first(length), np.inf)


def _sphere(start: Reals, way: Reals, size: Sequence[float]) -> Reals:
    return _entry(_dots(way, way), _dots(way, start), _dots(start, start) - size[0] * size[0])


def _tube(start: Reals, way: Reals, radius: float, half: float) -> Reals:
    """The round side of a cylinder along z."""
    across, along = start[:, :2], way[:, :2]
    hit = _entry(_dots(along, along), _dots(along, across), _dots(across, across) - radius * radius)
    inside = np.abs(start[:, 2] + hit * way[:, 2]) <= half
    return np.where(inside, hit, np.inf)


def _capsule(start: Reals, way: Reals, size: Sequence[float]) -> Reals:
    radius, half = size[0], size[1]
    found = [_tube(start, way, radius, half)]
    for sign in (1.0, -1.0):
        from_centre = start - np.array([0.0, 0.0, sign * half])
        square = _dots(from_centre, from_centre) - radius * radius
        for hit in _roots(_dots(way, way), _dots(way, from_centre), square):
            beyond = sign * (start[:, 2] + hit * way[:, 2]) >= half
            found.append(np.where(beyond, hit, np.nan))
    return _first(*found)


def _ellipsoid(start: Reals, way: Reals, size: Sequence[float]) -> Reals:
    scale = 1 / np.array(size)
    return _sphere(start * scale, way * scale, (1.0,))


def _cylinder(start: Reals, way: Reals, size: Sequence[float]) -> Reals:
    radius, half = size[0], size[1]
    found = [_tube(start, way, radius, half)]
    for side in (-half, half):
        hit = np.where(np.abs(way[:, 2]) > LEAST, (side - start[:, 2]) / way[:, 2], np.nan)
        at = start[:, :2] + hit[:, None] * way[:, :2]
        found.append(np.where(_dots(at, at) <= radius * radius, hit, np.nan))
    return _first(*found)


def _faces_of_box(start: Reals, way: Reals, size: Sequence[float]) -> list[Reals]:
    """The hits with the faces of a box, low and high along each axis; NaN for none."""
    found = []
    for axis in range(3):
        others = [other for other in range(3) if other != axis]
        for side in (-size[axis], size[axis]):
            hit = np.where(np.abs(way[:, axis]) > LEAST, (side - start[:, axis]) / way[:, axis], np.nan)
            at = start + hit[:, None] * way
            inside = (np.abs(at[:, others]) <= np.array(size)[others]).all(axis=1) & (hit >= 0)
            found.append(np.where(inside, hit, np.nan))
    return found


def _box(start: Reals, way: Reals, size: Sequence[float]) -> Reals:
    return _first(*_faces_of_box(start, way, size))


SHAPES = {
    ShapeType.plane: _plane,
    ShapeType.sphere: _sphere,
    ShapeType.capsule: _capsule,
    ShapeType.ellipsoid: _ellipsoid,
    ShapeType.cylinder: _cylinder,
    ShapeType.box: _box,
}


# --- triangles --------------------------------------------------------------------------------------------


def _triangles(corners: Reals, start: Reals, way: Reals) -> Reals:
    """The nearest hits with triangles, (m, 3, 3), from either side.

    By Moeller and Trumbore, Fast, minimum storage ray-triangle intersection.
    """
    found = np.full(len(way), np.inf)
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    for row in range(0, len(way), max(1, TRIANGLES_AT_ONCE // max(1, len(corners)))):
        some = slice(row, row + max(1, TRIANGLES_AT_ONCE // max(1, len(corners))))
        across = np.cross(way[some, None], other)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1 / np.einsum("nmi,mi->nm", across, one)
            from_corner = start[some, None] - corners[:, 0]
            u = np.einsum("nmi,nmi->nm", from_corner, across) * scale
            up = np.cross(from_corner, one)
            v = np.einsum("ni,nmi->nm", way[some], up) * scale
            hit = np.einsum("mi,nmi->nm", other, up) * scale
            inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (hit >= 0)
        found[some] = np.where(inside, hit, np.inf).min(axis=1, initial=np.inf)
    return found


def _mesh(model: Model, mesh: int, start: Reals, way: Reals) -> Reals:
    if not 0 <= mesh < model.nmesh:
        raise ModelError([f"a geom has the mesh {mesh}, of which there are {model.nmesh}"])
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + count].astype(np.float64)
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    return _triangles(vertices[model.mesh_face[first : first + count]], start, way)


def _height_field(model: Model, field: int, start: Reals, way: Reals) -> Reals:
    """A height field: the box below, the surface, and the sides between both."""
    if not 0 <= field < model.nhfield:
        raise ModelError([f"a geom has the height field {field}, of which there are {model.nhfield}"])
    x, y, top, base = model.hfield_size[field].tolist()
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first = int(model.hfield_adr[field])
    heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = _box(start + np.array([0.0, 0.0, base / 2]), way, (x, y, base / 2))
        sides = _faces_of_box(start - np.array([0.0, 0.0, top / 2]), way, (x, y, top / 2))[:4]
    across, along = np.linspace(-x, x, columns), np.linspace(-y, y, rows)
    grid = np.stack([*np.meshgrid(across, along), heights * top], axis=-1)
    near, far = grid[:-1, :-1], grid[1:, 1:]
    halves = ((near, far, grid[:-1, 1:]), (near, far, grid[1:, :-1]))
    corners = np.concatenate([np.stack(half, axis=2).reshape(-1, 3, 3) for half in halves])
    found = [below, _triangles(corners, start, way)]
    profiles = (heights[:, 0], heights[:, -1], heights[0], heights[-1])
    for side, hit, profile in zip(range(4), sides, profiles, strict=True):
        lines, axis = (along, 1) if side < 2 else (across, 0)
        at = start + hit[:, None] * way
        covered = at[:, 2] < np.interp(at[:, axis], lines, profile * top)
        found.append(np.where(covered, hit, np.nan))
    return _first(*found)
