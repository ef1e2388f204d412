"""Collisions and visuals of URDF as geoms, with materials, meshes and friction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polybody.base import held
from polybody.generated.formats.urdf import Collision, Link, Robot, Visual
from polybody.generated.model import ShapeType
from polybody.lowering.assembly import COLLISION, VISUAL, Geom, Material
from polybody.lowering.plants.mesh_files import MeshFiles
from polybody.lowering.poses import pose_of_origin

GREY = (0.5, 0.5, 0.5, 1.0)
"""Of a visual without a colour."""
ROLLING = (0.005, 0.0001)
"""Torsional and rolling friction, m, which URDF does not have: the Model's defaults."""


class Shapes:
    """Makes geoms of the links of one document."""

    def __init__(self, document: Robot, meshes: MeshFiles) -> None:
        self.meshes = meshes
        self.colours: dict[str, Any] = {}
        self.materials: dict[str, Material] = {}
        for material in document.material:
            if material.name and material.color is not None and material.color.rgba is not None:
                self.colours.setdefault(material.name, material.color.rgba)

    def of(self, link: Link) -> list[Geom]:
        """The geoms of a link: collisions, then visuals. A shape with a faulty mesh is left out."""
        return [*self._collisions(link), *self._visuals(link)]

    def _collisions(self, link: Link) -> Iterator[Geom]:
        for node in held(link, "collision"):
            geom = self._shaped(node, touching=True)
            if geom is not None:
                geom.group, geom.contype, geom.conaffinity = COLLISION, 1, 1
                geom.friction = (friction(node), *ROLLING)
                _compliant(geom, node)
                yield geom

    def _visuals(self, link: Link) -> Iterator[Geom]:
        for node in held(link, "visual"):
            look = self._look(node)
            geom = None if _hidden(node) else self._shaped(node, touching=False)
            if geom is not None:
                geom.group, (geom.rgba, geom.material) = VISUAL, look
                yield geom

    def _shaped(self, node: Collision | Visual, touching: bool) -> Geom | None:
        """The geom of the first shape of a geometry, in the order in which Drake looks for them."""
        held = node.geometry
        if held is None:
            return None
        pos, quat = pose_of_origin(node.origin)
        common: dict[str, Any] = {"pos": pos, "quat": quat, "node": node}
        name = node.name or ""
        if held.box is not None:
            x, y, z = held.box.size or (0.0, 0.0, 0.0)
            return Geom(name, ShapeType.box, (x / 2, y / 2, z / 2), **common)
        if held.sphere is not None:
            return Geom(name, ShapeType.sphere, (held.sphere.radius or 0.0,), **common)
        for kind, round_ in (
            (ShapeType.cylinder, held.cylinder),
            (ShapeType.capsule, held.capsule),
            (ShapeType.capsule, held.drake_capsule),
        ):
            if round_ is not None:
                return Geom(name, kind, (round_.radius or 0.0, (round_.length or 0.0) / 2), **common)
        if held.mesh is not None:
            scale = 1.0 if held.mesh.scale is None else held.mesh.scale
            factors = scale if isinstance(scale, tuple) else (scale,) * 3
            asset = self.meshes.asset(held.mesh, "filename", factors, touching=touching)
            return None if asset is None else Geom(name, ShapeType.mesh, mesh=asset, **common)
        own = held.drake_ellipsoid
        if own is not None:
            return Geom(name, ShapeType.ellipsoid, (own.a or 0.0, own.b or 0.0, own.c or 0.0), **common)
        return None

    def _look(self, node: Visual) -> tuple[Any, Material | None]:
        """Colour and material; a material with a colour defines its name for what follows."""
        own = node.material
        if own is None:
            return GREY, None
        colour: Any = None if own.color is None else own.color.rgba
        if colour is None:
            colour = self.colours.get(own.name or "")
        elif own.name:
            self.colours.setdefault(own.name, colour)
        if colour is None:
            return GREY, None
        if not own.name or self.colours.get(own.name) != colour:
            return colour, None
        return colour, self.materials.setdefault(own.name, Material(own.name, colour))


def friction(node: Collision) -> float:
    """The coefficient of sliding friction: Drake's dynamic one, or the static one where it is alone."""
    own, legacy = node.drake_proximity_properties, node.drake_compliance
    if own is not None:
        for found in (own.drake_mu_dynamic, own.drake_mu_static):
            if found is not None and found.value is not None:
                return float(found.value)
    if (
        legacy is not None
        and legacy.dynamic_friction is not None
        and legacy.dynamic_friction.text is not None
    ):
        return float(legacy.dynamic_friction.text)
    return 1.0


def _compliant(geom: Geom, node: Collision) -> None:
    """The stiffness and dissipation of point contact that a collision says."""
    own = node.drake_proximity_properties
    if own is not None:
        stiffness, dissipation = own.drake_point_contact_stiffness, own.drake_hunt_crossley_dissipation
        geom.stiffness = None if stiffness is None else stiffness.value
        geom.dissipation = None if dissipation is None else dissipation.value


def _hidden(visual: Visual) -> bool:
    """Whether nobody sees a visual: Drake has two roles, and both can be switched off."""
    roles = (visual.drake_illustration_properties, visual.drake_perception_properties)
    return all(
        role is not None and role.enabled is not None and role.enabled.value == "false" for role in roles
    )
