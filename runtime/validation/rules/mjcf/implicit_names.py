"""Names that MJCF has or makes without an element that declares them, and names of objects of any kind."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from polybody.document.includes import expand
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.checker import Rules
from polybody.validation.rules.scene import Scene

ASSETS = {"mesh": "Mesh", "hfield": "HeightField", "texture": "Texture", "model": "Model"}
SKINS = ("Skin",)
REPLICATE, ATTACH, COMPOSITE, FLEXCOMP = "Replicate", "Attach", "Composite", "Flexcomp"
OBJECTS = (
    *("TupleElement", "UserSensor", "SensorPlugin"),
    *(child.element for child in FORMAT.elements["Sensor"].children if child.tag.startswith("frame")),
)
DEFAULT = "Default"
NODES = (*ASSETS.values(), *SKINS, REPLICATE, ATTACH, COMPOSITE, FLEXCOMP, *OBJECTS, DEFAULT)
FIXED = {"body": {"world"}, "default": {"main"}}
"""Names that are always there."""
SPACES = {"xbody": "body", "plugin": "instance"}
"""Kinds of object whose names are in a namespace called otherwise."""


class Made:
    """The names that a document's macros make."""

    def __init__(self, rules: Rules) -> None:
        self.declared = rules.declared
        self.assets = {space: _implicit(rules.nodes[key]) for space, key in ASSETS.items()}
        self.assets["skin"] = _implicit(rules.nodes[SKINS[0]])
        self.unnamed_models = any(node.name is None for node in rules.nodes[ASSETS["model"]])
        self.attached = [(node.prefix or "", *_attached(rules, node)) for node in rules.nodes[ATTACH]]
        made = [rf"{re.escape(node.prefix or '')}[A-Z]+\w*" for node in rules.nodes[COMPOSITE]]
        made += [rf"{re.escape(node.name or '')}_\d+" for node in rules.nodes[FLEXCOMP]]
        self.composed = re.compile("|".join(made)) if made else None
        seps = {re.escape(node.sep or "") for node in rules.nodes[REPLICATE]}
        self.suffix = re.compile(rf"(?:(?:{'|'.join(sorted(seps))})\d+)+$") if seps else None

    def known(self, space: str, name: str) -> bool:
        """Whether a name of a namespace exists though no element declares it as it stands."""
        if name in FIXED.get(space, ()) or name in self.assets.get(space, ()):
            return True
        if space == "model" and self.unnamed_models:
            return True
        for prefix, unknown, names in self.attached:
            rest = name.removeprefix(prefix)
            if name.startswith(prefix) and (
                unknown or rest in names.get(space, ()) or rest in FIXED.get(space, ())
            ):
                return True
        if self.composed is not None and self.composed.fullmatch(name):
            return True
        if self.suffix is None:
            return False
        # A name may end in digits of its own: every ending that looks like copies' numbers is tried.
        starts = {name[:place] for place in range(len(name)) if self.suffix.fullmatch(name, place)}
        return not starts.isdisjoint(self.declared[space])


def _attached(rules: Rules, attach: Any) -> tuple[bool, dict[str, set[str]]]:
    """Whether the names of an attached model are unknown, and else those, by their namespace."""
    root = _model(rules, attach)
    if root is None:
        return True, {}
    names: dict[str, set[str]] = {}
    attributes = {
        row.cls: [a for a in row.attributes if a.declares is not None] for row in FORMAT.elements.values()
    }
    makers = {FORMAT.elements[key].cls for key in (REPLICATE, ATTACH, COMPOSITE, FLEXCOMP)}
    makers |= {FORMAT.elements[key].cls for key in (*ASSETS.values(), *SKINS)}
    for node in root.walk():
        if type(node) in makers and not getattr(node, "name", None):
            return True, {}  # it makes names of its own
        for attribute in attributes[type(node)]:
            name = getattr(node, attribute.field)
            if name is not None:
                names.setdefault(attribute.declares or "", set()).add(name)
    return False, names


def _model(rules: Rules, attach: Any) -> Any:
    """The document from which something is attached, where it was read."""
    assets = {asset_name(asset): asset for asset in rules.nodes[ASSETS["model"]]}
    asset = assets.get(attach.model)
    if asset is None or asset.content is None:
        return None
    # What the model includes or defines otherwise is looked at as it is.
    return expand(asset.content, FORMAT)[0]


def asset_name(node: Any) -> str | None:
    """The name of an asset: its own, or that of its file."""
    if node.name or not node.file:
        return str(node.name) if node.name else None
    return PurePosixPath(node.file.replace("\\", "/")).stem


def _implicit(nodes: list[Any]) -> set[str]:
    """The names of assets that have none: that of their file, without folder and ending."""
    return {PurePosixPath(node.file.replace("\\", "/")).stem for node in nodes if not node.name and node.file}


def check(scene: Scene) -> None:
    """Names of defaults classes, and of objects whose kind another attribute tells."""
    _classes(scene)
    made = Made(scene.rules)
    for attach in scene.nodes(ATTACH):
        _body(scene, attach)
    for node in scene.nodes(*OBJECTS):
        for kind, name in (("objtype", "objname"), ("reftype", "refname")):
            if getattr(node, kind, None) is not None and getattr(node, name, None) is not None:
                _object(scene, made, node, getattr(node, kind).value, name)


def _object(scene: Scene, made: Made, node: Any, kind: str, name: str) -> None:
    space, value = SPACES.get(kind, kind), getattr(node, name)
    declared = scene.rules.declared.get(space)
    if declared is None or value in declared or made.known(space, value):
        return
    message = f"`{name}`: there is no {kind} `{value}`"
    scene.report("PB032", node, name, message, did_you_mean(value, declared))


def _body(scene: Scene, attach: Any) -> None:
    """The body that is attached is one of the other model."""
    root = _model(scene.rules, attach)
    if root is None or attach.body is None:
        return
    bodies = {node.name for node in root.walk() if node.TAG == "body"}
    made = any(node.TAG in ("replicate", "attach", "composite", "flexcomp") for node in root.walk())
    if attach.body not in bodies and not made:
        names = sorted(name for name in bodies if name)
        hint = did_you_mean(attach.body, names)
        scene.report("PB032", attach, "body", f"the model `{attach.model}` has no body `{attach.body}`", hint)


def _classes(scene: Scene) -> None:
    outermost = scene.root.default  # type: ignore[attr-defined]
    for node in scene.nodes(DEFAULT):
        if node is outermost and node.class_ not in (None, "main"):
            scene.report("PB018", node, "class", "the outermost class is `main` and cannot be renamed")
        elif node is not outermost and not node.class_:
            scene.report("PB021", node, None, "a nested <default> needs `class`")
