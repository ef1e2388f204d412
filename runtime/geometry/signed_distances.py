"""Shapes given by their signed distance, which is negative inside: those of MuJoCo's plugins, and their
meshes.

Bolt, nut and gear are after the shaders XtffzX and 3lG3WR of shadertoy.com, the bowl after Inigo Quilez,
Distance functions. Points are arrays of x, y and z of any one shape, m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.cache import STORE
from polybody.geometry.errors import GeometryError
from polybody.geometry.marching_cubes import marching_cubes
from polybody.geometry.triangles import RawMesh, raw_mesh

Reals = NDArray[np.float64]
Distance = Callable[[Reals, Reals, Reals, Sequence[float]], Reals]
HALF_ROOT = sqrt(2.0) / 2
TURNS = 12.0
"""Turns of a thread per metre."""
STEPS = 300.0
"""Number of points of the grid for a mesh, summed over the three sides."""


def torus(x: Reals, y: Reals, z: Reals, sizes: Sequence[float]) -> Reals:
    """A torus; sizes: radius of the centre line, radius of the section."""
    return np.hypot(np.hypot(x, y) - sizes[0], z) - sizes[1]


def bowl(x: Reals, y: Reals, z: Reals, sizes: Sequence[float]) -> Reals:
    """A part of a spherical shell below a height; sizes: height, radius, thickness."""
    height, radius, thickness = sizes
    with np.errstate(invalid="ignore"):
        width = np.sqrt(np.float64(radius * radius - height * height))
    across = np.hypot(x, y)
    rim, shell = np.hypot(across - width, z - height), np.abs(np.hypot(across, z) - radius)
    return np.where(height * across < width * z, rim, shell) - thickness


def _thread(x: Reals, y: Reals, z: Reals, radius: float) -> tuple[Reals, Reals]:
    """The distances from a thread's mean radius, and from the thread."""
    away = np.hypot(x, y) - radius
    turn = z * TURNS - np.arctan2(y, x) / pi / 2
    wave = np.abs(turn - np.floor(turn) - 0.5)
    return away, (away - wave / TURNS) * HALF_ROOT


def _head(x: Reals, y: Reals, z: Reals, away: Reals) -> Reals:
    """A hexagonal head with a conical chamfer at its top."""
    sixths = 3.0 / pi
    angle = -np.floor(np.arctan2(y, x) * sixths + 0.5) / sixths
    along = np.cos(angle) * x - np.sin(angle) * y
    sides = np.maximum(along - 0.5, np.abs(z + 0.25) - 0.25)
    return np.maximum(sides, (z + away - 0.22) * HALF_ROOT)


def bolt(x: Reals, y: Reals, z: Reals, sizes: Sequence[float]) -> Reals:
    """A screw with a hexagonal head; sizes: its radius."""
    away, thread = _thread(x, y, z, sizes[0])
    cone = (z - away) * HALF_ROOT
    shaft = np.maximum(thread, np.abs(z + 0.5) - 0.5)
    shaft = np.maximum(shaft, -(cone + HALF_ROOT))
    return np.minimum(shaft, _head(x, y, z, away))


def nut(x: Reals, y: Reals, z: Reals, sizes: Sequence[float]) -> Reals:
    """A hexagonal nut; sizes: the radius of its hole."""
    away, thread = _thread(x, y, z, sizes[0])
    cone = (z - away) * HALF_ROOT
    hole = np.maximum(thread, -(cone + 0.5 * HALF_ROOT))
    hole = np.minimum(hole, -cone - 0.05 * HALF_ROOT)
    return np.maximum(_head(x, y, z, away), -hole)


def _blend(a: Reals, b: Reals, width: float) -> Reals:
    """The union of two shapes with a fillet."""
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b * (1 - share) + a * share - width * share * (1 - share)


