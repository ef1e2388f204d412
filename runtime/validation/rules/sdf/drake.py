"""References of Drake's extensions: to bodies, frames, joints, groups."""

from __future__ import annotations

from typing import Any

from polybody.base import held
from polybody.document.parser.value_faults import clip
from polybody.suggest import did_you_mean
from polybody.validation.rules.sdf.scopes import DELIMITER, WORLD, Lost, Named, Scope
from polybody.validation.scene import Scene

LEAVES = {
    "drake_ball_constraint": (("link",), ("drake:ball_constraint_body_A", "drake:ball_constraint_body_B")),
    "drake_linear_spring_damper": (
        ("link",),
        ("drake:linear_spring_damper_body_A", "drake:linear_spring_damper_body_B"),
    ),
    "drake_distance_constraint": (
        ("link",),
        ("drake:distance_constraint_body_A", "drake:distance_constraint_body_B"),
    ),
    "drake_linear_bushing_rpy": (
        ("frame", "link", "model", "joint"),
        ("drake:bushing_frameA", "drake:bushing_frameC"),
    ),
}
"""By field of a model: the kinds of elements that are referred to, and the leaves with their names."""


NEWER = "Drake 1.51 refuses <{}>, which it knows since 1.56"


def check(scope: Scope, scene: Scene) -> None:
    model = scope.node
    for node in held(model, "drake_distance_constraint"):
        message = f"{NEWER.format(node.TAG)}; the Model uses it as a spring and damper"
        scene.report("PB088", node, None, message)
    for link in held(model, "link"):
        if link.drake_surface_velocity_axis is not None:
            tag = "drake:surface_velocity_axis"
            message = f"{NEWER.format(tag)}; the Model's surfaces do not move"
            scene.report("PB088", link, tag, message)
    for field, (kinds, tags) in LEAVES.items():
        for node in held(model, field):
            for tag in tags:
                value = getattr(node, tag.replace(":", "_"))
                if value is not None:
                    _find(scope, kinds, value.strip(), f"<{tag}>", node, tag, scene)
                    if kinds == ("link",) and DELIMITER in value:
                        message = f"<{tag}>: Drake takes only links of the model itself, not `{clip(value)}`"
                        scene.report("PB083", node, tag, message)
    for node in held(model, "drake_tendon_constraint"):
        for joint in held(node, "drake_tendon_constraint_joint"):
            if joint.name is not None:
                _find(scope, ("joint",), joint.name.strip(), "`name`", joint, "name", scene)
    _groups(scope, scene)


def _find(
    scope: Scope, kinds: tuple[str, ...], name: str, what: str, node: Any, at: str | None, scene: Scene
) -> None:
    """Report a name that does not refer to an element of some kinds; ``at``: the attribute or leaf that gives
    it.
    """
    if name == WORLD and "link" in kinds:
        return
    found = scope.find(name)
    if found is Lost.UNKNOWN or (isinstance(found, Named) and found.kind in kinds):
        return
    if scene.takes("PB032"):
        message = f"{what}: there is no {kinds[0]} `{clip(name)}`"
        scene.report("PB032", node, at, message, did_you_mean(name, scope.of_kinds(kinds)))


def _groups(scope: Scope, scene: Scene) -> None:
    """Groups have a namespace of their own; members and groups in nested models are named with `::`."""
    groups = held(scope.node, "drake_collision_filter_group")
    met: dict[str, Any] = {}
    for group in groups:
        if group.name is None:
            continue
        if "::" in group.name:
            scene.report(
                "PB026", group, "name", f"the name `{clip(group.name)}` of a group must not contain `::`"
            )
        first = met.setdefault(group.name, group)
        if first is not group:
            message = f"the collision filter group `{clip(group.name)}` already exists"
            scene.report("PB031", group, "name", message, related=first.attribute_span("name"))
    for group in groups:
        if group.ignore:
            continue
        for member in held(group, "drake_member"):
            if member.text is not None:
                _find(scope, ("link",), member.text.strip(), f"<{member.TAG}>", member, None, scene)
        ignored = held(group, "drake_ignored_collision_filter_group")
        for other in (*held(group, "drake_member_group"), *ignored):
            name = (other.text or "").strip()
            if name and "::" not in name and name not in met and scene.takes("PB032"):
                message = f"<{other.TAG}>: there is no collision filter group `{clip(name)}`"
                scene.report("PB032", other, None, message, did_you_mean(name, met))
