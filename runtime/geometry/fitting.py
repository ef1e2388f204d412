"""Primitive shapes fitted to meshes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.geometry.composition import axes
from polybody.geometry.meshes import Mesh

Reals = NDArray[np.float64]


class Fit(NamedTuple):
    """A primitive shape that replaces a mesh."""

    size: Reals
    """(3,): half sizes, m, as in geom_size; unused values are zero."""
    pos: Reals
    """(3,): its centre in the frame of the mesh's file, m."""
    quat: Reals
    """(4,): its axes in that frame."""


def fit(
    mesh: Mesh,
    shape: str,
    *,
    shell: bool = False,
    aabb: bool = False,
    scale: float = 1.0,
    bounds: bool = False,
) -> Fit:
    """A primitive fitted to a mesh, centred and aligned with its principal axes.

    Args:
        mesh: as compiled.
        shape: "sphere", "capsule", "cylinder", "ellipsoid" or "box".
        shell: whether the mesh is a shell, for its frame and its inertia.
        aabb: whether the shape encloses the vertices, about the centre of their axis-aligned bounding box;
            otherwise the sizes are those of the box of equal mass and inertia, converted to the shape.
        scale: factor on the sizes.
        bounds: as in MuJoCo from 3.3.7 on: with aabb, the shape's own bounding box, not the shape, encloses
            that of the mesh, and has its centre. As in 3.2.7, the centre of the bounding box is added to
            ``pos`` in the axes of the mesh, which misplaces the shape unless these are the axes of the file.

    Raises:
        GeometryError: the mesh has no inertia; with aabb, no bounding box.
    """
    inertia = mesh.inertia(shell) if not aabb else mesh.shell if shell else mesh.solid
    rules = ALIKE if not aabb else BOUNDING if bounds else AROUND
    if shape not in rules:
        raise ValueError(f"{shape!r} is not one of {', '.join(rules)}")
    size = np.zeros(3)
    pos = inertia.pos.copy()
    if aabb:
        if mesh.low[0] > mesh.high[0]:
            mesh.inertia(shell)
        centre = (mesh.low + mesh.high) / 2
        pos += np.array(axes(inertia.quat)) @ centre if bounds else centre
        of_box = bounds or shape in ("ellipsoid", "box")
        given: Reals = mesh.high - centre if of_box else mesh.vertices - centre
    else:
        given = inertia.box
    values = rules[shape](given)
    size[: len(values)] = values
    return Fit(size * scale, pos, inertia.quat.copy())


Sizes = tuple[float, ...]


def _alike_round(box: Reals) -> Sizes:
    return (float(box[0] + box[1]) / 2,)


def _alike_capsule(box: Reals) -> Sizes:
    (radius,) = _alike_round(box)
    return radius, max(0.0, float(box[2]) - radius / 2)


ALIKE: dict[str, Callable[[Reals], Sizes]] = {
    "sphere": lambda box: (float(box[0] + box[1] + box[2]) / 3,),
    "capsule": _alike_capsule,
    "cylinder": lambda box: (*_alike_round(box), float(box[2])),
    "ellipsoid": lambda box: tuple(box.tolist()),
    "box": lambda box: tuple(box.tolist()),
}
"""Sizes from those of the box of equal inertia."""


def _around_cylinder(points: Reals) -> Sizes:
    across = np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2)
    return float(across.max()), float(np.abs(points[:, 2]).max())


def _around_capsule(points: Reals) -> Sizes:
    """A point above the cylindrical part lengthens the capsule."""
    across = np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2)
    radius = float(across.max())
    cap = np.sqrt(np.maximum(radius * radius - across * across, 0))
    return radius, max(0.0, float((np.abs(points[:, 2]) - cap).max()))


AROUND: dict[str, Callable[[Reals], Sizes]] = {
    "sphere": lambda points: (float(np.sqrt((points * points).sum(axis=1)).max()),),
    "capsule": _around_capsule,
    "cylinder": _around_cylinder,
    "ellipsoid": lambda half: tuple(half.tolist()),
    "box": lambda half: tuple(half.tolist()),
}
"""Sizes from the points about the centre of their bounding box, or from its half sizes."""


def _bounding_cylinder(half: Reals) -> Sizes:
    return float(half[:2].max()), float(half[2])


def _bounding_capsule(half: Reals) -> Sizes:
    radius, length = _bounding_cylinder(half)
    return radius, length - radius


BOUNDING: dict[str, Callable[[Reals], Sizes]] = {
    "sphere": lambda half: (float(half.max()),),
    "capsule": _bounding_capsule,
    "cylinder": _bounding_cylinder,
    "ellipsoid": lambda half: tuple(half.tolist()),
    "box": lambda half: tuple(half.tolist()),
}
"""Sizes from the half sizes of a bounding box, that of the shape."""
