"""Files of meshes: STL, OBJ, MuJoCo's own MSH, VTK's grids, and other formats by trimesh."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.geometry import loops, obj
from polybody.geometry.errors import GeometryError
from polybody.geometry.triangles import MOST, RawMesh, Release, raw_mesh

ALONE: Mapping[str, bytes] = MappingProxyType({})
"""No referenced files."""
STL_HEAD, STL_MOST = 84, 200_000
"""Bytes before the faces of a binary STL file; the maximum number of faces for MuJoCo."""
FARTHEST = float(1 << 30)
"""The maximum coordinate that MuJoCo accepts in an STL file."""
STL_FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
SCENES = frozenset({"dae", "gltf", "glb", "ply", "off"})
"""Extensions of files that trimesh reads."""
LONGEST_TEXT = 1 << 26
"""Maximum size of an ASCII STL file in bytes."""
NUMBER = rb"[-+0-9.eE]+"


def read_mesh(
    data: bytes,
    kind: str,
    *,
    mujoco: bool = True,
    beside: Mapping[str, bytes] = ALONE,
    release: Release = "3.2.7",
) -> RawMesh:
    """The triangles of a file.

    Args:
        data: its content.
        kind: "stl", "obj", "msh", "vtk", or one of trimesh's: "dae", "gltf", "glb", "ply", "off".
        mujoco: whether to accept only what MuJoCo accepts, with the same meaning: of STL, binary files of up
            to 200,000 faces; of OBJ, the faces of the first group or object that has any. Otherwise STL may
            be ASCII, and all faces are read.
        beside: the files that a gltf file refers to, by their names in it.
        release: of MuJoCo; as of 4.0, quadrilaterals of OBJ are split along their shorter diagonal.

    Raises:
        GeometryError: the file cannot be read, or has no mesh.
    """
    if not data:
        raise GeometryError("is empty")
    if kind == "stl":
        return _stl(data, mujoco)
    if kind == "msh":
        return _msh(data)
    if kind == "obj":
        vertices, texcoords, normals, faces, face_texcoords, face_normals = obj.read(
            data, all_shapes=not mujoco, comments=not mujoco, shorter=release == "4.0"
        )
        texcoords[:, 1] = 1 - texcoords[:, 1]
        return raw_mesh(
            vertices,
            faces,
            normals,
            texcoords,
            face_normals=face_normals,
            face_texcoords=face_texcoords,
            kind="obj",
        )
    if kind == "vtk" and not mujoco:
        from polybody.geometry.vtk import read_vtk

        return read_vtk(data)
    if kind in SCENES and not mujoco:
        from polybody.geometry.scenes import read_scene

        return read_scene(data, kind, beside)
    raise GeometryError(f"is a {kind!r} file, which is not a supported mesh format")


def _stl(data: bytes, mujoco: bool) -> RawMesh:
    count = struct.unpack_from("<I", data, STL_HEAD - 4)[0] if len(data) >= STL_HEAD else 0
    size = STL_HEAD + STL_FACE.itemsize * count
    if size != len(data) and data.lstrip()[:5].lower() == b"solid":
        if mujoco:
            raise GeometryError("is an ASCII STL file; MuJoCo reads binary ones", "save it as binary STL")
        return _stl_text(data)
    if len(data) < STL_HEAD:
        raise GeometryError(f"ends after {len(data)} bytes; the header of a binary STL file has {STL_HEAD}")
    if not 0 < count <= (STL_MOST if mujoco else MOST):
        most = STL_MOST if mujoco else MOST
        hint = "reduce the mesh, or save it as obj" if count else None
        raise GeometryError(f"has {count} faces; an STL file can have 1 to {most}", hint, offset=STL_HEAD - 4)
    if size != len(data) and (mujoco or size > len(data)):
        raise GeometryError(
            f"declares {count} faces, which need {size} bytes, but has {len(data)}",
            offset=STL_HEAD - 4,
        )
    faces = np.frombuffer(data, STL_FACE, count, STL_HEAD)
    return _merged(np.ascontiguousarray(faces["corners"]).reshape(-1, 3))


def _stl_text(data: bytes) -> RawMesh:
    if len(data) > LONGEST_TEXT:
        raise GeometryError(f"is an ASCII STL file of {len(data) >> 20} MiB", "save it as binary STL")
    found = re.findall(rb"\bvertex\s+(%b)\s+(%b)\s+(%b)\s" % (NUMBER, NUMBER, NUMBER), data)
    if not found or len(found) % 3:
        raise GeometryError(f"has {len(found)} vertices, but in an ASCII STL file each facet has 3")
    try:
        corners = np.array([[float(word) for word in row] for row in found], dtype=np.float32)
    except ValueError:
        raise GeometryError("has coordinates that are not numbers") from None
    return _merged(corners)


def _merged(corners: NDArray[np.float32]) -> RawMesh:
    """A mesh of triangles given by the coordinates of their corners, with equal corners merged."""
    if not np.isfinite(corners).all():
        place = int(np.flatnonzero(~np.isfinite(corners).all(axis=1))[0])
        raise GeometryError(f"has a corner of face {place // 3} that is not finite")
    if np.abs(corners).max() > FARTHEST:
        raise GeometryError(f"has coordinates beyond {FARTHEST:.0f}")
    first, index = loops.merge_vertices(corners)
    return raw_mesh(corners[first], index.reshape(-1, 3), kind="stl")


def _msh(data: bytes) -> RawMesh:
    if len(data) < 16:
        raise GeometryError(f"ends after {len(data)} bytes; the header of an msh file has 16")
    counts: tuple[int, ...] = struct.unpack_from("<4i", data)
    vertices, normals, texcoords, faces = counts
    if vertices < 4 or min(counts) < 0 or normals not in (0, vertices) or texcoords not in (0, vertices):
        what = f"{vertices} vertices, {normals} normals, {texcoords} texture coordinates and {faces} faces"
        raise GeometryError(f"declares {what}, which is not a mesh", offset=0)
    size = 16 + 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces
    if size != len(data):
        raise GeometryError(f"has {len(data)} bytes; its header requires {size}", offset=0)
    start = 16
    parts: list[NDArray[Any]] = []
    for count, width, form in zip(counts, (3, 3, 2, 3), ("<f4", "<f4", "<f4", "<i4"), strict=True):
        parts.append(np.frombuffer(data, form, count * width, start).reshape(-1, width))
        start += 4 * count * width
    return raw_mesh(parts[0], parts[3], parts[1], parts[2], kind="msh")
