"""Skins: their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from polybody import geometry
from polybody.assembly.columns import INTEGER, SINGLE, Columns, joined, starts
from polybody.geometry import GeometryError
from polybody.lowering.mjcf.body_columns import materials
from polybody.lowering.mjcf.columns import Field, gather
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.files import Files
from polybody.lowering.mjcf.numbering import Numbered, of_lists
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import Reference

if TYPE_CHECKING:
    from polybody.geometry import Bone, Skin

FIELDS: tuple[Field, ...] = (
    ("skin_group", "group", 0, INTEGER),
    ("skin_rgba", "rgba", 4, SINGLE),
    ("skin_inflate", "inflate", 0, SINGLE),
)
NUMBERS = ("vertex", "texcoord", "face", "bones")
"""Attributes of a skin without a file."""


@of_lists("skin")
def skin_columns(numbered: Numbered, files: Files) -> Columns:
    """The columns of skins; those of vertices, faces and bones are concatenated."""
    elements = numbered.spec.lists["skin"]
    found = [_skin(element, numbered.problems, files) for element in elements]
    made = [each for each in found if each is not None]  # failures have been reported
    bones = [bone for each in made for bone in each.bones]
    columns = gather(elements, FIELDS)
    columns["skin_matid"] = materials(numbered, elements)
    columns["skin_bonebodyid"] = _bodies(numbered, elements, found)
    for name, counts, parts, width, kind in (
        ("vert", True, [each.vertices for each in made], 3, SINGLE),
        ("texcoord", False, [each.texcoords for each in made], 2, SINGLE),
        ("face", True, [each.faces for each in made], 3, INTEGER),
        ("bonevertid", None, [bone.vertices for bone in bones], 0, INTEGER),
        ("bonevertweight", None, [bone.weights for bone in bones], 0, SINGLE),
        ("bonebindpos", None, [bone.bindpos[None] for bone in bones], 3, SINGLE),
        ("bonebindquat", None, [bone.bindquat[None] for bone in bones], 4, SINGLE),
    ):
        columns[f"skin_{name}"] = joined(parts, width, kind)
        if counts is not None:
            _ranges(columns, f"skin_{name}", [len(part) for part in parts], number=counts)
    _ranges(columns, "skin_bone", [len(each.bones) for each in made])
    _ranges(columns, "skin_bonevert", [len(bone.vertices) for bone in bones])
    return columns


def _ranges(columns: Columns, name: str, counts: list[int], *, number: bool = True) -> None:
    """The starts and numbers of rows; for texture coordinates only the starts, -1 for none."""
    columns[f"{name}adr"] = starts(counts, optional=not number)
    if number:
        columns[f"{name}num"] = np.array(counts, dtype=INTEGER)


def _bodies(numbered: Numbered, elements: list[Element], found: list[Skin | None]) -> Any:
    """The indices of the bodies that are bones."""
    rows = []
    for element, made in zip(elements, found, strict=True):
        names: tuple[Bone, ...] = () if made is None else made.bones
        for bone in names:
            body = numbered.resolve(element, Reference("body", bone.body))
            rows.append(0 if body is None else body.id)
    return np.array(rows, dtype=INTEGER)


def _skin(element: Element, problems: Problems, files: Files) -> Skin | None:
    """A skin, or None after a finding."""
    values, node = element.values, element.node
    try:
        if not values["file"]:
            bones = [
                (reference.name, bone.bindpos, bone.bindquat, bone.vertid or (), bone.vertweight or ())
                for reference, bone in zip(values["references"], values["bones"], strict=True)
            ]
            return geometry.skin(
                values["vertex"] or (), values["texcoord"] or (), values["face"] or (), bones
            )
        path = files.path(element, "file")
        if path is None:
            return None
        both = [name for name in NUMBERS if values[name]]
        if both:
            problems.add(node, f"a skin must have either a file or {' and '.join(NUMBERS)}", "file")
        elif path.suffix.lower() != ".skn":
            problems.add(node, f"`{node.file}` does not have the extension .skn of skin files", "file")
        else:
            return geometry.load_skin(path)
    except GeometryError as error:
        name = f"`{node.file}`" if values["file"] else f"the skin `{element.name}`"
        problems.add(node, f"{name} {error.message}", "file" if values["file"] else None, error.hint)
    return None
