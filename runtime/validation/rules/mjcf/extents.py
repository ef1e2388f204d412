"""Bounds on the size of a shape, and thereby on its moments of inertia."""

from __future__ import annotations

from math import dist, prod
from typing import Any

from polybody.generated.formats.mjcf import GeomType
from polybody.validation.scene import Scene

WATER = 1000.0  # kg/m^3, the default density
Widths = tuple[float, float, float]


def widths(scene: Scene, geom: Any) -> Widths | None:
    """The edge lengths of the bounding box of a shape in its own axes, in m; None if they depend on other
    files.
    """
    kind = scene.value(geom, "type")
    name = scene.value(geom, "mesh")
    if name is not None:
        return _of_mesh(scene, scene.declared("mesh").get(name))
    a, b, c = (*scene.value(geom, "size"), 0.0, 0.0, 0.0)[:3]
    ends = scene.value(geom, "fromto")
    if ends is not None:
        half = dist(ends[:3], ends[3:]) / 2
        b, c = (half, c) if kind in (GeomType.CAPSULE, GeomType.CYLINDER) else (a, half)
    if kind is GeomType.SPHERE:
        return 2 * a, 2 * a, 2 * a
    if kind is GeomType.CAPSULE:
        return 2 * a, 2 * a, 2 * (a + b)
    if kind is GeomType.CYLINDER:
        return 2 * a, 2 * a, 2 * b
    return (2 * a, 2 * b, 2 * c) if kind in (GeomType.BOX, GeomType.ELLIPSOID) else None


def _of_mesh(scene: Scene, mesh: Any) -> Widths | None:
    if mesh is None or mesh.file is not None or mesh.plugin or not mesh.vertex or len(mesh.vertex) % 3:
        return None
    scale = scene.value(mesh, "scale")
    found = [max(mesh.vertex[axis::3]) - min(mesh.vertex[axis::3]) for axis in range(3)]
    if not all(found):
        return None  # reported separately
    x, y, z = (abs(factor) * width for factor, width in zip(scale, found, strict=True))
    return x, y, z


def most_inertia(scene: Scene, geom: Any) -> tuple[float, float] | None:
    """Upper bounds on the mass and the smallest moment of inertia of a shape, in kg and kg m^2.

    In a direction of width w, no mass is farther than w/2 from the middle plane. Therefore a moment is at
    most a quarter of the mass times the sum of the squares of the two other widths.
    """
    sides = widths(scene, geom)
    if sides is None:
        return None
    mass = scene.value(geom, "mass")
    if mass is None:
        density = scene.value(geom, "density")
        mass = (WATER if density is None else density) * prod(sides)
    squares = sorted(side * side for side in sides)
    return mass, mass * (squares[0] + squares[1]) / 4
