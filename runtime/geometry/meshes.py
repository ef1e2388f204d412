"""Compilation of meshes for a Model: placed, scaled, centred, with normals, hull and inertia.

All steps are done in the order and precision (32 or 64 bits) of MuJoCo 3.2.7, because the fields of its Model
depend on them. Hull and normals are computed from the given vertices; then the reference position, the
reference rotation and the scale are applied; then the inertia is computed, whose frame becomes that of the
vertices.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.geometry import loops
from polybody.geometry.cache import STORE, content_of, digest, digest_of_file
from polybody.geometry.composition import axes
from polybody.geometry.errors import GeometryError
from polybody.geometry.hulls import Hull, convex_hull
from polybody.geometry.jacobi import principal_axes
from polybody.geometry.mesh_files import ALONE, read_mesh
from polybody.geometry.triangles import RawMesh, Release, raw_mesh
from polybody.rotations.arrays import unit

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Rows = NDArray[np.int32]
InertiaKind = Literal["legacy", "exact", "convex", "shell"]

SMALL = 1e-15
"""Volumes, m^3, areas, m^2, and sums of face normals up to this are treated as zero."""
SHORT = SMALL**0.5
"""Normals up to this length, as given or scaled, have no direction."""
DENSITY = 1000.0
"""Density at which principal axes are computed, kg m^-3: they depend on it if the inertia is below 1e-12 kg
m^2.
"""
UNBOUNDED = 1e10
"""Size and negative half sizes of the bounding box of a mesh without inertia, m."""
FLAT = "its faces may be few, flat or inconsistently oriented: give its bodies an inertia"
UP = np.array([0, 0, 1], dtype=np.float32)
"""The normal of a vertex without faces."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshInertia:
    """The mass properties of a mesh, as a solid or as a shell."""

    measure: float = 0.0
    """Volume, m^3, or area, m^2: mass divided by density, or by mass per area."""
    pos: Reals = field(default_factory=lambda: np.zeros(3))
    """(3,): the centre of mass in the frame of the file, m, scaled; the origin of the vertices."""
    quat: Reals = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    """(4,): rotation from the vertices' axes, which are principal axes of inertia, to those of the file."""
    box: Reals = field(default_factory=lambda: np.zeros(3))
    """(3,): half sizes of the box with the same mass and inertia, m."""
    fault: GeometryError | None = None
    """Why there are none. The frame is then valid for geoms that do not get their mass from the mesh."""

    def moments(self, mass: float) -> Reals:
        """Principal moments of inertia, (3,), kg m^2, about ``pos``, for a mass, kg."""
        x, y, z = self.box * self.box
        return mass * np.array([y + z, x + z, x + y]) / 3


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """A mesh as in mjModel. Its arrays must not be written to."""

    vertices: Singles
    """(n, 3), m, relative to the centre of mass and the principal axes, of the solid if it has a volume."""
    faces: Rows
    """(m, 3): of the file, or of the convex hull if the file has none."""
    normals: Singles
    """(k, 3): of unit length; those of the file, or one for each vertex."""
    face_normals: Rows
    """(m, 3): rows of ``normals``."""
    texcoords: Singles
    """(k, 2)"""
    face_texcoords: Rows
    """(m, 3): rows of ``texcoords``; zeros if there are none."""
    hull: Hull | None
    """The convex hull, if it was requested or needed for the faces or the inertia."""
    low: Reals
    """(3,): the minimum coordinates of the vertices before rounding, m; without inertia, 1e10."""
    high: Reals
    """(3,): the maximum; without inertia, -1e10."""
    solid: MeshInertia
    shell: MeshInertia

    def inertia(self, shell: bool = False) -> MeshInertia:
        """Its mass properties as a solid or as a shell.

        Raises:
            GeometryError: its volume, or its area, is too small, or the faces do not enclose a volume.
        """
        found = self.shell if shell else self.solid
        if found.fault is not None:
            raise found.fault
        return found

    @property
    def size(self) -> Reals:
        """(3,): the maximum distances from the origin along each axis, m: geom_size of a mesh."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def aabb(self) -> Reals:
        """(6,): centre and half sizes of the axis-aligned bounding box, m."""
        return np.concatenate([(self.high + self.low) / 2, (self.high - self.low) / 2])


def compile_mesh(
    raw: RawMesh,
    *,
    scale: ArrayLike = (1.0, 1.0, 1.0),
    refpos: ArrayLike = (0.0, 0.0, 0.0),
    refquat: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    stretch: ArrayLike | None = None,
    inertia: InertiaKind = "legacy",
    smooth_normals: bool = False,
    most_hull_vertices: int = -1,
    hull: bool = True,
    release: Release = "3.2.7",
    aligned: bool = True,
) -> Mesh:
    """A mesh compiled for a Model.

    Args:
        raw: the mesh as read.
        scale: scale factors, (3,), along the axes of the file, applied after refpos and refquat; negative
            ones mirror.
        refpos: the origin of the mesh in the frame of the file, (3,), in its units.
        refquat: the axes of the mesh in the frame of the file, (4,), of any length but zero.
        stretch: as of 4.0, the rows of a linear map that follows the scale, (9,).
        inertia: "exact": of the volume that the faces enclose; "legacy": the sum over the pyramids from the
            centre to each face, overlapping or not; "convex": of the convex hull; "shell", as of 4.0: of a
            shell.
        smooth_normals: whether normals are averaged across sharp edges too.
        most_hull_vertices: maximum number of vertices of the convex hull, if positive; at least 4.
        hull: whether the convex hull is needed; it is made in any case without faces, and for convex inertia.
        release: of MuJoCo, as which the mesh is compiled.
        aligned: as of 4.0, whether the mesh's frame becomes that of its principal axes.

    Raises:
        GeometryError: there is no hull, or the numbers are too large; as of 4.0, there is no inertia.
    """
    factors = np.asarray(scale, dtype=np.float64)
    if release == "4.0":
        from polybody.geometry.newest_meshes import compile_newest

        return compile_newest(
            raw,
            scale=factors,
            refpos=refpos,
            refquat=refquat,
            stretch=stretch,
            inertia=inertia,
            smooth_normals=smooth_normals,
            most_hull_vertices=most_hull_vertices,
            hull=hull,
            aligned=aligned,
        )
    faces, face_normals, face_texcoords = _oriented(raw, factors)
    fault = inconsistency(raw.vertices, faces) if inertia == "exact" else None
    made = None
    if hull or inertia == "convex" or not len(faces):
        made = convex_hull(raw.vertices, most_hull_vertices)
    if not len(faces):
        assert made is not None
        faces = made.faces
        face_texcoords = _of_vertices(faces, len(raw.texcoords), len(raw.vertices))
        face_normals = _of_vertices(faces, len(raw.normals), len(raw.vertices))
    normals = raw.normals
    if not len(normals):
        normals, face_normals = unit_normals(raw.vertices, faces, smooth_normals), faces
    placed, normals = _placed(raw.vertices, normals, factors, refpos, refquat)
    if not np.isfinite(placed).all():
        raise GeometryError("has vertex coordinates that are too large, scaled")
    enclosing = made.faces if inertia == "convex" and made is not None else faces
    middle, _ = loops.centroid(placed, faces)
    found = _align(placed, normals, enclosing, middle, inertia)
    if fault is not None:
        solid, shell = (replace(each, fault=fault) for each in (found.solid, found.shell))
        found = found._replace(solid=solid, shell=shell)
    if not len(face_texcoords):
        face_texcoords = np.zeros_like(faces)
    bounds, properties = (found.low, found.high), (found.solid, found.shell)
    surface = (found.vertices, faces, found.normals, face_normals, raw.texcoords, face_texcoords)
    return Mesh(*surface, made, *bounds, *properties)


def _oriented(raw: RawMesh, factors: Reals) -> tuple[Rows, Rows, Rows]:
    """The faces and the rows of their normals and texture coordinates; reversed if the mesh is mirrored."""
    faces, normals, texcoords = raw.faces, raw.face_normals, raw.face_texcoords
    if raw.kind != "inline" and factors.prod() < 0:
        faces = np.ascontiguousarray(faces[:, [0, 2, 1]])
        if raw.kind != "msh":
            normals, texcoords = normals[:, [0, 2, 1]], texcoords[:, [0, 2, 1]]
    return faces, normals, texcoords


def unit_normals(vertices: Singles | Reals, faces: Rows, smooth: bool) -> Singles:
    """Unit normals of the vertices; upwards where the faces define none."""
    normals = loops.vertex_normals(vertices, faces, smooth)
    length, some = lengths(normals, SMALL)
    found: Singles = np.where(some, normals / length, UP)
    return found


def _of_vertices(faces: Rows, count: int, vertices: int) -> Rows:
    """The row numbers of normals or texture coordinates that belong to the vertices, if there are enough."""
    return faces if count >= vertices else np.full_like(faces, -1) if count else faces[:0]


def inconsistency(vertices: Singles, faces: Rows) -> GeometryError | None:
    """An edge along which two faces run in the same direction, so their orientations are inconsistent."""
    a, b, c = (vertices[faces[:, k]].astype(np.float64) for k in range(3))
    cross = np.cross(b - a, c - a)
    proper = faces[np.linalg.norm(cross, axis=1) / 2 > np.sqrt(SMALL)]
    edges = proper[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    keys = np.sort(edges[:, 0] * len(vertices) + edges[:, 1])
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if not len(twice):
        return None
    start, end = divmod(int(keys[twice[0]]), len(vertices))
    return GeometryError(
        f"has faces with inconsistent orientation, among them those with vertices {start} and {end}",
        "reverse some of them, or do not use exact inertia",
    )


def _placed(
    vertices: Singles, normals: Singles, scale: Reals, refpos: ArrayLike, refquat: ArrayLike
) -> tuple[Singles, Singles]:
    """Vertices and unit normals moved, rotated and scaled; every step is rounded to 32 bits."""
    origin = np.asarray(refpos, dtype=np.float64)
    quat = np.asarray(refquat, dtype=np.float64)
    vertices, normals = vertices.copy(), normals.copy()
    if origin.any():
        vertices -= origin.astype(np.float32)
    if (quat != (1.0, 0.0, 0.0, 0.0)).any():
        turn = np.array(axes(unit(quat)))
        vertices = turned(vertices, turn).astype(np.float32)
        normals = turned(normals, turn).astype(np.float32)
    if (scale != 1.0).any():
        with np.errstate(over="ignore", invalid="ignore"):  # infinities are refused later
            vertices = (vertices * scale).astype(np.float32)
            normals = (normals * scale).astype(np.float32)
    length, some = lengths(normals, SHORT)
    with np.errstate(invalid="ignore"):
        return vertices, np.where(some, normals * (np.float32(1) / length), UP)


def lengths(normals: Singles, least: float) -> tuple[Singles, NDArray[np.bool_]]:
    """Lengths, (n, 1), with 1 in place of those up to the minimum, and which are greater."""
    x, y, z = normals.T
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.sqrt(x * x + y * y + z * z)[:, None]
    some = np.isfinite(length) & (length > least)
    return np.where(some, length, np.float32(1)), some


def turned(vectors: Singles | Reals, turn: Reals) -> Reals:
    """R^T v for each v, in 64 bits."""
    v = vectors.astype(np.float64)
    return np.stack(
        [v[:, 0] * turn[0, k] + v[:, 1] * turn[1, k] + v[:, 2] * turn[2, k] for k in range(3)], axis=1
    )


class _Aligned(NamedTuple):
    vertices: Singles
    normals: Singles
    low: Reals
    high: Reals
    solid: MeshInertia
    shell: MeshInertia


def _align(vertices: Singles, normals: Singles, faces: Rows, middle: Reals, kind: InertiaKind) -> _Aligned:
    """The mesh relative to its centre of mass and principal axes, and its mass properties.

    The frame is that of the solid. If the solid is valid, MuJoCo mixes frames for the shell: its centre of
    mass combines the old frame and the new, its inertia is about the solid's centre of mass, and its axes are
    the solid's. This is reproduced here.
    """
    found = [MeshInertia(), MeshInertia()]
    low, high, frame = np.full(3, UNBOUNDED), np.full(3, -UNBOUNDED), None
    for of_shell in (False, True):
        weighing = loops.AREA if of_shell else loops.ABSOLUTE if kind == "legacy" else loops.SIGNED
        measure, centre = loops.weight_and_centre(vertices, faces, middle, weighing)
        if not np.isfinite(measure):
            raise GeometryError("has vertex coordinates that are too large, scaled")
        if not measure > SMALL:
            found[of_shell] = MeshInertia(fault=_too_small(measure, of_shell))
            continue
        if frame is None:
            vertices = (vertices - centre).astype(np.float32)
        measure, products = loops.weight_and_products(vertices, faces, DENSITY, weighing)
        moments, quat = principal_axes(tensor_of(products))
        fault = _impossible(moments)
        if fault is not None:  # MuJoCo checks no further
            found[0] = replace(found[0], fault=fault)
            found[1] = replace(found[1], fault=fault)
            found[of_shell] = MeshInertia(pos=centre, fault=fault)
            break
        if frame is None:
            frame, turn = quat, np.array(axes(quat))
            exact = turned(vertices, turn)
            low, high = exact.min(axis=0), exact.max(axis=0)
            vertices, normals = exact.astype(np.float32), turned(normals, turn).astype(np.float32)
        x, y, z = moments
        box = np.sqrt(6 * np.array([y + z - x, x + z - y, x + y - z]) / (DENSITY * measure)) / 2
        found[of_shell] = MeshInertia(measure, centre, frame, box)
    return _Aligned(vertices, normals, low, high, *found)


def _impossible(moments: Reals) -> GeometryError | None:
    """Why decreasing numbers are not moments of inertia, without any tolerance."""
    if not moments[2] > 0:
        return GeometryError(
            f"has a principal moment of inertia of {moments[2]:.3g} kg m^2, which is not positive", FLAT
        )
    if moments[1] + moments[2] < moments[0]:
        what = f"{moments[0]:.9g}, greater than the sum of the others, {moments[1]:.9g} and {moments[2]:.9g}"
        return GeometryError(f"has a principal moment of inertia of {what}", FLAT)
    return None


def tensor_of(products: Reals) -> Reals:
    """The inertia tensor from the integrals of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = products
    return np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])


