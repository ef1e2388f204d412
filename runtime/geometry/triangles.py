"""Meshes as given in files and documents, with checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.geometry.errors import GeometryError

Rows = NDArray[np.int32]
Singles = NDArray[np.float32]
Release = Literal["3.2.7", "4.0"]
"""The releases of MuJoCo as which meshes are read and compiled."""

MOST = 10_000_000
"""Maximum number of vertices, and of faces, of a mesh: about a GiB."""


@dataclass(frozen=True, slots=True, eq=False)
class RawMesh:
    """Triangles in the frame and units of their file. All numbers are finite, and all indices exist.

    All arrays are C-contiguous and must not be written to: they are shared by all users of the file.
    """

    vertices: Singles
    """(n, 3)"""
    faces: Rows
    """(m, 3): rows of ``vertices``, counterclockwise seen from outside; m is 0 if only vertices are given."""
    normals: Singles
    """(k, 3), not of unit length; k is 0 if there are none."""
    face_normals: Rows
    """(m, 3): rows of ``normals``, -1 for a corner without a normal; empty without normals or without faces.
    """
    texcoords: Singles
    """(k, 2): the second coordinate is 0 at the top of the image, as in MuJoCo."""
    face_texcoords: Rows
    """(m, 3): rows of ``texcoords``, -1 for a corner without one; empty as above."""
    kind: str
    """What it was read from: "stl", "obj", "msh", "inline", or another extension."""

    @property
    def nbytes(self) -> int:
        """The size of its arrays in bytes."""
        return sum(getattr(self, name).nbytes for name in self.__slots__ if name != "kind")


def raw_mesh(
    vertices: ArrayLike,
    faces: ArrayLike | None = None,
    normals: ArrayLike | None = None,
    texcoords: ArrayLike | None = None,
    *,
    face_normals: ArrayLike | None = None,
    face_texcoords: ArrayLike | None = None,
    kind: str = "inline",
) -> RawMesh:
    """A mesh from numbers; flat sequences are split into rows of 3 (texcoords: of 2).

    Normals and texture coordinates without separate rows belong to the vertices in order.

    Raises:
        GeometryError: the numbers do not define a mesh.
    """
    corners = _floats(vertices, 3, "vertex coordinates")
    if not len(corners):
        raise GeometryError("has no vertices")
    if len(corners) < 4:
        raise GeometryError(f"has {len(corners)} vertices; a mesh needs at least 4")
    limit(len(corners), "vertices")
    if not np.isfinite(corners).all():
        place = int(np.flatnonzero(~np.isfinite(corners).ravel())[0])
        raise GeometryError(f"has vertex coordinate {place} that is not finite")
    triangles = _indices(faces, len(corners), "vertices", False)
    of_normals = _floats(normals, 3, "coordinates of normals")
    of_texcoords = _floats(texcoords, 2, "texture coordinates")
    if face_texcoords is None and len(of_texcoords) and len(of_texcoords) != len(corners):
        raise GeometryError(
            f"has {len(of_texcoords)} texture coordinates for {len(corners)} vertices; "
            "without separate indices, there must be one for each"
        )
    if not np.isfinite(of_texcoords).all():
        raise GeometryError("has texture coordinates that are not finite")
    at_normals = triangles if face_normals is None and len(of_normals) else face_normals
    at_texcoords = triangles if face_texcoords is None and len(of_texcoords) else face_texcoords
    return RawMesh(
        corners,
        triangles,
        of_normals,
        _indices(at_normals if len(of_normals) else None, len(of_normals), "normals", True),
        of_texcoords,
        _indices(at_texcoords if len(of_texcoords) else None, len(of_texcoords), "texture coordinates", True),
        kind,
    )


def limit(count: int, what: str) -> None:
    """Refuse a mesh with too many vertices or faces."""
    if count > MOST:
        raise GeometryError(f"has {count} {what}; the limit is {MOST}", "reduce the mesh")


def _floats(given: ArrayLike | None, width: int, what: str) -> Singles:
    if given is None:
        return np.empty((0, width), dtype=np.float32)
    with np.errstate(over="ignore"):  # numbers that are too large become infinite, which is checked
        array: NDArray[Any] = np.ascontiguousarray(given, dtype=np.float32)
    if array.size % width:
        raise GeometryError(f"has {array.size} {what}, which is not a multiple of {width}")
    return array.reshape(-1, width)


def _indices(given: ArrayLike | None, count: int, of: str, absent: bool) -> Rows:
    """Rows of three indices; absent: whether -1 is allowed."""
    if given is None:
        return np.empty((0, 3), dtype=np.int32)
    try:
        array: NDArray[Any] = np.ascontiguousarray(given, dtype=np.int32)
    except OverflowError:
        raise GeometryError(f"has indices of {of} that are too large") from None
    if array.size % 3:
        raise GeometryError(f"has {array.size} indices of {of}, which is not a multiple of 3")
    array = array.reshape(-1, 3)
    limit(len(array), "faces")
    if array.size and not (-absent <= array.min() and array.max() < count):
        row, column = np.argwhere((array < -absent) | (array >= count))[0]
        raise GeometryError(f"has face {row} with index {array[row, column]}; there are {count} {of}")
    return array
