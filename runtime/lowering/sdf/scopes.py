"""The models and worlds of an SDFormat document as scopes of named frames.

Each model is a scope with its own frame. A name refers to a link, joint, frame or model of the scope, and
``a::b`` to ``b`` in the model ``a``. A merged model remains a scope; the surrounding scope also contains its
names.

Source: SDFormat's documents on the semantics of frames and on composition (sdformat.org, 1.7 to 1.9).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from polybody.base import Node
from polybody.rotations.poses import IDENTITY, Pose

MODEL, WORLD, DELIMITER = "__model__", "world", "::"


class LostError(Exception):
    """A name that refers to nothing, or to itself; ``node`` is the element that has it."""

    def __init__(self, message: str, node: Node | None) -> None:
        super().__init__(message)
        self.node = node


@dataclass(slots=True, eq=False)
class Named:
    """A link, joint, frame or model of a scope."""

    kind: str
    name: str
    node: Any
    pose: Pose = IDENTITY
    """As given; for a model, the pose of its placement frame."""
    relative: str = ""
    """The reference frame of the pose; "" is the scope's own."""
    attached: str = ""
    """Of a frame or joint: what it is fixed to; "" is the scope's own frame."""
    scope: Scope | None = None
    """Of a model: its scope."""
    row: int = -1
    """Of a link: its row in the Plant."""


class Fixed(NamedTuple):
    """A link, and its pose in the frame of a scope."""

    link: Named | None
    """None is the world."""
    pose: Pose


