"""From a document to a Spec: sections in MuJoCo's order, the tree with its macros expanded.

All sections are read before the world, regardless of their order in the document: elements created by macros
in the tree come after those of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from polybody.base import children_of
from polybody.generated.formats.mjcf import Angle, JointType, Mujoco
from polybody.lowering.mjcf.attach import attach
from polybody.lowering.mjcf.elements import WORLD, Body, Element, Frame, Settings, Spec, Values
from polybody.lowering.mjcf.flexcomp import flex_values, flexcomp
from polybody.lowering.mjcf.listed import describe
from polybody.lowering.mjcf.nodes import flat
from polybody.lowering.mjcf.plugins import declared, use
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.replicate import replicate
from polybody.lowering.mjcf.scales import SAME, scale_of
from polybody.lowering.mjcf.values import MAIN, Defaults, effective, filled, schema_defaults, since

UNNAMED_MODEL = "MuJoCo Model"
SECTION_KINDS: dict[str, Callable[[str], str]] = {
    "custom": lambda tag: tag,
    "asset": lambda tag: tag,
    "contact": lambda tag: tag,
    "equality": lambda tag: "equality",
    "tendon": lambda tag: "tendon",
    "actuator": lambda tag: "actuator",
    "sensor": lambda tag: "sensor",
    "keyframe": lambda tag: tag,
}
"""The sections of lists in the order in which they are read, and the kinds of the tags in them."""
CLASSLESS = ("texture", "hfield", "skin", "exclude", "sensor", "key")
"""Attributes that are numbers of elements."""
NAMED_BY_FILES = ("mesh", "hfield", "texture", "skin")
"""Assets whose name defaults to that of their file."""
PLAIN = ("numeric", "text", "tuple")


class _Level(NamedTuple):
    """Children that are being read: their body, the enclosing frame, and their class."""

    children: Iterator[Any]
    body: Body
    frame: Frame | None
    childclass: str
    done: Callable[[], None] | None = None


class Reader:
    """Reads one document."""

    def __init__(self, root: Any, problems: Problems) -> None:
        self.root, self.problems = root, problems
        self.sections: dict[str, list[Any]] = {}
        for section in flat(root):
            self.sections.setdefault(section.TAG, []).append(section)
        self.settings = self._settings()
        self.defaults = Defaults(root)
        self._sections_of_defaults()
        world = Body(root.worldbody or root, schema_defaults("body") | {"name": WORLD}, self.settings)
        self.spec = Spec(root.model or UNNAMED_MODEL, self.settings, world)
        self.spec.defaults = self.defaults

    def read(self) -> Spec:
        """All content of the document."""
        declared(self.spec, self.sections.get("extension", []), self.settings)
        for tag, kind in SECTION_KINDS.items():
            for child in self.children(tag):
                self._listed(kind(child.TAG), child)
        for child in self.children("deformable"):
            self._listed(child.TAG, child)
        self._tree()
        return self.spec

    def children(self, tag: str) -> Iterator[Any]:
        """The children of all sections with a tag."""
        for section in self.sections.get(tag, []):
            yield from flat(section)

    def merged(self, kind: str) -> Values:
        """The values of a section that may be repeated; the last one with an attribute takes precedence."""
        values = schema_defaults(kind)
        for section in self.sections.get(kind, []):
            values = filled(kind, values, section)
        return values

    def _settings(self) -> Settings:
        values = self.merged("compiler")
        degrees = values["angle"] is Angle.DEGREE
        return Settings(values, degrees, values["eulerseq"], values["autolimits"], self.root)

    def _sections_of_defaults(self) -> None:
        """A section cannot add to what an earlier one gives a kind of element, once that has nested classes.

        These are copies of what was there before, and the document has one element for both sections.
        """
        for section in self.sections.get("default", []):
            source = section.source
            nested = [child._position for child in children_of(section) if child.TAG == section.TAG]
            if source is None or not source.refilled or not nested or None in nested:
                continue
            for position in source.refilled:
                if position > min(nested):
                    message = (
                        "an earlier <default> section has nested classes that do not inherit this addition"
                    )
                    hint = "move it into that section; the classes then inherit it"
                    self.problems.at(source, position, message, hint)

    # --- lists ------------------------------------------------------------------------------------

    def _listed(self, kind: str, node: Any) -> None:
        if kind == "model":
            self._model(node)
            return
        if kind in PLAIN:
            values: Values = {"name": node.name, "data": getattr(node, "data", None)}
        elif kind == "flex":
            values = flex_values(kind, node)
        elif kind in CLASSLESS:
            values = effective(kind, node)
        else:
            values = filled(kind, self.defaults.base(kind, getattr(node, "class_", None) or MAIN), node)
        if kind in NAMED_BY_FILES and not values["name"] and values["file"]:
            values["name"] = PurePosixPath(values["file"].replace("\\", "/")).stem
        describe(kind, values, node)
        self.problems.counted(kind, node, values)
        if kind == "mesh":
            values["plugin"] = use(self.spec, node.plugin[0], self.settings) if node.plugin else None
        elif kind in ("actuator", "sensor"):
            values["plugin"] = use(self.spec, node, self.settings) if node.TAG == "plugin" else None
        self.spec.lists[kind].append(Element(kind, node, values, self.settings))

    def _model(self, node: Any) -> None:
        if node.content is None:
            self.problems.add(node, "the file of <model> was not read", "file")
            return
        if not isinstance(node.content, Mujoco):
            message = f"the file of <model> contains a <{node.content.TAG}>; only MJCF can be attached"
            self.problems.add(node, message, "file")
            return
        spec = Reader(node.content, self.problems).read()
        self.spec.models.setdefault(node.name or spec.name, spec)

    def _plugin(self, level: _Level, node: Any) -> None:
        level.body.values["plugin"] = use(self.spec, node, self.settings)

    # --- the tree ---------------------------------------------------------------------------------

    def _tree(self) -> None:
        worlds = self.sections.get("worldbody", [])
        stack = [_Level(iter(flat(world)), self.spec.world, None, MAIN) for world in reversed(worlds)]
        while stack:
            level = stack[-1]
            node = next(level.children, None)
            if node is None:
                stack.pop()
                if level.done is not None:
                    level.done()
                continue
            below = MAKE.get(node.TAG, Reader._part)(self, level, node)
            if below is not None:
                stack.append(below)

    def _part(self, level: _Level, node: Any) -> None:
        kind = node.TAG
        values = filled(kind, self.defaults.base(kind, node.class_ or level.childclass), node)
        if kind == "geom" and node.plugin:
            values["plugin"] = use(self.spec, node.plugin[0], self.settings)
        self._add(level.body, Element(kind, node, values, self.settings, level.frame))

    def _add(self, body: Body, part: Element) -> None:
        getattr(body, part.kind).append(part)
        if self.spec.names is not None:
            self.spec.names.add([part])

    def _freejoint(self, level: _Level, node: Any) -> None:
        values = filled("joint", schema_defaults("joint"), node) | {"type": JointType.FREE}
        self._add(level.body, Element("joint", node, values, self.settings, level.frame))

    def _inertial(self, level: _Level, node: Any) -> None:
        level.body.values["inertial"] = effective("inertial", node) | {"node": node}

    def _body(self, level: _Level, node: Any) -> _Level:
        body = Body(node, effective("body", node), self.settings, level.frame, level.body)
        level.body.bodies.append(body)
        if self.spec.names is not None:
            self.spec.names.add([body])
        return _Level(iter(flat(node)), body, None, node.childclass or level.childclass)

    def _frame(self, level: _Level, node: Any) -> _Level:
        values = effective("frame", node)
        frame = Frame(
            node,
            self.settings,
            level.frame,
            values["name"] or "",
            values["pos"],
            values["quat"],
            values["alternative"],
            scale_of(values, node, self.problems),
        )
        if frame.name:
            self.spec.frames.setdefault(frame.name, (frame, level.body))
        return _Level(iter(flat(node)), level.body, frame, node.childclass or level.childclass)

    def _replicate(self, level: _Level, node: Any) -> _Level:
        top = Frame(node, self.settings, level.frame)
        apart = Body(node, schema_defaults("body").copy(), self.settings, None, level.body)
        level.body.bodies.append(apart)
        values = effective("replicate", node)
        self.problems.counted("replicate", node, values)

        def done() -> None:
            replicate(self.spec, level.body, apart, top, values, self.problems)

        return _Level(iter(flat(node)), apart, top, node.childclass or level.childclass, done)

    def _unframed(self, level: _Level, node: Any) -> None:
        frame = level.frame
        while frame is not None:
            if frame.scale != SAME:
                self.problems.add(node, f"a <{node.TAG}> in a scaled frame cannot be compiled yet")
            frame = frame.parent
        poses = node.TAG == "flexcomp" and since("4.0")
        if level.frame is not None and level.frame.node.TAG == "frame" and not poses:
            self.problems.remark(node, f"the frame around <{node.TAG}> has no effect on it")

    def _composite(self, level: _Level, node: Any) -> None:
        from polybody.lowering.mjcf.composite import composite

        self._unframed(level, node)
        if not self.problems.counted("composite", node, effective("composite", node)):
            return
        plugin = None
        if node.plugin:
            name = "composite" + (node.prefix or "")
            plugin = use(self.spec, node.plugin[0], self.settings, name)
        composite(self.spec, level.body, node, self.problems, plugin)

    def _flexcomp(self, level: _Level, node: Any) -> None:
        self._unframed(level, node)
        plugin = None
        if node.plugin:
            name = "flexcomp_" + (node.name or "")
            plugin = use(self.spec, node.plugin[0], self.settings, name)
        flexcomp(self.spec, level.body, level.frame, node, self.problems, plugin)

    def _attach(self, level: _Level, node: Any) -> None:
        frame = level.frame or Frame(node, self.settings, None)
        attach(self.spec, level.body, frame, node, self.problems)


MAKE: dict[str, Callable[[Reader, _Level, Any], _Level | None]] = {
    "body": Reader._body,
    "frame": Reader._frame,
    "replicate": Reader._replicate,
    "attach": Reader._attach,
    "inertial": Reader._inertial,
    "freejoint": Reader._freejoint,
    "composite": Reader._composite,
    "flexcomp": Reader._flexcomp,
    "plugin": Reader._plugin,
}
"""Functions for elements of the tree, by tag; others are parts of bodies."""
