"""Names in an SDFormat document. Each model and world is a scope of links, joints, frames and models, and
`a::b` refers to an element of the model `a`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from polybody.base import Node, held
from polybody.document.registry import format_of

DELIMITER = "::"
MODEL, WORLD = "__model__", "world"
KINDS = ("link", "joint", "drake_joint", "frame", "model", "include")
IN_WORLDS = ("light", "actor")
"""The fields whose elements share the names of a scope; in a world, additionally these."""


class Lost(Enum):
    """Why a name leads to no element."""

    MISSING = "missing"
    UNKNOWN = "unknown"  # a file on the path was not read


@dataclass(slots=True, eq=False)
class Named:
    """A named element: its kind as documents call it, the element, and the scope of a model."""

    kind: str
    name: str
    node: Any
    scope: Scope | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """A model or a world, with the names in it. ``node`` is the element; for an included model, that in its
    file.
    """

    node: Any
    is_world: bool = False
    names: dict[str, Named] = field(default_factory=dict)
    again: list[tuple[Named, Named]] = field(
        default_factory=list
    )  # a second element with a name, and the first
    opaque: bool = False  # parts of it are in an unread file
    delimited: set[int] = field(default_factory=set)  # the lengths of names that contain `::`
    _of_kinds: dict[tuple[str, ...], dict[str, Named]] = field(default_factory=dict)
    _other_joints: list[Any] | None = None

    def add(self, named: Named) -> None:
        first = self.names.setdefault(named.name, named)
        if first is not named:
            self.again.append((named, first))
        elif DELIMITER in named.name:
            self.delimited.add(len(named.name))

    def find(self, name: str) -> Named | Lost:
        """The element that a possibly scoped name refers to. The caller handles `__model__` and `world`."""
        path = self.path_to(name)
        return path if isinstance(path, Lost) else path[-1]

    def path_to(self, name: str) -> list[Named] | Lost:
        """The models on the path of a name, followed by the element that it refers to."""
        models: list[Named] = []
        scope: Scope | None = self
        begin = 0
        while True:
            if scope is None:
                return Lost.UNKNOWN
            end = name.find(DELIMITER, begin)
            last = end < 0
            found = None
            if last or len(name) - begin in scope.delimited:  # in older versions, names can contain `::`
                found = scope.names.get(name[begin:])
            if found is not None:
                return [*models, found]
            found = None if last else scope.names.get(name[begin:end])
            if found is None:
                return Lost.UNKNOWN if scope.opaque else Lost.MISSING
            if found.kind != "model":
                return Lost.MISSING
            models.append(found)
            scope, begin = found.scope, end + len(DELIMITER)

    def of_kinds(self, kinds: tuple[str, ...]) -> dict[str, Named]:
        """The elements of some kinds, by name."""
        if kinds not in self._of_kinds:
            found = {name: named for name, named in self.names.items() if named.kind in kinds}
            self._of_kinds[kinds] = found
        return self._of_kinds[kinds]

    def other_joints(self) -> list[Any]:
        """The joints that do not connect two links of this scope, or one of them and the world; there are
        few.
        """
        if self._other_joints is None:
            joints = held(self.node, "joint")
            self._other_joints = [each for each in joints if not self._has_links(each.parent, each.child)]
        return self._other_joints

    def _has_links(self, parent: str | None, child: str | None) -> bool:
        """Whether the ends of a joint, as given, are links of this scope, or the first is the world."""
        first, second = self.names.get(parent or ""), self.names.get(child or "")
        if second is None or second.kind != "link" or first is second:
            return False
        return first.kind == "link" if first is not None else parent == WORLD


class Place(NamedTuple):
    """The location of an element: a scope of this document, models in files on the path, and its name.

    A file that is included twice has one scope and two locations.
    """

    base: Scope
    steps: tuple[Named, ...]
    named: Named

    @classmethod
    def through(cls, base: Scope, models: Iterable[Named], named: Named) -> Place:
        """The location of an element in nested models; the models of the same document determine its base."""
        steps: list[Named] = []
        for model in models:
            if steps or model.node.TAG == "include":
                steps.append(model)
            elif model.scope is not None:
                base = model.scope
        return cls(base, tuple(steps), named)

    @property
    def name(self) -> str:
        return self.named.name

    def inside(self) -> Place:
        """The same location relative to the file that the first step includes."""
        scope = self.steps[0].scope
        assert scope is not None
        return Place.through(scope, self.steps[1:], self.named)


class Scopes:
    """The scopes of all documents of one call: a file's model has one, however often it is included."""

    def __init__(self) -> None:
        self._of: dict[int, Scope] = {}  # by the id of a file's content

    def of(self, node: Node, is_world: bool = False) -> Scope:
        """The scope of a model or world, with those of nested models."""
        scope, waiting = self._scope(node, is_world)
        while waiting:
            target, holder = waiting.pop()
            for kind, child in _children(holder):
                if kind == "include":
                    waiting.extend(self._include(target, child))
                elif child.name is not None:
                    inner = Scope(child) if kind == "model" else None
                    target.add(Named(kind.removeprefix("drake_"), child.name, child, inner))
                    if inner is not None:
                        waiting.append((inner, child))
        return scope

    def _scope(self, node: Any, is_world: bool = False) -> tuple[Scope, list[tuple[Scope, Any]]]:
        """The scope of a document's content, and what remains to be examined."""
        known = self._of.get(id(node))
        if known is not None:
            return known, []
        scope = self._of[id(node)] = Scope(node, is_world)
        return scope, [(scope, node)]

    def _include(self, target: Scope, include: Any) -> list[tuple[Scope, Any]]:
        """Add the content of an included file; returns what remains to be examined."""
        model = model_of(include.content)
        if include.merge:
            target.opaque |= model is None
            return [] if model is None else [(target, model)]
        name = include.name or getattr(model, "name", None)
        if not name:
            target.opaque |= model is None
            return []
        inner, waiting = (None, []) if model is None else self._scope(model)
        target.add(Named("model", name, include, inner))
        return waiting


def _children(holder: Any) -> Iterator[tuple[str, Any]]:
    for kind in (*KINDS, *(IN_WORLDS if holder.TAG == WORLD else ())):
        for child in getattr(holder, kind, None) or ():
            yield kind, child


def merged(node: Any) -> Iterator[Any]:
    """The models that files merge into a model or world, including those of files in these files."""
    for include in held(node, "include"):
        model = model_of(include.content) if include.merge else None
        if model is not None:
            yield model
            yield from merged(model)


def model_of(content: Any) -> Any:
    """The model of a file: an SDFormat document contains one, a URDF robot is one; other formats have
    separate names.
    """
    form = "" if content is None else format_of(content).name
    if form == "urdf":
        return content
    return content.model if form == "sdf" else None