@dataclass(slots=True, eq=False)
class Scope:
    """A model, or the world."""

    name: str
    """The full name, as of the model instance; "" for a world."""
    node: Any
    document: Any = None
    """The document that contains it."""
    version: int = 0
    """Version of the document that contains it, such as 109."""
    is_world: bool = False
    static: bool = False
    merged: bool = False
    owner: Any = None
    """The model whose settings its parts follow: the one around a merged model, otherwise itself."""
    foreign: bool = False
    """Whether it is of another format, with its parts already in the Plant."""
    canonical: str = ""
    """The link to which its frame is fixed; "" is the first."""
    placement: str = ""
    """The frame in it that its pose places; "" is its own."""
    prefix: str = ""
    """Prefix of names in it that the document defines in the surrounding model (before version 1.8)."""
    parts: list[Named] = field(default_factory=list)
    """In document order."""
    names: dict[str, Named] = field(default_factory=dict)
    in_world: Pose = IDENTITY
    instance: int = 0
    """Row in the Plant."""
    _poses: dict[int, Pose] = field(default_factory=dict)
    _fixed: dict[str, Fixed] = field(default_factory=dict)
    _placed: Pose | None = None

    @property
    def own(self) -> str:
        """The name of the scope's own frame."""
        return WORLD if self.is_world else MODEL

    def add(self, part: Named) -> None:
        """Add a part; one without a name cannot be found by name."""
        self.parts.append(part)
        if part.name and not (part.scope is not None and part.scope.merged):
            self.names.setdefault(part.name, part)

    def within(self) -> Iterator[tuple[Scope, Named]]:
        """Its parts, and those of models that are merged into it, in document order, each with the scope that
        contains it.
        """
        waiting = [(self, part) for part in reversed(self.parts)]
        while waiting:
            scope, part = waiting.pop()
            yield scope, part
            if part.scope is not None and part.scope.merged:
                waiting += [(part.scope, inner) for inner in reversed(part.scope.parts)]

    def models(self) -> Iterator[tuple[Named, Scope]]:
        """The models directly in it, including merged ones."""
        return ((part, part.scope) for part in self.parts if part.scope is not None)

    # --- names -------------------------------------------------------------------------------------------

    def lookup(self, name: str, node: Node | None) -> tuple[Named, str]:
        """The part that a name refers to, and the rest of the name, to be resolved in that part's scope.

        Raises:
            LostError: there is no such part.
        """
        name = self.bare(name)
        part = self.names.get(name)
        if part is not None:
            return part, ""
        mark = name.find(DELIMITER)
        while mark >= 0:  # before version 1.8, names can contain `::`
            part = self.names.get(name[:mark])
            if part is not None and part.scope is not None:
                return part, name[mark + len(DELIMITER) :]
            mark = name.find(DELIMITER, mark + 1)
        for part in self.parts:
            if part.scope is not None and part.scope.merged and part.scope.knows(name):
                return part, name
        raise LostError(f"there is no link, joint, frame or model `{name}`", node)

    def bare(self, name: str) -> str:
        """A name without the prefix of names in the scope."""
        return name.removeprefix(self.prefix) if self.prefix else name

    def knows(self, name: str) -> bool:
        """Whether a name, or its first part, exists in it, including merged models."""
        first = name.partition(DELIMITER)[0]
        return any(part.name in (name, first) for _, part in self.within())

    # --- poses -------------------------------------------------------------------------------------------

    def pose(self, name: str, node: Node | None = None) -> Pose:
        """The pose of a part, in the scope's frame.

        Raises:
            LostError: there is no such part, or frames form a cycle.
        """
        scope, around = self, IDENTITY
        while True:
            name = scope.bare(name)
            if name in ("", scope.own):
                return around
            if name == WORLD:
                return around @ scope.in_world.inverse()
            part, name = scope.lookup(name, node)
            around = around @ scope.place(part)
            if not name or part.scope is None:
                return around
            scope = part.scope

    @property
    def placed(self) -> Pose:
        """The pose of the frame that the scope's pose places, in the scope's frame."""
        if self._placed is None:
            self._placed = self.pose(self.placement, self.node)
        return self._placed

    def place(self, part: Named) -> Pose:
        """The pose of a part in the scope's frame; of a model, that of its frame.

        Raises:
            LostError: as in :meth:`pose`.
        """
        chain: list[Named] = []
        base, current = IDENTITY, part
        while id(current) not in self._poses:
            if len(chain) > len(self.parts):
                raise LostError("the frames form a cycle", part.node)
            chain.append(current)
            name = self.bare(current.relative)
            if name in ("", self.own):
                break
            following, rest = (None, "") if name == WORLD else self.lookup(name, current.node)
            if following is None or rest:
                base = self.pose(name, current.node)
                break
            current = following
        else:
            base = self._poses[id(current)]
        for each in reversed(chain):
            base = base @ each.pose
            if each.scope is not None:
                base = base @ each.scope.placed.inverse()
            self._poses[id(each)] = base
        return base

    def fixed(self, name: str, node: Node | None = None) -> Fixed:
        """The link to which a part is fixed, and the pose of that link in the scope's frame.

        Raises:
            LostError: there is no such part, or frames form a cycle.
        """
        path: list[
            tuple[Scope, str, Pose | None]
        ] = []  # with the pose of the model that contains the next one
        met: set[tuple[int, str]] = set()
        scope = self
        while True:
            name = scope.bare(name)
            found = scope._fixed.get(name)
            if found is not None:
                break
            if (id(scope), name) in met:
                raise LostError("the frames form a cycle", node)
            met.add((id(scope), name))
            if name == WORLD or (scope.is_world and not name):
                found = scope._fixed[name] = Fixed(None, scope.in_world.inverse())
                break
            if name in ("", MODEL):
                path.append((scope, name, None))
                name = scope._canonical(node)
                continue
            part, rest = scope.lookup(name, node)
            if part.kind == "link":
                found = scope._fixed[name] = Fixed(part, scope.place(part))
                break
            if part.scope is None:
                path.append((scope, name, None))
                name, node = part.attached, part.node
            else:
                path.append((scope, name, scope.place(part)))
                scope, name = part.scope, rest
        for around, known, pose in reversed(path):
            if pose is not None:
                found = Fixed(found.link, pose @ found.pose)
            around._fixed[known] = found
        return found

    def _canonical(self, node: Node | None) -> str:
        """The name to which the scope's frame is fixed: a link, or a model in it."""
        if self.canonical:
            return self.bare(self.canonical)
        for kind in ("link", "model"):
            for _, part in self.within():
                if part.kind == kind and not (part.scope is not None and part.scope.merged):
                    return part.name
        if self.static:
            return WORLD
        raise LostError(f"the model `{self.name}` has no link", node or self.node)
