"""Meshes and height fields as geoms see them."""

from __future__ import annotations

from typing import Any

from polybody.generated.formats.mjcf import GeomType
from polybody.lowering.mjcf.elements import Element, Spec
from polybody.lowering.mjcf.poses import Pose
from polybody.lowering.mjcf.problems import Problems


class Shapes:
    """The meshes and height fields of a model, compiled."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self.meshes = {mesh.name: mesh for mesh in spec.lists["mesh"]}
        self.fields = {field.name: field for field in spec.lists["hfield"]}

    def mesh(self, geom: Element, problems: Problems) -> Any:
        """The mesh of a geom, or None."""
        name = geom.values["mesh"]
        if name:
            problems.later(geom.node, "meshes are not compiled yet")
        return None

    def height_field(self, geom: Element, problems: Problems) -> tuple[float, float, float, float] | None:
        """The size of a geom's height field, or None."""
        name = geom.values["hfield"]
        if (geom.values["type"] is GeomType.HFIELD) != bool(name):
            problems.add(geom.node, "`type` hfield and the attribute `hfield` belong together", "hfield")
            return None
        if not name:
            return None
        field = self.fields.get(name)
        if field is None:
            problems.add(geom.node, f"there is no hfield `{name}`", "hfield")
            return None
        size: tuple[float, float, float, float] = field.values["size"]
        return size

    def placed(self, geom: Element, mesh: Any, pose: Pose) -> Pose:
        """The pose of a geom with a mesh."""
        return pose

    def number(self, geom: Element) -> int:
        """The number of a geom's mesh or height field; -1 for none."""
        for asset, found in (("mesh", self.meshes), ("hfield", self.fields)):
            name = geom.values[asset]
            if name and name in found:
                return found[name].id
        return -1
