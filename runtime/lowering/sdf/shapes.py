"""Collisions and visuals of SDFormat as geoms, and the solids from which masses are computed."""

from __future__ import annotations

from typing import Any, NamedTuple

from polybody.assembly.parts import COLLISION, VISUAL, Geom
from polybody.diagnostics import Findings
from polybody.generated.model import ShapeType
from polybody.geometry.solids import SolidMesh, solid_mesh
from polybody.lowering.plants.mesh_files import MeshFiles
from polybody.lowering.sdf.scopes import Scope
from polybody.lowering.sdf.settings import Settings
from polybody.lowering.sdf.surfaces import Surfaces
from polybody.lowering.sdf.values import pose_from, relative_of, said
from polybody.rotations.poses import IDENTITY, Pose, unit_vector, z_to

FRICTION = (0.005, 0.0001)
"""Torsional and rolling friction, m: the Model's defaults, since SDFormat's engines define these
differently.
"""
WHITE = (1.0, 1.0, 1.0, 1.0)
ONE = (1.0, 1.0, 1.0)
ENDLESS = (0.0, 0.0, 1.0)
"""Half sizes of an infinite plane, and the spacing of its grid."""


class Solid(NamedTuple):
    """A shape with a volume; its frame is that of the Model's shape of the same kind."""

    kind: str
    """A name of ``geometry.shapes``, or "cone", or "mesh"."""
    size: tuple[float, ...]
    """Half lengths, m."""
    pose: Pose = IDENTITY
    """The pose of the shape's frame in the collision's frame."""
    mesh: SolidMesh | None = None


class Shapes:
    """Makes geoms of the links of one Model."""

    def __init__(self, settings: Settings, meshes: MeshFiles, findings: Findings) -> None:
        self.settings, self.meshes, self.findings = settings, meshes, findings
        self.surfaces = Surfaces(findings)

    def of(self, link: Any, scope: Scope, pose: Pose) -> list[Geom]:
        """The geoms of a link: collisions, then visuals.

        Args:
            link: the element.
            scope: the model that contains it.
            pose: its pose in the model's frame.
        """
        made = []
        back = pose.inverse()
        for node in link.collision:
            for geom in self._shaped(node, COLLISION, scope):
                geom.contype = geom.conaffinity = 1
                geom.friction = (_friction(node), *FRICTION)
                _compliant(geom, node)
                if self.settings.gazebo:
                    self.surfaces.give(geom, node.surface)
                elif not _own_friction(node):
                    self.surfaces.compare(node.surface)
                made.append(_moved(geom, back @ placed(node, scope, pose)))
        for node in (*link.visual, *link.drake_visual):
            if _hidden(node):
                continue
            for geom in self._shaped(node, VISUAL, scope):
                geom.rgba = self._colour(node)
                made.append(_moved(geom, back @ placed(node, scope, pose)))
        return made

    def solid(self, collision: Any, scope: Scope) -> Solid | None:
        """The solid of a collision of a link in a scope; None if it has no volume."""
        geometry = collision.geometry
        if geometry is None:
            return None
        for shape in geometry.children:
            if shape.TAG == "cone":
                return Solid("cone", (_or(shape.radius, 1.0), _or(shape.length, 1.0) / 2))
            made = self._primitive(shape) if shape.TAG in SIZES else None
            if made is not None:
                return Solid(made.type.name, tuple(made.size))
            if shape.TAG == "mesh":
                return self._solid_mesh(shape, scope)
        return None

    def _solid_mesh(self, shape: Any, scope: Scope) -> Solid | None:
        """The volume enclosed by a mesh, or its convex hull after a warning."""
        path = self.meshes.find(shape, "uri", said(shape, "uri"), scope.document)
        if path is None:
            return None
        found = solid_mesh(path, _or(shape.scale, ONE))
        if found.from_hull:
            message = f"`{path.name}` is not closed: mass and moments are those of its convex hull"
            self.findings.add("PB047", shape.span, message, source=shape.source)
        return Solid("mesh", (), IDENTITY, found)

    # --- one shape ---------------------------------------------------------------------------------------

    def _shaped(self, node: Any, group: int, scope: Scope) -> list[Geom]:
        """The geom of a collision or visual, if the Model supports its shape."""
        geometry = getattr(node, "geometry", None) or getattr(node, "drake_geometry", None)
        for shape in () if geometry is None else geometry.children:
            geom = self._shape(shape, scope, touching=group == COLLISION)
            if geom is not None:
                geom.name, geom.group, geom.node = said(node, "name"), group, node
                return [geom]
        return []

    def _shape(self, shape: Any, scope: Scope, touching: bool) -> Geom | None:
        tag = shape.TAG.removeprefix("drake:")
        if tag in SIZES:
            return self._primitive(shape)
        if tag == "cone":
            self.surfaces.later(shape, "<cone>", "the Model has no such shape")
        if tag == "plane":
            normal = _or(_value(shape, "normal"), (0.0, 0.0, 1.0))
            try:
                direction = unit_vector(normal)
            except ValueError:
                return None  # reported when reading
            return Geom("", ShapeType.plane, ENDLESS, quat=z_to(direction))
        if tag == "mesh":
            field = "drake_uri" if shape.TAG == "drake:mesh" else "uri"
            scale = _or(_value(shape, "scale"), ONE)
            asset = self.meshes.asset(shape, field, scope.document, scale, touching=touching)
            return None if asset is None else Geom("", ShapeType.mesh, mesh=asset)
        return None

    def _primitive(self, shape: Any) -> Geom | None:
        kind, values = SIZES[shape.TAG.removeprefix("drake:")]
        if shape.TAG == "drake:ellipsoid":
            values = (("a", 1.0, 1.0), ("b", 1.0, 1.0), ("c", 1.0, 1.0))
        size: list[float] = []
        for name, factor, default in values:
            value = _or(_value(shape, name), default)
            size += [factor * each for each in (value if isinstance(value, tuple) else (value,))]
        return Geom("", kind, tuple(size))

    # --- looks and contact -------------------------------------------------------------------------------

    def _colour(self, node: Any) -> tuple[float, ...]:
        material = getattr(node, "material", None) or getattr(node, "drake_material", None)
        diffuse = None if material is None else _value(material, "diffuse")
        colour = tuple(_or(diffuse, WHITE))
        red, green, blue, alpha = colour if len(colour) == len(WHITE) else (*colour, 1.0)
        if self.settings.gazebo and getattr(node, "transparency", None):
            alpha *= 1 - node.transparency
        return red, green, blue, alpha


