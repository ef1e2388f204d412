"""Names that exist in MJCF without an element that declares them, and names of objects of any kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from polybody.document.includes import expand
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.mjcf import Mujoco
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.checker import Rules
from polybody.validation.scene import Scene

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
"""Names that always exist."""
_COMPOSED = re.compile(r"[A-Z]\w*")
LONGEST = 64
"""Maximum length of a name for which it is determined whether an element generates it."""
MAX_MODELS = 100
"""Maximum number of models attached with one prefix whose names are examined."""
MAX_SEPARATORS = 16
"""Separators before the indices of copies, of which a document has one or two."""
Names = Mapping[str, set[str]]
"""The names of a model, by namespace."""
SPACES = {"xbody": "body", "plugin": "instance"}
"""Kinds of objects whose namespace has another name."""


class Made:
    """The names that a document's macros generate."""

    def __init__(self, rules: Rules) -> None:
        self.declared = rules.declared
        self.assets = {space: _implicit(rules.nodes[key]) for space, key in ASSETS.items()}
        self.assets["skin"] = _implicit(rules.nodes[SKINS[0]])
        self.unnamed_models = any(node.name is None for node in rules.nodes[ASSETS["model"]])
        models = Models(rules)
        attached: dict[str, dict[int, Names | None]] = {}  # by prefix: the names of models, by their id
        for node in rules.nodes[ATTACH]:
            names = models.names(node)
            attached.setdefault(node.prefix or "", {})[id(names)] = names
        self.attached = {prefix: list(each.values()) for prefix, each in attached.items()}
        self.prefixes = Prefixes(self.attached)
        self.composites = Prefixes({node.prefix or "" for node in rules.nodes[COMPOSITE]})
        self.flexcomps = {node.name or "" for node in rules.nodes[FLEXCOMP]}
        self.separators = {node.sep or "" for node in rules.nodes[REPLICATE]}

    def known(self, space: str, name: str) -> bool:
        """Whether a name of a namespace exists although no element declares exactly this name."""
        if name in FIXED.get(space, ()) or name in self.assets.get(space, ()):
            return True
        if space == "model" and self.unnamed_models:
            return True
        if len(name) > LONGEST:  # names are generated, and it may be one of them
            return bool(self.attached or self.composites.texts or self.flexcomps or self.separators)
        for prefix in self.prefixes.of(name):
            models, below = self.attached[prefix], name.removeprefix(prefix)
            if len(models) > MAX_MODELS:
                return True
            if any(names is None or below in names.get(space, ()) for names in models):
                return True
            if models and below in FIXED.get(space, ()):
                return True
        if any(_COMPOSED.fullmatch(name, len(prefix)) for prefix in self.composites.of(name)):
            return True
        body, _, number = name.rpartition("_")
        if number.isdecimal() and body in self.flexcomps:
            return True
        if len(self.separators) > MAX_SEPARATORS:
            return True
        return any(start in self.declared[space] for start in self._copied(name))

    def _copied(self, name: str) -> Iterator[str]:
        """The names of elements of which an element with this name may be a copy.

        The name of a copy ends with a separator and an index, or with several of them if replicates are
        nested.
        """
        # From the end on: whether the rest from a position consists of separators and indices, or digits
        # before them.
        numbered = [False] * len(name) + [True]
        digits = [False] * (len(name) + 1)
        for place in range(len(name) - 1, -1, -1):
            digits[place] = name[place].isdecimal() and (numbered[place + 1] or digits[place + 1])
            numbered[place] = any(
                name.startswith(separator, place) and digits[place + len(separator)]
                for separator in self.separators
            )
            if numbered[place]:
                yield name[:place]


class Prefixes:
    """Texts with which names may begin."""

    def __init__(self, texts: Collection[str]) -> None:
        self.texts = texts
        self.lengths = sorted({len(text) for text in texts})

    def of(self, name: str) -> Iterator[str]:
        """Those with which a name begins."""
        for length in self.lengths:
            if length > len(name):
                return
            if name[:length] in self.texts:
                yield name[:length]


