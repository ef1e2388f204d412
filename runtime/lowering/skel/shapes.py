"""Shapes of bodies as geoms, and as the solids that DART uses in their place."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from polybody import geometry
from polybody.assembly.parts import COLLISION, VISUAL, Geom, MeshAsset
from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.resolver import Resolved
from polybody.document.uris import Places
from polybody.generated.formats.skel import Body
from polybody.generated.model import ShapeType
from polybody.geometry import GeometryError
from polybody.lowering.skel.inertia import Solid, solid
from polybody.lowering.skel.tree import Names, placed
from polybody.rotations.poses import Pose, unit_vector, z_to

if TYPE_CHECKING:
    from polybody.geometry import Mesh

Reals = NDArray[np.float64]
KINDS = ("sphere", "box", "ellipsoid", "cylinder", "capsule", "cone", "plane", "multi_sphere", "mesh")
PRIMITIVES = {kind: ShapeType[kind] for kind in ("sphere", "box", "ellipsoid", "cylinder", "capsule")}
LOOK = (0.5, 0.5, 1.0, 1.0)
"""DART's default colour of a shape."""
SIDES = 32
"""Number of sides of the pyramid that approximates a cone."""
POINTS = 256
"""Points on each of several spheres whose convex hull becomes a mesh."""


class Shapes:
    """Makes geoms of the shapes of a document's bodies.

    Args:
        resolved: the document's effective values.
        findings: receives remarks and errors.
    """

    def __init__(self, resolved: Resolved, findings: Findings) -> None:
        self.resolved, self.findings = resolved, findings
        self.places = Places(resolved.document.source, resolved.document)
        self.meshes: dict[Any, MeshAsset | None] = {}
        self.names = Names()

    def of_body(
        self, body: Body, name: str, collides: tuple[int, int]
    ) -> tuple[list[Geom], list[tuple[Pose, Solid]]]:
        """The geoms of a body and, if its inertia follows from its shapes, these as (pose, solid).

        A mesh that cannot be read has neither.

        Args:
            body: the element.
            name: prefix of the names of geoms.
            collides: contype and conaffinity of shapes that collide.
        """
        geoms: list[Geom] = []
        solids: list[tuple[Pose, Solid]] = []
        weighed = body.inertia is not None and body.inertia.moment_of_inertia is None
        given: list[tuple[Any, int]] = [(shape, VISUAL) for shape in body.visualization_shape]
        given += [(shape, COLLISION) for shape in body.collision_shape]
        for shape, group in given:
            kind = next((k for k in KINDS if getattr(shape.geometry, k) is not None), None)
            if kind is None:
                continue
            what, pose = getattr(shape.geometry, kind), placed(shape.transformation)
            mesh = self._mesh(kind, what)
            if kind == "mesh" and mesh is None:
                self._require_shape(body, what)
                continue
            if weighed:
                extent = self._extent(what) if kind == "mesh" else None
                solids.append((pose, solid(kind, what, self.resolved.get, extent)))
            geom = self._geom(kind, what, pose, mesh)
            geom.name, geom.group, geom.node = f"{name}_{len(geoms)}", group, shape
            if group == VISUAL:
                geom.rgba = (*shape.color, 1.0)[:4] if shape.color else LOOK
            elif shape.collidable is not False:
                geom.contype, geom.conaffinity = collides
            geoms.append(geom)
        return geoms, solids

    # --- kinds ----------------------------------------------------------------------------------------------

    def _geom(self, kind: str, what: Any, pose: Pose, mesh: MeshAsset | None) -> Geom:
        if mesh is not None:
            return Geom("", ShapeType.mesh, pos=pose.pos, quat=pose.quat, mesh=mesh)
        if kind == "plane":
            normal = unit_vector(what.normal)
            offset = what.offset or 0.0
            if what.point is not None:
                offset = float(np.dot(normal, what.point))
            x, y, z = normal
            pose = pose @ Pose((offset * x, offset * y, offset * z), z_to(normal))
            return Geom("", ShapeType.plane, (0.0, 0.0, 1.0), pose.pos, pose.quat)
        return Geom("", PRIMITIVES[kind], self._size(kind, what), pose.pos, pose.quat)

    def _size(self, kind: str, what: Any) -> tuple[float, float, float]:
        """Half lengths, m."""
        if kind == "sphere":
            return what.radius, 0.0, 0.0
        if kind in ("box", "ellipsoid"):
            x, y, z = self.resolved.get(what, "size")
            return x / 2, y / 2, z / 2
        length = getattr(what, "length", None)
        height = self.resolved.get(what, "height") if length is None else length
        return self.resolved.get(what, "radius"), height / 2, 0.0

    def _mesh(self, kind: str, what: Any) -> MeshAsset | None:
        """The mesh of a shape that is a mesh in the Model, if available; equal shapes share it."""
        makers: dict[str, Callable[[Any], Mesh]] = {"cone": self._cone, "multi_sphere": _hull}
        if kind != "mesh" and kind not in makers:
            return None
        path = self._file(what) if kind == "mesh" else None
        if kind == "mesh" and path is None:
            return None
        scale = what.scale if kind == "mesh" else (1.0, 1.0, 1.0)
        key = (path, scale) if path is not None else (kind, repr(what))
        if key not in self.meshes:
            try:
                if path is not None:
                    mesh = geometry.load_mesh(path, mujoco=False, scale=scale, inertia="legacy", hull=False)
                else:
                    mesh = makers[kind](what)
                name = self.names.unique(kind if path is None else path.stem)
                self.meshes[key] = MeshAsset(name, mesh, scale)
            except GeometryError as error:
                self._left_out(what, f"the mesh {error}", error.hint)
                self.meshes[key] = None
        return self.meshes[key]

    def _cone(self, what: Any) -> Mesh:
        """A pyramid with many sides around z; the origin is halfway up."""
        radius, height = self.resolved.get(what, "radius"), what.height
        angles = np.arange(SIDES) * (2 * pi / SIDES)
        base = [radius * np.cos(angles), radius * np.sin(angles), np.full(SIDES, -height / 2)]
        return _of_points(np.vstack([np.column_stack(base), [0.0, 0.0, height / 2]]))

    def _file(self, what: Any) -> Path | None:
        """The file of a mesh; None after a finding."""
        said: list[tuple[str, str | None]] = []
        path = self.places.file(what.file_name, lambda code, message, hint=None: said.append((message, hint)))
        if path is None:
            self._left_out(what, *(said or [("the mesh cannot be found", None)])[0])
        return path

    def _require_shape(self, body: Body, node: Node) -> None:
        """Report a body whose inertia is computed from a missing shape."""
        given = body.inertia
        if given is not None and given.moment_of_inertia is None and given.mass != 0:
            message = "the moment of inertia of the body is computed from its shapes, and this one is missing"
            hint = "write <moment_of_inertia>; DART crashes on such a file"
            self.findings.add("PB063", node.span, message, hint=hint, source=node.source)

    def _left_out(self, node: Node, message: str, hint: str | None) -> None:
        message = f"the shape is omitted: {message}"
        self.findings.add("PB088", node.span, message, hint=hint, source=node.source)

    def _extent(self, what: Any) -> Reals:
        """The sizes (3,), m, of the bounding box of a scaled mesh, along the axes of its file."""
        path = self._file(what)
        assert path is not None  # the mesh was loaded
        from polybody.geometry.cache import content
        from polybody.geometry.mesh_files import read_mesh

        vertices = read_mesh(content(path), path.suffix[1:].lower(), mujoco=False).vertices
        found: Reals = np.ptp(vertices.astype(np.float64) * np.asarray(what.scale), axis=0)
        return found


def _hull(what: Any) -> Mesh:
    """The convex hull of points distributed evenly over spheres (a spiral with the golden angle)."""
    place = (np.arange(POINTS) + 0.5) / POINTS
    z, angle = 1 - 2 * place, np.arange(POINTS) * (pi * (3 - 5**0.5))
    across = np.sqrt(1 - z * z)
    sphere = np.column_stack([across * np.cos(angle), across * np.sin(angle), z])
    return _of_points(np.vstack([np.array(ball.position) + ball.radius * sphere for ball in what.sphere]))


def _of_points(points: Reals) -> Mesh:
    raw = geometry.raw_mesh(points, np.empty((0, 3), dtype=np.int32))
    return geometry.load_mesh(raw, inertia="legacy", hull=True)
