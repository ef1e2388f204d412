"""The cable of `composite`: a chain of bodies along a curve, connected by ball joints."""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, cos, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from polybody.generated.formats.mjcf import (
    CompositeJointKind,
    CompositeStart,
    CurveShape,
    GeomType,
    JointType,
)
from polybody.lowering.mjcf.composite_skin import cable_skin
from polybody.lowering.mjcf.elements import Body, Values
from polybody.lowering.mjcf.poses import normalised, of_axes, product, rotated
from polybody.lowering.mjcf.problems import Unmade
from polybody.lowering.mjcf.references import Reference
from polybody.lowering.mjcf.values import schema_defaults
from polybody.rotations.poses import ORIGIN, UPRIGHT, Quaternion, Vector, conjugate, cross

if TYPE_CHECKING:
    from polybody.lowering.mjcf.composite import Composite

LONG = (GeomType.CAPSULE, GeomType.CYLINDER)
SIDEWAYS: Vector = (0.0, 1.0, 0.0)
"""Direction of a cable's normal before its first edge."""


def make_cable(made: Composite) -> None:
    """Add the chain of bodies of a cable to its parent, and the elements that belong to it."""
    kind = made.geom["type"]
    if made.count[0] < 2 or made.count[1] > 1:
        raise Unmade("a cable must have one dimension and at least two vertices", "count")
    if kind not in (*LONG, GeomType.BOX):
        raise Unmade("the geoms of a cable must be capsules, cylinders or boxes")
    name = "composite_" + made.prefix
    made.add_listed("text", {"name": name, "data": "rope_" + made.prefix})
    edges = _edges(made)
    if edges is None:
        raise Unmade("two vertices of the cable coincide", "vertex" if len(made.vertices) else "size")
    body, normal, before, length = made.body, SIDEWAYS, UPRIGHT, 0.0
    for number, edge in enumerate(edges):
        turn, normal = _turned(edges, number, normal)
        if number:
            pose = (length, 0.0, 0.0), product(conjugate(before), turn)
        else:
            x, y, z = made.values["offset"]
            a, b, c = _vertices(made)[0].astype(np.float64).tolist()
            pose = (x + a, y + b, z + c), turn
        before, length = turn, sqrt(sum(part * part for part in edge))
        body = _add_body(made, body, number, len(edges), pose, length)
    if kind is GeomType.BOX:
        cable_skin(made, made.skin or schema_defaults("compositeskin"))


def _vertices(made: Composite) -> Any:
    """The vertices, (n, 3), in single precision: given, or along the curve."""
    if len(made.vertices):
        return made.vertices.reshape(-1, 3)
    count, (length, radius, turns) = made.count[0], made.values["size"]
    shapes = (*(made.values["curve"] or ()), *(CurveShape.ZERO,) * 3)[:3]
    curves: dict[CurveShape, Callable[[int], float]] = {
        CurveShape.STRAIGHT: lambda n: n * length / (count - 1),
        CurveShape.COSINE: lambda n: radius * cos(pi * n * turns / (count - 1)),
        CurveShape.SINE: lambda n: radius * sin(pi * n * turns / (count - 1)),
        CurveShape.ZERO: lambda n: 0.0,
    }
    rows = [[curves[shape](number) for shape in shapes] for number in range(count)]
    return np.array(rows, dtype=np.float32)


def _edges(made: Composite) -> list[Vector] | None:
    """The vectors from each vertex to the next; None if one has zero length."""
    ways = np.diff(_vertices(made), axis=0).astype(np.float64)
    found = [(x, y, z) for x, y, z in ways.tolist()]
    return None if any(normalised(axis)[1] == 0.0 for axis in found) else found


def _turned(edges: list[Vector], number: int, normal: Vector) -> tuple[Quaternion, Vector]:
    """The orientation of a body, with x along its edge, and its normal, given that of the previous body.

    The first normal is perpendicular to the binormal of the first two edges; it is then rotated along with
    the edges. If the first edges are collinear, there is no normal, and the quaternion is computed from x
    alone.
    """
    along = normalised(edges[number])[0]
    if number == 0:
        after = normalised(edges[1])[0] if len(edges) > 1 else ORIGIN
        binormal = normalised(cross(along, after))[0]
        normal = normalised(cross(binormal, along))[0]
        return of_axes(along, normal, binormal), normal
    before = normalised(edges[number - 1])[0]
    axis, sine = normalised(cross(before, along))
    angle = atan2(sine, sum(a * b for a, b in zip(before, along, strict=True)))
    s = sin(angle / 2)
    normal = normalised(rotated(normal, (cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s)))[0]
    binormal = normalised(cross(along, normal))[0]
    return of_axes(along, normal, binormal), normal


def _add_body(
    made: Composite, parent: Body, number: int, count: int, pose: tuple[Vector, Quaternion], length: float
) -> Body:
    """A body of a cable with its geom, joint, exclusion and sites."""
    first, last = number == 0, number == count - 1
    label = "first" if first else "last" if last else str(number)
    body = made.add_body(parent, f"B_{label}", {"pos": pose[0], "quat": pose[1], "plugin": made.plugin})
    size = made.geom["size"]
    if made.geom["type"] in LONG:
        shape: Values = {"fromto": (0.0, 0.0, 0.0, length, 0.0, 0.0)}
    else:
        shape = {"pos": (length / 2, 0.0, 0.0), "size": (length / 2, *size[1:])}
    made.add_part(body, "geom", made.geom | shape, f"G{number}")
    start = made.values["initial"]
    if not first or start is not CompositeStart.NONE:
        joint = made.joints[CompositeJointKind.MAIN][0] | {"type": JointType.BALL}
        if first and start is CompositeStart.FREE:
            joint |= {"type": JointType.FREE, "damping": 0.0, "armature": 0.0, "frictionloss": 0.0}
        made.add_part(body, "joint", joint, f"J_{label}")
    if not last:
        # With three vertices MuJoCo 3.2.7 also refers to a body here that does not exist.
        after = "last" if number == count - 2 and not first else str(number + 1)
        pair = [Reference("body", f"{made.prefix}B_{end}") for end in (label, after)]
        made.add_listed("exclude", schema_defaults("exclude") | {"references": pair})
    if first or last:
        end = {"pos": (length if last else 0.0, 0.0, 0.0), "quat": UPRIGHT}
        made.add_part(body, "site", made.site | end, f"S_{label}")
    return body
