"""What SDFormat allows and Drake refuses: documents of several parts, loops of joints, computed inertia."""

from __future__ import annotations

from math import hypot
from operator import mul
from typing import Any

from polybody.diagnostics import Findings
from polybody.generated.formats.sdf.documents import JointType
from polybody.validation.rules.sdf import loops
from polybody.validation.rules.sdf.scopes import Scope

CODE = loops.CODE
WEIGHED = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "cone", "mesh"}
"""The shapes of which mass and inertia are computed."""
OWN_VALUES = ("pose", "inertia")
UNKNOWN = (JointType.REVOLUTE2, JointType.GEARBOX)
"""The joints that Drake does not have."""
Z = (0.0, 0.0, 1.0)  # an axis that is not given
RIGHT = 1e-12
"""How far the cosine between two axes is from nothing at most."""


def check(root: Any, scopes: list[Scope], findings: Findings) -> None:
    """Report what makes Drake refuse the document; ``scopes`` are those of its models and worlds."""
    if root.source is None or not root.source.include_stack:
        _parts(root, findings)
    for scope in scopes:
        if scope.is_world:
            _fixed_only(scope.node, findings)
        for each in loops.within(scope):
            if not each.is_world:
                _model(each.node, findings)
    loops.check(scopes, findings)


def _parts(root: Any, findings: Findings) -> None:
    """Drake loads one model or one world of a document; what is included may be a light alone."""
    parts = [part for part in (root.model, *root.world) if part is not None]
    others = [part.TAG for part in (root.actor, root.light) if part is not None]
    if not parts and others:
        message = f"a document with <{others[0]}> alone: Drake loads one model or one world"
        findings.add(CODE, root.span, message, hint="include it in a world", source=root.source)
    for part in parts[1:]:
        message = f"Drake loads one model or one world of a document; this <{part.TAG}> is another"
        findings.add(CODE, part.span, message, hint="give it a file of its own", source=part.source)


def _model(model: Any, findings: Findings) -> None:
    for link in model.link:
        _inertia(link, findings)
    for joint in model.joint:
        if joint.type in UNKNOWN:
            message = f"Drake has no {joint.type.value} joint"
            findings.add(CODE, joint.attribute_span("type"), message, source=joint.source)
        elif model.static and joint.type not in (JointType.FIXED, None):
            message = f"a {joint.type.value} joint in a static model: Drake takes fixed ones only there"
            findings.add(CODE, joint.attribute_span("type"), message, source=joint.source)
        elif joint.type is JointType.UNIVERSAL and joint.axis is not None and joint.axis2 is not None:
            _axes(joint, findings)


def _axes(joint: Any, findings: Findings) -> None:
    """The axes of a universal joint are at right angles, as far as both are told in one frame."""
    first, second = (axis.xyz for axis in (joint.axis, joint.axis2))
    frames = {None if xyz is None else xyz.expressed_in for xyz in (first, second)}
    a, b = (Z if xyz is None or xyz.text is None else xyz.text for xyz in (first, second))
    along, lengths = sum(map(mul, a, b)), hypot(*a) * hypot(*b)
    if len(frames) == 1 and abs(along) > RIGHT * lengths:
        message = "`axis` and `axis2` of a universal joint are not at right angles, as Drake demands"
        place = joint.axis2 if second is None else second
        findings.add(CODE, place.span, message, source=joint.source)


def _fixed_only(world: Any, findings: Findings) -> None:
    for joint in world.joint:
        if joint.type not in (JointType.FIXED, None):
            message = f"a {joint.type.value} joint in a world: Drake takes fixed ones only there"
            findings.add(CODE, joint.attribute_span("type"), message, source=joint.source)


def _inertia(link: Any, findings: Findings) -> None:
    """What is needed so that mass and inertia can be computed from shapes."""
    inertial = link.inertial
    if inertial is None or not inertial.auto:
        return
    if not link.collision:
        message = "`auto` computes mass and inertia from <collision>; the link has none"
        findings.add("PB023", inertial.attribute_span("auto"), message, source=inertial.source)
    for name in OWN_VALUES:
        own = getattr(inertial, name)
        if own is not None:
            message = f"<{name}> has no place beside `auto`, which computes it: Drake refuses both"
            findings.add(CODE, own.span, message, hint="remove it", source=own.source)
    for collision in link.collision:
        for shape in () if collision.geometry is None else collision.geometry.children:
            if shape.TAG not in WEIGHED:
                message = f"`auto`{_at(inertial)}: no inertia is computed of <{shape.TAG}>"
                findings.add(CODE, shape.span, message, hint="write <inertial>", source=shape.source)


def _at(node: Any) -> str:
    return "" if node.span is None else f" at line {node.span.line}"
