"""Volume, centre of mass and inertia of the solid that triangles enclose, in 64 bits from the file's numbers
on.

A Model stores meshes in 32 bits, as MuJoCo does; masses that are computed from shapes need more precision.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.geometry.cache import content
from polybody.geometry.errors import GeometryError
from polybody.geometry.mesh_files import read_mesh
from polybody.geometry.triangles import RawMesh

Reals = NDArray[np.float64]
TRIANGLE_TOLERANCE = 1e-9
"""By how much, relative to its size, a moment may exceed the sum of the others."""


class SolidMesh(NamedTuple):
    """Mass properties for unit density."""

    volume: float
    """m^3"""
    centre: Reals
    """Centre of mass, (3,), m"""
    inertia: Reals
    """Inertia about the centre of mass, (3, 3), m^5."""
    from_hull: bool
    """Whether it is that of the convex hull, because the triangles enclose no volume."""


def solid_mesh(path: Path, scale: ArrayLike = (1.0, 1.0, 1.0)) -> SolidMesh:
    """The solid that the triangles of a file enclose.

    Args:
        path: the file.
        scale: scale factors (3,).

    Raises:
        GeometryError: the file cannot be read, or even its convex hull is flat.
    """
    kind = path.suffix[1:].lower()
    data = content(path)
    raw = read_mesh(data, kind, mujoco=False)
    vertices = raw.vertices.astype(np.float64)
    if kind == "obj":
        exact = _obj_vertices(data, raw)
        vertices = vertices if exact is None else exact
    factors = np.asarray(scale, dtype=np.float64)
    vertices = vertices * factors
    faces = raw.faces[:, ::-1] if np.prod(factors) < 0 else raw.faces
    found = _integrals(vertices, faces) if len(faces) else None
    return found or _of_hull(vertices)


def _obj_vertices(data: bytes, raw: RawMesh) -> Reals | None:
    """The vertices of an OBJ file in 64 bits; None if they are not those of the mesh."""
    rows = [line.split()[1:4] for line in data.splitlines() if line.lstrip()[:2] in (b"v ", b"v\t")]
    try:
        vertices = np.array(rows, dtype=np.float64)
    except ValueError:
        return None
    same = vertices.shape == raw.vertices.shape and np.array_equal(vertices.astype(np.float32), raw.vertices)
    return vertices if same else None


def _integrals(vertices: Reals, faces: NDArray[np.int32]) -> SolidMesh | None:
    """Sums over the tetrahedra between triangles and a point; None if they are not those of a solid.

    Source: the integrals of monomials over a tetrahedron, as in Tonon, J. Mathematics and Statistics 1, 2004.
    """
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    a, b, c = ((vertices - middle)[faces[:, corner]] for corner in range(3))
    sixth = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(sixth.sum())
    if not volume > 0:
        return None
    total = a + b + c
    centre = (sixth[:, None] * total).sum(axis=0) / (4 * volume)
    second = sum(np.einsum("i,ij,ik->jk", sixth, part, part) for part in (a, b, c, total)) / 20
    second = second - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    low, middle_moment, high = np.linalg.eigvalsh(inertia)
    if low < 0 or high > (low + middle_moment) * (1 + TRIANGLE_TOLERANCE):
        return None
    return SolidMesh(volume, centre + middle, inertia, from_hull=False)


def _of_hull(vertices: Reals) -> SolidMesh:
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise GeometryError("encloses no volume, nor does its convex hull") from None
    corners = vertices[hull.simplices]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", across, hull.equations[:, :3]) < 0
    faces = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices).astype(np.int32)
    found = _integrals(vertices, faces)
    if found is None:
        raise GeometryError("encloses no volume, nor does its convex hull")
    return found._replace(from_hull=True)
