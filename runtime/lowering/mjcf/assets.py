"""Meshes, height fields, textures, materials and skins: their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from polybody.generated.formats.mjcf import TextureRole
from polybody.lowering.mjcf.codes import TEXTURE_ROLES
from polybody.lowering.mjcf.columns import (
    BYTE,
    DOUBLE,
    INTEGER,
    SINGLE,
    Array,
    Columns,
    Field,
    gather,
    numbers,
)
from polybody.lowering.mjcf.numbering import Model
from polybody.lowering.mjcf.poses import NOWHERE
from polybody.lowering.mjcf.references import Reference
from polybody.lowering.mjcf.shapes import Shapes

MATERIAL: tuple[Field, ...] = (
    ("mat_texuniform", "texuniform", 0, BYTE),
    ("mat_texrepeat", "texrepeat", 2, SINGLE),
    ("mat_emission", "emission", 0, SINGLE),
    ("mat_specular", "specular", 0, SINGLE),
    ("mat_shininess", "shininess", 0, SINGLE),
    ("mat_reflectance", "reflectance", 0, SINGLE),
    ("mat_metallic", "metallic", 0, SINGLE),
    ("mat_roughness", "roughness", 0, SINGLE),
    ("mat_rgba", "rgba", 4, SINGLE),
)


_NO_GRAPH = np.empty(0, dtype=INTEGER)


def asset_columns(model: Model, shapes: Shapes) -> Columns:
    """The columns of all assets."""
    return _materials(model) | _meshes(model, shapes)


def _materials(model: Model) -> Columns:
    materials = model.spec.lists["material"]
    columns = gather(materials, MATERIAL)
    rows = np.full((len(materials), TEXTURE_ROLES), -1, dtype=INTEGER)
    roles = {role.value: place for place, role in enumerate(TextureRole, 1)}
    for material in materials:
        for role, name in material.values["textures"].items():
            texture = model.resolve(material, Reference("texture", name), "texture")
            rows[material.id, roles[role]] = -1 if texture is None else texture.id
    columns["mat_texid"] = rows
    return columns


def _meshes(model: Model, shapes: Shapes) -> Columns:
    """The columns of meshes; those of vertices, faces and hulls hold one mesh behind the other."""
    elements = model.spec.lists["mesh"]
    meshes = [shapes.made[element.name] for element in elements]
    made = [mesh for mesh in meshes if mesh is not None]
    if len(made) < len(meshes):
        made = []  # what could not be made is a finding
    scales = [element.values["scale"] for element in elements[: len(made)]]
    columns = {"mesh_scale": numbers(scales, 3, DOUBLE)}
    texcoords = [mesh.texcoords for mesh in made]
    graphs = [_NO_GRAPH if mesh.hull is None else mesh.hull.graph() for mesh in made]
    for name, parts, width, kind in (
        ("vert", [mesh.vertices for mesh in made], 3, SINGLE),
        ("normal", [mesh.normals for mesh in made], 3, SINGLE),
        ("texcoord", texcoords, 2, SINGLE),
        ("face", [mesh.faces for mesh in made], 3, INTEGER),
        ("facenormal", [mesh.face_normals for mesh in made], 3, INTEGER),
        ("facetexcoord", [mesh.face_texcoords for mesh in made], 3, INTEGER),
        ("graph", graphs, 0, INTEGER),
    ):
        columns[f"mesh_{name}"] = _joined(parts, width, kind)
    for name, parts, optional in (
        ("vert", [mesh.vertices for mesh in made], False),
        ("normal", [mesh.normals for mesh in made], False),
        ("texcoord", texcoords, True),
        ("face", [mesh.faces for mesh in made], False),
        ("graph", graphs, True),
    ):
        counts = np.array([len(part) for part in parts], dtype=np.int64)
        starts = np.cumsum(counts) - counts
        columns[f"mesh_{name}adr"] = (np.where(counts > 0, starts, -1) if optional else starts).astype(
            INTEGER
        )
        if name != "graph":
            columns[f"mesh_{name}num"] = counts.astype(INTEGER)
    offsets = [shapes.offsets.get(element.name, NOWHERE) for element in elements[: len(made)]]
    columns["mesh_pos"] = numbers([pos for pos, _ in offsets], 3, DOUBLE)
    columns["mesh_quat"] = numbers([quat for _, quat in offsets], 4, DOUBLE)
    return columns


def _joined(parts: list[Any], width: int, kind: Any) -> Array:
    """Arrays one behind the other."""
    if not parts:
        return numbers((), width, kind)
    whole: Array = np.concatenate(parts).astype(kind, copy=False)
    return whole
