"""Compilation of meshes as in MuJoCo 4.0: what differs from 3.2.7.

Vertices remain in 64 bits until the end. The mass is that of a solid or of a shell, as the mesh says, not its
geoms; a mesh without a volume is refused. Principal axes are those of the shape, whatever its size: products
of inertia and differences of moments below 1e-7 of the largest one are treated as zero. Normals are
transformed as covectors, and mirrored faces are reversed wherever they come from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.geometry import loops
from polybody.geometry.composition import axes
from polybody.geometry.errors import GeometryError
from polybody.geometry.hulls import Hull, convex_hull
from polybody.geometry.jacobi import principal_axes
from polybody.geometry.meshes import (
    FLAT,
    SHORT,
    SMALL,
    UP,
    InertiaKind,
    Mesh,
    MeshInertia,
    inconsistency,
    lengths,
    tensor_of,
    turned,
    unit_normals,
)
from polybody.geometry.triangles import RawMesh
from polybody.rotations.arrays import unit

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Rows = NDArray[np.int32]

VERTEX_DIGITS = 1e-7
"""Precision of the coordinates in files, relative: below it, moments of inertia are equal."""
SLACK = (1e-6, 1e-9)
"""Relative and absolute tolerance, m^5, of the triangle inequality of principal moments."""
WEIGHINGS = {
    "exact": loops.SIGNED,
    "convex": loops.SIGNED,
    "legacy": loops.ABSOLUTE,
    "shell": loops.AREA,
}


def compile_newest(
    raw: RawMesh,
    *,
    scale: Reals,
    refpos: ArrayLike,
    refquat: ArrayLike,
    stretch: ArrayLike | None,
    inertia: InertiaKind,
    smooth_normals: bool,
    most_hull_vertices: int,
    hull: bool,
    aligned: bool,
) -> Mesh:
    """A mesh compiled as in MuJoCo 4.0; see ``compile_mesh``. Its solid and its shell are the same.

    aligned: whether the centre of mass and the principal axes become the mesh's frame.

    Raises:
        GeometryError: there is no hull, no volume or no area, or the numbers are too large.
    """
    if inertia == "exact" and (fault := inconsistency(raw.vertices, raw.faces)) is not None:
        raise fault
    made = None
    if hull or inertia == "convex" or not len(raw.faces):
        made = convex_hull(raw.vertices, most_hull_vertices, widest=True)
    faces, normals, face_normals, face_texcoords = _surface(raw, made, smooth_normals)
    if scale.prod() <= 0:
        faces, face_normals, face_texcoords = map(_reversed, (faces, face_normals, face_texcoords))
        made = None if made is None else replace(made, faces=_reversed(made.faces))
    placed, normals = _placed(raw.vertices.astype(np.float64), normals, scale, refpos, refquat, stretch)
    if not np.isfinite(placed).all():
        raise GeometryError("has vertex coordinates that are too large, scaled")
    enclosing = made.faces if inertia == "convex" and made is not None else faces
    mass = _weighed(placed, faces, enclosing, inertia)
    if not aligned:
        mass = MeshInertia(mass.measure, box=mass.box)
    turn = np.array(axes(mass.quat))
    placed, normals = turned(placed - mass.pos, turn), turned(normals, turn).astype(np.float32)
    surface = (placed.astype(np.float32), faces, normals, face_normals, raw.texcoords, face_texcoords)
    return Mesh(*surface, made, placed.min(axis=0), placed.max(axis=0), mass, mass)


def _reversed(rows: Rows) -> Rows:
    return np.ascontiguousarray(rows[:, [0, 2, 1]])


def _surface(raw: RawMesh, made: Hull | None, smooth: bool) -> tuple[Rows, Singles, Rows, Rows]:
    """Faces, normals, and the rows of normals and texture coordinates of the faces, those of the hull if the
    mesh has none.
    """
    faces, normals = raw.faces, raw.normals
    face_normals, face_texcoords = raw.face_normals, raw.face_texcoords
    if not len(faces):
        assert made is not None
        faces = made.faces
        face_texcoords = faces if len(raw.texcoords) else np.zeros_like(faces)
        face_normals = len(normals) // len(raw.vertices) * faces
    if not len(normals):
        normals, face_normals = unit_normals(raw.vertices.astype(np.float64), faces, smooth), faces
    if not len(face_texcoords):
        face_texcoords = np.zeros_like(faces)
    return faces, normals, face_normals, face_texcoords


def _placed(
    vertices: Reals,
    normals: Singles,
    scale: Reals,
    refpos: ArrayLike,
    refquat: ArrayLike,
    stretch: ArrayLike | None,
) -> tuple[Reals, Singles]:
    """Vertices and unit normals moved, rotated, scaled and stretched."""
    quat = np.asarray(refquat, dtype=np.float64)
    vertices -= np.asarray(refpos, dtype=np.float64)
    if (quat != (1.0, 0.0, 0.0, 0.0)).any():
        turn = np.array(axes(unit(quat)))
        vertices, normals = turned(vertices, turn), turned(normals, turn).astype(np.float32)
    if (scale != 1.0).any():
        with np.errstate(all="ignore"):  # infinities are refused later
            vertices, normals = vertices * scale, (normals / scale).astype(np.float32)
    if stretch is not None:  # normals by the cofactors, as they are rounded
        linear = np.reshape(np.asarray(stretch, dtype=np.float64), (3, 3))
        with np.errstate(all="ignore"):
            vertices = vertices @ linear.T
            normals = (normals @ (np.linalg.inv(linear) * np.linalg.det(linear))).astype(np.float32)
    length, some = lengths(normals, SHORT)
    with np.errstate(invalid="ignore"):
        return np.ascontiguousarray(vertices), np.where(some, normals * (np.float32(1) / length), UP)


def _weighed(vertices: Reals, faces: Rows, enclosing: Rows, kind: InertiaKind) -> MeshInertia:
    """The mass properties of the mesh."""
    weighing = WEIGHINGS[kind]
    middle, area = loops.centroid(vertices, faces)
    if not area > SMALL:
        raise GeometryError(f"has a surface of {area:.3g} m^2, which is too small")
    measure, centre = loops.weight_and_centre(vertices, enclosing, middle, weighing)
    if not measure > SMALL:
        raise _no_volume(measure)
    measure, products = loops.weight_and_products(vertices - centre, enclosing, 1.0, weighing)
    moments, quat = principal_axes(tensor_of(products), VERTEX_DIGITS)
    x, y, z = moments
    if not z > 0 or y + z < x * (1 - SLACK[0]) - SLACK[1]:
        raise GeometryError(f"has impossible principal moments of inertia {x:.9g}, {y:.9g}, {z:.9g}", FLAT)
    box = np.sqrt(np.maximum(6 * np.array([y + z - x, x + z - y, x + y - z]) / measure, 0)) / 2
    return MeshInertia(measure, centre, quat, box)


def _no_volume(measure: float) -> GeometryError:
    if not np.isfinite(measure):
        return GeometryError("has vertex coordinates that are too large, scaled")
    if measure < 0:
        hint = "reverse the faces: their corners must be counterclockwise when seen from outside"
        return GeometryError(f"has a volume of {measure:.3g} m^3: its faces are oriented inwards", hint)
    return GeometryError(f"has a volume of {measure:.3g} m^3, which is too small", 'give it inertia="shell"')
