"""Collisions and visuals of URDF as geoms, with materials, meshes and friction."""

from __future__ import annotations

from typing import Any

from polybody.base import Node, children_of, held
from polybody.generated.formats.urdf import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    DrakeCapsule,
    DrakeEllipsoid,
    Link,
    Mesh,
    Robot,
    Sphere,
    Visual,
)
from polybody.generated.model import ShapeType
from polybody.lowering.assembly import COLLISION, VISUAL, Geom, Material
from polybody.lowering.plants.mesh_files import MeshFiles
from polybody.lowering.poses import ORIGIN, pose_of_origin

GREY = (0.5, 0.5, 0.5, 1.0)
"""The colour of a visual without one."""
_KINDS: dict[type[Node], ShapeType] = {
    Box: ShapeType.box,
    Sphere: ShapeType.sphere,
    Cylinder: ShapeType.cylinder,
    Capsule: ShapeType.capsule,
    DrakeCapsule: ShapeType.capsule,
    Mesh: ShapeType.mesh,
    DrakeEllipsoid: ShapeType.ellipsoid,
}
"""In the order in which Drake looks for them."""
BOX, SPHERE, ELLIPSOID, MESH = ShapeType.box, ShapeType.sphere, ShapeType.ellipsoid, ShapeType.mesh
_RANKS: dict[type[Node], int] = {cls: rank for rank, cls in enumerate(_KINDS)}
ROLLING = (0.005, 0.0001)
"""Torsional and rolling friction, m, which URDF does not have: the Model's defaults."""
SLIDING = (1.0, *ROLLING)
"""Of a collision that says nothing."""


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
        """The geoms of a link: collisions, then visuals. A shape with a faulty mesh is omitted."""
        found = []
        for collision in held(link, "collision"):
            geom = self._shaped(collision, touching=True)
            if geom is not None:
                geom.group, geom.contype, geom.conaffinity = COLLISION, 1, 1
                _touching(geom, collision)
                found.append(geom)
        for visual in held(link, "visual"):
            look = self._look(visual)
            geom = None if _hidden(visual) else self._shaped(visual, touching=False)
            if geom is not None:
                geom.group, (geom.rgba, geom.material) = VISUAL, look
                found.append(geom)
        return found

    def _shaped(self, node: Collision | Visual, touching: bool) -> Geom | None:
        """The geom of the first shape of a geometry, in the order in which Drake looks for them."""
        geometry = node.geometry
        shapes = () if geometry is None else children_of(geometry)
        if not shapes:
            return None
        shape: Any = shapes[0] if len(shapes) == 1 else min(shapes, key=lambda each: _RANKS[type(each)])
        kind, mesh = _KINDS[type(shape)], None
        if kind is BOX:
            x, y, z = shape.size or (0.0, 0.0, 0.0)
            size: tuple[float, ...] = x / 2, y / 2, z / 2
        elif kind is SPHERE:
            size = (shape.radius or 0.0,)
        elif kind is ELLIPSOID:
            size = shape.a or 0.0, shape.b or 0.0, shape.c or 0.0
        elif kind is MESH:
            scale = 1.0 if shape.scale is None else shape.scale
            factors = scale if isinstance(scale, tuple) else (scale,) * 3
            size, mesh = ORIGIN, self.meshes.asset(shape, "filename", factors, touching=touching)
            if mesh is None:
                return None
        else:
            size = shape.radius or 0.0, (shape.length or 0.0) / 2
        pos, quat = pose_of_origin(node.origin)
        return Geom(node.name or "", kind, size, pos, quat, mesh=mesh, node=node)

    def _look(self, node: Visual) -> tuple[Any, Material | None]:
        """Colour and material; a material with a colour defines its name for later elements."""
        own = node.material
        if own is None:
            return GREY, None
        name, color = own.name or "", own.color
        colour: Any = None if color is None else color.rgba
        if colour is None:
            colour = self.colours.get(name)
        elif name:
            self.colours.setdefault(name, colour)
        if colour is None:
            return GREY, None
        if not name or self.colours.get(name) != colour:
            return colour, None
        known = self.materials.get(name)
        if known is None:
            known = self.materials[name] = Material(name, colour)
        return colour, known


def friction(node: Collision) -> float:
    """The coefficient of sliding friction: Drake's dynamic one, or the static one if only that is given."""
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


def _touching(geom: Geom, node: Collision) -> None:
    """The friction, and the stiffness and dissipation of point contact, that a collision gives."""
    own = node.drake_proximity_properties
    if own is None and node.drake_compliance is None:
        geom.friction = SLIDING
        return
    geom.friction = (friction(node), *ROLLING)
    if own is not None:
        stiffness, dissipation = own.drake_point_contact_stiffness, own.drake_hunt_crossley_dissipation
        geom.stiffness = None if stiffness is None else stiffness.value
        geom.dissipation = None if dissipation is None else dissipation.value


def _hidden(visual: Visual) -> bool:
    """Whether a visual is never rendered: Drake has two roles, and both can be disabled."""
    one, other = visual.drake_illustration_properties, visual.drake_perception_properties
    return one is not None and other is not None and _off(one) and _off(other)


def _off(role: Any) -> bool:
    return role.enabled is not None and role.enabled.value == "false"
