"""URDF: valid content that is rarely intended, according to users' reports: limits, colours, Gazebo
references.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from typing import Any

from polybody.document.parser.value_faults import clip
from polybody.suggest import did_you_mean
from polybody.validation.angles import MAX_RADIANS, like_degrees
from polybody.validation.scene import Scene

MOVING = ("revolute", "continuous", "prismatic")
BOUNDS = ("lower", "upper")
LEAST = 5e-324
"""The least positive number."""
DRIVES = {"effort": "nothing can drive the joint", "velocity": "the joint is not allowed to move"}


def limits(scene: Scene, key: str, continuous: list[Any]) -> None:
    """Limits that prevent all motion, that have no effect, or that seem to be in degrees.

    key: the kind of elements with limits; continuous: joints for which limits have no effect.
    """
    rules = scene.rules
    asked = [limit for name in DRIVES for limit in rules.below(key, name, LEAST) if getattr(limit, name) == 0]
    asked += [limit for name in BOUNDS for limit in rules.beyond(key, name, MAX_RADIANS)]
    asked += [joint.limit for joint in continuous if joint.limit is not None]
    for limit in {id(limit): limit for limit in asked}.values():
        joint = scene.parent(limit)
        if joint.type is not None and joint.type.value in MOVING:
            _limit(limit, joint.type.value, scene)


def _limit(limit: Any, kind: str, scene: Scene) -> None:
    for name, means in DRIVES.items():
        if getattr(limit, name) == 0:
            scene.report("PB066", limit, name, f"`{name}` is 0, so {means}", "give the intended value")
    for name in BOUNDS:
        value = getattr(limit, name)
        if value is None:
            continue
        if kind == "continuous":
            message = f"`{name}` has no effect on a continuous joint"
            scene.report("PB027", limit, name, message, "make the joint revolute, or remove it")
        elif kind == "revolute" and like_degrees((value,)) is not None:
            message = f"`{name}` is {value:g} rad; the value seems to be in degrees"
            scene.report("PB065", limit, name, message, f"in radians it is {radians(value):.5g}")


def colours(materials: list[Any], colours: list[Any], scene: Scene) -> None:
    """Materials of the same name have the same colour, because readers use one of them for all.

    colours: the colour of each material, None if it has none.
    """
    if len(colours) - colours.count(None) < 2:
        return
    first: dict[str, tuple[Any, Any]] = {}
    for material, rgba in zip(materials, colours, strict=True):
        if rgba is None or not material.name:
            continue
        other, colour = first.setdefault(material.name, (material, rgba))
        if colour != rgba:
            at = "" if other.span is None else f" at line {other.span.line}"
            message = (
                f"the material `{clip(material.name)}` has a different colour{at}; "
                "readers use one of them for both"
            )
            related = other.attribute_span("name")
            scene.report("PB076", material, "name", message, "give it a different name", related)


def gazebo(nodes: list[Any], names: Mapping[str, Any], scene: Scene) -> None:
    """Gazebo's extensions refer to existing links and joints."""
    for node in nodes:
        if node.reference and node.reference not in names:
            message = f"there is no link or joint `{clip(node.reference)}`, so this has no effect"
            scene.report("PB027", node, "reference", message, did_you_mean(node.reference, names))
