"""From YAML to model directives. Every key, type and number of values is checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from polybody.base import Source
from polybody.diagnostics import Findings
from polybody.document.directives.documents import (
    AddCollisionFilterGroup,
    AddDirectives,
    AddFrame,
    AddModel,
    AddModelInstance,
    AddWeld,
    AngleAxis,
    Directive,
    Directives,
    Rpy,
    Transform,
)
from polybody.document.directives.yaml_nodes import YamlNode, compose
from polybody.document.includes import Files
from polybody.document.notations import ReadOther, notation_of
from polybody.document.packages import parts_of
from polybody.document.parser.value_faults import clip
from polybody.document.sources import SourceError
from polybody.document.uris import Places
from polybody.files import RealPath
from polybody.suggest import did_you_mean

TOP = "directives"
NAMES = ("name", "child", "file")
"""The keys that name the object of a directive."""
SCHEMES = ("package", "model", "file")
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
THREE = 3
RANDOM_TAGS = frozenset(
    ("!Uniform", "!Gaussian", "!UniformDiscrete", "!UniformVector", "!GaussianVector", "!Deterministic")
)


def read(source: Source, findings: Findings, files: Files, read_other: ReadOther) -> Directives | None:
    """The directives of a source, with the documents of the files that they name.

    Args:
        source: the text.
        findings: receives the findings.
        files: the files of this call.
        read_other: reads a document of another format.
    """
    with findings.about("directives"):
        root = compose(source, findings)
        if root is None:
            return None
        return _Reader(source, findings, files, read_other).document(root)


class _Reader:
    def __init__(self, source: Source, findings: Findings, files: Files, read_other: ReadOther) -> None:
        self.source, self.findings, self.files, self.read_other = source, findings, files, read_other
        self.places: Places | None = None

    def add(self, code: str, node: YamlNode, message: str, hint: str | None = None) -> None:
        self.findings.add(
            code, node.span, message, xpath=node.path, hint=hint, source=self.source, about=node.owner(NAMES)
        )

    # --- structure ---------------------------------------------------------------------------------------

    def document(self, root: YamlNode) -> Directives:
        found = Directives(**self.at(root))
        if not self.is_kind(root, "mapping", "a file of model directives"):
            return found
        said = self.keys(root, {TOP: True}, "a file of model directives")
        rows = said.get(TOP)
        if rows is not None and self.is_kind(rows, "sequence", f"`{TOP}`"):
            for row in rows.items:
                directive = self.directive(row)
                if directive is not None:
                    found.directives.append(directive)
        return found

    def directive(self, node: YamlNode) -> Directive | None:
        if not self.is_kind(node, "mapping", "a directive"):
            return None
        said = self.keys(node, dict.fromkeys(MAKERS, False), "a directive")
        if len(said) > 1:
            names = ", ".join(f"`{name}`" for name in said)
            self.add(
                "PB022",
                node,
                f"an entry must be a single directive; this one has {names}",
                "begin each with `-`",
            )
        elif not said and not node.items:
            self.add("PB015", node, f"the entry is empty; expected one of {', '.join(MAKERS)}")
        for name, body in list(said.items())[:1]:
            if self.is_kind(body, "mapping", f"`{name}`"):
                found: Directive = MAKERS[name](self, body)
                return found
        return None

    def keys(self, node: YamlNode, known: Mapping[str, bool], what: str) -> dict[str, YamlNode]:
        """The values of a mapping by key; ``known`` gives the valid keys, and whether each is required."""
        found: dict[str, YamlNode] = {}
        if node.tag and node.tag not in TAGS:
            self.add("PB018", node, f"{what} does not accept the tag `{clip(node.tag)}`", "remove it")
        for key, value in node.pairs:
            name = key.text
            if key.kind != "scalar" or name not in known:
                shown = clip(name) if key.kind == "scalar" else "..."
                hint = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
                self.add("PB012", key, f"`{shown}` is not a key of {what}", hint)
            elif name in found:
                self.add("PB025", key, f"`{name}` is given twice in {what}")
            else:
                found[name] = value
        for name, required in known.items():
            if required and name not in found:
                self.add("PB021", node, f"{what} needs `{name}`")
        return found

    def is_kind(self, node: YamlNode, kind: str, what: str) -> bool:
        if node.kind == kind:
            return True
        form = {"mapping": "a mapping of keys", "sequence": "a list", "scalar": "a single value"}
        self.add("PB016", node, f"{what} must be {form[kind]}, not {form[node.kind]}")
        return False

    # --- values ------------------------------------------------------------------------------------------

    def text(self, node: YamlNode | None, what: str, *, optional: bool = False) -> str:
        if node is None or not self.is_kind(node, "scalar", what):
            return ""
        if node.empty or not node.text:
            if not optional:
                self.add("PB086", node, f"{what} is empty", "give it a name, or remove it")
            return ""
        return node.text

    def texts(self, node: YamlNode | None, what: str) -> tuple[str, ...]:
        if node is None or not self.is_kind(node, "sequence", what):
            return ()
        return tuple(self.text(item, f"a name in {what}") for item in node.items)

    def number(self, node: YamlNode, what: str) -> float:
        if node.kind == "mapping" or node.tag in RANDOM_TAGS:
            self.add("PB054", node, f"{what} is random, which is not supported", "write a number")
            return 0.0
        if not self.is_kind(node, "scalar", what):
            return 0.0
        value = float(node.text) if NUMBER.fullmatch(node.text) else math.nan
        if not math.isfinite(value):
            self.add("PB016", node, f"{what} contains `{clip(node.text)}`, which is not a finite number")
            return 0.0
        return value

    def numbers(self, node: YamlNode, what: str, count: int | None = THREE) -> tuple[float, ...]:
        """A number of values; zeros after a finding."""
        if node.kind == "mapping" or node.tag in RANDOM_TAGS:
            self.add("PB054", node, f"{what} is random, which is not supported", "write numbers")
        elif self.is_kind(node, "sequence", what):
            values = tuple(self.number(item, what) for item in node.items)
            if count is None or len(values) == count:
                return values
            self.add("PB017", node, f"{what} has {len(values)} numbers; it needs {count}")
        return (0.0,) * (count or 0)

    def three(self, node: YamlNode, what: str) -> tuple[float, float, float]:
        x, y, z = self.numbers(node, what)
        return x, y, z

    def transform(self, node: YamlNode | None, what: str, base: bool | None) -> Transform:
        """A pose; ``base``: whether it must name its base frame; None: optional; False: not allowed."""
        if node is None or not self.is_kind(node, "mapping", what):
            return Transform()
        known = {"base_frame": bool(base), "translation": False, "rotation": False}
        said = self.keys(node, known, what)
        found = Transform(**self.at(node))
        if "base_frame" in said:
            found.base_frame = self.text(said["base_frame"], f"`base_frame` of {what}") or None
            if base is False:
                message = f"{what} is in the parent's frame and has no `base_frame`"
                self.add("PB022", said["base_frame"], message, "remove it")
        if "translation" in said:
            found.translation = self.three(said["translation"], f"`translation` of {what}")
        if "rotation" in said:
            found.rotation = self.rotation(said["rotation"], f"`rotation` of {what}")
        return found

    def rotation(self, node: YamlNode, what: str) -> Rpy | AngleAxis | None:
        if not self.is_kind(node, "mapping", what):
            return None
        if node.tag == "!Rpy":
            said = self.keys(node, {"deg": True}, what)
            return Rpy(
                deg=self.three(said["deg"], "`deg`") if "deg" in said else (0.0, 0.0, 0.0), **self.at(node)
            )
        if node.tag == "!AngleAxis":
            return self.angle_axis(node, what)
        if node.tag == "!Uniform":
            self.add("PB054", node, f"{what} is random, which is not supported", "write !Rpy or !AngleAxis")
            return None
        if node.tag not in ("", "!Identity"):
            hint = f"expected one of {', '.join(tag for tag in TAGS if tag != '!Uniform')}"
            self.add("PB018", node, f"`{clip(node.tag)}` is not a type of rotation", hint)
            return None
        for key, _ in node.pairs:
            hint = f"write `!Rpy {{ {clip(key.text)}: ... }}`" if key.text == "deg" else "remove it"
            self.add("PB012", key, f"`{clip(key.text)}` is not a key of a rotation without a type", hint)
        return None

    def angle_axis(self, node: YamlNode, what: str) -> AngleAxis:
        said = self.keys(node, {"angle_deg": True, "axis": False}, what)
        found = AngleAxis(**self.at(node))
        if "angle_deg" in said:
            found.angle_deg = self.number(said["angle_deg"], "`angle_deg`")
        if "axis" in said:
            found.axis = self.three(said["axis"], "`axis`")
            if not any(found.axis):
                self.add("PB046", said["axis"], "`axis` is zero and has no direction")
        return found

    def at(self, node: YamlNode) -> dict[str, Any]:
        """The position of a part that is a mapping, and of its values."""
        spans = {(key.text,): value.span for key, value in node.pairs if key.kind == "scalar"}
        return {"span": node.span, "source": self.source, "path": node.path, "spans": spans}

    # --- directives --------------------------------------------------------------------------------------

    def said(self, kind: Any, node: YamlNode) -> dict[str, YamlNode]:
        """The values of a directive, by key."""
        names = [each.name for each in fields(kind) if each.name not in OWN]
        return self.keys(node, {name: name in REQUIRED[kind] for name in names}, f"`{kind.KEY}`")

    def add_model(self, node: YamlNode) -> AddModel:
        said = self.said(AddModel, node)
        found = AddModel(name=self.text(said.get("name"), "`name`"), **self.at(node))
        found.file = self.text(said.get("file"), "`file`")
        positions, poses = said.get("default_joint_positions"), said.get("default_free_body_pose")
        what = "`default_joint_positions`"
        if positions is not None and self.is_kind(positions, "mapping", what):
            for name, key, value in self.named(positions, what):
                found.default_joint_positions[name] = self.numbers(
                    value, f"the position of `{clip(name)}`", None
                )
                found.spans["default_joint_positions", name] = key.span
        what = "`default_free_body_pose`"
        if poses is not None and self.is_kind(poses, "mapping", what):
            for name, key, value in self.named(poses, what):
                pose = self.transform(value, f"the pose of `{clip(name)}`", None)
                found.default_free_body_pose[name] = pose
                found.spans["default_free_body_pose", name] = key.span
        if found.file:
            found.content = self.load(said["file"], found.file, model=True)
        return found

    def named(self, node: YamlNode, what: str) -> list[tuple[str, YamlNode, YamlNode]]:
        """The entries of a mapping whose keys are names."""
        found: dict[str, tuple[str, YamlNode, YamlNode]] = {}
        for key, value in node.pairs:
            if not self.is_kind(key, "scalar", f"a key of {what}"):
                continue
            if key.text in found:
                self.add("PB025", key, f"`{clip(key.text)}` is given twice in {what}")
            found.setdefault(key.text, (key.text, key, value))
        return list(found.values())

    def add_model_instance(self, node: YamlNode) -> AddModelInstance:
        said = self.said(AddModelInstance, node)
        return AddModelInstance(name=self.text(said.get("name"), "`name`"), **self.at(node))

    def add_frame(self, node: YamlNode) -> AddFrame:
        said = self.said(AddFrame, node)
        name = self.text(said.get("name"), "`name`")
        found = AddFrame(name=name, X_PF=self.transform(said.get("X_PF"), "`X_PF`", True), **self.at(node))
        found.spans |= {("X_PF", *keys): span for keys, span in found.X_PF.spans.items()}
        return found

    def add_weld(self, node: YamlNode) -> AddWeld:
        said = self.said(AddWeld, node)
        found = AddWeld(parent=self.text(said.get("parent"), "`parent`"), **self.at(node))
        found.child = self.text(said.get("child"), "`child`")
        found.X_PC = self.transform(said.get("X_PC"), "`X_PC`", False)
        if found.child == "world":
            self.add(
                "PB048", said["child"], "the world cannot be the child of a weld", "exchange parent and child"
            )
        return found

    def add_collision_filter_group(self, node: YamlNode) -> AddCollisionFilterGroup:
        said = self.said(AddCollisionFilterGroup, node)
        found = AddCollisionFilterGroup(name=self.text(said.get("name"), "`name`"), **self.at(node))
        for name in ("members", "member_groups", "ignored_collision_filter_groups"):
            setattr(found, name, self.texts(said.get(name), f"`{name}`"))
        if not found.members and not found.member_groups and found.name:
            self.add("PB015", node, f"the group `{clip(found.name)}` has no members")
        found.model_namespace = self.text(said.get("model_namespace"), "`model_namespace`") or None
        return found

    def add_directives(self, node: YamlNode) -> AddDirectives:
        said = self.said(AddDirectives, node)
        found = AddDirectives(file=self.text(said.get("file"), "`file`"), **self.at(node))
        found.model_namespace = self.text(said.get("model_namespace"), "`model_namespace`") or None
        if found.file:
            found.content = self.load(said["file"], found.file, model=False)
        return found

    # --- files -------------------------------------------------------------------------------------------

    def load(self, node: YamlNode, reference: str, *, model: bool) -> Any:
        """The document in a file; None after a finding."""

        def tell(code: str, message: str, hint: str | None = None) -> None:
            self.add(code, node, message, hint)

        try:
            scheme = parts_of(reference).scheme
        except ValueError:
            scheme = ""
        if scheme not in SCHEMES:
            hint = "write `package://NAME/...`, `model://NAME/...` or `file://...`"
            tell("PB010", f"`{clip(reference)}` is not a URI; Drake does not accept a path here", hint)
            return None
        path = self.path(reference, tell) if self.files.reads else None
        if path is None:
            return None
        notation = notation_of(str(path))
        if model and notation is not None:
            tell("PB084", f"`{clip(reference)}` contains directives, not a model", "write add_directives")
            return None
        if not model and notation is None:
            tell(
                "PB084",
                f"`{clip(reference)}` is not a .dmd.yaml file, so it contains no directives",
                "write add_model",
            )
            return None
        return self.open(node, path, tell)

    def path(self, reference: str, tell: Callable[..., None]) -> RealPath | None:
        if self.places is None:
            self.places = Places(self.source)
        return self.places.file(reference, tell)

    def open(self, node: YamlNode, path: RealPath, tell: Callable[..., None]) -> Any:
        files = self.files
        if path in files.opened:
            chain = " -> ".join(clip(file.name) for file in [*files.opened[files.opened.index(path) :], path])
            tell("PB039", f"files include each other in a cycle: {chain}")
            return None
        if len(files.opened) > files.limits.files:
            tell("PB002", f"more than {files.limits.files} files that include each other")
            return None
        known = files.loaded.get(path)
        if known is not None:
            files.repeated += known.weight
            if files.repeated > files.limits.repeated:
                tell(
                    "PB002",
                    "files that are included repeatedly contain more elements than this reader accepts",
                )
                return None
            return known.root
        try:
            source = files.source(path, (*self.source.include_stack, node.span))
        except SourceError as error:
            tell(error.code, error.message, error.hint)
            return None
        return self.parsed(path, source)

    def parsed(self, path: Path, source: Source) -> Any:
        from polybody.document.includes import Loaded

        files = self.files
        before = files.elements + files.repeated
        files.opened.append(path)
        try:
            notation = notation_of(str(path))
            if notation is None:
                root = self.read_other(source)
            else:
                root = notation.read(source, self.findings, files, self.read_other)
        finally:
            files.opened.pop()
        files.loaded[path] = Loaded(root, files.elements + files.repeated - before)
        return root


MAKERS: Mapping[str, Callable[[_Reader, YamlNode], Any]] = {
    "add_model": _Reader.add_model,
    "add_model_instance": _Reader.add_model_instance,
    "add_frame": _Reader.add_frame,
    "add_weld": _Reader.add_weld,
    "add_collision_filter_group": _Reader.add_collision_filter_group,
    "add_directives": _Reader.add_directives,
}
REQUIRED: Mapping[Any, tuple[str, ...]] = {
    AddModel: ("file", "name"),
    AddModelInstance: ("name",),
    AddFrame: ("name", "X_PF"),
    AddWeld: ("parent", "child"),
    AddCollisionFilterGroup: ("name",),
    AddDirectives: ("file",),
}
OWN = frozenset(("span", "source", "path", "content", "spans"))
"""Fields that are not keys."""
TAGS = ("!Rpy", "!AngleAxis", "!Identity", "!Uniform")
