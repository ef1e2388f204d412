"""Meshes, height fields, textures, materials and skins: their columns."""

from __future__ import annotations

from polybody.lowering.mjcf.columns import BYTE, SINGLE, Columns, Field
from polybody.lowering.mjcf.numbering import Model
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
    return {}
