"""The names of a document's elements, and the references to them.

For most formats the schema defines which attributes declare and refer to names. What it cannot express, such
as scopes and names whose kind another attribute gives, is data in this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Text, Untyped, children_of

Row = Attribute | Text


class Naming(NamedTuple):
    """The properties of a format's names that its tables do not define.

    Attributes:
        scopes: tags of elements that are scopes of names.
        delimiter: separator between the name of a scope and a name in it.
        declares: by the tag of an element, the kind of its name.
        refers: by the tag of an element and of its part with names, the kinds that they may have.
        outer: tags of children of a scope whose names are resolved in the surrounding scope.
        formulas: attributes whose text contains names among other words.
        chosen: attributes with a name, and those that give its kind.
    """

    scopes: tuple[str, ...] = ()
    delimiter: str = ""
    declares: dict[str, str] = {}  # noqa: RUF012
    refers: dict[tuple[str, str], tuple[str, ...]] = {}  # noqa: RUF012
    outer: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    chosen: dict[str, str] = {}  # noqa: RUF012


_FRAME, _GROUP, _BODY, _JOINT = ("frame",), ("group",), ("body",), ("joint",)
_DRAKE_GROUP = "drake:collision_filter_group"
_MIMIC = tuple(f"mimic_{what}{axis}" for what in ("pos", "vel", "accel") for axis in ("", "0", "1", "2"))
NAMINGS = {
    "mjcf": Naming(chosen={"objname": "objtype", "refname": "reftype"}),
    "sdf": Naming(
        ("model", "world"),
        "::",
        {
            **dict.fromkeys(("link", "joint", "drake:joint", "frame", "model", "include"), "frame"),
            _DRAKE_GROUP: "group",
        },
        {
            ("model", "canonical_link"): _FRAME,
            ("model", "placement_frame"): _FRAME,
            ("pose", "relative_to"): _FRAME,
            ("frame", "attached_to"): _FRAME,
            ("joint", "parent"): _FRAME,
            ("joint", "child"): _FRAME,
            ("joint", "gearbox_reference_body"): _FRAME,
            ("drake:joint", "drake:parent"): _FRAME,
            ("drake:joint", "drake:child"): _FRAME,
            ("xyz", "expressed_in"): _FRAME,
            ("mimic", "joint"): _FRAME,
            ("drake:mimic", "joint"): _FRAME,
            ("gripper", "palm_link"): _FRAME,
            ("gripper_link", "text()"): _FRAME,
            ("drake:linear_bushing_rpy", "drake:bushing_frameA"): _FRAME,
            ("drake:linear_bushing_rpy", "drake:bushing_frameC"): _FRAME,
            ("drake:ball_constraint", "drake:ball_constraint_body_A"): _FRAME,
            ("drake:ball_constraint", "drake:ball_constraint_body_B"): _FRAME,
            ("drake:linear_spring_damper", "drake:linear_spring_damper_body_A"): _FRAME,
            ("drake:linear_spring_damper", "drake:linear_spring_damper_body_B"): _FRAME,
            ("drake:member", "text()"): _FRAME,
            ("drake:member_group", "text()"): _GROUP,
            ("drake:ignored_collision_filter_group", "text()"): _GROUP,
        },
        outer=("pose",),
    ),
    "skel": Naming(
        ("skeleton",),
        declares={"body": "body", "joint": "joint", "skeleton": "skeleton"},
        refers={("joint", "parent"): _BODY, ("joint", "child"): _BODY},
    ),
    "openrave": Naming(
        ("kinbody", "robot"),
        declares={"body": "body", "joint": "joint", "kinbody": "kinbody", "robot": "kinbody"},
        refers={
            **dict.fromkeys(
                [("body", "text()"), ("base", "text()"), ("effector", "text()"), ("link", "text()")], _BODY
            ),
            **dict.fromkeys([("offsetfrom", "text()"), ("adjacent", "text()")], _BODY),
            **dict.fromkeys([(tag, "text()") for tag in ("gripperjoints", "joints", "armjoints")], _JOINT),
            **dict.fromkeys([("joint", name) for name in (*_MIMIC, "mimic")], _JOINT),
        },
        formulas=(*_MIMIC, "mimic"),
    ),
}
_WORD = re.compile(r"[^\W\d]\w*(?:[-.]\w+)*")


@dataclass(slots=True, eq=False)
class Scope:
    """Names by kind, and the nested scopes by their elements."""

    around: Scope | None = None
    names: dict[str, dict[str, Node]] = field(default_factory=dict)
    inner: dict[int, Scope] = field(default_factory=dict)


class Use(NamedTuple):
    """A name within the value of an attribute or a text, and the element to which it refers."""

    node: Node
    row: Row
    target: Node
    part: tuple[int, int]
    """Index of the word in the value, and of the part between delimiters; for a formula the offset."""


class References:
    """All names of a document, and the references to them."""

    def __init__(self, document: Node, form: Format) -> None:
        self.form = form
        self.naming = NAMINGS.get(form.name, Naming())
        self.rows = {row.cls: row for row in form.elements.values()}
        self.scopes: dict[int, Scope] = {}  # by element, the scope that contains its name
        self.parents: dict[int, Node] = {}
        self.root = Scope()
        self._places: list[tuple[Node, Scope, Scope]] = []
        self._walk(document)

    def _walk(self, document: Node) -> None:
        todo = [(document, self.root)]
        while todo:
            node, scope = todo.pop()
            inner = scope
            if isinstance(node, Untyped):
                continue
            if node.TAG in self.naming.scopes:
                inner = scope.inner[id(node)] = Scope(scope)
            found = self.declared(node)
            if found is not None:
                row, kind = found
                scope.names.setdefault(kind, {}).setdefault(str(getattr(node, row.field)), node)
            self.scopes[id(node)] = scope
            self._places.append((node, scope, inner))
            below = children_of(node)
            self.parents.update((id(child), node) for child in below)
            outward = node.TAG in self.naming.scopes
            todo.extend(
                (child, scope if outward and child.TAG in self.naming.outer else inner)
                for child in reversed(below)
            )

    def row_of(self, node: Node) -> Element | None:
        return self.rows.get(type(node))

    def declared(self, node: Node) -> tuple[Row, str] | None:
        """The attribute that declares an element's name, and the kind; None if it has no name."""
        row = self.row_of(node)
        if row is None:
            return None
        kind = self.naming.declares.get(node.TAG)
        for attribute in _rows(row):
            of = kind if kind and attribute.name == "name" else attribute.declares
            if of and isinstance(getattr(node, attribute.field), str):
                return attribute, of
        return None

    def uses(self) -> Iterator[Use]:
        """Every name that refers to an element of the document."""
        for node, _, scope in self._places:
            row = self.rows[type(node)]
            for attribute in _rows(row):
                kinds = attribute.refers or self._kinds(node, attribute)
                value = getattr(node, attribute.field)
                if not kinds or value is None:
                    continue
                for part, target in self._targets(value, attribute, kinds, scope):
                    yield Use(node, attribute, target, part)

    def _kinds(self, node: Node, row: Row) -> Sequence[str]:
        by = self.naming.chosen.get(row.name)
        if by is not None:
            kind: Any = getattr(node, by, None)
            kind = kind.value if isinstance(kind, Enum) else kind
            return () if kind is None else ("body",) if kind == "xbody" else (str(kind),)
        return self.naming.refers.get((node.TAG, row.name), ())

    def _targets(
        self, value: Any, row: Row, kinds: Sequence[str], scope: Scope
    ) -> Iterator[tuple[tuple[int, int], Node]]:
        if row.name in self.naming.formulas:
            for match in _WORD.finditer(str(value)):
                found = self._find(scope, kinds, match[0])
                if found is not None:
                    yield (match.start(), 0), found
            return
        words = [value] if isinstance(value, str) else [word for word in value if isinstance(word, str)]
        for index, word in enumerate(words):
            parts = word.split(self.naming.delimiter) if self.naming.delimiter else [word]
            within: Scope | None = scope
            for place, part in enumerate(parts):
                found = None if within is None else self._find(within, kinds, part)
                if found is None:
                    break
                yield (index, place), found
                assert within is not None
                within = within.inner.get(id(found))

    @staticmethod
    def _find(scope: Scope, kinds: Sequence[str], name: str) -> Node | None:
        for kind in kinds:
            if (found := scope.names.get(kind, {}).get(name)) is not None:
                return found
        return None

    def renamed(self, use: Use, new: str) -> Any:
        """The value with the name replaced by another."""
        value = getattr(use.node, use.row.field)
        index, place = use.part
        if use.row.name in self.naming.formulas:
            match = _WORD.match(value, index)
            assert match is not None
            return value[:index] + new + value[match.end() :]
        words = [value] if isinstance(value, str) else list(value)
        parts = words[index].split(self.naming.delimiter) if self.naming.delimiter else [words[index]]
        parts[place] = new
        words[index] = self.naming.delimiter.join(parts)
        return words[0] if isinstance(value, str) else type(value)(words)


def _rows(row: Element) -> list[Row]:
    """The rows of an element that may contain names."""
    return [*row.attributes] if row.text is None else [*row.attributes, row.text]
