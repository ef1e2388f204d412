"""The names of a document's elements, and the references to them.

For most formats the schema defines which attributes declare and refer to names. What it cannot express is
data in `polybody.document.naming`: scopes, names whose kind another attribute gives, and names in elements
without a schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Text, Untyped, children_of
from polybody.base.children import note, noted_about
from polybody.base.written import containing
from polybody.document.includes import SPLICE
from polybody.document.name_scopes import parts_of
from polybody.document.naming import NAMINGS, Loose, Naming

_WORD = re.compile(r"[^\W\d]\w*(?:[-.]\w+)*")
_SPACES = {"xbody": "body", "plugin": "instance"}
"""Kinds of objects whose names are those of another kind."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An attribute of an element without a schema or, as ``text()``, its text."""

    name: str
    refers: tuple[str, ...] = ()
    declares: str | None = None
    required: ClassVar[bool] = False
    file: ClassVar[str] = ""


Row = Attribute | Text | Kept


def value_of(node: Any, row: Row) -> Any:
    """The value that an element gives to one of its rows."""
    if not isinstance(row, Kept):
        return getattr(node, row.field)
    return node.text if row.name == Text.name else node.attributes.get(row.name)


def put(node: Any, row: Row, value: Any) -> None:
    """Set a value; None removes it."""
    if not isinstance(row, Kept):
        setattr(node, row.field, value)
    elif row.name == Text.name:
        node.text = value
    elif value is None:
        node.attributes.pop(row.name, None)
    else:
        node.attributes[row.name] = value


@dataclass(slots=True, eq=False)
class Scope:
    """The elements whose names are unique together.

    Attributes:
        around: the surrounding scope.
        declares: elements whose names are in it, by class, in document order.
        users: the element of the scope itself, whose references are resolved in it.
        anchors: elements above names in elements without a schema.
        texts: elements without a schema that contain a text.
        inner: nested scopes, by the ``id`` of their elements.
        names: by kind and name the element; filled when all are needed.
    """

    around: Scope | None = None
    declares: dict[type[Node], list[Any]] = field(default_factory=dict)
    users: dict[type[Node], list[Any]] = field(default_factory=dict)
    inner: dict[int, Scope] = field(default_factory=dict)
    names: dict[str, dict[str, Node]] | None = None
    found: dict[tuple[str, str], Node | None] = field(default_factory=dict)
    anchors: list[Any] | None = None
    texts: dict[str, list[Any]] = field(default_factory=dict)


class Use(NamedTuple):
    """A name within the value of an attribute or a text, and the element to which it refers."""

    node: Node
    row: Row
    target: Node
    part: tuple[int, int]
    """Index of the word in the value, and of the part between delimiters; for a formula the offset."""
    rest: bool = False
    """Whether the name is all that follows, because it contains delimiters itself."""


class Mention(NamedTuple):
    """A name in a text whose meaning is not known, such as a parameter of a plugin."""

    node: Node
    row: Row
    name: str

    @property
    def place(self) -> str:
        """The place of the element as path:line:column; "" if it was not read from a text."""
        return self.node.place

    def __str__(self) -> str:
        what = "text" if self.row.name == Text.name else f"`{self.row.name}`"
        at = f" at {self.place}" if self.place else ""
        return f"{what} of <{self.node.TAG}>{at} contains `{self.name}`"


class _Tables(NamedTuple):
    """What a format's rows say about names, by class of elements.

    Attributes:
        classes: those from which elements with names are reached, for `found_below`.
        inner: the same without scopes.
        scopes: classes of elements that are scopes, or that contain some.
        declares: rows with a name of the element, its kind, and whether it takes precedence over others.
        refers: rows with references, and their kinds; no kinds if another attribute gives them.
        mentions: rows whose text may contain names.
        carriers: classes of elements in whose place is the content of a file.
    """

    classes: dict[type, bool]
    inner: dict[type, bool]
    scopes: dict[type, bool]
    declares: dict[type, tuple[tuple[Row, str, bool], ...]]
    refers: dict[type, tuple[tuple[Row, tuple[str, ...]], ...]]
    mentions: dict[type, tuple[Row, ...]]
    carriers: frozenset[type]


