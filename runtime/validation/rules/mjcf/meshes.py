"""Meshes that are given explicitly: number of vertices, validity of faces, volume."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import pairwise
from math import copysign, prod, sqrt
from typing import Any

from polybody.base.releases import is_in
from polybody.generated.formats.mjcf import MeshInertia
from polybody.validation.rules.mjcf.assets import MESH
from polybody.validation.rules.mjcf.bodies import GEOM, home_of
from polybody.validation.scene import Scene

NODES = (MESH, GEOM)
LEAST = 1e-15
"""Minimum value that MuJoCo accepts as positive, in m^2 and m^3."""
FLAT = 1e-15
"""Ratio of thickness to width below which a hull has no volume."""
ASSETS_WEIGHED = "3.3.0"
"""The first release in which a mesh has a mass of its own, whether or not a geom uses it."""
MIRRORED = "3.7.0"
"""The first release in which the faces of a mesh that is mirrored by its scale are reversed."""
Point = tuple[float, float, float]
Triangle = tuple[Point, Point, Point]


def check(scene: Scene) -> None:
    """Report meshes whose numbers do not define a solid."""
    written = [mesh for mesh in scene.nodes(MESH) if mesh.vertex is not None and mesh.file is None]
    if not written:
        return
    later = is_in(scene.format.version, ASSETS_WEIGHED, None)
    hollow = _surfaces(scene, written) if later else _weighed(scene)
    touching = _touching(scene)
    for mesh in written:
        if not _has_faces(scene, mesh):
            continue
        if (not mesh.face or mesh.name in touching) and _is_flat(mesh):
            message = "the vertices lie in a plane, so their hull has no volume"
            scene.report("PB024", mesh, "vertex", message)
        elif mesh.face and mesh.name in hollow:
            _inside(scene, mesh, hollow[mesh.name])


def _weighed(scene: Scene) -> dict[str | None, bool]:
    """The meshes from which mass and inertia of a body are computed, and whether they are treated as
    surfaces.
    """
    found: dict[str | None, bool] = {}
    for geom in scene.nodes(GEOM):
        name, home = scene.value(geom, "mesh"), home_of(scene, geom)
        weighs = 0 not in (scene.value(geom, "mass"), scene.value(geom, "density"))
        if name is not None and weighs and home.TAG == "body" and home.inertial is None:
            found[name] = bool(scene.value(geom, "shellinertia"))
    return found


def _surfaces(scene: Scene, meshes: list[Any]) -> dict[str | None, bool]:
    """The same of a release in which every mesh has a mass, and states whether it is a surface."""
    return {mesh.name: scene.value(mesh, "inertia").value == "shell" for mesh in meshes}


def _touching(scene: Scene) -> set[str]:
    """The meshes of shapes that can touch others, for which MuJoCo makes hulls."""
    return {
        scene.value(geom, "mesh")
        for geom in scene.nodes(GEOM)
        if scene.value(geom, "contype") or scene.value(geom, "conaffinity")
    }


def _has_faces(scene: Scene, mesh: Any) -> bool:
    """Whether there are enough vertices, and the faces refer only to these."""
    count = len(mesh.vertex) // 3
    if len(mesh.vertex) % 3:
        return False  # reported separately
    if count < 4:
        scene.report("PB024", mesh, "vertex", f"a mesh needs at least 4 vertices; there are {count}")
        return False
    if mesh.texcoord is not None and len(mesh.texcoord) != 2 * count:
        message = f"`texcoord` has {len(mesh.texcoord)} numbers; {count} vertices need {2 * count}"
        scene.report("PB024", mesh, "texcoord", message)
    wrong = next((index for index in mesh.face or () if not 0 <= index < count), None)
    if wrong is not None:
        scene.report("PB019", mesh, "face", f"`face` refers to vertex {wrong}; there are {count} vertices")
        return False
    return len(mesh.face or ()) % 3 == 0


def _is_flat(mesh: Any) -> bool:
    """Whether the points of a hull lie in a plane up to rounding, in single precision as in MuJoCo."""
    numbers = array("f", mesh.vertex)
    points = [(numbers[at], numbers[at + 1], numbers[at + 2]) for at in range(0, len(numbers), 3)]
    along = max((_minus(point, points[0]) for point in points), key=_square)
    across = max((_cross(along, _minus(point, points[0])) for point in points), key=_square)
    scale = sqrt(_square(along) * _square(across))
    height = max(abs(_dot(across, _minus(point, points[0]))) for point in points)
    return height <= FLAT * scale


def _inside(scene: Scene, mesh: Any, hollow: bool) -> None:
    exact = scene.value(mesh, "inertia") is MeshInertia.EXACT
    edge = _repeated(mesh) if exact else None
    if edge is not None:
        message = (
            f"two faces run from vertex {edge[0]} to vertex {edge[1]}: their orientations are inconsistent"
        )
        scene.report("PB024", mesh, "face", message)
        return
    triangles = list(_triangles(mesh, scene.value(mesh, "scale")))
    thin = is_in(scene.format.version, ASSETS_WEIGHED, None) and sum(map(_area, triangles)) < LEAST
    if hollow or thin or not any(map(_area, triangles)):
        if sum(map(_area, triangles)) < LEAST:
            scene.report("PB024", mesh, "face", "the faces of the mesh have no area")
        return
    centre = _centre(triangles)
    volumes = [_volume(triangle, centre) for triangle in triangles]
    volume = sum(volumes) if exact else sum(map(abs, volumes))
    if exact and is_in(scene.format.version, MIRRORED, None):
        volume *= copysign(1.0, prod(scene.value(mesh, "scale")))
    if volume < LEAST and scene.value(mesh, "inertia") is not MeshInertia.CONVEX:
        what = "is turned inside out" if volume <= -LEAST else "has no volume"
        scene.report("PB024", mesh, "face", f"the mesh {what}")


def _repeated(mesh: Any) -> tuple[int, int] | None:
    """An edge along which two faces with an area run in the same direction."""
    seen, face = set(), mesh.face
    for place, triangle in zip(range(0, len(face), 3), _triangles(mesh, (1.0, 1.0, 1.0)), strict=True):
        if _area(triangle) <= sqrt(LEAST):
            continue
        for edge in pairwise((*face[place : place + 3], face[place])):
            if edge in seen:
                return edge
            seen.add(edge)
    return None


def _triangles(mesh: Any, scale: Point) -> Iterator[Triangle]:
    numbers = mesh.vertex

    def point(index: int) -> Point:
        x, y, z = numbers[3 * index : 3 * index + 3]
        return x * scale[0], y * scale[1], z * scale[2]

    for place in range(0, len(mesh.face), 3):
        a, b, c = mesh.face[place : place + 3]
        yield point(a), point(b), point(c)


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _square(a: Point) -> float:
    return _dot(a, a)


def _area(triangle: Triangle) -> float:
    a, b, c = triangle
    normal = _cross(_minus(b, a), _minus(c, a))
    return float(_dot(normal, normal) ** 0.5 / 2)


def _centre(triangles: list[Triangle]) -> Point:
    """The centroid of the surface."""
    areas = [_area(triangle) for triangle in triangles]
    x, y, z = (
        sum(
            area * sum(p[axis] for p in triangle) / 3 for area, triangle in zip(areas, triangles, strict=True)
        )
        / sum(areas)
        for axis in range(3)
    )
    return x, y, z


def _volume(triangle: Triangle, centre: Point) -> float:
    """Volume of the tetrahedron between a face and a point, positive if the normal points away from it."""
    a, b, c = (_minus(point, centre) for point in triangle)
    return _dot(a, _cross(b, c)) / 6
