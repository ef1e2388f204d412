"""Masses of links: given, or of a sphere, a box or the link's geometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from polybody.assembly.mass_properties import Parts, compose
from polybody.base import children_of
from polybody.generated.formats.openrave import MassType
from polybody.geometry import shapes
from polybody.lowering.openrave.notes import DIFFERS, UNUSED, Notes
from polybody.lowering.openrave.parts import MassProperties, Shape
from polybody.lowering.openrave.poses import scaled
from polybody.rotations.poses import ORIGIN, Vector

CUSTOM_INERTIA = 0.4
"""The inertia about every axis of a custom mass without inertia, kg m^2, for any total mass."""


class Rule(NamedTuple):
    """The mass of a link without <mass>; for a link with <mass>, the numbers that it leaves out."""

    kind: MassType = MassType.SPHERE
    radius: float = 1.0
    extents: Vector = (1.0, 1.0, 1.0)
    density: float = 1.0
    total: float = 1.0
    by_density: bool = False


DEFAULT = Rule()
"""1 kg in a sphere of radius 1 m."""


def rule_of(node: Any, around: Rule) -> Rule:
    """The rule of a <mass>. Numbers that it leaves out are those of the surrounding rule."""
    amounts = [child.TAG for child in children_of(node) if child.TAG in ("density", "total")]

    def said(name: str, otherwise: Any) -> Any:
        child = getattr(node, name)
        return otherwise if child is None or child.text is None else child.text

    return Rule(
        node.type or MassType.SPHERE,
        said("radius", around.radius),
        said("extents", around.extents),
        said("density", around.density),
        said("total", around.total),
        amounts[-1:] != ["total"],
    )


def default_rule(node: Any, notes: Notes) -> Rule:
    """The rule of a <mass> of a body or robot, for the links that follow it."""
    rule = rule_of(node, DEFAULT)
    if rule.kind is MassType.CUSTOM:
        notes.differs(node, "`custom` is not a default mass: it is a sphere, as in OpenRAVE")
        rule = rule._replace(kind=MassType.SPHERE)
    if rule.kind is MassType.MIMICGEOM and not rule.by_density:
        notes.differs(node, "`total` of a default mass of the geometry is its density, as in OpenRAVE")
        rule = rule._replace(density=rule.total, by_density=True)
    return rule


def given_mass(
    node: Any, around: Rule, geometry: Sequence[Shape], scale: float, notes: Notes
) -> MassProperties:
    """The mass of a link's <mass>."""
    rule = rule_of(node, around)
    if rule.kind is MassType.CUSTOM:
        com = scaled(scale, node.com.text) if node.com is not None and node.com.text else ORIGIN
        inertia = np.eye(3) * CUSTOM_INERTIA
        if node.inertia is not None and node.inertia.text is not None:
            inertia = np.array(node.inertia.text).reshape(3, 3)
            inertia = (inertia + inertia.T) / 2
        return MassProperties(rule.total, com, inertia)
    for child in (node.com, node.inertia):
        if child is not None:
            notes.add(UNUSED, child, f"<{child.TAG}> has a meaning only in a `custom` mass, as in OpenRAVE")
    if rule.kind is MassType.BOX and _total_before_extents(node):
        notes.differs(
            node,
            "<extents> after <total> is used; OpenRAVE reads it only before, and uses the inertia of 1 1 1",
        )
    return mass_by(rule, geometry, scale, node, notes)


def _total_before_extents(node: Any) -> bool:
    tags = [child.TAG for child in children_of(node)]
    return "total" in tags and "extents" in tags and tags.index("total") < tags.index("extents")


def mass_by(rule: Rule, geometry: Sequence[Shape], scale: float, node: Any, notes: Notes) -> MassProperties:
    """The mass of a sphere, a box or the geometry. Spheres and boxes are centred at the link's origin."""
    if rule.kind is MassType.MIMICGEOM:
        return _of_geometry(rule, geometry, node, notes)
    size = scaled(scale, rule.extents if rule.kind is MassType.BOX else (rule.radius, 0.0, 0.0))
    mass = rule.density * float(shapes.measure(rule.kind.value, size)) if rule.by_density else rule.total
    return MassProperties(mass, ORIGIN, np.diag(shapes.moments(rule.kind.value, size, mass)))


def _of_geometry(rule: Rule, geometry: Sequence[Shape], node: Any, notes: Notes) -> MassProperties:
    """The mass of boxes, spheres and cylinders of one density. A given total rescales mass and inertia."""
    solids = [(shape.pose, *shape.solid) for shape in geometry if shape.solid is not None]
    density = rule.density if rule.by_density else 1.0
    masses = [density * float(shapes.measure(kind, size)) for _, kind, size in solids]
    moments = [shapes.moments(kind, size, mass) for (_, kind, size), mass in zip(solids, masses, strict=True)]
    parts = Parts(
        np.zeros(len(solids), dtype=np.intp),
        np.array(masses),
        np.array([pose.pos for pose, _, _ in solids]).reshape(-1, 3),
        np.array([pose.quat for pose, _, _ in solids]).reshape(-1, 4),
        np.array(moments, dtype=np.float64).reshape(-1, 3),
    )
    mass, com, inertia = (row[0] for row in compose(parts, 1))
    if not rule.by_density:
        if not mass > 0:
            notes.refuse(
                node,
                f"the link has no box, sphere or cylinder over which {rule.total:g} kg could be distributed",
                'give its inertia: <mass type="custom">',
            )
            mass = 1.0
        message = "the inertia is scaled to <total>; OpenRAVE keeps that of the parts at a density of 1000"
        notes.counted(DIFFERS, node, message)
        inertia, mass = inertia * (rule.total / mass), rule.total
    elif not mass > 0:
        notes.add(DIFFERS, node, "meshes have no mass, and the link has no other geometry: its mass is 0")
    x, y, z = com.tolist()
    return MassProperties(float(mass), (x, y, z), inertia)