SIZES: dict[str, tuple[ShapeType, tuple[tuple[str, float, Any], ...]]] = {
    "box": (ShapeType.box, (("size", 0.5, ONE),)),
    "sphere": (ShapeType.sphere, (("radius", 1.0, 1.0),)),
    "cylinder": (ShapeType.cylinder, (("radius", 1.0, 1.0), ("length", 0.5, 1.0))),
    "capsule": (ShapeType.capsule, (("radius", 1.0, 0.5), ("length", 0.5, 1.0))),
    "ellipsoid": (ShapeType.ellipsoid, (("radii", 1.0, ONE),)),
}
"""By tag: the Model's shape, and the values that its sizes are computed from, with factors and defaults."""


def _own_friction(node: Any) -> bool:
    """Whether a collision gives friction in Drake's way."""
    own = node.drake_proximity_properties
    return own is not None and (own.drake_mu_static is not None or own.drake_mu_dynamic is not None)


def _friction(node: Any) -> float:
    """The coefficient of sliding friction, which is Drake's dynamic one."""
    own = node.drake_proximity_properties
    if _own_friction(node):
        return float(_or(own.drake_mu_dynamic, own.drake_mu_static))
    surface = None if node.surface is None else node.surface.friction
    ode = None if surface is None else surface.ode
    return 1.0 if ode is None else float(_or(ode.mu2, 1.0))


def _compliant(geom: Geom, node: Any) -> None:
    """Drake's stiffness and dissipation as given by a collision."""
    own = node.drake_proximity_properties
    if own is not None:
        geom.stiffness = own.drake_point_contact_stiffness
        geom.dissipation = own.drake_hunt_crossley_dissipation


def _value(node: Any, name: str) -> Any:
    """A value of an element, or of the same element with Drake's prefix."""
    value = getattr(node, name, None)
    return getattr(node, f"drake_{name}", None) if value is None else value


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _moved(geom: Geom, pose: Pose) -> Geom:
    at = pose @ Pose(tuple(geom.pos), tuple(geom.quat))
    geom.pos, geom.quat = at
    return geom


def _hidden(visual: Any) -> bool:
    """Whether a visual is never displayed: Drake has two roles, and both can be disabled."""
    roles = [getattr(visual, f"drake_{role}_properties", None) for role in ("illustration", "perception")]
    return all(role is not None and role.enabled is False for role in roles)


def placed(node: Any, scope: Scope, link: Pose) -> Pose:
    """The pose of a collision or visual in the model's frame; it is given in the link's frame or in a named
    one.
    """
    pose = getattr(node, "pose", None) or getattr(node, "drake_pose", None)
    if pose is None:
        return link
    frame = relative_of(node) if pose.TAG == "pose" else ""
    around = scope.pose(frame, pose) if frame else link
    return around @ pose_from(pose)
