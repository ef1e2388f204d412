"""The columns of meshes, for any format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from polybody.assembly.columns import DOUBLE, INTEGER, SINGLE, Columns, joined, numbers, starts

if TYPE_CHECKING:
    from polybody.geometry import Mesh

_NO_GRAPH = np.empty(0, dtype=INTEGER)


def mesh_columns(
    meshes: Sequence[Mesh], scales: Sequence[Any], offsets: Sequence[tuple[Any, Any]]
) -> Columns:
    """The columns of meshes; those of vertices, faces and hulls contain one mesh after another.

    Args:
        meshes: from ``geometry.load_mesh``.
        scales: the scale factors (3,) of each.
        offsets: position (3,), m, and quaternion (4,) of each mesh's frame in that of its file.
    """
    columns = {"mesh_scale": numbers(scales, 3, DOUBLE)}
    texcoords = [mesh.texcoords for mesh in meshes]
    graphs = [_NO_GRAPH if mesh.hull is None else mesh.hull.graph() for mesh in meshes]
    for name, parts, width, kind in (
        ("vert", [mesh.vertices for mesh in meshes], 3, SINGLE),
        ("normal", [mesh.normals for mesh in meshes], 3, SINGLE),
        ("texcoord", texcoords, 2, SINGLE),
        ("face", [mesh.faces for mesh in meshes], 3, INTEGER),
        ("facenormal", [mesh.face_normals for mesh in meshes], 3, INTEGER),
        ("facetexcoord", [mesh.face_texcoords for mesh in meshes], 3, INTEGER),
        ("graph", graphs, 0, INTEGER),
    ):
        columns[f"mesh_{name}"] = joined(parts, width, kind)
    for name, parts, optional in (
        ("vert", [mesh.vertices for mesh in meshes], False),
        ("normal", [mesh.normals for mesh in meshes], False),
        ("texcoord", texcoords, True),
        ("face", [mesh.faces for mesh in meshes], False),
        ("graph", graphs, True),
    ):
        counts = [len(part) for part in parts]
        columns[f"mesh_{name}adr"] = starts(counts, optional)
        if name != "graph":
            columns[f"mesh_{name}num"] = np.array(counts, dtype=INTEGER)
    columns["mesh_pos"] = numbers([pos for pos, _ in offsets], 3, DOUBLE)
    columns["mesh_quat"] = numbers([quat for _, quat in offsets], 4, DOUBLE)
    return columns
