"""URDF texts for the tests, and the results of lowering them."""

from __future__ import annotations

import warnings
from typing import Any

import polybody
from polybody.lowering import lowered

SOLID = (
    '<inertial><origin xyz="0.1 0.2 -0.1" rpy="0.3 0.1 0.2"/><mass value="1.5"/>'
    '<inertia ixx="0.4" iyy="0.5" izz="0.3" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial>'
)
SIMPLE = "transmission_interface/SimpleTransmission"


def robot(*parts: str) -> str:
    return '<robot name="r" xmlns:drake="http://drake.mit.edu">\n' + "\n".join(parts) + "\n</robot>\n"


def link(name: str, inside: str = SOLID) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    name: str, kind: str, parent: str, child: str, inside: str = "", tag: str = "joint", origin: str = ""
) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    place = f"<origin {origin}/>" if origin else ""
    return f'<{tag} name="{name}" type="{kind}">{place}{ends}{inside}</{tag}>'


def motor(of: str, name: str = "motor", inside: str = "") -> str:
    return (
        f'<transmission name="t_{name}"><type>{SIMPLE}</type><joint name="{of}"/>'
        f'<actuator name="{name}">{inside}</actuator></transmission>'
    )


def made(*parts: str, **options: Any) -> Any:
    """The result of lowering a robot of these parts, with constraints and contacts disabled."""
    options = {"disable": ("constraint",)} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = polybody.read("robot.urdf", text=robot(*parts), policy=options.get("policy", "warn"))
        return lowered(document, **options)


def refusal(*parts: str, **options: Any) -> list[Any]:
    """The errors of a robot that gives no Model."""
    try:
        made(*parts, **options)
    except polybody.ValidationError as error:
        return [each for each in error.diagnostics if each.severity == "error"]
    raise AssertionError("it was lowered")
