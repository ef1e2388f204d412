"""Meshes and height fields of geoms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from polybody import geometry
from polybody.generated.formats.mjcf import GeomType, MeshInertia
from polybody.geometry import GeometryError
from polybody.lowering.mjcf.discard import unread
from polybody.lowering.mjcf.elements import Element, Spec, Values
from polybody.lowering.mjcf.files import MESHES, Files
from polybody.lowering.mjcf.mesh_builtins import builtin_mesh, is_surface
from polybody.lowering.mjcf.plugin_use import Use
from polybody.lowering.mjcf.poses import NOWHERE, Pose, composed, quaternion, vector
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.values import since
from polybody.plugins import OfMesh, Shape, find
from polybody.suggest import did_you_mean

if TYPE_CHECKING:
    from polybody.geometry import Mesh, RawMesh
    from polybody.geometry.meshes import InertiaKind
    from polybody.geometry.signed_distances import Shape as SignedDistance

MESHED = (GeomType.MESH, GeomType.SDF)
"""Types of geoms that are meshes; other types with a mesh are fitted to it."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2}
"""Number of sizes of a fitted shape, if not three."""
Sizes = tuple[float, float, float, float]


def _own_shape(plugin: Shape) -> SignedDistance | None:
    """The shape of a user's plugin, for a mesh of its surface; None for one of MuJoCo's."""
    from polybody.geometry.signed_distances import SHAPES
    from polybody.geometry.signed_distances import Shape as SignedDistance

    if plugin.name in SHAPES:
        return None

    def distance(x: Any, y: Any, z: Any, sizes: Sequence[float]) -> Any:
        points = np.stack([np.ravel(x), np.ravel(y), np.ravel(z)], axis=1)
        return np.reshape(plugin.distance(points, sizes), np.shape(x))

    return SignedDistance(distance, plugin.box)


def _weighing(values: Values) -> InertiaKind:
    """How the mass of a mesh is distributed; that of one without volume is on the surface."""
    drawn, wanted = values.get("builtin"), values["inertia"]
    if drawn and drawn.value == "plate":
        return "shell"
    if drawn and wanted is MeshInertia.LEGACY and is_surface(drawn.value, values["params"] or ()):
        return "shell"
    kind: InertiaKind = wanted.value
    return kind


