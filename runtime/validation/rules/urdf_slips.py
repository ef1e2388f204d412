"""URDF: what is legal and rarely meant, as users' reports have it: bounds, colours, what Gazebo looks for."""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from typing import Any

from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.suggest import did_you_mean
from polybody.validation.rules.angles import is_like_degrees

MOVING = ("revolute", "continuous", "prismatic")
DRIVES = {"effort": "nothing can drive the joint", "velocity": "the joint may not move"}


def joint(node: Any, findings: Findings) -> None:
    """Bounds that let nothing move, that nothing reads, or that are degrees."""
    kind = None if node.type is None else node.type.value
    if node.limit is None or kind not in MOVING:
        return
    for name, means in DRIVES.items():
        if getattr(node.limit, name) == 0:
            message = f"`{name}` is 0: {means}"
            _add(node.limit, name, "PB066", message, "give the number that is meant", findings)
    for name in ("lower", "upper"):
        value = getattr(node.limit, name)
        if value is None:
            continue
        if kind == "continuous":
            message = f"`{name}` has no effect on a continuous joint"
            _add(node.limit, name, "PB027", message, "call the joint revolute, or remove it", findings)
        elif kind == "revolute" and is_like_degrees(value):
            message = f"`{name}` is {value:g} rad, which seem to be degrees"
            _add(node.limit, name, "PB065", message, f"in radians they are {radians(value):.5g}", findings)


def _add(node: Any, name: str, code: str, message: str, hint: str | None, findings: Findings) -> None:
    if findings.takes(code):
        findings.add(code, node.attribute_span(name), message, hint=hint, source=node.source)


def colours(materials: list[Any], findings: Findings) -> None:
    """Materials of one name have one colour: readers take one of them for all."""
    first: dict[str, Any] = {}
    for material in materials:
        if not material.name or material.color is None:
            continue
        other = first.setdefault(material.name, material)
        if other.color.rgba != material.color.rgba:
            at = "" if other.span is None else f" at line {other.span.line}"
            message = (
                f"the material `{clip(material.name)}` has another colour{at}; readers take one for both"
            )
            _add(material, "name", "PB076", message, "give it a name of its own", findings)


def gazebo(root: Any, names: Mapping[str, Any], findings: Findings) -> None:
    """What Gazebo adds goes to links and joints that are there."""
    for node in root.gazebo:
        if node.reference and node.reference not in names:
            message = f"there is no link or joint `{clip(node.reference)}`, so that this has no effect"
            _add(node, "reference", "PB027", message, did_you_mean(node.reference, names), findings)
