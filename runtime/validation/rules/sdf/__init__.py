"""SDFormat: names and frames in their scopes, files that are included, values that depend on others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from polybody.base import Untyped
from polybody.diagnostics import Findings
from polybody.document.parser.tables import version_number
from polybody.document.uris import Places, Remark
from polybody.files import is_file
from polybody.generated.formats.sdf.tables import FORMAT
from polybody.validation.checker import Rules
from polybody.validation.report import places as every_place
from polybody.validation.rules.sdf import (
    dependent_values,
    drake,
    ignored_by_drake,
    refused_by_drake,
    reserved_names,
)
from polybody.validation.rules.sdf.frames import Frames
from polybody.validation.rules.sdf.scopes import Scope, Scopes

FILES = {
    row.cls: tuple(a for a in row.attributes if a.file in ("mesh", "heightfield", "skin"))
    for row in FORMAT.elements.values()
    if any(a.file for a in row.attributes) and not row.include
}
"""By class: what names a file without which a shape is missing."""
NODES = tuple(
    key
    for key, row in FORMAT.elements.items()
    if row.cls is not Untyped
    and (row.cls in FILES or row.tag in reserved_names.APART or row.tag in dependent_values.CHECKS)
)


def check(root: Any, rules: Rules, findings: Findings) -> None:
    """Report what the tables cannot say about a document."""
    version = version_number(root.version)
    places = _places(root)
    where = _where(root)
    scopes = findings.shared.setdefault("scopes of SDFormat", Scopes())
    worlds = [scopes.of(world, True) for world in root.world]
    models = [] if root.model is None else [scopes.of(root.model)]
    for model in (scope.node for scope in models):
        _top(model, findings)
    for scope in (*worlds, *models):
        _scope(scope, version, rules, findings)
    refused_by_drake.check(root, [*worlds, *models], findings)
    for node in (node for key in NODES for node in rules.nodes[key]):
        reserved_names.check_apart(node, findings)
        special = dependent_values.CHECKS.get(node.TAG)
        if special is not None:
            special(node, rules, findings)
        if places is not None:
            _files(node, places, where, findings)


def _where(root: Any) -> Callable[[Any], str]:
    """What tells the XPaths of elements that name files; it looks for them when it is first asked."""
    found: dict[int, str] = {}

    def where(node: Any) -> str:
        if not found:
            found.update((id(p.node), p.xpath()) for p in every_place(root) if type(p.node) in FILES)
        return found.get(id(node), "")

    return where


def _files(node: Any, places: Places, where: Callable[[Any], str], findings: Findings) -> None:
    for row in FILES.get(type(node), ()):
        reference = (getattr(node, row.field) or "").strip()
        if reference:
            places.file(reference, Remark(findings, node, row, partial(where, node)))


def _places(root: Any) -> Places | None:
    """Where the document's files are; None for a text without a place of its own."""
    if root.source is None or not is_file(root.source.path):
        return None
    folder = Path(root.source.path).parent
    return Places(folder, folder)


def _top(model: Any, findings: Findings) -> None:
    """The pose of the outermost model is relative to nothing."""
    pose = model.pose
    if pose is not None and (pose.relative_to or "").strip():
        message = "the pose of the outermost model is in the frame of whatever it is put into"
        findings.add(
            "PB032", pose.attribute_span("relative_to"), message, hint="remove it", source=pose.source
        )


def _scope(scope: Scope, version: int, rules: Rules, findings: Findings) -> None:
    """Check a scope and those of the models written inside of it; files were checked when they were read."""
    waiting = [scope]
    while waiting:
        current = waiting.pop()
        node = current.node
        reserved_names.check_scope(current, version, findings)
        Frames(current, findings, bool(rules.lost)).check()
        if not current.is_world:
            _model(current, findings)
        for joint in node.joint:
            for axis in (joint.axis, joint.axis2):
                if axis is not None and axis.mimic is not None:
                    dependent_values.mimic(joint, axis.mimic, current, findings)
            dependent_values.mimic(joint, joint.drake_mimic, current, findings)
        for include in node.include:
            if include.placement_frame and include.pose is None:
                message = "`placement_frame` places nothing without a <pose>"
                findings.add("PB023", include.child_span("placement_frame"), message, source=include.source)
        inner = (each.scope for each in current.names.values() if each.node.TAG == "model")
        waiting.extend(scope for scope in inner if scope is not None)


def _model(scope: Scope, findings: Findings) -> None:
    model = scope.node
    drake.check(scope, findings)
    ignored_by_drake.check(model, findings)
    if not any((model.link, model.model, model.include)) and not model.static:
        findings.add("PB015", model.span, "a model needs a link, or models inside of it", source=model.source)
    for joint in model.joint:
        dependent_values.drake_mimic(joint, findings)