def _section(x: Reals, y: Reals, sizes: Sequence[float]) -> Reals:
    """A gear wheel in its plane: a ring with teeth between two involutes of the base circle."""
    phase, diameter, teeth, _, hole = sizes
    pressure = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551
    pitch = teeth / diameter
    outer, depth = (diameter + 2.0 / pitch) / 2, 2.2 / pitch
    inner = hole / 2 if hole >= 0 else outer - depth - 0.14 * diameter
    base = diameter * np.cos(pressure) / 2
    away = np.hypot(x, y)
    angle = np.arctan2(y, x) + phase
    stride = (pi / pitch) / (diameter / 2)
    rolled = np.arccos(base / (diameter / 2))
    shift = stride / 2 - 2 * (np.tan(rolled) - rolled)
    flanks = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for side in (angle, -angle - shift):
            turned = side + shift / 2
            flanks.append(turned - stride * np.floor(turned / stride) - shift / 2)
        tangent = np.sqrt(away * away - base * base)
        involutes = [tangent - base * (flank + np.arccos(base / away)) for flank in flanks]
    beyond = away > base
    sides = [np.where(beyond, involute, -1.0e6) for involute in involutes]
    walls = np.maximum(flanks[0] - (stride - shift), flanks[1] - (stride - shift))
    cogs = np.maximum(walls, np.maximum(*sides))
    tip = away - outer
    # a and b with a fillet between them, as in MuJoCo: both, without the fillet where only one is near
    rounding = _blend(np.maximum(tip, -cogs), np.maximum(cogs, -tip), 0.0035 * diameter)
    cogs = np.maximum(np.maximum(tip, cogs), -rounding)
    cogs = _blend(away - (outer - depth), cogs, base - outer + depth)
    cogs = np.maximum(cogs, -(away - inner))
    cogs = np.where(outer - away < -0.2, away - outer, cogs)
    return np.where(inner - away > 0, inner - away, cogs)


def gear(x: Reals, y: Reals, z: Reals, sizes: Sequence[float]) -> Reals:
    """A gear wheel; sizes: angle, pitch diameter, number of teeth, thickness, diameter of its hole."""
    plane, above = _section(x, y, sizes), np.abs(z) - sizes[3] / 2
    return np.minimum(np.maximum(plane, above), 0) + np.hypot(np.maximum(plane, 0), np.maximum(above, 0))


class Shape(NamedTuple):
    """A shape: its distance, and the half sizes of its bounding box as a function of its sizes."""

    distance: Distance
    box: Callable[[Sequence[float]], tuple[float, float, float]]


def _screw(_: Sequence[float]) -> tuple[float, float, float]:
    return (0.6, 0.6, 1.0)


SHAPES = {
    "mujoco.sdf.bolt": Shape(bolt, _screw),
    "mujoco.sdf.bowl": Shape(bowl, lambda sizes: (sizes[1] + sizes[2],) * 3),
    "mujoco.sdf.gear": Shape(gear, lambda s: (s[1] / 2 * 1.25, s[1] / 2 * 1.25, s[3] / 2 * 1.1)),
    "mujoco.sdf.nut": Shape(nut, _screw),
    "mujoco.sdf.torus": Shape(torus, lambda s: (s[0] + s[1], s[0] + s[1], s[1])),
}
"""The shapes of MuJoCo's plugins that have sizes."""


def shape_mesh(name: str, sizes: Sequence[float], own: Shape | None = None) -> RawMesh:
    """The surface of a shape as a mesh, on the same grid as in MuJoCo.

    Args:
        name: a key of SHAPES.
        sizes: its sizes.
        own: a user's shape instead.

    Raises:
        GeometryError: the sizes do not define a shape.
    """
    if own is not None:
        return _mesh(own, sizes)
    key = ("signed distance", name, tuple(sizes))
    return STORE.get(key, lambda: _mesh(SHAPES[name], sizes))


def _mesh(shape: Shape, sizes: Sequence[float]) -> RawMesh:
    half = shape.box(sizes)
    if not all(side > 0 and np.isfinite(side) for side in half):
        raise GeometryError("has sizes that are not positive")
    counts = [floor(STEPS / sum(half) * side) + 1 for side in half]
    if min(counts) < 2:
        raise GeometryError("is too flat to be meshed")
    lines = [-side + 2 * side * np.arange(n) / (n - 1) for side, n in zip(half, counts, strict=True)]
    z, y, x = np.meshgrid(*lines[::-1], indexing="ij")
    with np.errstate(all="ignore"):
        field = np.asarray(shape.distance(x, y, z, sizes), dtype=np.float32)
    if not np.isfinite(field).all():
        raise GeometryError("has sizes that do not define a shape")
    vertices, faces, normals = marching_cubes(field)
    if len(vertices) < 4:
        raise GeometryError("has no surface within its box")
    scaled = vertices.astype(np.float64) * np.array([2 * side for side in half])
    placed = scaled / (np.array(counts) - 1) - np.array(half)
    return raw_mesh(placed.astype(np.float32), faces, normals)
