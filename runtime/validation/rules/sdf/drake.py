"""What Drake's extensions refer to: bodies, frames, joints, groups."""

from __future__ import annotations

from typing import Any

from polybody.base import Span
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.suggest import did_you_mean
from polybody.validation.rules.sdf.scopes import WORLD, Lost, Named, Scope

LEAVES = {
    "drake_ball_constraint": (("link",), ("drake:ball_constraint_body_A", "drake:ball_constraint_body_B")),
    "drake_linear_spring_damper": (
        ("link",),
        ("drake:linear_spring_damper_body_A", "drake:linear_spring_damper_body_B"),
    ),
    "drake_linear_bushing_rpy": (
        ("frame", "link", "model", "joint"),
        ("drake:bushing_frameA", "drake:bushing_frameC"),
    ),
}
"""By field of a model: the kinds of things that are meant, and the leaves that name them."""


def check(scope: Scope, findings: Findings) -> None:
    model = scope.node
    for name, (kinds, tags) in LEAVES.items():
        for node in getattr(model, name, ()):
            for tag in tags:
                value = getattr(node, tag.replace(":", "_"))
                if value is not None:
                    _find(scope, kinds, value.strip(), f"<{tag}>", node, node.child_span(tag), findings)
    for node in getattr(model, "drake_tendon_constraint", ()):
        for joint in node.drake_tendon_constraint_joint:
            if joint.name is not None:
                span = joint.attribute_span("name")
                _find(scope, ("joint",), joint.name.strip(), "`name`", joint, span, findings)
    _groups(scope, findings)


def _find(
    scope: Scope,
    kinds: tuple[str, ...],
    name: str,
    what: str,
    node: Any,
    span: Span | None,
    findings: Findings,
) -> None:
    if name == WORLD and "link" in kinds:
        return
    found = scope.find(name)
    if found is Lost.UNKNOWN or (isinstance(found, Named) and found.kind in kinds):
        return
    if not findings.takes("PB032"):
        return
    message = f"{what}: there is no {kinds[0]} `{clip(name)}`"
    hint = did_you_mean(name, scope.of_kinds(kinds))
    findings.add("PB032", span, message, hint=hint, source=node.source)


def _groups(scope: Scope, findings: Findings) -> None:
    """Groups have names of their own; members and groups in nested models are named with `::`."""
    groups = getattr(scope.node, "drake_collision_filter_group", ())
    met: dict[str, Any] = {}
    for group in groups:
        if group.name is None:
            continue
        if "::" in group.name:
            message = f"the name of a group has no `::`: `{clip(group.name)}`"
            findings.add("PB026", group.attribute_span("name"), message, source=group.source)
        first = met.setdefault(group.name, group)
        if first is not group:
            message = f"the collision filter group `{clip(group.name)}` is there already"
            findings.add("PB031", group.attribute_span("name"), message, source=group.source)
    for group in groups:
        if group.ignore:
            continue
        for member in group.drake_member:
            if member.text is not None:
                _find(scope, ("link",), member.text.strip(), f"<{member.TAG}>", member, member.span, findings)
        for other in (*group.drake_member_group, *group.drake_ignored_collision_filter_group):
            name = (other.text or "").strip()
            if name and "::" not in name and name not in met and findings.takes("PB032"):
                message = f"<{other.TAG}>: there is no collision filter group `{clip(name)}`"
                findings.add("PB032", other.span, message, hint=did_you_mean(name, met), source=other.source)
