"""What the names of an SDFormat document mean: each model and world is a scope of links, joints, frames and
models, and `a::b` leads into the model `a`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from polybody.base import Node

DELIMITER = "::"
MODEL, WORLD = "__model__", "world"
KINDS = ("link", "joint", "drake_joint", "frame", "model", "include")
IN_WORLDS = ("light", "actor")
"""The fields whose elements share the names of a scope; of a world's, these too."""


class Lost(Enum):
    """What a name leads to where it leads nowhere."""

    MISSING = "missing"
    UNKNOWN = "unknown"  # a file in between was not read


@dataclass(frozen=True, slots=True)
class Named:
    """A thing with a name: its kind as documents call it, its element, and the scope that a model is."""

    kind: str
    name: str
    node: Any
    scope: Scope | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """A model or a world, with the names in it; ``node`` is the element, of an included one in its file."""

    node: Any
    is_world: bool = False
    names: dict[str, Named] = field(default_factory=dict)
    again: list[tuple[Named, Named]] = field(default_factory=list)  # a second thing of a name, and the first
    opaque: bool = False  # parts of it are in a file that was not read

    def add(self, named: Named) -> None:
        first = self.names.setdefault(named.name, named)
        if first is not named:
            self.again.append((named, first))

    def find(self, name: str) -> Named | Lost:
        """What a name, perhaps a scoped one, leads to; `__model__` and `world` are left to who asks."""
        scope: Scope | None = self
        parts = name.split(DELIMITER)
        for place, part in enumerate(parts):
            if scope is None:
                return Lost.UNKNOWN
            whole = DELIMITER.join(parts[place:])
            found = scope.names.get(whole) or scope.names.get(part)  # older versions have `::` in names
            if found is None:
                return Lost.UNKNOWN if scope.opaque else Lost.MISSING
            if found.name == whole:
                return found
            if found.kind != "model":
                return Lost.MISSING
            scope = found.scope
        return Lost.MISSING

    def known(self) -> list[str]:
        return list(self.names)


def scope_of(node: Node, is_world: bool = False) -> Scope:
    """The scope of a model or world, with those of the models inside."""
    scope = Scope(node, is_world)
    waiting = [(scope, node)]
    while waiting:
        target, holder = waiting.pop()
        for kind, child in _children(holder):
            if kind == "include":
                waiting.extend(_include(target, child))
            elif child.name is not None:
                inner = Scope(child) if kind == "model" else None
                target.add(Named(kind.removeprefix("drake_"), child.name, child, inner))
                if inner is not None:
                    waiting.append((inner, child))
    return scope


def _children(holder: Any) -> Iterator[tuple[str, Any]]:
    for kind in (*KINDS, *(IN_WORLDS if holder.TAG == WORLD else ())):
        for child in getattr(holder, kind, None) or ():
            yield kind, child


def _model_of(content: Any) -> Any:
    """The model of a file: an SDFormat document holds one, a URDF robot is one; others keep their names."""
    if content is None or content.TAG == "robot":
        return content
    return content.model if content.TAG == "sdf" else None


def _include(target: Scope, include: Any) -> Iterator[tuple[Scope, Any]]:
    """Take in what a file brings; returns what is still to be looked into."""
    model = _model_of(include.content)
    if include.merge:
        target.opaque |= model is None
        if model is not None:
            yield target, model
        return
    name = include.name or getattr(model, "name", None)
    if not name:
        target.opaque |= model is None
        return
    inner = None if model is None else Scope(model)
    target.add(Named("model", name, include, inner))
    if inner is not None:
        yield inner, model