@cache
def _tables(form: Format) -> _Tables:
    naming = naming_of(form)
    declares: dict[type, tuple[tuple[Row, str, bool], ...]] = {}
    refers: dict[type, tuple[tuple[Row, tuple[str, ...]], ...]] = {}
    mentions: dict[type, tuple[Row, ...]] = {}
    for row in form.elements.values():
        if row.cls is Untyped:
            continue
        rows = _rows(row)
        names = [(each, each.declares, True) for each in rows if each.declares]
        kind = naming.declares.get(row.tag)
        if not names and kind:
            names = [(each, kind, False) for each in rows if each.name == "name"]
        if names:
            declares[row.cls] = tuple(names)
        uses = [(each, each.refers or naming.refers.get((row.tag, each.name), ())) for each in rows]
        uses = [(each, kinds) for each, kinds in uses if kinds or each.name in naming.chosen]
        uses = [(each, kinds) for each, kinds in uses if not each.declares]
        if uses:
            refers[row.cls] = tuple(uses)
        texts = tuple(each for each in rows if (row.tag, each.name) in naming.mentions)
        if texts:
            mentions[row.cls] = texts
    anchors = {row.cls for row in form.elements.values() if row.tag in {u.path[0] for u in naming.untyped}}
    carriers = frozenset(row.cls for row in form.elements.values() if row.include == SPLICE)
    named = {*declares, *refers, *mentions, *anchors, *carriers, Untyped}
    scopes = {row.cls for row in form.elements.values() if row.tag in naming.scopes}
    reach = _reaching(form, named)
    return _Tables(
        {cls: cls in named for cls in reach},
        {cls: cls in named for cls in reach - scopes},
        {cls: cls in scopes for cls in _reaching(form, scopes)},
        declares,
        refers,
        mentions,
        carriers,
    )


def _reaching(form: Format, wanted: set[type]) -> set[type]:
    """The classes of elements that contain some of the wanted classes, at any depth, and these."""
    found = set(wanted)
    below = {
        row.cls: {form.elements[c.element].cls if c.tag != "*" else Untyped for c in row.children}
        for row in form.elements.values()
    }
    for each in form.elements.values():
        if each.cls is Untyped:
            below[Untyped] = {Untyped}
    before = -1
    while len(found) != before:
        before = len(found)
        found |= {cls for cls, inside in below.items() if inside & found}
    return found


def naming_of(form: Format) -> Naming:
    """What is known of a format's names beyond its tables."""
    return NAMINGS.get(form.name, Naming())


