"""Mass properties of bodies as in DART 6.20.

Without ``inertia`` a body has 1 kg and 1 kg m^2 about each axis, whatever its shapes are. With a mass but
without a moment of inertia, the mass is distributed over its shapes by volume, and the moment is computed
about the point ``offset``; the centre of mass is that point, wherever the shapes are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.generated.formats.skel import Body
from polybody.rotations.arrays import matrix
from polybody.rotations.poses import Pose

Reals = NDArray[np.float64]
IDENTITY = np.eye(3)
Solid = tuple[float, Reals]
"""A volume, m^3, and moments of inertia (3,) per unit mass, m^2, in the shape's axes about its origin."""


class MassProperties(NamedTuple):
    """Of a body: mass, centre of mass in its frame, inertia (3, 3) about that in its axes."""

    mass: float
    centre: tuple[float, float, float]
    inertia: Sequence[Sequence[float]] | Reals


def of_body(body: Body, shapes: Sequence[tuple[Pose, Solid]]) -> MassProperties:
    """The mass properties of a body.

    Args:
        body: the element.
        shapes: its visual and collision shapes, poses in its frame.
    """
    given = body.inertia
    if given is None:
        return MassProperties(1.0, (0.0, 0.0, 0.0), IDENTITY)
    mass = 1.0 if given.mass is None else given.mass
    centre = given.offset or (0.0, 0.0, 0.0)
    moment = given.moment_of_inertia
    if moment is not None:
        diagonal = [1.0 if x is None else x for x in (moment.ixx, moment.iyy, moment.izz)]
        xy, xz, yz = [x or 0.0 for x in (moment.ixy, moment.ixz, moment.iyz)]
        xx, yy, zz = diagonal
        return MassProperties(mass, centre, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    if mass <= 0 or not shapes:
        return MassProperties(mass, centre, IDENTITY)
    return MassProperties(mass, centre, _of_shapes(mass, np.array(centre), shapes))


def _of_shapes(mass: float, centre: Reals, shapes: Sequence[tuple[Pose, Solid]]) -> Reals:
    """The inertia of shapes together, by shares of their volumes, about a point (parallel axes)."""
    volumes = [volume if volume > 0 else 1.0 for _, (volume, _) in shapes]
    found = np.zeros((3, 3))
    for volume, (pose, (_, moments)) in zip(volumes, shapes, strict=True):
        share = mass * volume / sum(volumes)
        turn, away = matrix(pose.quat), np.array(pose.pos) - centre
        found += share * (turn @ np.diag(moments) @ turn.T + (away @ away) * IDENTITY - np.outer(away, away))
    return found


# --- shapes ------------------------------------------------------------------------------------------------


def _box(size: Sequence[float]) -> Solid:
    x, y, z = (edge * edge for edge in size)
    return float(np.prod(size)), np.array([y + z, x + z, x + y]) / 12


def _ellipsoid(size: Sequence[float]) -> Solid:
    x, y, z = (diameter * diameter for diameter in size)
    return pi / 6 * float(np.prod(size)), np.array([y + z, x + z, x + y]) / 20


def _sphere(radius: float) -> Solid:
    return 4 / 3 * pi * radius**3, np.full(3, 0.4 * radius * radius)


def _cylinder(radius: float, height: float) -> Solid:
    across = radius * radius / 4 + height * height / 12
    return pi * radius * radius * height, np.array([across, across, radius * radius / 2])


def _capsule(radius: float, height: float) -> Solid:
    tube, caps = pi * radius * radius * height, 4 / 3 * pi * radius**3
    share, square = tube / (tube + caps), radius * radius
    across = share * (square / 4 + height * height / 12)
    across += (1 - share) * (2 * square / 5 + 3 * radius * height / 8 + height * height / 4)
    return tube + caps, np.array([across, across, share * square / 2 + (1 - share) * 2 * square / 5])


def _cone(radius: float, height: float) -> Solid:
    """DART's value: about the base in the transverse directions, though the origin is halfway up."""
    across = 3 * radius * radius / 20 + height * height / 10
    return pi * radius * radius * height / 3, np.array([across, across, 3 * radius * radius / 10])


def _spheres(given: Any) -> Solid:
    """DART's value for several spheres: the box around them, as if its centre were the origin; no volume."""
    centres = np.array([sphere.position for sphere in given.sphere])
    radii = np.array([[sphere.radius] for sphere in given.sphere])
    _, moments = _box(((centres + radii).max(axis=0) - (centres - radii).min(axis=0)).tolist())
    return 0.0, moments


def solid(kind: str, given: Any, values: Callable[[Any, str], Any], extent: Reals | None) -> Solid:
    """The solid that DART uses for a shape.

    Args:
        kind: the element of the shape.
        given: the element itself.
        values: effective values of an element's fields, by name.
        extent: of a mesh, the sizes (3,) of its bounding box.
    """
    if kind in ("box", "ellipsoid"):
        return {"box": _box, "ellipsoid": _ellipsoid}[kind](values(given, "size"))
    if kind == "sphere":
        return _sphere(given.radius)
    if kind in ("cylinder", "capsule", "cone"):
        made = {"cylinder": _cylinder, "capsule": _capsule, "cone": _cone}[kind]
        height = getattr(given, "length", None)
        return made(values(given, "radius"), values(given, "height") if height is None else height)
    if kind == "multi_sphere":
        return _spheres(given)
    if kind == "mesh" and extent is not None:
        return _box(extent.tolist())
    return 0.0, np.zeros(3)
