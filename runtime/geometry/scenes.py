"""Meshes of files that trimesh reads: scenes of many parts become one mesh, with every part in its place."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from polybody.files import real
from polybody.geometry.cache import content
from polybody.geometry.errors import GeometryError
from polybody.geometry.triangles import RawMesh, raw_mesh

INSTALL = "pip install polybody[scenes]"
MAX_BUFFERS = 64
"""Maximum number of files that a glTF file may refer to."""
LOOKS = ("images", "textures", "samplers", "materials")
"""Parts of a glTF file that are not read."""
_UNIT = re.compile(rb"<unit\b[^>]*?\bmeter\s*=\s*[\"']([^\"']*)[\"']")


def read_scene(data: bytes, kind: str, beside: Mapping[str, bytes]) -> RawMesh:
    """All triangles of a file, in the frame of its scene, in m.

    The unit of a dae file is used, its upward axis is not, as in ROS. In glTF, y is up; the axes are rotated
    so that z is up, as in Drake.

    Args:
        data: its content.
        kind: its extension: "dae", "gltf", "glb", "ply" or "off".
        beside: for a gltf file the files that it refers to, from `buffers_beside`.

    Raises:
        GeometryError: it cannot be read, or trimesh or a package that trimesh needs is not installed.
    """
    if kind == "dae" and (b"<!DOCTYPE" in data or b"<!ENTITY" in data):
        raise GeometryError("declares a document type, which is not read")
    try:
        import trimesh
    except ImportError:
        raise GeometryError(f"is a {kind} file, which requires trimesh", INSTALL) from None
    try:
        header = json.loads(data) if kind == "gltf" else {}
        text = json.dumps(_bare(header)).encode() if kind == "gltf" else data
        with _quiet():
            scene = trimesh.load_scene(io.BytesIO(text), file_type=kind, process=False, resolver=beside)
            mesh = scene.to_mesh()
        vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    except ImportError as missing:
        raise GeometryError(f"cannot be read: {missing}", INSTALL) from None
    except MemoryError:
        raise GeometryError("requires more memory than is available") from None
    except Exception as wrong:  # any error that a parser raises for invalid bytes
        said = str(wrong).strip().split("\n")[0][:200]
        raise GeometryError(f"cannot be read as {kind}: {said or type(wrong).__name__}") from None
    if kind == "dae":
        vertices = vertices * _metres(data)
    elif kind in ("gltf", "glb"):
        vertices = vertices[:, [0, 2, 1]] * (1.0, -1.0, 1.0)
    return raw_mesh(vertices, faces, kind=kind)


@contextmanager
def _quiet() -> Iterator[None]:
    """Within this context, trimesh prints no messages, such as about textures that are not read.

    Handlers of the logging that the program has set up still receive them.
    """
    logger, handler = logging.getLogger("trimesh"), logging.NullHandler()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def buffers_beside(path: Path, data: bytes) -> dict[str, bytes]:
    """The content of the files that a glTF file refers to, in its own folder or below it.

    Raises:
        GeometryError: one cannot be read, is elsewhere, or there are too many.
    """
    found: dict[str, bytes] = {}
    for name in _named(data):
        where = Path(unquote(name))
        if where.is_absolute() or ".." in where.parts or ":" in name or "\\" in name:
            raise GeometryError(f"refers to the buffer `{name[:80]}`, which is not in its folder")
        if len(found) == MAX_BUFFERS:
            raise GeometryError(f"refers to more than {MAX_BUFFERS} files")
        try:
            file = real(path.parent / where)
        except ValueError:
            raise GeometryError("refers to a buffer whose name is not valid") from None
        if not file.is_relative_to(real(path.parent)):
            raise GeometryError(f"refers to the buffer `{name[:80]}`, which is not in its folder")
        try:
            found[name] = content(file)
        except GeometryError as error:
            raise GeometryError(f"refers to the buffer `{name[:80]}`, which {error}") from None
    return found


def _named(data: bytes) -> list[str]:
    """The names of files in the buffers of a glTF file; none if it is not such a file."""
    try:
        buffers = json.loads(data).get("buffers", ())
        names = [buffer.get("uri") for buffer in buffers]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return []
    return list(dict.fromkeys(n for n in names if isinstance(n, str) and not n.startswith("data:")))


def _bare(header: Any) -> Any:
    """The content of a glTF file without its appearance."""
    for name in LOOKS:
        header.pop(name, None)
    for mesh in header.get("meshes", ()):
        for part in mesh.get("primitives", ()):
            part.pop("material", None)
    return header


def _metres(data: bytes) -> float:
    """The unit of a COLLADA file, m."""
    found = _UNIT.search(data)
    try:
        unit = float(found[1]) if found else 1.0
    except ValueError:
        unit = 1.0
    return unit if 0 < unit < float("inf") else 1.0
