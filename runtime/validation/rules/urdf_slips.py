"""URDF: what is legal and rarely meant, as users' reports have it: bounds, colours, what Gazebo looks for."""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from typing import Any

from polybody.document.parser.value_faults import clip
from polybody.suggest import did_you_mean
from polybody.validation.angles import MOST_RADIANS, like_degrees
from polybody.validation.scene import Scene

MOVING = ("revolute", "continuous", "prismatic")
BOUNDS = ("lower", "upper")
DRIVES = {"effort": "nothing can drive the joint", "velocity": "the joint may not move"}


def limits(scene: Scene, key: str, continuous: list[Any]) -> None:
    """Bounds that let nothing move, that nothing reads, or that are degrees.

    key: of the elements with bounds; continuous: joints that have no use for them.
    """
    rules = scene.rules
    asked = [limit for name in DRIVES for limit in scene.having(key, name) if getattr(limit, name) == 0]
    asked += [limit for name in BOUNDS for limit in rules.beyond(key, name, MOST_RADIANS)]
    asked += [joint.limit for joint in continuous if joint.limit is not None]
    for limit in {id(limit): limit for limit in asked}.values():
        joint = scene.parent(limit)
        if joint.type is not None and joint.type.value in MOVING:
            _limit(limit, joint.type.value, scene)


def _limit(limit: Any, kind: str, scene: Scene) -> None:
    for name, means in DRIVES.items():
        if getattr(limit, name) == 0:
            scene.report("PB066", limit, name, f"`{name}` is 0: {means}", "give the intended value")
    for name in BOUNDS:
        value = getattr(limit, name)
        if value is None:
            continue
        if kind == "continuous":
            message = f"`{name}` has no effect on a continuous joint"
            scene.report("PB027", limit, name, message, "make the joint revolute, or remove it")
        elif kind == "revolute" and like_degrees((value,)) is not None:
            message = f"`{name}` is {value:g} rad, which seem to be degrees"
            scene.report("PB065", limit, name, message, f"in radians they are {radians(value):.5g}")


def colours(materials: list[Any], colours: list[Any], scene: Scene) -> None:
    """Materials of one name have one colour: readers take one of them for all.

    colours: what each material has, None where it has none.
    """
    first: dict[str, tuple[Any, Any]] = {}
    for material, rgba in zip(materials, colours, strict=True):
        if rgba is None or not material.name:
            continue
        other, colour = first.setdefault(material.name, (material, rgba))
        if colour != rgba:
            at = "" if other.span is None else f" at line {other.span.line}"
            message = f"the material `{clip(material.name)}` has another colour{at}; readers use one for both"
            related = other.attribute_span("name")
            scene.report("PB076", material, "name", message, "give it a name of its own", related)


def gazebo(nodes: list[Any], names: Mapping[str, Any], scene: Scene) -> None:
    """What Gazebo adds goes to links and joints that are there."""
    for node in nodes:
        if node.reference and node.reference not in names:
            message = f"there is no link or joint `{clip(node.reference)}`, so that this has no effect"
            scene.report("PB027", node, "reference", message, did_you_mean(node.reference, names))
