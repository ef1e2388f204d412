"""Values that depend on others: poses, joints and their axes, materials, limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.documents import JointType, Limit, RotationFormat, SecondLimit, ShaderType
from polybody.validation.checker import Rules
from polybody.validation.rules.sdf.scopes import Named, Scope

SINGLE = (JointType.CONTINUOUS, JointType.REVOLUTE, JointType.PRISMATIC, JointType.SCREW)
"""Joints with one freedom."""
OWN_AXES = 6
QUATERNION = 7


def pose(node: Any, rules: Rules, findings: Findings) -> None:
    """The numbers of a pose are as many as its rotation needs; without any it has to say something else."""
    numbers, source = node.text, node.source
    form = node.rotation_format or RotationFormat.EULER_RPY
    wanted = QUATERNION if form is RotationFormat.QUAT_XYZW else OWN_AXES
    if numbers is not None and len(numbers) != wanted:
        takes = f"with `rotation_format` `{form.value}` it takes {wanted}"
        message = f"<{node.TAG}> has {len(numbers)} numbers; {takes}"
        findings.add("PB024", node.span, message, source=source)
    if node.degrees and form is RotationFormat.QUAT_XYZW:
        message = "a quaternion has no degrees: `degrees` goes with roll, pitch and yaw"
        findings.add("PB022", node.attribute_span("degrees"), message, source=source)
    if (
        numbers is None
        and (id(node), "text") not in rules.poisoned
        and not any(getattr(node, name) for name in node.FIELDS)
    ):
        findings.add(
            "PB027", node.span, f"an empty <{node.TAG}> says nothing", hint="remove it", source=source
        )


def limit(node: Any, rules: Rules, findings: Findings) -> None:
    """The bounds of an axis; an engine's own <limit> has other numbers."""
    if not isinstance(node, Limit | SecondLimit):
        return
    for name in ("lower", "upper", "effort", "velocity"):
        value = getattr(node, name)
        if value is not None and math.isnan(value):
            findings.add(
                "PB020", node.child_span(name), f"<{name}> is NaN, which is no bound", source=node.source
            )


def mimic(joint: Any, node: Any, scope: Scope, findings: Findings) -> None:
    """A joint follows another joint of one freedom."""
    if node is None or node.joint is None:
        return
    span, name = node.attribute_span("joint"), node.joint.strip()
    if name == joint.name:
        findings.add("PB045", span, f"the joint `{clip(name)}` follows itself", source=node.source)
        return
    other = scope.find(name)
    if not isinstance(other, Named) or other.kind != "joint":
        findings.add("PB032", span, f"`joint`: there is no joint `{clip(name)}`", source=node.source)
    elif node.TAG == "drake:mimic" and getattr(other.node, "type", None) not in (*SINGLE, None):
        message = (
            f"joint `{clip(name)}` is {other.node.type.value}; only one with a single freedom can be followed"
        )
        findings.add("PB027", span, message, hint="Drake passes it over", source=node.source)


def drake_mimic(joint: Any, findings: Findings) -> None:
    if joint.drake_mimic is not None and joint.type not in (*SINGLE, None):
        message = f"a {joint.type.value} joint does not follow another: only one with a single freedom does"
        findings.add("PB027", joint.drake_mimic.span, message, hint="remove it", source=joint.source)


def shader(node: Any, rules: Rules, findings: Findings) -> None:
    """A shader of normals needs a picture of them."""
    kinds = (ShaderType.NORMAL_MAP_OBJECT_SPACE, ShaderType.NORMAL_MAP_TANGENT_SPACE)
    prefix = node.TAG.removesuffix("shader")
    picture = node.drake_normal_map if prefix else node.normal_map
    if node.type in kinds and picture is None:
        message = f"a shader of type `{node.type.value}` needs <{prefix}normal_map>"
        findings.add("PB023", node.span, message, source=node.source)


def coordinates(node: Any, rules: Rules, findings: Findings) -> None:
    """A planet of one's own has two radii."""
    radii = {"surface_axis_equatorial", "surface_axis_polar"}
    missing = sorted(name for name in radii if getattr(node, name) is None)
    if (node.surface_model or "").strip() == "CUSTOM_SURFACE" and missing:
        named = " and ".join(f"<{name}>" for name in missing)
        findings.add("PB023", node.span, f"a CUSTOM_SURFACE needs {named}", source=node.source)


CHECKS: dict[str, Callable[[Any, Rules, Findings], None]] = {
    "pose": pose,
    "drake:pose": pose,
    "limit": limit,
    "shader": shader,
    "drake:shader": shader,
    "spherical_coordinates": coordinates,
}
"""By tag."""
