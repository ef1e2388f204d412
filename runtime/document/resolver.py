"""Effective values: given in the document, provided by its defaults elements, or by the schema.

A document only stores what is given in it. Effective values and their origin come from this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from polybody.base import Attribute, Default, Element, Format, Node, children_of
from polybody.document.defaults import UNNAMED, Filling, hiding, lent
from polybody.suggest import did_you_mean

Origin = Literal["written", "defaults", "schema"]


class Effective(NamedTuple):
    """A value, its origin, and the node that gives it (None for the schema's default)."""

    value: Any
    origin: Origin
    node: Node | None


class _Attributes(dict[str, Attribute]):
    """Attributes by name. A name that the element does not have is a KeyError with a suggestion."""

    __slots__ = ("_tag",)

    def __init__(self, tag: str) -> None:
        self._tag = tag

    def __missing__(self, name: str) -> Attribute:
        hint = did_you_mean(name, self)
        raise KeyError(f"<{self._tag}> has no attribute {name!r}{f'; {hint}' if hint else ''}")


class _Row:
    """The data of one kind of element that the resolver needs."""

    __slots__ = ("attributes", "depends", "instead", "own", "row")

    def __init__(self, row: Element) -> None:
        self.row = row
        self.attributes = _Attributes(row.tag)
        for attribute in row.attributes:  # the first, of an attribute and a leaf of one name
            self.attributes.setdefault(attribute.name, attribute)
        self.depends = {rule.name: rule for rule in row.rules if isinstance(rule, Default)}
        self.own = next((a.field for a in row.attributes if a.defaults_class == "own"), None)
        self.instead = {
            name: [self.attributes[other] for other in hiding(row, name)] for name in self.attributes
        }


@cache
def _rows_of(form: Format) -> Mapping[type[Node], _Row]:
    return {row.cls: _Row(row) for row in form.elements.values()}


class Resolved:
    """The effective values of one document.

    Attributes are read on every request. Which defaults elements exist, and the defaults class of each
    element, is determined on creation.

    Attributes:
        document: the document as it was passed.
        expanded: the same with the content of included files in place; the same object if nothing is
            included.
    """

    def __init__(self, document: Node, form: Format) -> None:
        from polybody.document.includes import expand

        self.document, self.format = document, form
        self.expanded, twins = expand(document, form)
        self._filling = Filling(form, self.expanded)
        self._rows = _rows_of(form)
        self._chains: dict[tuple[type[Node], str], tuple[Node, ...]] = {}
        self._below = self._classes(twins)

    def _classes(self, twins: dict[int, Node]) -> dict[int, str]:
        """By the id of an element: the class that an enclosing element gives to all its descendants."""
        fields = {
            row.cls: a.field
            for row in self.format.elements.values()
            for a in row.attributes
            if a.defaults_class == "below"
        }
        found: dict[int, str] = {}
        stack = [(self.expanded, UNNAMED)] if fields else []
        while stack:
            node, name = stack.pop()
            if name != UNNAMED:
                found[id(node)] = name
            field = fields.get(type(node))
            below = name if field is None else getattr(node, field) or name
            stack.extend((child, below) for child in children_of(node))
        found.update({old: found[id(new)] for old, new in twins.items() if id(new) in found})
        return found

    def fillers(self, node: Node) -> tuple[Node, ...]:
        """The defaults elements that apply to an element, nearest first."""
        row = self._rows[type(node)]
        own = None if row.own is None else getattr(node, row.own)
        name = own or self._below.get(id(node), UNNAMED)
        key = type(node), name
        if key not in self._chains:
            self._chains[key] = self._filling.chain(row.row.key, name)
        return self._chains[key]

    def value(self, node: Node, name: str) -> Effective:
        """The effective value of an attribute, by its name in the document.

        Of mutually exclusive attributes, the nearer hides the farther: an `euler` of a defaults class has no
        value if the element or a nearer class has an `axisangle`.

        Raises:
            KeyError: the element has no such attribute.
        """
        row = self._rows[type(node)]
        attribute = row.attributes[name]
        written = getattr(node, attribute.field)
        if written is not None:
            return Effective(written, "written", node)
        nearer = node
        for filler in self.fillers(node):
            if any(getattr(nearer, other.field, None) is not None for other in row.instead[name]):
                break
            nearer = filler
            source = lent(attribute, self._rows[type(filler)].row)
            given = None if source is None else getattr(filler, source.field)
            if given is not None:
                return Effective(given, "defaults", filler)
        return Effective(self._unwritten(node, row, name), "schema", None)

    def _unwritten(self, node: Node, row: _Row, name: str) -> Any:
        """The schema's value of an attribute that the document does not give."""
        depends = row.depends.get(name)
        default = row.attributes[name].default
        return default if depends is None else depends.values.get(self.get(node, depends.by), default)

    def get(self, node: Node, name: str) -> Any:
        """Only the effective value."""
        written = getattr(node, self._rows[type(node)].attributes[name].field)
        return self.value(node, name).value if written is None else written

    def values(self, node: Node, names: Iterable[str]) -> list[Any]:
        """Only the effective values of several attributes."""
        row, bare = self._rows[type(node)], not self.fillers(node)
        found = []
        for name in names:
            value = getattr(node, row.attributes[name].field)
            if value is None:
                value = self._unwritten(node, row, name) if bare else self.value(node, name).value
            found.append(value)
        return found

    def given(self, node: Node, name: str) -> Any:
        """The value that the document gives, on the element or by defaults; None if it gives none."""
        written = getattr(node, self._rows[type(node)].attributes[name].field)
        if written is not None or not self.fillers(node):
            return written
        value, origin, _ = self.value(node, name)
        return None if origin == "schema" else value


def resolve(document: Node) -> Resolved:
    """The effective values of a document: as given, by its defaults classes and by the schema's defaults."""
    from polybody.document.registry import format_of

    return Resolved(document, format_of(document))
