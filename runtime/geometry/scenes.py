"""Meshes of files that trimesh reads: scenes of many parts are one mesh here, every part in its place."""

from __future__ import annotations

import io

import numpy as np
from polybody.geometry.errors import GeometryError
from polybody.geometry.triangles import RawMesh, raw_mesh

INSTALL = "pip install polybody[scenes]"


def read_scene(data: bytes, kind: str) -> RawMesh:
    """All triangles of a file, in the frame of its scene.

    Args:
        data: its content; files that it names beside itself are not read.
        kind: its ending: "dae", "gltf", "glb", "ply" or "off".

    Raises:
        GeometryError: it cannot be read, or trimesh or what trimesh needs for it is not installed.
    """
    if kind == "dae" and (b"<!DOCTYPE" in data or b"<!ENTITY" in data):
        raise GeometryError("declares a document type, which is not read")
    try:
        import trimesh
    except ImportError:
        raise GeometryError(f"is a {kind} file, for which trimesh is needed", INSTALL) from None
    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False)
        mesh = scene.to_mesh()
        vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    except ImportError as missing:
        raise GeometryError(f"cannot be read: {missing}", INSTALL) from None
    except MemoryError:
        raise GeometryError("asks for more memory than there is") from None
    except Exception as wrong:  # whatever a reader of formats says of bytes that are none
        said = str(wrong).strip().split("\n")[0][:200]
        raise GeometryError(f"cannot be read as {kind}: {said or type(wrong).__name__}") from None
    return raw_mesh(vertices, faces, kind=kind)
