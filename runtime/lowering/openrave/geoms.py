"""Shapes of links as given in a document, and their geoms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from polybody import geometry
from polybody.assembly.parts import COLLISION, Geom, MeshAsset
from polybody.base import Node, children_of
from polybody.document.uris import Places
from polybody.generated.formats.openrave import GeomType
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.generated.model import ShapeType
from polybody.geometry import GeometryError
from polybody.lowering.openrave.notes import UNUSED, Notes
from polybody.lowering.openrave.parts import MeshFile, Shape, last
from polybody.lowering.openrave.poses import about, own_pose, scaled
from polybody.rotations.poses import ORIGIN, Pose, Vector

ALONG_Y = Pose(ORIGIN, about((1.0, 0.0, 0.0), pi / 2))
"""The rotation of a cylinder: its axis is y in a document and z in a Model."""
HIDDEN = 3
"""The group of geoms that collide but are not displayed."""
SELF = "self"
"""The default group of a link's geoms."""
READ = ("stl", "obj", "ply", "off")
"""Extensions of mesh files that can be read."""
LENGTHS = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 1}
"""The number of lengths of a shape that must not be 0."""
UNMADE = (GeomType.CONTAINER, GeomType.CAGE, GeomType.PRISM)
"""Shapes that only OpenRAVE's parser knows; they make no geoms."""


def shape_of(node: Any, scale: float, kept: bool, folders: tuple[str, ...], notes: Notes) -> Shape:
    """The shape of a <geom>, in the frame of its link.

    Args:
        node: the element.
        scale: the factor of its sizes and its position.
        kept: whether it becomes a geom, if possible.
        folders: the folders where its files are looked for first.
        notes: receives findings about shapes that make no geom.
    """
    kind = node.type or (GeomType.NONE if _is_written(node, "type") else GeomType.BOX)
    shape = Shape(node, "", pose=own_pose(children_of(node), scale))
    _SIZES.get(kind, _nothing)(shape, scale)
    if kind in UNMADE:
        notes.counted(UNUSED, node, f"a {kind.value} cannot be represented in a Model")
    if kind is GeomType.TRIMESH:
        _triangles(shape, scale, folders)
    elif node.render_ is not None and node.render_.text:
        notes.counted(UNUSED, node.render_, "the file that replaces a box, sphere or cylinder visually")
    if node.geom:
        notes.counted(UNUSED, node.geom[0], "a geom inside another")
    if node.diffusecolor is not None and node.diffusecolor.text:
        shape.colour = node.diffusecolor.text
    if node.transparency is not None and node.transparency.text is not None:
        shape.alpha = 1.0 - node.transparency.text
    shape.shown = node.render is not False
    shape.kept = kept
    if node.group is not None and node.group != SELF:
        notes.counted(UNUSED, node, "a geom of another group than `self`, which OpenRAVE keeps separate")
        shape.kept, shape.solid = False, None
    return shape


def _is_written(node: Any, name: str) -> bool:
    """Whether a document gives an attribute, even one that is not understood."""
    return node.span is not None and node.attribute_span(name) != node.span


def _value(node: Any, otherwise: Any) -> Any:
    return otherwise if node is None or node.text is None else node.text


def _box(shape: Shape, scale: float) -> None:
    given = last(shape.node, "extents", "halfextents", "fullextents")
    half = 0.5 if given is not None and given.TAG == "fullextents" else 1.0
    _solid(shape, "box", scaled(scale * half, _value(given, ORIGIN)))


def _sphere(shape: Shape, scale: float) -> None:
    _solid(shape, "sphere", (scale * _value(shape.node.radius, 0.0), 0.0, 0.0))


def _cylinder(shape: Shape, scale: float) -> None:
    radius, height = _value(shape.node.radius, 0.0), _value(shape.node.height, 0.0)
    shape.pose = shape.pose @ ALONG_Y
    _solid(shape, "cylinder", (scale * radius, scale * height / 2, 0.0))


def _capsule(shape: Shape, scale: float) -> None:
    radius, height = _value(shape.node.radius, 0.0), _value(shape.node.height, 0.0)
    shape.kind, shape.size = "capsule", (scale * radius, scale * height / 2, 0.0)


def _container(shape: Shape, scale: float) -> None:
    shape.solid = "box", scaled(scale / 2, _value(shape.node.outer_extents, ORIGIN))


def _nothing(shape: Shape, scale: float) -> None:
    """A shape whose size is not given by an element."""


def _solid(shape: Shape, kind: str, size: Vector) -> None:
    shape.kind, shape.size, shape.solid = kind, size, (kind, size)


_SIZES = {
    GeomType.BOX: _box,
    GeomType.SPHERE: _sphere,
    GeomType.CYLINDER: _cylinder,
    GeomType.CAPSULE: _capsule,
    GeomType.CONTAINER: _container,
}