class Shapes:
    """The meshes and height fields of a model."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self.files = Files(spec, problems)
        self._meshes = {mesh.name: mesh for mesh in spec.lists["mesh"]}
        self._fields = {field.name: field for field in spec.lists["hfield"]}
        self.made: dict[str, Mesh | None] = {}
        """The meshes by name; None if one is invalid."""
        self.offsets: dict[str, Pose] = {}
        self.offset: Pose = NOWHERE  # of the last geom that was placed: of its axes in the frame of the file
        """As of 3.2.7, the offset by which the last geom with a mesh was displaced."""
        touched = self._touched() if self._meshes else set()
        left = unread(spec) if self._meshes else set()
        for name, mesh in self._meshes.items():
            self.made[name] = None if name in left else self._make(mesh, name in touched)

    def _touched(self) -> set[str]:
        """The names of meshes of geoms that can touch others; as of 3.3.5, in pairs too."""
        paired: set[str] = set()
        if since("3.3.5"):
            paired = {each.name for pair in self.spec.lists["pair"] for each in pair.values["references"]}
        return {
            geom.values["mesh"]
            for body in self.spec.world.walk()
            for geom in body.geom
            if geom.values["type"] in MESHED
            and (geom.values["contype"] or geom.values["conaffinity"] or geom.name in paired)
        }

    def _make(self, mesh: Element, touched: bool) -> Mesh | None:
        values, node = mesh.values, mesh.node
        convex = values["inertia"] is MeshInertia.CONVEX and not since("3.3.5")
        if convex and not touched and (values["file"] or values["face"]):
            message = (
                "convex inertia of a mesh without collisions: MuJoCo crashes because it has no convex hull"
            )
            self.problems.add(node, message, "inertia")
            return None
        drawn = values.get("builtin")  # since 3.3.5
        attribute = "file" if values["file"] else "params" if drawn else "vertex"
        used = values.get("plugin")
        if used is not None and not (values["file"] or values["vertex"] or drawn):
            return self._of_plugin(mesh, used, touched)
        try:
            given: Path | RawMesh
            if values["file"]:
                found = self.files.find(mesh, "file", MESHES)
                if found is None:
                    return None
                given, kind = found
            elif drawn:
                given, kind = builtin_mesh(drawn.value, values["params"] or ()), ""
            else:
                rest = (values[name] for name in ("face", "normal", "texcoord"))
                given, kind = geometry.raw_mesh(values["vertex"] or (), *rest), ""
            return geometry.load_mesh(
                given,
                kind,
                scale=values["scale"],
                refpos=values["refpos"],
                refquat=values["refquat"],
                stretch=values.get("stretch"),
                inertia=_weighing(values),
                smooth_normals=bool(values["smoothnormal"]),
                most_hull_vertices=values["maxhullvert"],
                hull=touched,
                release="4.0" if since("3.3.0") else "3.2.7",
            )
        except GeometryError as error:
            name = f"`{node.file}`" if values["file"] else f"the mesh `{mesh.name}`"
            self.problems.add(node, f"{name} {error.message}", attribute, error.hint)
            return None

    def _of_plugin(self, mesh: Element, used: Use, touched: bool) -> Mesh | None:
        """The surface of a plugin's shape; None after a finding."""
        from polybody.geometry.signed_distances import shape_mesh

        values = mesh.values
        found = self._plugins(used)
        if found is None:
            return None
        config, plugin = found
        if values["scale"] != (1.0, 1.0, 1.0):
            self.problems.add(mesh.node, "a mesh of a plugin does not accept `scale`", "scale")
        try:
            if any(plugin.problems(config)):
                return None  # reported for the instance
            return geometry.load_mesh(
                shape_mesh(plugin.name, plugin.sizes(config), _own_shape(plugin)),
                "",
                refpos=values["refpos"],
                refquat=values["refquat"],
                inertia=values["inertia"].value,
                smooth_normals=bool(values["smoothnormal"]),
                most_hull_vertices=values["maxhullvert"],
                hull=touched,
                release="4.0" if since("3.3.0") else "3.2.7",
                aligned=False,
            )
        except GeometryError as error:
            self.problems.add(mesh.node, f"the mesh `{mesh.name}` {error.message}", None, error.hint)
            return None

    def _plugins(self, used: Use) -> tuple[dict[str, str], Shape] | None:
        """The configuration and the plugin of a mesh if it is a shape with sizes."""
        instance: Element | None
        if isinstance(used.instance, Element):
            instance = used.instance
        else:
            named = {element.name: element for element in self.spec.lists["plugin"]}
            instance = named.get(used.instance)
        plugin = None if instance is None else find(instance.values["plugin"])
        if instance is None or not isinstance(plugin, Shape) or isinstance(plugin, OfMesh):
            what = "no instance" if instance is None else instance.values["plugin"]
            self.problems.add(
                used.node, f"a mesh needs a plugin that provides a shape with sizes, not {what}"
            )
            return None
        return instance.values["config"], plugin

    # --- of geoms ---------------------------------------------------------------------------------

    def mesh(self, geom: Element) -> Mesh | None:
        """The mesh of a geom, or None."""
        name = geom.values["mesh"]
        if not name:
            if geom.values["type"] in MESHED:
                self.problems.add(geom.node, f"a {geom.values['type'].value} needs `mesh`", "type")
            return None
        if name not in self.made:
            hint = did_you_mean(name, self.made)
            self.problems.add(geom.node, f"there is no mesh `{name}`", "mesh", hint)
        return self.made.get(name)

    def placed(self, geom: Element, mesh: Mesh, pose: Pose) -> Pose:
        """The pose of a geom with a mesh: its axes are the mesh's principal axes; primitives are fitted to
        the mesh.
        """
        values = geom.values
        shell, kind = bool(values["shellinertia"]), values["type"]
        if kind in MESHED:
            if shell and since("3.3.0"):
                message = "whether the mass of a mesh is that of a shell is said by `inertia` of <mesh>"
                self.problems.add(geom.node, message, "shellinertia")
            found = mesh.shell if shell else mesh.solid
            offset = vector(found.pos), quaternion(found.quat)
        else:
            aabb, scale = bool(self.spec.settings.values["fitaabb"]), values["fitscale"]
            try:
                later = since("3.3.7")
                fitted = geometry.fit(mesh, kind.value, shell=shell, aabb=aabb, scale=scale, bounds=later)
            except GeometryError as error:
                self._unfit(geom, error)
                return pose
            own = SIZES.get(kind.value, 3)
            rest = [size * scale for size in values["size"][own:]]
            values["size"] = (*fitted.size[:own].tolist(), *rest)
            offset = (vector(fitted.pos), quaternion(fitted.quat))
        self.offset = offset
        if not since("3.3.0"):
            self.offsets[values["mesh"]] = offset
        return composed(pose, offset)

    def weighed(self, geom: Element, mesh: Mesh) -> tuple[float, list[float]] | None:
        """Volume or area of a geom's mesh, and its moments of inertia per mass; None after a finding."""
        try:
            inertia = mesh.inertia(bool(geom.values["shellinertia"]))
        except GeometryError as error:
            self._unfit(geom, error)
            return None
        return inertia.measure, inertia.moments(1.0).tolist()

    def _unfit(self, geom: Element, error: GeometryError) -> None:
        name = geom.values["mesh"]
        self.problems.add(geom.node, f"the mesh `{name}` {error.message}", "mesh", error.hint)

    def height_field(self, geom: Element) -> Sizes | None:
        """The size of a geom's height field, or None."""
        name = geom.values["hfield"]
        if (geom.values["type"] is GeomType.HFIELD) != bool(name):
            self.problems.add(
                geom.node, "`type` `hfield` and the attribute `hfield` must be given together", "hfield"
            )
            return None
        if not name:
            return None
        field = self._fields.get(name)
        if field is None:
            hint = did_you_mean(name, self._fields)
            self.problems.add(geom.node, f"there is no hfield `{name}`", "hfield", hint)
            return None
        size: Sizes = field.values["size"]
        return size

    def number(self, geom: Element) -> int:
        """The index of a geom's mesh or height field; -1 for none, as of 4.0 also for fitted shapes."""
        if since("4.0") and geom.values["type"] not in (*MESHED, GeomType.HFIELD):
            return -1
        for asset, found in (("mesh", self._meshes), ("hfield", self._fields)):
            name = geom.values[asset]
            if name and name in found:
                return found[name].id
        return -1
