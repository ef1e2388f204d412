"""Meshes, height fields, textures, materials and skins: their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from polybody import geometry
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, SINGLE, Array, Columns, joined, numbers, starts
from polybody.assembly.meshes import mesh_columns
from polybody.generated.formats.mjcf import TextureRole
from polybody.geometry import GeometryError
from polybody.geometry.cache import STORE
from polybody.geometry.images import MAX_PIXELS
from polybody.lowering.images import images_are_decoded
from polybody.lowering.mjcf.codes import TEXTURE_ROLES
from polybody.lowering.mjcf.columns import Field, coded, gather
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.files import FIELDS, IMAGES, Files
from polybody.lowering.mjcf.numbering import Numbered, of_lists
from polybody.lowering.mjcf.poses import NOWHERE
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import Reference
from polybody.lowering.mjcf.shapes import Shapes
from polybody.lowering.mjcf.skins import skin_columns
from polybody.lowering.mjcf.values import since

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


FACES = {f"file{word}": word[0].upper() for word in ("right", "left", "up", "down", "front", "back")}
"""Attributes of files that contain one face of a cube, and the letters of the faces."""
MAX_BYTES = 1 << 29
"""Maximum total size of all textures, or of all height fields, in bytes."""

_NO_HEIGHTS = np.empty((0, 0), dtype=SINGLE)
_NO_PIXELS = np.empty((0, 0, 3), dtype=BYTE)


def asset_columns(numbered: Numbered, shapes: Shapes) -> Columns:
    """The columns of all assets."""
    columns = _materials(numbered) | _meshes(numbered, shapes)
    columns |= _height_fields(numbered, shapes.files) | _textures(numbered, shapes.files)
    return columns | skin_columns(numbered, shapes.files)


@of_lists("material")
def _materials(numbered: Numbered) -> Columns:
    materials = numbered.spec.lists["material"]
    columns = gather(materials, MATERIAL)
    rows = np.full((len(materials), TEXTURE_ROLES), -1, dtype=INTEGER)
    roles = {role.value: place for place, role in enumerate(TextureRole, 1)}
    for material in materials:
        for role, name in material.values["textures"].items():
            texture = numbered.resolve(material, Reference("texture", name), "texture")
            rows[material.id, roles[role]] = -1 if texture is None else texture.id
    columns["mat_texid"] = rows
    return columns


@of_lists("mesh")
def _meshes(numbered: Numbered, shapes: Shapes) -> Columns:
    """The columns of meshes."""
    elements = numbered.spec.lists["mesh"]
    meshes = [shapes.made[element.name] for element in elements]
    made = [mesh for mesh in meshes if mesh is not None]
    if len(made) < len(meshes):
        made = []  # failures have been reported
    scales = [element.values["scale"] for element in elements[: len(made)]]
    offsets: list[tuple[Any, Any]]
    if since("3.3.0"):
        offsets = [(mesh.solid.pos, mesh.solid.quat) for mesh in made]
    else:
        offsets = [shapes.offsets.get(element.name, NOWHERE) for element in elements[: len(made)]]
    return mesh_columns(made, scales, offsets)


@of_lists("hfield")
def _height_fields(numbered: Numbered, files: Files) -> Columns:
    fields = numbered.spec.lists["hfield"]
    made = _made(fields, lambda field: _height_field(field, numbered.problems, files), numbered.problems)
    shapes = [heights.shape for heights in made]
    return {
        "hfield_size": numbers([field.values["size"] for field in fields], 4, DOUBLE),
        "hfield_nrow": np.array([rows for rows, _ in shapes], dtype=INTEGER),
        "hfield_ncol": np.array([columns for _, columns in shapes], dtype=INTEGER),
        "hfield_adr": starts([rows * columns for rows, columns in shapes]),
        "hfield_data": joined([heights.ravel() for heights in made], 0, SINGLE),
    }


def _made(elements: Sequence[Element], make: Callable[[Element], Array], problems: Problems) -> list[Array]:
    """The arrays made from elements, up to a maximum total size."""
    found: list[Array] = []
    total = 0
    for element in elements:
        found.append(make(element))
        total += found[-1].nbytes
        if total > MAX_BYTES:
            message = f"with this {element.kind} they have more than {MAX_BYTES:,} bytes together"
            problems.add(element.node, message)
            return []
    return found


def _height_field(field: Element, problems: Problems, files: Files) -> Array:
    """The heights of a field, (rows, columns); empty after a finding."""
    values, node = field.values, field.node
    rows, columns = values["nrow"], values["ncol"]
    attribute = "file" if values["file"] else "elevation" if values["elevation"] else None
    try:
        if min(values["size"]) <= 0:
            problems.add(node, "the four sizes of a height field must be positive", "size")
        elif values["file"] and (rows or columns):
            problems.add(node, "a height field must have either a file, or `nrow` and `ncol`", "file")
        elif rows * columns > MAX_PIXELS:
            problems.add(node, f"{rows:,} x {columns:,} heights are more than {MAX_PIXELS:,}", "nrow")
        elif not values["file"]:
            return geometry.height_field(values["elevation"] or (), "", rows, columns)
        else:
            found = files.find(field, "file", FIELDS)
            if found is not None:
                return geometry.height_field(*found)
    except GeometryError as error:
        name = f"`{node.file}`" if values["file"] else f"the height field `{field.name}`"
        problems.add(node, f"{name} {error.message}", attribute, error.hint)
    return _NO_HEIGHTS


@of_lists("texture")
def _textures(numbered: Numbered, files: Files) -> Columns:
    textures = numbered.spec.lists["texture"]
    made = _made(textures, lambda each: _texture(each, numbered.problems, files), numbered.problems)
    sizes = np.array([pixels.shape for pixels in made], dtype=INTEGER).reshape(-1, 3).T.copy()
    return {
        "tex_type": coded(textures, "type"),
        "tex_height": sizes[0],
        "tex_width": sizes[1],
        "tex_nchannel": sizes[2],
        "tex_adr": starts([pixels.size for pixels in made]),
        "tex_data": _pixels(textures, made),
    }


def _pixels(textures: Sequence[Element], images: list[Array]) -> Array:
    """The pixels of all images, concatenated; cached for patterns, which are cached themselves."""

    def join() -> tuple[list[Array], Array]:
        return images, joined([pixels.ravel() for pixels in images], 0, BYTE)  # holds the key

    drawn = [each.values["builtin"].value != "none" and each.values["nchannel"] == 3 for each in textures]
    return STORE.get(("pixels", *map(id, images)), join)[1] if images and all(drawn) else join()[1]


def _texture(element: Element, problems: Problems, files: Files) -> Array:
    """The pixels of a texture, (rows, columns, channels); empty after a finding."""
    values, node = element.values, element.node
    drawn = values["builtin"].value != "none"
    named = () if drawn else ("file",) if values["file"] else tuple(f for f in FACES if values[f])
    images = {}
    for attribute in named:
        found = files.find(element, attribute, IMAGES)
        if found is None:
            return _NO_PIXELS
        images[attribute] = found
    one = images.pop("file", None)
    if named and not images_are_decoded():
        return np.zeros((1, 1, values["nchannel"]), BYTE)
    try:
        return geometry.texture(
            values["type"].value,
            file=one,
            faces={FACES[attribute]: image for attribute, image in images.items()},
            gridsize=values["gridsize"],
            gridlayout=values["gridlayout"] or "",
            builtin=values["builtin"].value,
            mark=values["mark"].value,
            rgb1=values["rgb1"],
            rgb2=values["rgb2"],
            markrgb=values["markrgb"],
            random=values["random"],
            width=values["width"],
            height=values["height"],
            hflip=bool(values["hflip"]),
            vflip=bool(values["vflip"]),
            nchannel=values["nchannel"],
        )
    except GeometryError as error:
        name = f"`{node.file}`" if one else f"the texture `{element.name}`"
        problems.add(node, f"{name} {error.message}", named[0] if named else None, error.hint)
        return _NO_PIXELS
