"""Files that a model names: whether their content is what MuJoCo reads under that name.

Headers and sizes are checked, and in binary meshes the indices; the geometry itself (such as a mesh without
volume) is not.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from polybody.files import open_regular

GMSH = b"$MeshFormat"
PNG = b"\x89PNG\r\n\x1a\n"
STL_HEAD, STL_FACE, STL_MOST = 84, 50, 200_000
"""A binary STL file: header of 80 bytes, number of faces, 50 bytes per face; MuJoCo's maximum number of
faces.
"""
LONGEST = 16 << 20
"""For larger files, only the size is checked."""
Fault = tuple[str, str | None]
"""The fault of a file, as a predicate, and optionally advice."""


class Open(NamedTuple):
    """A file that is examined."""

    file: BinaryIO
    size: int

    def numbers(self, form: str) -> tuple[int, ...] | None:
        """The next little-endian numbers, or None if the file ends before."""
        data = self.file.read(struct.calcsize(form))
        return struct.unpack(form, data) if len(data) == struct.calcsize(form) else None


def fault(role: str, node: Any, path: Path) -> Fault | None:
    """The fault of a file that an element names; None if none is found.

    role: the tag of the element that names it.
    """
    kind = _kind(role, node, path)
    if kind is None:
        return (
            f"is not a kind of mesh file that MuJoCo reads; those are {', '.join(sorted(MESHES))}",
            "convert it",
        )
    look = LOOKS.get(kind)
    if look is None:
        return None
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            return look(Open(file, size)) if size else ("is empty", None)
    except OSError:
        return "cannot be read", None


def _kind(role: str, node: Any, path: Path) -> str | None:
    """The kind of a file, by its declared content type or its extension; None for an unknown kind of mesh."""
    ending = path.suffix.lower()
    declared = (getattr(node, "content_type", None) or "").partition(";")[0].strip()
    if role == "flexcomp" and node.type is not None and node.type.value == "gmsh":
        return "gmsh"
    if role in ("mesh", "flexcomp"):
        return MESHES.get(ending) if not declared else declared if declared in MESHES.values() else None
    if declared == "image/png" or (not declared and ending == ".png"):
        return "image/png"
    return declared or role


# --- one function for each kind ----------------------------------------------------------------------------


def _stl(given: Open) -> Fault | None:
    head = given.file.read(STL_HEAD)
    count = int.from_bytes(head[-4:], "little") if len(head) == STL_HEAD else 0
    needed = STL_HEAD + STL_FACE * count
    if needed == given.size and 0 < count <= STL_MOST:
        return None
    if head.lstrip()[:5].lower() == b"solid":
        return "is an ASCII STL file; MuJoCo reads binary ones", "save it as binary STL"
    if len(head) < STL_HEAD:
        return f"ends after {given.size} bytes; the header of a binary STL file has {STL_HEAD}", None
    if needed == given.size:
        hint = "reduce the mesh, or save it as obj" if count else None
        return f"has {count} faces; MuJoCo accepts STL files with 1 to {STL_MOST}", hint
    return f"declares {count} faces, which need {needed} bytes, but has {given.size}", None


def _msh(given: Open) -> Fault | None:
    """MuJoCo's own format: counts of vertices, normals, texture coordinates and faces, then 4 bytes per
    number.
    """
    counts = given.numbers("<4i")
    if counts is None:
        return f"ends after {given.size} bytes; the header of an msh file has 16", None
    vertices, normals, texcoords, faces = counts
    if given.file.seek(0) == 0 and given.file.read(len(GMSH)) == GMSH:
        return "is a Gmsh file, which a <flexcomp> of type `gmsh` accepts but a mesh does not", None
    if vertices < 4 or min(counts) < 0 or normals not in (0, vertices) or texcoords not in (0, vertices):
        what = f"{vertices} vertices, {normals} normals, {texcoords} texture coordinates and {faces} faces"
        return f"declares {what}, which is not a mesh", None
    before = 16 + 12 * vertices + 12 * normals + 8 * texcoords
    if before + 12 * faces != given.size:
        return f"has {given.size} bytes; its header requires {before + 12 * faces}", None
    if given.size > LONGEST:
        return None
    given.file.seek(before)
    indices = array("i")
    indices.frombytes(given.file.read(12 * faces))
    wrong = next((index for index in indices if not 0 <= index < vertices), None)
    return None if wrong is None else (f"has a face with vertex {wrong}; there are {vertices}", None)


def _grid(of: str, width: int) -> Callable[[Open], Fault | None]:
    """MuJoCo's own formats of images and heights: two counts, then a number of bytes per point."""

    def look(given: Open) -> Fault | None:
        counts = given.numbers("<2i")
        given.file.seek(0)
        start = given.file.read(len(PNG))
        known = "JPEG" if start.startswith(b"\xff\xd8\xff") else "PNG" if start == PNG else None
        if known is not None:
            hint = "name it .png" if known == "PNG" else "convert it to PNG"
            return (
                f"is a {known} file; without the extension .png, MuJoCo reads it as {of} in its own format",
                hint,
            )
        if counts is None or min(counts) < 1 or 8 + counts[0] * counts[1] * width != given.size:
            return f"is neither named .png nor {of} in MuJoCo's own format", "convert it to PNG"
        return None

    return look


def _png(given: Open) -> Fault | None:
    if given.file.read(len(PNG)) != PNG:
        return "is not a PNG file, although its name says so", "convert it"
    return None


def _skin(given: Open) -> Fault | None:
    counts = given.numbers("<4i")
    if counts is None or min(counts) < 0:
        return "does not begin with the four counts of a skin", None
    needed = 16 + 12 * counts[0] + 8 * counts[1] + 12 * counts[2]
    if given.size < needed:
        return f"has {given.size} bytes; its header requires {needed} at least", None
    return None


def _gmsh(given: Open) -> Fault | None:
    if given.size > LONGEST:
        return None
    from polybody.geometry import gmsh  # and numpy, for these files alone

    said = gmsh.fault(given.file.read(LONGEST))
    return None if said is None else (said, None)


MESHES = {".stl": "model/stl", ".obj": "model/obj", ".msh": "model/vnd.mujoco.msh"}
LOOKS: dict[str, Callable[[Open], Fault | None]] = {
    "model/stl": _stl,
    "model/vnd.mujoco.msh": _msh,
    "gmsh": _gmsh,
    "image/png": _png,
    "hfield": _grid("heights", 4),
    "texture": _grid("an image", 3),
    "skin": _skin,
}
