"""Meshes, height fields, textures, materials and skins: their columns."""

from __future__ import annotations

import numpy as np
from polybody.generated.formats.mjcf import TextureRole
from polybody.lowering.mjcf.codes import TEXTURE_ROLES
from polybody.lowering.mjcf.columns import BYTE, INTEGER, SINGLE, Columns, Field, gather
from polybody.lowering.mjcf.numbering import Model
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


def asset_columns(model: Model, shapes: Shapes) -> Columns:
    """The columns of all assets."""
    return _materials(model)


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
