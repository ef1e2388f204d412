"""From an SDFormat document and its included documents to scopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from polybody.base import Node, children_of
from polybody.document.parser.tables import version_number
from polybody.document.registry import format_of
from polybody.lowering.sdf.scopes import DELIMITER, MODEL, LostError, Named, Scope
from polybody.lowering.sdf.values import pose_from, relative_of, said
from polybody.rotations.poses import IDENTITY, Pose

ATTACHED = {"joint": "child", "frame": "attached_to"}
"""The field in which a part of a kind names the part to which it is fixed."""
DELIMITED = version_number("1.8")
"""From this version on names do not contain `::`."""
KINDS = {"link": "link", "joint": "joint", "drake:joint": "joint", "frame": "frame", "model": "model"}

Foreign = Callable[[Node, str, Any], Scope]
"""Makes a scope of an included document of another format, given its root, the full name, and the
<include>.
"""


class _Inside(NamedTuple):
    """A model whose content is still to be read."""

    scope: Scope
    node: Any


def scope_of(root: Any, foreign: Foreign, name: str | None = None) -> Scope:
    """The scope of a document's world; for a document of a model, a world that contains only this model.

    Args:
        root: <sdf>.
        foreign: makes the scopes of documents of other formats.
        name: the name of the model, instead of the one in the document.

    Raises:
        LostError: the document contains no model.
    """
    version = version_number(root.version)
    if root.model is None and not root.world:
        raise LostError("the document contains neither a model nor a world", root)
    building = _Building(foreign)
    if root.model is None:
        world = Scope("", root.world[0], root, version, is_world=True)
        building.waiting.append(_Inside(world, root.world[0]))
        building.name = name
    else:
        world = Scope("", root, root, version, is_world=True)
        world.add(building.model(root.model, world, name or said(root.model, "name"), root))
    building.fill()
    if building.name is not None:
        world.parts = [part for part in world.parts if part.scope is not None]
        if len(world.parts) != 1:
            raise LostError(
                f"the world contains {len(world.parts)} models, but it must contain one", world.node
            )
    return world


class _Building:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.waiting: list[_Inside] = []
        self.name: str | None = None
        """The name of a world's model instead of its own. If it is given, frames and joints of the world are
        ignored.
        """

    def fill(self) -> None:
        """Read the content of every model, including nested ones."""
        while self.waiting:
            scope, node = self.waiting.pop()
            for child in children_of(node):
                part = self.part(child, scope)
                if part is not None:
                    scope.add(part)

    def part(self, node: Any, scope: Scope) -> Named | None:
        """A link, joint, frame or model of a scope; None for other elements."""
        if node.TAG == "include":
            return self.include(node, scope)
        kind, name = KINDS.get(node.TAG), said(node, "name")
        if kind is None:
            return None
        if DELIMITER in name and scope.version < DELIMITED and scope.document.model is None:
            return self.unflattened(node, scope, kind, name)
        return self.named(node, scope, kind, name)

    def named(self, node: Any, scope: Scope, kind: str, name: str) -> Named:
        """A part with its name."""
        if kind == "model":
            return self.model(node, scope, name, scope.document)
        if node.TAG == "drake:joint":
            child = said(node, "drake_child")
            return Named(kind, name, node, IDENTITY, child, child)
        attached = said(node, ATTACHED[kind]) if kind in ATTACHED else ""
        pose, relative = _posed(node)
        return Named(kind, name, node, pose, relative or attached, attached)

    def unflattened(self, node: Any, around: Scope, kind: str, name: str) -> Named | None:
        """A part `a::b` of a model as the part `b` of a nested model `a`; None if that model is defined.
        SDFormat specifies this since version 1.8, for models in worlds. `a::__model__` is the frame of that
        model.
        """
        scope, outermost = around, None
        made = Named("model", "", node)
        while DELIMITER in name and name != MODEL:
            first, _, name = name.partition(DELIMITER)
            known = scope.names.get(first)
            made = known or Named("model", first, node)
            if made.scope is None:
                made.scope = Scope(_full(scope, first), node, scope.document, scope.version)
                made.scope.prefix = f"{scope.prefix}{first}{DELIMITER}"
            if known is None and scope is around:
                outermost = made
            elif known is None:
                scope.add(made)
            scope = made.scope
        if name == MODEL:
            made.pose, made.relative = _posed(node)
            scope.canonical = said(node, "attached_to")
        else:
            scope.add(self.named(node, scope, kind, name))
        return outermost

    def model(self, node: Any, around: Scope, name: str, document: Any) -> Named:
        """A model of a document, whose scope is filled later."""
        version = version_number(document.version)
        if around.is_world and self.name is not None:
            name = self.name
        scope = Scope(_full(around, name), node, document, version, static=bool(node.static))
        scope.canonical, scope.placement = said(node, "canonical_link"), said(node, "placement_frame")
        self.waiting.append(_Inside(scope, node))
        pose, relative = _posed(node)
        return Named("model", name, node, pose, relative, scope=scope)

    def include(self, node: Any, around: Scope) -> Named | None:
        """The model of an <include>; None if there is none, which was reported when reading."""
        content = node.content
        if content is None:
            return None
        merged = bool(getattr(node, "merge", False))
        if format_of(content).name != "sdf":
            name = said(node, "name") or said(content, "name") or said(content, "model")
            scope = self.foreign(content, around.name if merged else _full(around, name), node)
            part = Named("model", name, node, scope=scope)
        else:
            if content.model is None:
                raise LostError("the included document contains no model", node)
            name = said(node, "name") or said(content.model, "name")
            part = self.model(content.model, around, name, content)
            assert part.scope is not None
            scope, part.node = part.scope, node
        if merged:
            scope.merged, scope.name = True, around.name
        if node.static is not None:
            scope.static = bool(node.static)
        if node.pose is not None:
            part.pose, part.relative = _posed(node)
            scope.placement = said(node, "placement_frame") or scope.placement
        return part


def _full(scope: Scope, name: str) -> str:
    return f"{scope.name}{DELIMITER}{name}" if scope.name else name


def _posed(node: Any) -> tuple[Pose, str]:
    return (IDENTITY if node.pose is None else pose_from(node.pose)), relative_of(node)
