"""Frames with different scales along their axes: shapes, joints and inertias inside.

Positions follow the linear map of the frame, while orientations stay. A shape is stretched along its own
axes, which must be axes of the scale, up to TOLERANCE; only sites are stretched in any orientation.
"""

from __future__ import annotations

import numpy as np
from polybody.generated.formats.mjcf import GeomType, JointType
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.poses import NoDirectionError, along, matrix, normalised, oriented, unit
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.scales import Matrix, Scale, move
from polybody.lowering.mjcf.shapes import MESHED
from polybody.rotations.poses import UPRIGHT, Quaternion

TOLERANCE = 0.0349
"""The sine of the angle up to which an axis is one of the scale, and the relative difference up to which two
factors are equal, as in MuJoCo 4.0.
"""
AXES = {GeomType.PLANE: 2}
"""The number of axes of a shape that must be axes of the scale, if not all."""
ROUND = (GeomType.CAPSULE, GeomType.CYLINDER)


def orientation(element: Element) -> Quaternion:
    """That of an element in its frame, as far as it is sound; of a shape with two ends, that along them."""
    values, settings = element.values, element.settings
    ends = values.get("fromto")
    if ends is not None:
        axis, length = normalised((ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]))
        return along(axis) if length else UPRIGHT
    if values["alternative"] is None:
        return unit(values["quat"])
    try:
        return oriented(values["alternative"], settings.degrees, settings.sequence)
    except NoDirectionError:
        return UPRIGHT


def turn(quat: Quaternion) -> Matrix:
    """The axes of an orientation, as columns."""
    return np.reshape(matrix(quat), (3, 3))


def stretch_joint(joint: Element, scale: Scale, problems: Problems) -> None:
    """Check the axis of a hinge or a slide."""
    if joint.values["type"] in (JointType.HINGE, JointType.SLIDE):
        axis, length = normalised(joint.values["axis"])
        if length and not _is_kept(scale.map, np.array(axis)):
            message = "the axis of a joint must be along an axis of the scale of its frame"
            problems.add(joint.node, message, "axis")


def along_axis(joint: Element, scale: Scale) -> float:
    """The factor of lengths along the axis of a slide."""
    axis, length = normalised(joint.values["axis"])
    return float(np.linalg.norm(scale.map @ axis)) if length else scale.length


def _is_kept(stretch: Matrix, axis: Matrix) -> bool:
    """Whether a direction is one of the axes of a scale."""
    image = stretch @ axis
    return float(np.linalg.norm(np.cross(image, axis))) < TOLERANCE * float(np.linalg.norm(image))


def _equal(one: float, other: float) -> bool:
    return abs(one - other) < TOLERANCE * max(one, other)


def stretch_geom(geom: Element, scale: Scale, problems: Problems) -> None:
    """Stretch a geom, given the scale in its own axes; what refers to a mesh has its shape from there."""
    values = geom.values
    kind, own = values["type"], scale.map
    factors = np.linalg.norm(own, axis=0).tolist()
    moving = values["surfacevel"]
    values["surfacevel"] = (*scale.moved(moving[:3]), *moving[3:])
    if values["mesh"] or kind in MESHED:
        return
    fault = _fault(values, own, factors)
    if fault:
        problems.add(geom.node, fault, "size" if kind is GeomType.SPHERE else "type")
    if kind is GeomType.SPHERE:
        values["size"] = (values["size"][0] * float(np.prod(factors)) ** (1 / 3), *values["size"][1:])
    elif kind is GeomType.PLANE:
        a, b, spacing = values["size"]
        values["size"] = (a * factors[0], b * factors[1], spacing * scale.length)
    elif kind is not GeomType.HFIELD:
        _resize(values, factors)


def _fault(values: Values, own: Matrix, factors: list[float]) -> str | None:
    """Why a shape cannot be stretched; None if it can."""
    kind = values["type"]
    kept = all(_is_kept(own, axis) for axis in np.eye(3)[: AXES.get(kind, 3)])
    across = _equal(factors[0], factors[1])
    if kind is GeomType.SPHERE:
        uniform = kept and across and _equal(factors[1], factors[2])
        return None if uniform else "a sphere can only be scaled equally in all directions; use an ellipsoid"
    if not kept:
        return f"a {kind.value} must be aligned with the axes of the scale of its frame"
    if (kind in ROUND or values["fromto"] is not None) and not across:
        return f"a {kind.value} can only be scaled equally in both directions across its axis"
    return None


def stretch_site(site: Element, scale: Scale) -> None:
    """Stretch a site, given the scale in its own axes."""
    if site.values["type"] == GeomType.SPHERE:  # of another enumeration
        size = site.values["size"]
        site.values["size"] = (size[0] * scale.length, *size[1:])
    else:
        _resize(site.values, np.linalg.norm(scale.map, axis=0).tolist())


def _resize(values: Values, factors: list[float]) -> None:
    """Stretch the sizes of a shape along its axes. The length of one with two ends is that between them."""
    size, (x, y, z) = values["size"], factors
    across = float(np.sqrt(x * y))
    if values["fromto"] is not None:
        values["size"] = (size[0] * across, *size[1:])
    elif values["type"] in ROUND:
        values["size"] = (size[0] * across, size[1] * z, *size[2:])
    else:
        values["size"] = (size[0] * x, size[1] * y, size[2] * z)


def stretch_inertia(given: Values, body: Element, scale: Scale) -> None:
    """Stretch an inertia: as the distribution of the mass, of which it is a moment."""
    move(given, "pos", scale)
    if given["fullinertia"] is None:
        if given["diaginertia"] is None:
            return
        axes = turn(orientation(Element("inertial", given["node"], given, body.settings)))
        tensor = axes @ np.diag(given["diaginertia"]) @ axes.T
    elif given["diaginertia"] is not None or given["alternative"] is not None:
        return  # an error, later
    else:
        xx, yy, zz, xy, xz, yz = given["fullinertia"]
        tensor = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    second = scale.map @ (np.trace(tensor) / 2 * np.eye(3) - tensor) @ scale.map.T
    tensor = scale.mass * (np.trace(second) * np.eye(3) - second)
    rows, columns = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
    given["fullinertia"] = tuple(tensor[rows, columns].tolist())
    given["diaginertia"] = given["alternative"] = None
    given["quat"] = UPRIGHT
