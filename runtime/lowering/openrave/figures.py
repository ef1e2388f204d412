"""Custom data of a Model: planner parameters, manipulators and sensors of a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from typing import Any

from polybody.assembly.customs import Numeric, Text, Tuple
from polybody.assembly.parts import Assembly, Site
from polybody.generated.formats.openrave import JointType
from polybody.generated.model import ObjectType
from polybody.lowering.openrave.notes import MASSLESS, Notes
from polybody.lowering.openrave.parts import JointPart, Kin, Link, ManipulatorPart, SensorPart, last
from polybody.lowering.openrave.rows import Rows
from polybody.lowering.openrave.tree import Root, Tree

RESOLUTION = 0.02
"""The default step of planners, rad or m."""
DEGREE = pi / 180


def _per_axis(name: str, otherwise: float, in_degrees: str = "") -> Callable[[JointPart], list[float]]:
    """The values of an element for a joint's axes; one in degrees counts as degrees even for a slider."""

    def values(joint: JointPart) -> list[float]:
        child = last(joint.node, name, in_degrees)
        factor = DEGREE if child is not None and in_degrees == child.TAG else 1.0
        given = [] if child is None else [factor * number for number in child.text or ()]
        return [*given, *[otherwise] * len(joint.dofs)][: len(joint.dofs)]

    return values


def _resolution(joint: JointPart) -> list[float]:
    child = joint.node.resolution
    if child is None or child.text is None:
        return [RESOLUTION] * len(joint.dofs)
    factor = 1.0 if joint.type is JointType.SLIDER else DEGREE
    return [factor * child.text] * len(joint.dofs)


FIGURES: Mapping[str, Callable[[JointPart], list[float]]] = {
    "weight": _per_axis("weight", 1.0),
    "resolution": _resolution,
    "maxvel": _per_axis("maxvel", 10.0, "maxveldeg"),
    "maxaccel": _per_axis("maxaccel", 50.0, "maxacceldeg"),
    "maxtorque": _per_axis("maxtorque", 0.0),
    "maxinertia": _per_axis("maxinertia", 0.0),
}
"""Planner parameters of each degree of freedom, in rad or m, s, N or N m; a torque of 0 is unknown."""


def add_figures(assembly: Assembly, kin: Kin, scope: str) -> None:
    """Add the parameters, in the order of the degrees of freedom."""
    indexed = [joint for joint in kin.joints if joint.indexed]
    if indexed:
        assembly.numerics += [
            Numeric(scope + name, [number for joint in indexed for number in values(joint)])
            for name, values in FIGURES.items()
        ]


# --- robots -------------------------------------------------------------------------------------------------


def add_manipulators(
    assembly: Assembly, kin: Kin, tree: Tree, rows: Rows, sites: Mapping[Any, Site], notes: Notes
) -> None:
    """Add each manipulator as two tuples, its arm and its gripper, and its direction as a numeric."""
    for part in kin.manipulators:
        if part.base is None or part.effector is None:
            continue
        name = rows.scope + part.name
        arm = arm_joints(part, tree, notes, bool(kin.partial))
        in_arm = set(arm)
        gripper = [(joint, sign) for joint, sign in part.gripper if joint not in in_arm]
        ends = [
            (ObjectType.BODY, rows.bodies[part.base], 0.0),
            (ObjectType.BODY, rows.bodies[part.effector], 0.0),
            (ObjectType.SITE, sites[part], 0.0),
        ]
        moving = [(joint, 0.0) for joint in arm]
        assembly.tuples += [
            Tuple(f"{name}.arm", [*ends, *_joints(rows, moving)]),
            Tuple(f"{name}.gripper", _joints(rows, gripper)),
        ]
        assembly.numerics.append(Numeric(f"{name}.direction", part.direction))


def _joints(rows: Rows, joints: list[tuple[JointPart, float]]) -> list[tuple[ObjectType, Any, float]]:
    return [(ObjectType.JOINT, row, number) for joint, number in joints for row in rows.joints.get(joint, ())]


def arm_joints(part: ManipulatorPart, tree: Tree, notes: Notes, lost: bool) -> list[JointPart]:
    """The joints from base to effector, without rigid ones; a mimic joint is replaced by those it follows.

    lost: whether joints may be in a missing file.
    """
    assert part.base is not None
    assert part.effector is not None
    path = tree.path(part.base, part.effector)
    if path is None and not lost:
        notes.differs(part.node, f"no joints connect the base and the effector of `{part.name}`")
    found: dict[JointPart, None] = {}
    for joint in path or ():
        for each in _drivers(joint) if joint.mimics else [joint]:
            if not each.rigid:
                found[each] = None
    return list(found)


def _drivers(joint: JointPart) -> list[JointPart]:
    """The independent joints that a mimic joint follows, directly or through other mimic joints."""
    found: list[JointPart] = []
    seen = {joint}
    todo = [joint]
    while todo:
        each = todo.pop(0)
        if not each.mimics:
            found.append(each)
            continue
        for dof in each.dofs:
            for driver, _ in dof.drivers.values():
                if driver not in seen:
                    seen.add(driver)
                    todo.append(driver)
    return found


def add_sensor(assembly: Assembly, part: SensorPart, site: Site) -> None:
    """Add the type of the sensor whose frame is a site."""
    assembly.texts.append(Text(f"{site.name}.type", part.type))


# --- masses -------------------------------------------------------------------------------------------------


def check_masses(kin: Kin, tree: Tree, held: frozenset[Root], notes: Notes) -> None:
    """Report massless moving parts, whose accelerations are undetermined: a translation without mass, or a
    rotation without mass and inertia.
    """
    mass: dict[Link, float] = {}
    inertia: dict[Link, float] = {}
    for link in reversed(tree.links):
        own = link.mass
        mass[link] = mass.get(link, 0.0) + (0.0 if own is None else own.mass)
        inertia[link] = inertia.get(link, 0.0) + (0.0 if own is None else float(own.inertia.trace()))
        parent, joint = tree.parent(link), tree.placing.get(link)
        if joint is None:
            moves, slides = tree.roots[link] not in held, True
        else:
            moves, slides = not joint.rigid, joint.type is JointType.SLIDER
        if moves and not mass[link] + (0.0 if slides else inertia[link]) > 0:
            what = "mass" if slides else "mass or inertia"
            message = f"`{link.name}` moves, and neither it nor its descendants have a {what}"
            notes.add(MASSLESS, link.node, message)
        if parent is not None:
            mass[parent] = mass.get(parent, 0.0) + mass[link]
            inertia[parent] = inertia.get(parent, 0.0) + inertia[link]
