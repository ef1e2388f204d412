"""What SDFormat allows and Drake refuses: documents of several parts, loops of joints, computed inertia."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import hypot
from operator import mul
from typing import Any

from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.sdf.documents import JointType
from polybody.validation.rules.sdf.frames import Frames
from polybody.validation.rules.sdf.scopes import WORLD, Named, Scope

CODE = "PB083"
WEIGHED = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "cone", "mesh"}
"""The shapes of which mass and inertia are computed."""
OWN_VALUES = ("pose", "inertia")
UNKNOWN = (JointType.REVOLUTE2, JointType.GEARBOX)
"""The joints that Drake does not have."""
Z = (0.0, 0.0, 1.0)  # an axis that is not given
RIGHT = 1e-12
"""How far the cosine between two axes is from nothing at most."""
OPEN = "leave it out, and close the loop with <drake:ball_constraint> or <drake:linear_bushing_rpy>"
End = tuple[str, int]
"""What a joint holds: a link, or the world."""


def check(root: Any, scopes: list[Scope], findings: Findings) -> None:
    """Report what makes Drake refuse the document; ``scopes`` are those of its models and worlds."""
    if root.source is None or not root.source.include_stack:
        _parts(root, findings)
    for scope in scopes:
        if scope.is_world:
            _fixed_only(scope.node, findings)
        inside = list(_within(scope))
        for each in inside:
            if each.node.source is root.source and not each.is_world:
                _model(each.node, findings)
        _loops(inside, findings)


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


# --- loops of joints ---------------------------------------------------------------------------------------


def _within(scope: Scope) -> Iterator[Scope]:
    """A scope and those of the models in it, included ones too."""
    waiting = [scope]
    while waiting:
        current = waiting.pop()
        yield current
        inner = [each.scope for each in current.names.values() if each.node.TAG in ("model", "include")]
        waiting.extend(each for each in reversed(inner) if each is not None)


def _loops(scopes: list[Scope], findings: Findings) -> None:
    """Report joints that connect what other joints connect already; those in files were checked with them."""
    own = scopes[0].node.source
    joints = [(scope, joint) for scope in scopes for joint in _joints(scope)]
    joints.sort(key=lambda pair: (pair[1].source is own, pair[1]._position or 0))
    parents: dict[End, End] = {}
    direct: dict[frozenset[End], Any] = {}
    for scope, joint in joints:
        frames = Frames(scope, findings, False)
        a, b = (_end(frames, name) for name in _ends(joint))
        if a is None or b is None or a == b:
            continue
        first = direct.setdefault(frozenset((a, b)), joint)
        tops = [_top(parents, end) for end in (a, b)]
        if tops[0] != tops[1]:
            parents[tops[0]] = tops[1]
        elif joint.source is own:
            _report(joint, None if first is joint else first, findings)


def _report(joint: Any, first: Any, findings: Findings) -> None:
    name = clip(joint.name or "")  # without one there is a finding of its own
    if first is None:
        message = f"the joint `{name}` closes a loop of joints, which Drake does not take"
        findings.add(CODE, joint.span, message, hint=OPEN, source=joint.source)
        return
    place = _at(first) if first.source is joint.source else ""
    message = f"the joint `{name}` connects what `{clip(first.name or '')}`{place} connects already"
    findings.add(CODE, joint.span, f"{message}; Drake takes one joint between two links", source=joint.source)


def _joints(scope: Scope) -> Iterable[Any]:
    """The joints of a model or world; of a file that is included, it may be a robot of URDF."""
    return (*scope.node.joint, *getattr(scope.node, "drake_joint", ()))


def _ends(joint: Any) -> tuple[str, str]:
    """The names of parent and child."""
    prefix = "drake_" if hasattr(joint, "drake_parent") else ""
    ends = (getattr(joint, prefix + name) for name in ("parent", "child"))
    first, second = (getattr(end, "link", end) for end in ends)  # URDF names links in elements of their own
    return (first or "").strip(), (second or "").strip()


def _end(frames: Frames, name: str) -> End | None:
    if name == WORLD:
        return WORLD, 0
    body: Named | None = frames.body(name) if name else None
    return None if body is None else ("link", id(body))


def _top(parents: dict[End, End], end: End) -> End:
    while end in parents:
        parents[end] = end = parents.get(parents[end], parents[end])
    return end
