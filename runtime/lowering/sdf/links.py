"""Links of SDFormat as links of a Plant: mass, centre of mass and inertia, given, missing or computed from
shapes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from polybody.diagnostics import Findings
from polybody.geometry import GeometryError, Part, measure, moments, principal_axes
from polybody.geometry.composition import inertia_tensor
from polybody.lowering.plants.inertias import sound
from polybody.lowering.plants.plant import Link, Tensor
from polybody.lowering.sdf.scopes import Scope
from polybody.lowering.sdf.shapes import Shapes, Solid, placed
from polybody.lowering.sdf.values import pose_from, said
from polybody.rotations.poses import IDENTITY, Pose, rotated_tensor

WATER = 1000.0
"""kg/m^3: the default density of a shape."""
UNIT: Tensor = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
MOMENTS = ("ixx", "iyy", "izz")
PRODUCTS = ("ixy", "ixz", "iyz")
CONE = 3 / 80


def link(node: Any, scope: Scope, pose: Pose, shapes: Shapes, findings: Findings) -> Link:
    """A <link>.

    Args:
        node: the element.
        scope: the model that contains it.
        pose: its pose in the model's frame.
        shapes: makes geoms of its shapes.
        findings: receives findings.
    """
    made = Link(said(node, "name"), 0, node=node)
    made.gravity = node.gravity is not False
    inertial = node.inertial
    if inertial is not None and inertial.auto:
        _computed(made, node, scope, pose, shapes, findings)
    else:
        _given(made, inertial)
    where = inertial if inertial is not None else node
    made.mass, made.centre, made.inertia = sound(
        made.name, made.mass, made.centre, made.inertia, where, findings
    )
    made.geoms = shapes.of(node, scope, pose)
    return made


def _given(made: Link, inertial: Any) -> None:
    """Mass and moments as given, by default 1 kg and 1 kg m^2."""
    made.mass, made.inertia = 1.0, UNIT
    if inertial is None:
        return
    if inertial.mass is not None:
        made.mass = inertial.mass
    frame = IDENTITY if inertial.pose is None else pose_from(inertial.pose)
    made.centre = frame.pos
    tensor = inertial.inertia
    if tensor is not None:
        given = [getattr(tensor, name) for name in MOMENTS]
        diagonal = [1.0 if value is None else value for value in given]
        products = [getattr(tensor, name) or 0.0 for name in PRODUCTS]
        made.inertia = rotated_tensor(frame.quat, (*diagonal, *products))


# --- mass and moments of shapes -------------------------------------------------------------------------


def _computed(made: Link, node: Any, scope: Scope, pose: Pose, shapes: Shapes, findings: Findings) -> None:
    """Mass and moments of all collisions, each homogeneous; overlapping parts count twice."""
    inertial = node.inertial
    parts = []
    for collision in node.collision:
        solid = shapes.solid(collision, scope)
        if solid is None:
            findings.add(
                "PB063",
                collision.span,
                f"the mass of link `{made.name}` is computed from its shapes; this one has an unknown volume",
                hint="write <inertial> with numbers",
                source=collision.source,
            )
            return
        density = next((value for value in (collision.density, inertial.density) if value is not None), WATER)
        at = pose.inverse() @ placed(collision, scope, pose) @ solid.pose
        try:
            parts.append(_part(solid, density, at))
        except GeometryError as error:
            findings.add("PB063", collision.span, f"this shape {error}", source=collision.source)
            return
    if not parts:
        message = f"the mass of link `{made.name}` is computed from its shapes, and it has none"
        findings.add("PB063", inertial.span, message, source=inertial.source)
        return
    mass, centre, tensor = inertia_tensor(parts)
    scale = 1.0 if inertial.mass is None or not mass else inertial.mass / mass
    made.mass = mass * scale
    made.centre = tuple(centre.tolist())
    rows = (tensor * scale).tolist()
    made.inertia = (rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2])


def _part(solid: Solid, density: float, at: Pose) -> Part:
    """The mass properties of a homogeneous shape, in a link's frame."""
    if solid.mesh is not None:
        known = solid.mesh
        principal, quat = principal_axes(known.inertia)
        inner = at @ Pose(tuple(known.centre.tolist()), tuple(quat.tolist()))
        return Part(density * known.volume, np.array(inner.pos), np.array(inner.quat), density * principal)
    if solid.kind == "cone":
        radius, half = solid.size
        length = 2 * half
        mass = density * math.pi * radius * radius * length / 3
        across = mass * CONE * (4 * radius * radius + length * length)
        inner = at @ Pose((0.0, 0.0, -length / 4))
        own = np.array((across, across, 0.3 * mass * radius * radius))
        return Part(mass, np.array(inner.pos), np.array(inner.quat), own)
    mass = density * measure(solid.kind, solid.size)
    own = np.array(moments(solid.kind, solid.size, mass))
    return Part(mass, np.array(at.pos), np.array(at.quat), own)
