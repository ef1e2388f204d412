"""Effective values: what a document writes, what its defaults elements give, what the schema says.

Reading keeps what is written and nothing else; whoever asks what a value *is* asks here, and learns where
it came from.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from polybody.base import Attribute, Default, Element, Format, Node

Origin = Literal["written", "defaults", "schema"]


class Effective(NamedTuple):
    """A value, where it came from, and the node that it stands on (None for the schema's default)."""

    value: Any
    origin: Origin
    node: Node | None


class _Row:
    """What the resolver needs of one kind of element."""

    __slots__ = ("attributes", "depends", "filler")

    def __init__(self, row: Element, filler: Node | None) -> None:
        self.attributes: dict[str, Attribute] = {a.name: a for a in row.attributes}
        self.depends = {rule.name: rule for rule in row.rules if isinstance(rule, Default)}
        self.filler = filler


class Resolved:
    """The effective values of one document; it looks at the document anew at each question."""

    def __init__(self, document: Node, form: Format, fillers: dict[str, Node]) -> None:
        self.document = document
        self.format = form
        self._rows: dict[type[Node], _Row] = {
            row.cls: _Row(row, fillers.get(key)) for key, row in form.elements.items()
        }

    def value(self, node: Node, name: str) -> Effective:
        """The effective value of an attribute, by its name in the document.

        Raises:
            KeyError: the element has no such attribute.
        """
        row = self._rows[type(node)]
        attribute = row.attributes[name]
        written = getattr(node, attribute.field)
        if written is not None:
            return Effective(written, "written", node)
        if row.filler is not None:
            source = self._rows[type(row.filler)].attributes.get(name)
            given = None if source is None else getattr(row.filler, source.field)
            if given is not None:
                return Effective(given, "defaults", row.filler)
        depends = row.depends.get(name)
        if depends is not None:
            member = self.value(node, depends.by).value
            return Effective(depends.values.get(member, attribute.default), "schema", None)
        return Effective(attribute.default, "schema", None)

    def get(self, node: Node, name: str) -> Any:
        """The effective value alone."""
        return self.value(node, name).value


def resolve(document: Node) -> Resolved:
    """The effective values of a document, whose class tells its format."""
    from polybody.formats import format_of
    from polybody.reader.rules import fillers_of

    form = format_of(document)
    return Resolved(document, form, fillers_of(form, document))
