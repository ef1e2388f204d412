"""SDFormat: names and frames in their scopes, files that are included, values that depend on others.

dependent_values  values that depend on others: poses, joints and their axes, materials, limits
drake             references of Drake's extensions: to bodies, frames, joints, groups
ignored_by_drake  elements of SDFormat that Drake loads and ignores
loops             loops of joints: a joint between links that other joints already connect, which Drake
                  refuses
refused_by_drake  documents that SDFormat allows and Drake refuses: several parts, loops of joints, inertia
                  that cannot be computed, deformable links with joints
reserved_names    names must be unique in their scope and must not be reserved
"""

from __future__ import annotations

from typing import Any

from polybody.base import held
from polybody.document.parser.tables import version_number
from polybody.document.uris import Places
from polybody.generated.formats.sdf.tables import FORMAT
from polybody.validation.rules.sdf import (
    dependent_values,
    drake,
    frames,
    ignored_by_drake,
    loops,
    refused_by_drake,
    reserved_names,
)
from polybody.validation.rules.sdf.frames import DIRECTION, Frames, relative_poses
from polybody.validation.rules.sdf.scopes import Scope, Scopes
from polybody.validation.scene import Scene

FILES = {
    key: attribute
    for key, row in FORMAT.elements.items()
    for attribute in row.attributes
    if attribute.file in ("mesh", "heightfield", "skin") and not row.include
}
"""By kind of element: the attribute that names a file without which a shape is missing."""
NODES = tuple(
    dict.fromkeys(
        (
            *(*FILES, *reserved_names.APART, *reserved_names.NAMED, *dependent_values.KEYS, *frames.NODES),
            *(*ignored_by_drake.NODES, *refused_by_drake.NODES),
        )
    )
)


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    root: Any = scene.root
    scopes = scene.findings.shared.setdefault("scopes of SDFormat", Scopes())
    worlds = [scopes.of(world, True) for world in held(root, "world")]
    models = [] if root.model is None else [scopes.of(root.model)]
    for scope in models:
        _top(scope.node, scene)
    within = [each for scope in (*worlds, *models) for each in loops.within(scope)]
    _scopes(within, version_number(root.version), scene)
    _mimics(within, scene)
    inside = {id(each.node) for each in within if not each.is_world}
    ignored_by_drake.check(scene, inside)
    refused_by_drake.check(scene, [*worlds, *models], inside)
    reserved_names.check_apart(scene)
    reserved_names.check_names(version_number(root.version), scene)
    dependent_values.check(scene)
    _files(scene)


def _files(scene: Scene) -> None:
    """Each file exists at its path."""
    places = Places(scene.root.source, scene.root)
    for key, naming in FILES.items():
        for node in scene.nodes(key):
            reference = (getattr(node, naming.field) or "").strip()
            if reference:
                places.file(reference, scene.teller(node, naming.name))


def _top(model: Any, scene: Scene) -> None:
    """The pose of the outermost model cannot be relative to a frame."""
    pose = model.pose
    if pose is not None and (pose.relative_to or "").strip():
        message = "the pose of the outermost model is in the frame of the model or world that includes it"
        scene.report("PB032", pose, "relative_to", message, "remove it")


def _scopes(scopes: list[Scope], version: int, scene: Scene) -> None:
    """Check the names of models and worlds. Files were checked when they were read."""
    relative = relative_poses(scene)
    directions: dict[int, list[Any]] = {}
    for direction in scene.having(DIRECTION, "expressed_in"):
        home = scene.parent(scene.parent(scene.parent(direction)))
        directions.setdefault(id(home), []).append(direction)
    for scope in scopes:
        node = scope.node
        reserved_names.check_scope(scope, version, scene)
        Frames(scope, scene).check(relative.get(id(node), []), directions.get(id(node), []))
        if not scope.is_world:
            _model(scope, scene)
        for include in held(node, "include"):
            if include.placement_frame and include.pose is None:
                message = "`placement_frame` has no effect without a <pose>"
                scene.report("PB023", include, "placement_frame", message)


def _mimics(scopes: list[Scope], scene: Scene) -> None:
    """Check joints that follow others in their scope."""
    followed = scene.nodes(*dependent_values.MIMICS)
    owners = [(node, scene.parent(scene.parent(node))) for node in followed]
    drake_own = scene.nodes(*dependent_values.DRAKE_MIMICS)
    owners += [(node, scene.parent(node)) for node in drake_own]
    by_node = {id(scope.node): scope for scope in scopes} if owners else {}
    for node, joint in owners:
        scope = by_node.get(id(scene.parent(joint)))
        if scope is not None:
            dependent_values.mimic(joint, node, scope, scene)
            if node.TAG == "drake:mimic" and not scope.is_world:
                dependent_values.drake_mimic(joint, node, scene)


def _model(scope: Scope, scene: Scene) -> None:
    model = scope.node
    drake.check(scope, scene)
    if not any((held(model, "link"), held(model, "model"), held(model, "include"))) and not model.static:
        scene.report("PB015", model, None, "a model needs a link or a nested model")
