"""Model directives: whether the models, links, frames and joints exist that directives name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from polybody.base import Node
from polybody.document.directives import (
    AddCollisionFilterGroup,
    AddDirectives,
    AddFrame,
    AddModel,
    AddModelInstance,
    AddWeld,
    Directives,
)
from polybody.document.notations import Part
from polybody.document.parser.value_faults import clip
from polybody.document.registry import format_of
from polybody.suggest import nearest_or_all
from polybody.validation.rules.sdf.scopes import DELIMITER, MODEL, WORLD, Scope, Scopes
from polybody.validation.scene import PartScene


@dataclass(slots=True)
class Names:
    """The names in a model."""

    frames: set[str] = field(default_factory=set)
    """Links and frames."""
    joints: set[str] = field(default_factory=set)
    opaque: bool = False
    """Whether there may be further names."""


def check(document: Directives, scene: PartScene) -> None:
    """Report names in directives that are not defined before them."""
    _Check(scene).run(document)


class _Check:
    def __init__(self, scene: PartScene) -> None:
        self.scene = scene
        self.models: dict[str, Names] = {"": Names({WORLD})}  # "" is the name of the world

    def run(self, document: Directives) -> None:
        waiting: list[Iterator[tuple[str, Any]]] = [_within(document, "")]
        while waiting:
            following = next(waiting[-1], None)
            if following is None:
                waiting.pop()
                continue
            space, directive = following
            if isinstance(directive, AddModel):
                self.model(space, directive)
            elif isinstance(directive, AddModelInstance):
                self.instance(directive, _full(space, directive.name), Names())
            elif isinstance(directive, AddFrame):
                self.frame(space, directive)
            elif isinstance(directive, AddWeld):
                self.find(directive, _full(space, directive.parent), "parent")
                self.find(directive, _full(space, directive.child), "child")
            elif isinstance(directive, AddCollisionFilterGroup):
                inner = _full(space, directive.model_namespace or "") if directive.model_namespace else space
                for member in directive.members:
                    self.find(directive, _full(inner, member), "members")
            elif isinstance(directive, AddDirectives) and directive.content is not None:
                name = _full(space, directive.model_namespace) if directive.model_namespace else space
                if name and name not in self.models:
                    hint = (
                        nearest_or_all(name, self.models) or "add it with an add_model_instance before this"
                    )
                    message = f"there is no model `{clip(name)}` yet"
                    self.scene.report("PB032", directive, "model_namespace", message, hint)
                waiting.append(_within(directive.content, name))

    def instance(self, directive: Part, name: str, names: Names) -> None:
        if name in self.models:
            self.scene.report("PB031", directive, "name", f"the model `{clip(name)}` already exists")
        self.models.setdefault(name, names)

    def model(self, space: str, directive: AddModel) -> None:
        """A model, and the names in its default positions and poses."""
        name, found = _full(space, directive.name), _names(directive.content)
        if not directive.name:
            return
        own = found.get("", Names(opaque=True))
        self.instance(directive, name, own)
        for inner, names in found.items():
            if inner:
                self.models.setdefault(f"{name}{DELIMITER}{inner}", names)
        for joint in directive.default_joint_positions:
            if joint not in own.joints and not own.opaque:
                message = f"model `{clip(directive.name)}` has no joint `{clip(joint)}`"
                keys = "default_joint_positions", joint
                self.scene.report("PB032", directive, keys, message, nearest_or_all(joint, own.joints))
        for link, pose in directive.default_free_body_pose.items():
            keys = "default_free_body_pose", link
            if link and link not in own.frames and not own.opaque:
                message = f"model `{clip(directive.name)}` has no link or frame `{clip(link)}`"
                self.scene.report("PB032", directive, keys, message, nearest_or_all(link, own.frames))
            if pose.base_frame:
                self.find(directive, _full(space, pose.base_frame), keys)

    def frame(self, space: str, directive: AddFrame) -> None:
        """A frame belongs to the model of its base frame, or to the one that its name gives."""
        home = self.find(directive, _full(space, directive.X_PF.base_frame or WORLD), ("X_PF", "base_frame"))
        scope, mark, local = directive.name.rpartition(DELIMITER)
        if mark:
            home = _full(space, scope)
            if home not in self.models:
                hint = nearest_or_all(home, self.models) or "add it with an add_model_instance before this"
                self.scene.report("PB032", directive, "name", f"there is no model `{clip(home)}` yet", hint)
        if home in self.models:
            self.models[home].frames.add(local)

    def find(self, part: Part, name: str, keys: str | tuple[str, ...]) -> str | None:
        """The model that has a frame; None if it is unknown, or after a finding at the value of some keys."""
        if name == WORLD or not name:
            return ""
        scope, mark, local = name.rpartition(DELIMITER)
        if mark and scope not in self.models:
            if not any(names.opaque for names in self.models.values()):
                hint = nearest_or_all(scope, self.models)
                self.scene.report("PB032", part, keys, f"there is no model `{clip(scope)}` yet", hint)
            return None
        models = [scope] if mark else list(self.models)
        found = [model for model in models if local in self.models[model].frames]
        if len(found) > 1:
            hint = f"write `MODEL::{clip(local)}`"
            message = f"`{clip(local)}` is a frame of {len(found)} models"
            self.scene.report("PB032", part, keys, message, hint)
        elif not found and not any(self.models[model].opaque for model in models):
            before = f"{scope}{DELIMITER}" if mark else ""
            known = {before + frame for model in models for frame in self.models[model].frames}
            message = f"there is no frame `{clip(name)}` yet"
            self.scene.report("PB032", part, keys, message, nearest_or_all(name, known))
        return found[0] if len(found) == 1 else None


def _within(document: Directives, space: str) -> Iterator[tuple[str, Any]]:
    return ((space, directive) for directive in document.directives)


def _full(space: str, name: str) -> str:
    return f"{space}{DELIMITER}{name}" if space and name and name != WORLD else name


def _names(content: Any) -> dict[str, Names]:
    """The names in a document, by model; "" is the outermost model."""
    form = format_of(content).name if isinstance(content, Node) else ""
    if form == "urdf":
        links = {link.name for link in content.link if link.name and link.name != WORLD}
        joints = {joint.name for kind in ("joint", "drake_joint") for joint in getattr(content, kind)}
        return {"": Names(links | {frame.name for frame in content.frame}, joints)}
    models = [content.model] if form == "sdf" and content.model is not None else []
    if form == "sdf" and not models and content.world:
        models = content.world[0].model
    if len(models) != 1:
        return {"": Names(opaque=True)}
    return dict(_in_scopes(Scopes().of(models[0])))


def _in_scopes(outermost: Scope) -> Iterator[tuple[str, Names]]:
    waiting: list[tuple[str, Scope]] = [("", outermost)]
    while waiting:
        path, scope = waiting.pop()
        own = Names({MODEL}, opaque=scope.opaque)
        for name, named in scope.names.items():
            if named.kind in ("link", "frame"):
                own.frames.add(name)
            elif named.kind == "joint":
                own.joints.add(name)
            elif named.scope is not None:
                waiting.append((f"{path}{DELIMITER}{name}" if path else name, named.scope))
        # Frames and joints that are fixed to links of nested models belong to those models, as in Drake.
        own.opaque |= any(named.kind == "model" for named in scope.names.values())
        yield path, own
