"""The surface of legacy VTK text files: unstructured grids of tetrahedra, as Drake reads them.

The format is described in the VTK user's guide, "simple legacy formats". Each face of only one tetrahedron is
a triangle of the surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.errors import GeometryError
from polybody.geometry.triangles import MOST, RawMesh, raw_mesh

TETRAHEDRON = 10
"""VTK's number of that kind of cell."""
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
"""Corners of a tetrahedron's faces, seen from outside if the normal of the first three points to the fourth.
"""


def read_vtk(data: bytes) -> RawMesh:
    """The surface of a file.

    Raises:
        GeometryError: it is not such a file.
    """
    lines = data.split(b"\n", 3)
    if not lines[0].startswith(b"# vtk DataFile") or len(lines) < 4:
        raise GeometryError(
            "does not begin with the three lines of a legacy VTK file: `# vtk DataFile`, a title and ASCII"
        )
    if lines[2].strip().upper() != b"ASCII":
        raise GeometryError("is a binary VTK file", "save it as text (ASCII)")
    words = lines[3].split()
    if [word.upper() for word in words[:2]] != [b"DATASET", b"UNSTRUCTURED_GRID"]:
        raise GeometryError("is not an unstructured VTK grid")
    count, place = _section(words, b"POINTS", 2)
    vertices = _numbers(words, place + 1, 3 * count, np.float64).reshape(-1, 3)
    count, place = _section(words, b"CELLS", place)
    kinds, place_of_kinds = _section(words, b"CELL_TYPES", place)
    if kinds != count:
        raise GeometryError(f"has {count} cells and {kinds} types of cells")
    types = _numbers(words, place_of_kinds, count, np.int64)
    if (types != TETRAHEDRON).any():
        raise GeometryError("has cells that are not tetrahedra")
    cells = _numbers(words, place + 1, 5 * count, np.int64).reshape(-1, 5)
    if (cells[:, 0] != 4).any():
        raise GeometryError("has a tetrahedron without four corners")
    if cells.size and not 0 <= cells[:, 1:].min() <= cells[:, 1:].max() < len(vertices):
        raise GeometryError("has a tetrahedron with a corner that does not exist")
    return raw_mesh(vertices, _surface(vertices, cells[:, 1:]), kind="vtk")


def _section(words: list[bytes], name: bytes, start: int) -> tuple[int, int]:
    """Number of rows of a section, and the index of the word after it."""
    try:
        place = words.index(name, start)
        count = int(words[place + 1])
    except (ValueError, IndexError):
        raise GeometryError(f"has no {name.decode()} with their number") from None
    if not 0 < count <= MOST:
        raise GeometryError(f"has {count} {name.decode()}; it can have 1 to {MOST}")
    return count, place + 2


def _numbers(words: list[bytes], start: int, count: int, kind: Any) -> NDArray[Any]:
    try:
        found = np.array(words[start : start + count], dtype="S40").astype(kind)
    except ValueError:
        raise GeometryError("contains text in place of numbers") from None
    if len(found) != count:
        raise GeometryError(f"ends where {count - len(found)} numbers are missing")
    return found


def _surface(vertices: NDArray[np.float64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The faces that belong to only one tetrahedron, seen from outside."""
    a, b, c, d = (vertices[cells[:, k]] for k in range(4))
    inward = np.einsum("ni,ni->n", np.cross(b - a, c - a), d - a) < 0
    cells = np.where(inward[:, None], cells[:, [0, 2, 1, 3]], cells)
    faces = cells[:, FACES].reshape(-1, 3)
    _, first, times = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return np.asarray(faces[np.sort(first[times == 1])])