def _too_small(measure: float, of_shell: bool) -> GeometryError:
    if of_shell:
        return GeometryError(f"has a surface of {measure:.3g} m^2, which is too small")
    if measure < -SMALL:
        hint = "reverse the faces: their corners must be counterclockwise when seen from outside"
        return GeometryError(f"has a volume of {measure:.3g} m^3: its faces are oriented inwards", hint)
    hint = "give its geoms shellinertia"
    return GeometryError(f"has a volume of {measure:.3g} m^3, which is too small", hint)


_unread: ContextVar[bool] = ContextVar("polybody_meshes_unread", default=False)
_CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
_SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE = raw_mesh(_CORNERS, [face for a, b, c, d in _SIDES for face in ((a, b, c), (a, c, d))])
"""What takes the place of meshes that are not read."""


class MeshesUnread(AbstractContextManager[None]):
    """Within this context, meshes from files are cubes, where only the rest of a Model matters."""

    _token: Token[bool]

    def __enter__(self) -> None:
        self._token = _unread.set(True)

    def __exit__(self, *exception: object) -> None:
        _unread.reset(self._token)


def load_mesh(
    given: Path | bytes | RawMesh,
    kind: str = "",
    *,
    mujoco: bool = True,
    scale: ArrayLike = (1.0, 1.0, 1.0),
    refpos: ArrayLike = (0.0, 0.0, 0.0),
    refquat: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    stretch: ArrayLike | None = None,
    inertia: InertiaKind = "legacy",
    smooth_normals: bool = False,
    most_hull_vertices: int = -1,
    hull: bool = True,
    release: Release = "3.2.7",
    aligned: bool = True,
) -> Mesh:
    """A mesh compiled for a Model, from a file, a file's content or numbers, or from the cache.

    Arguments and errors are those of ``read_mesh`` and ``compile_mesh``. The kind of a file is its extension,
    unless it is given. Equal content gives the same object.
    """
    source: Path | bytes | RawMesh = CUBE if isinstance(given, Path) and _unread.get() else given
    key, raw = _source(source, kind, mujoco, release)

    def make() -> Mesh:
        return compile_mesh(
            STORE.get(key, raw),
            scale=scale,
            refpos=refpos,
            refquat=refquat,
            stretch=stretch,
            inertia=inertia,
            smooth_normals=smooth_normals,
            most_hull_vertices=most_hull_vertices,
            hull=hull,
            release=release,
            aligned=aligned,
        )

    frame = tuple(tuple(np.asarray(part, dtype=np.float64).tolist()) for part in (scale, refpos, refquat))
    if stretch is not None:
        frame = (*frame, tuple(np.ravel(stretch).tolist()))
    options = (inertia, smooth_normals, most_hull_vertices, hull, release, aligned)
    return STORE.get((*key, *frame, *options), make)


def _source(
    given: Path | bytes | RawMesh, kind: str, mujoco: bool, release: Release
) -> tuple[tuple[Hashable, ...], Callable[[], RawMesh]]:
    """The key of a mesh as given, and the function that reads it."""
    if isinstance(given, RawMesh):
        fields = (given.vertices, given.faces, given.normals, given.face_normals, given.texcoords)
        return ("numbers", digest(*fields, given.face_texcoords), given.kind), lambda: given
    if isinstance(given, bytes):
        key = ("mesh", digest(given), kind, mujoco, release)
        return key, lambda: read_mesh(given, kind, mujoco=mujoco, release=release)
    kind = kind or given.suffix[1:].lower()
    own, data = digest_of_file(given)
    name = own
    beside: Mapping[str, bytes] = ALONE
    if kind == "gltf" and not mujoco:
        from polybody.geometry.scenes import buffers_beside

        data = content_of(given, own) if data is None else data
        beside = buffers_beside(given, data)
        name = digest(name, *beside.values())

    def read() -> RawMesh:
        content = content_of(given, own) if data is None else data
        return read_mesh(content, kind, mujoco=mujoco, beside=beside, release=release)

    return ("mesh", name, kind, mujoco, release), read