class Models:
    """The models from which a document attaches parts; each model that was read is examined once."""

    def __init__(self, rules: Rules) -> None:
        self._assets = {asset_name(asset): asset for asset in rules.nodes[ASSETS["model"]]}
        self._roots: dict[int, Any] = {}  # by the id of an asset's content
        self._names: dict[int, Names | None] = {}
        self._bodies: dict[int, dict[str, Any] | None] = {}

    def root(self, attach: Any) -> Any:
        """The MJCF document from which something is attached, if it was read."""
        asset = self._assets.get(attach.model)
        if asset is None or not isinstance(asset.content, Mujoco):
            return None
        key = id(asset.content)
        if key not in self._roots:
            # What the model includes or defines otherwise is examined unchanged.
            self._roots[key] = expand(asset.content, FORMAT)[0]
        return self._roots[key]

    def names(self, attach: Any) -> Names | None:
        """The names of an attached model; None if they are unknown."""
        root = self.root(attach)
        if root is None:
            return None
        if id(root) not in self._names:
            self._names[id(root)] = _names(root)
        return self._names[id(root)]

    def bodies(self, attach: Any) -> dict[str, Any] | None:
        """Its bodies by name; None if it generates names, or was not read."""
        root = self.root(attach)
        if root is None:
            return None
        if id(root) not in self._bodies:
            tags = ("replicate", "attach", "composite", "flexcomp")
            made = any(node.TAG in tags for node in root.walk())
            names = {node.name: node for node in root.walk() if node.TAG == "body" and node.name}
            self._bodies[id(root)] = None if made else names
        return self._bodies[id(root)]


def _names(root: Any) -> Names | None:
    """The names of a model; None if it generates names."""
    names: dict[str, set[str]] = {}
    attributes = {
        row.cls: [a for a in row.attributes if a.declares is not None] for row in FORMAT.elements.values()
    }
    makers = {FORMAT.elements[key].cls for key in (REPLICATE, ATTACH, COMPOSITE, FLEXCOMP)}
    makers |= {FORMAT.elements[key].cls for key in (*ASSETS.values(), *SKINS)}
    for node in root.walk():
        if type(node) in makers and not getattr(node, "name", None):
            return None
        for attribute in attributes[type(node)]:
            name = getattr(node, attribute.field)
            if name is not None:
                names.setdefault(attribute.declares or "", set()).add(name)
    return names


def asset_name(node: Any) -> str | None:
    """The name of an asset: its own, or that of its file."""
    if node.name or not node.file:
        return str(node.name) if node.name else None
    return PurePosixPath(node.file.replace("\\", "/")).stem


def _implicit(nodes: list[Any]) -> set[str]:
    """The names of assets without a name: those of their files, without folder and extension."""
    return {PurePosixPath(node.file.replace("\\", "/")).stem for node in nodes if not node.name and node.file}


def check(scene: Scene) -> None:
    """Check names of defaults classes, and of objects whose kind another attribute gives."""
    _classes(scene)
    made, models = Made(scene.rules), Models(scene.rules)
    for attach in scene.nodes(ATTACH):
        _body(scene, models, attach)
    for node in scene.nodes(*OBJECTS):
        for kind, name in (("objtype", "objname"), ("reftype", "refname")):
            if getattr(node, kind, None) is not None and getattr(node, name, None) is not None:
                _object(scene, made, node, getattr(node, kind).value, name)


def _object(scene: Scene, made: Made, node: Any, kind: str, name: str) -> None:
    space, value = SPACES.get(kind, kind), getattr(node, name)
    declared = scene.rules.declared.get(space)
    if not scene.findings.takes("PB032"):
        return
    if declared is None or value in declared or made.known(space, value):
        return
    message = f"`{name}`: there is no {kind} `{clip(value)}`"
    scene.report("PB032", node, name, message, did_you_mean(value, declared))


def _body(scene: Scene, models: Models, attach: Any) -> None:
    """The attached body exists in the other model."""
    bodies = models.bodies(attach)
    if not scene.findings.takes("PB032"):
        return
    if bodies is None or attach.body is None or attach.body in bodies:
        return
    message = f"the model `{clip(attach.model)}` has no body `{clip(attach.body)}`"
    scene.report("PB032", attach, "body", message, did_you_mean(attach.body, bodies))


def _classes(scene: Scene) -> None:
    outermost = scene.root.default  # type: ignore[attr-defined]
    for node in scene.nodes(DEFAULT):
        if node is outermost and node.class_ not in (None, "main"):
            scene.report("PB018", node, "class", "the outermost class is `main` and cannot be renamed")
        elif node is not outermost and not node.class_:
            scene.report("PB021", node, None, "a nested <default> needs `class`")