def _triangles(shape: Shape, scale: float, folders: tuple[str, ...]) -> None:
    """The mesh file for collisions, else the mesh file for display, else the triangles in the document."""
    node = shape.node
    shape.kind, shape.scale = "mesh", (scale, scale, scale)
    files = [child for child in children_of(node) if child.TAG in ("data", "collision")]
    for element in (*files, *([] if node.render_ is None else [node.render_])):
        file, factors = getattr(element, "file", None), getattr(element, "scale", None)
        words = element.text or ()
        if file is None and words:
            file, factors = words[0], tuple(map(float, words[1:]))
        if file is not None:
            shape.file = MeshFile(file.strip(), element, folders)
            each = factors if isinstance(factors, tuple) else (1.0 if factors is None else factors,)
            x, y, z = each if len(each) == 3 else (each or (1.0,))[:1] * 3
            shape.scale = (scale * x, scale * y, scale * z)
            return
    corners = () if node.vertices is None else node.vertices.text or ()
    if corners and len(corners) % 9 == 0:  # # OpenRAVE ignores others
        shape.vertices = corners


# --- rows ---------------------------------------------------------------------------------------------------


class Meshes:
    """Meshes by files and factors; geoms share them. Files that elements made in Python name are looked for
    in the folder of the document.
    """

    def __init__(self, notes: Notes, document: Node) -> None:
        self.notes, self.document = notes, document
        self._known: dict[tuple[Any, ...], MeshAsset | None] = {}
        self._places: dict[str, Places] = {}  # by the path of a document

    def of(self, shape: Shape) -> MeshAsset | None:
        """The mesh of a shape; None, with a finding, if it cannot be made."""
        if shape.vertices is not None:
            corners = shape.vertices
            return self._asset(("", id(shape)), shape, lambda: _written(corners), "")
        if shape.file is None:
            self.notes.add(
                UNUSED, shape.node, "the triangles have neither file nor vertices: the shape is omitted"
            )
            return None
        name, node, folders = shape.file
        ending = name.rpartition(".")[2].lower()
        if ending not in READ:
            what = FORMAT.foreign.get(ending, "no mesh")
            self.notes.add(UNUSED, node, f"`{name}` is {what}, which is not read: the shape is omitted")
            return None
        path = self._place(node, name, folders)
        return None if path is None else self._asset((path, shape.scale), shape, lambda: path, name)

    def _place(self, node: Any, name: str, folders: tuple[str, ...]) -> Path | None:
        source = node.source or self.document.source
        key = "" if source is None else source.path
        if key not in self._places:
            self._places[key] = Places(source)

        def tell(code: str, message: str, hint: str | None = None) -> None:
            self.notes.add(code, node, f"{message}: the shape is omitted", hint)

        return self._places[key].anywhere(FORMAT.elsewhere, name, tell, folders)

    def _asset(
        self, key: tuple[Any, ...], shape: Shape, given: Callable[[], Any], name: str
    ) -> MeshAsset | None:
        if key not in self._known:
            try:
                mesh = geometry.load_mesh(given(), mujoco=False, scale=shape.scale)
                title = Path(name).stem if name else f"vertices{len(self._known)}"
                titles = {asset.name for asset in self._known.values() if asset is not None}
                if title in titles:
                    title = f"{title}.{len(self._known)}"
                self._known[key] = MeshAsset(title, mesh, shape.scale)
            except (GeometryError, OSError) as error:
                self.notes.differs(shape.node, f"`{name or 'vertices'}` {error}: the shape is omitted")
                self._known[key] = None
        return self._known[key]


def _written(vertices: Sequence[float]) -> Any:
    corners = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    return geometry.raw_mesh(corners, np.arange(len(corners)).reshape(-1, 3))


def geom_of(shape: Shape, name: str, collides: bool, meshes: Meshes) -> Geom | None:
    """The geom of a shape; None if it makes none."""
    if not shape.kept or not shape.kind:
        return None
    if not all(shape.size[: LENGTHS.get(shape.kind, 0)]):
        meshes.notes.counted(UNUSED, shape.node, f"a {shape.kind} of size 0, which touches nothing")
        return None
    mesh = meshes.of(shape) if shape.kind == "mesh" else None
    if shape.kind == "mesh" and mesh is None:
        return None
    return Geom(
        name,
        ShapeType[shape.kind],
        size=shape.size,
        pos=shape.pose.pos,
        quat=shape.pose.quat,
        rgba=(*shape.colour, shape.alpha),
        mesh=mesh,
        group=COLLISION if shape.shown else HIDDEN,
        contype=int(collides),
        conaffinity=int(collides),
        node=shape.node,
    )