class References:
    """The names of a document, and the references to them, as they are on creation."""

    def __init__(self, document: Node, form: Format) -> None:
        self.document, self.form = document, form
        self.naming = naming_of(form)
        self.rows = {row.cls: row for row in form.elements.values()}
        self.tables = _tables(form)
        self.scopes = self._scopes()
        self.root = self.scopes[0]

    def _scopes(self) -> list[Scope]:
        """The scopes of the document, the surrounding ones first.

        Which elements are in each is noted for the next time, because only edits of children change it. The
        document's own element is left out of the note, which would otherwise keep the document alive.
        """
        parts = noted_about(self.document)
        if parts is None or parts[0].form is not self.form:
            parts = parts_of(self.document, self.form, self.naming, self.tables)
            note(self.document, parts)
        scopes: list[Scope] = []
        for part in parts:
            scope = Scope(None if part.around < 0 else scopes[part.around], part.declares, part.users)
            if scope.around is not None:
                scope.around.inner[part.element] = scope
            scopes.append(scope)
        top = type(self.document)
        if top in {**self.tables.classes, **self.tables.scopes}:
            own = scopes[0].declares.get(top, [])
            scopes[0].declares = {**scopes[0].declares, top: [self.document, *own]}
            if self.tables.scopes.get(top):
                scopes[1].users = {top: [self.document]}
        return scopes

    def row_of(self, node: Node) -> Element | None:
        return self.rows.get(type(node))

    @cached_property
    def parents(self) -> dict[int, Node]:
        """The parent of every element, by the ``id`` of the element."""
        return {id(child): node for node in self.document.walk() for child in children_of(node)}

    @property
    def carriers(self) -> list[Any]:
        """The elements in whose place is the content of a file."""
        classes = self.tables.carriers
        return [node for scope in self.scopes for cls in classes for node in scope.declares.get(cls, ())]

    # --- names ----------------------------------------------------------------------------------------------

    def scope_of(self, node: Node) -> Scope | None:
        """The scope that contains an element's name; None if the element is not among those with names."""
        for scope in self.scopes:
            if any(each is node for each in scope.declares.get(type(node), ())):
                return scope
        return None

    def declared(self, node: Node) -> tuple[Row, str] | None:
        """The attribute that declares an element's name, and the kind; None if it has no name."""
        for row, kind, _ in self.tables.declares.get(type(node), ()):
            if self.name_in(node, row) is not None:
                return row, kind
        if isinstance(node, Untyped):
            for loose in self.naming.untyped:
                row = Kept(loose.name, loose.kinds, loose.declares)
                if loose.declares and value_of(node, row) is not None and self._is_at(node, loose):
                    return row, loose.declares
        return None

    def _is_at(self, node: Any, loose: Loose) -> bool:
        """Whether a name in an element without a schema is that of an element."""
        current: Any = node
        for tag in reversed(loose.path[1:]):
            if current is None or tag != current.TAG:
                return False
            current = self.parents.get(id(current))
        return current is not None and loose.path[0] == current.TAG and loose.applies(node)

    def name_in(self, node: Any, row: Row) -> str | None:
        """The name that a row of an element declares: the one given or, of an asset, that of its file."""
        value = value_of(node, row)
        if isinstance(value, str) and value:
            weak = row.declares is None and node.TAG in self.naming.contentful
            return None if weak and not self.has_content(node, row) else value
        if row.declares in self.naming.by_file and row.name == "name":
            file = getattr(node, "file", None)
            return PurePosixPath(file.replace("\\", "/")).stem if file else None
        return None

    def name_of(self, node: Any) -> str | None:
        """The name that an element declares."""
        declared = self.declared(node)
        if declared is None:
            return None
        row = declared[0]
        found = value_of(node, row) if isinstance(row, Kept) else self.name_in(node, row)
        return None if found is None else str(found)

    @staticmethod
    def has_content(node: Any, name: Any) -> bool:
        """Whether an element has anything apart from its name."""
        given = (getattr(node, each) is not None for each in node.FIELDS if each != name.field)
        return bool(children_of(node)) or any(given)

    def find(self, scope: Scope, kinds: Sequence[str], name: str) -> Node | None:
        """The element with a name of one of these kinds in a scope; None if there is none."""
        for kind in kinds:
            if scope.names is not None:
                found = scope.names.get(kind, {}).get(name)
            else:
                key = kind, name
                if key not in scope.found:
                    scope.found[key] = self._search(scope, kind, name)
                found = scope.found[key]
            if found is not None:
                return found
        return None

    def _search(self, scope: Scope, kind: str, name: str) -> Node | None:
        weak: Node | None = None
        for cls, nodes in scope.declares.items():
            for row, own, strong in self.tables.declares.get(cls, ()):
                if own != kind:
                    continue
                node = self._named(nodes, row, name)
                if node is not None and strong:
                    return node
                weak = weak if weak is not None else node
        if weak is None and any(loose.declares == kind for loose in self.naming.untyped):
            kept = self._kept_names(scope)
            weak = next((n for n, row, own in kept if own == kind and value_of(n, row) == name), None)
        return weak

    def _named(self, nodes: list[Any], row: Any, name: str) -> Node | None:
        """The first of some elements whose row declares a name."""
        if row.declares in self.naming.by_file:
            return next((node for node in nodes if self.name_in(node, row) == name), None)
        values = list(map(attrgetter(row.field), nodes))
        at = -1
        for _ in range(values.count(name)):
            at = values.index(name, at + 1)
            if self.name_in(nodes[at], row) is not None:
                return nodes[at]  # type: ignore[no-any-return]
        return None

    def names(self, scope: Scope) -> dict[str, dict[str, Node]]:
        """The elements of a scope by kind and name."""
        if scope.names is None:
            names: dict[str, dict[str, Node]] = {}
            for wanted in (True, False):
                for cls, nodes in scope.declares.items():
                    for row, kind, strong in self.tables.declares.get(cls, ()):
                        if strong is not wanted:
                            continue
                        known = names.setdefault(kind, {})
                        for node in nodes:
                            name = self.name_in(node, row)
                            if name is not None:
                                known.setdefault(name, node)
            for node, row, kind in self._kept_names(scope):
                names.setdefault(kind, {}).setdefault(value_of(node, row), node)
            scope.names = names
        return scope.names

    def _kept_names(self, scope: Scope) -> Iterator[tuple[Node, Row, str]]:
        for loose, node, row in self._all_loose(scope):
            if loose.declares and value_of(node, row) is not None:
                yield node, row, loose.declares

    def is_fixed(self, kind: str, name: str) -> bool:
        """Whether a name exists in every document, so that it is no element's to change."""
        return name in self.form.builtin.get(kind, ()) or name in self.naming.fixed.get(kind, ())

    # --- references -----------------------------------------------------------------------------------------

    def uses(self) -> Iterator[Use]:
        """Every name that refers to an element of the document."""
        for scope in self.scopes:
            self.names(scope)
        for node, row, kinds, scope in self.places():
            value = value_of(node, row)
            for target, part, rest in self._targets(value, row, kinds, scope):
                if target is not node:
                    yield Use(node, row, target, part, rest)

    def places(self, name: str | None = None) -> Iterator[tuple[Any, Row, Sequence[str], Scope]]:
        """Every value that may refer to names, with their kinds and the scope.

        name: only values that contain this text.
        """
        whole = not self.naming.delimiter and not self.naming.formulas
        for scope in self.scopes:
            joins = bool(self.naming.joins)
            inside = [e for e in scope.declares.items() if joins or not self.tables.scopes.get(e[0])]
            for cls, nodes in (*scope.users.items(), *inside):
                for row, kinds in self.tables.refers.get(cls, ()):
                    yield from self._filtered(nodes, row, kinds, scope, name, whole)
            if name is not None and not self._containing(scope, name):
                continue
            for loose, node, row in self._all_loose(scope):
                value = value_of(node, row)
                if loose.kinds and value is not None and (name is None or name in value):
                    yield node, row, loose.kinds, scope

    def _containing(self, scope: Scope, name: str) -> list[Any]:
        """The elements without a schema whose text or attributes contain a name."""
        if name not in scope.texts:
            scope.texts[name] = containing(scope.declares.get(Untyped, []), name)
        return scope.texts[name]

    def _filtered(
        self,
        nodes: list[Any],
        row: Any,
        kinds: Sequence[str],
        scope: Scope,
        name: str | None,
        whole: bool,
    ) -> Iterator[tuple[Any, Row, Sequence[str], Scope]]:
        values = list(map(attrgetter(row.field), nodes))
        single = whole and all(form.scalar for form in row.forms)
        if name is not None and single:
            at = -1
            indices = [at := values.index(name, at + 1) for _ in range(values.count(name))]
        else:
            indices = [
                index
                for index, value in enumerate(values)
                if value is not None and (not name or name in value)
            ]
        for index in indices:
            own = kinds or self._chosen(nodes[index], row)
            if own:
                yield nodes[index], row, own, scope

    def _chosen(self, node: Node, row: Row) -> Sequence[str]:
        kind: Any = getattr(node, self.naming.chosen[row.name], None)
        kind = kind.value if isinstance(kind, Enum) else kind
        return () if kind is None else (_SPACES.get(str(kind), str(kind)),)

    def uses_of(self, node: Node, name: str) -> list[Use]:
        """The references to one element by its name."""
        found = []
        for user, row, kinds, scope in self.places(name):
            if user is node:
                continue
            for target, part, rest in self._targets(value_of(user, row), row, kinds, scope):
                if target is node:
                    found.append(Use(user, row, target, part, rest))
        return found

    def _targets(
        self, value: Any, row: Row, kinds: Sequence[str], scope: Scope
    ) -> Iterator[tuple[Node, tuple[int, int], bool]]:
        if row.name in self.naming.formulas:
            for match in _WORD.finditer(str(value)):
                found = self.find(scope, kinds, match[0])
                if found is not None:
                    yield found, (match.start(), 0), False
            return
        for index, word in enumerate(words_of(value)):
            parts = self._split(word)
            within: Scope | None = scope
            for place in range(len(parts)):
                if within is None:
                    break
                rest = len(parts) - place > 1
                found = self.find(within, kinds, self.naming.delimiter.join(parts[place:]))
                if found is None and rest:
                    found, rest = self.find(within, kinds, parts[place]), False
                if found is None:
                    break
                yield found, (index, place), rest
                within = None if rest else within.inner.get(id(found))

    def renamed(self, use: Use, new: str) -> Any:
        """The value with the name replaced by another."""
        value = value_of(use.node, use.row)
        index, place = use.part
        if use.row.name in self.naming.formulas:
            match = _WORD.match(value, index)
            assert match is not None
            return value[:index] + new + value[match.end() :]
        words = words_of(value)
        parts = self._split(words[index])
        parts[place : None if use.rest else place + 1] = [new]
        words[index] = self.naming.delimiter.join(parts)
        return words[0] if isinstance(value, str) else type(value)(words)

    def _split(self, word: str) -> list[str]:
        return word.strip().split(self.naming.delimiter) if self.naming.delimiter else [word.strip()]

    def word(self, use: Use) -> str:
        """The name that a reference gives."""
        value = value_of(use.node, use.row)
        index, place = use.part
        if use.row.name in self.naming.formulas:
            match = _WORD.match(value, index)
            assert match is not None
            return match[0]
        parts = self._split(words_of(value)[index])
        return self.naming.delimiter.join(parts[place : None if use.rest else place + 1])

    # --- elements without a schema --------------------------------------------------------------------------

    def _all_loose(self, scope: Scope) -> Iterator[tuple[Loose, Any, Row]]:
        if scope.anchors is None:
            tags = {loose.path[0] for loose in self.naming.untyped}
            groups = list(scope.declares.items()) if tags else []
            groups = [(cls, nodes) for cls, nodes in groups if cls is Untyped or self.rows[cls].tag in tags]
            scope.anchors = [node for _, nodes in groups for node in nodes if node.TAG in tags]
        for node in scope.anchors:
            yield from self._loose(node)

    def _loose(self, anchor: Any) -> Iterator[tuple[Loose, Any, Row]]:
        """The rows of elements without a schema below an element, or its own."""
        for loose in self.naming.untyped:
            if loose.path[0] != anchor.TAG:
                continue
            nodes = [anchor]
            for tag in loose.path[1:]:
                nodes = [c for node in nodes for c in children_of(node) if tag == c.TAG]
            for node in nodes:
                if isinstance(node, Untyped) and loose.applies(node):
                    yield loose, node, Kept(loose.name, loose.kinds, loose.declares)

    def mentions(self, names: Iterable[str]) -> list[Mention]:
        """Names in texts of plugins and other elements without a schema that are not known references."""
        wanted = {name for name in names if name}
        found = [each for scope in self.scopes for each in self._texts(scope, wanted)]
        if not found:
            return []
        pattern = re.compile(r"(?<![\w.-])(?:" + "|".join(map(re.escape, wanted)) + r")(?![\w-]|\.\w)")
        known = {(id(node), row.name) for scope in self.scopes for _, node, row in self._all_loose(scope)}
        matches = ((node, row, pattern.search(text)) for node, row, text in found)
        return [
            Mention(node, row, match[0])
            for node, row, match in matches
            if match is not None and (id(node), row.name) not in known
        ]

    def _texts(self, scope: Scope, names: set[str]) -> Iterator[tuple[Any, Row, str]]:
        """The texts of a scope in which some names may be."""
        nodes = scope.declares.get(Untyped, [])
        for node in self._containing(scope, *names) if len(names) == 1 else nodes:
            if node.text is not None:
                yield node, Kept(Text.name), node.text
            for name, text in node.attributes.items():
                yield node, Kept(name), text
        for cls, rows in self.tables.mentions.items():
            for node in scope.declares.get(cls, ()):
                for row in rows:
                    if isinstance(text := value_of(node, row), str):
                        yield node, row, text


def words_of(value: Any) -> list[str]:
    """The names in a value."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else [word for word in value if isinstance(word, str)]


def _rows(row: Element) -> list[Attribute | Text]:
    """The rows of an element that may contain names."""
    return [*row.attributes] if row.text is None else [*row.attributes, row.text]
