"""Effective values: given in the document, provided by its defaults elements, or by the schema.

A document only stores what is given in it. Effective values and their origin come from this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from polybody.base import Attribute, Default, Element, Format, Node, Text, children_of
from polybody.document.defaults import UNNAMED, Filling, hiding, provider
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


class Kind:
    """The effective values of one kind of element.

    Attributes:
        row: the kind.
        attributes: its attributes by name; the first, of an attribute and a leaf of one name.
        depends: the rules by which the schema's value of an attribute depends on another one.
        own: the field with the defaults class of an element, if there is one.
    """

    __slots__ = ("_kinds", "_providers", "_read", "attributes", "depends", "hiders", "own", "row")

    def __init__(self, row: Element, kinds: Mapping[type[Node], Kind]) -> None:
        self.row, self._kinds = row, kinds
        self.attributes = _Attributes(row.tag)
        for attribute in row.attributes:
            self.attributes.setdefault(attribute.name, attribute)
        self.own = next((a.field for a in row.attributes if a.defaults_class == "own"), None)
        self.hiders = {
            name: tuple(self.attributes[other].field for other in hiding(row, name))
            for name in self.attributes
        }
        """For each attribute, the fields of those that hide a farther one of its name."""
        self.depends = {rule.name: rule for rule in row.rules if isinstance(rule, Default)}
        self._providers: dict[tuple[type[Node], str], str | None] = {}
        self._read: dict[tuple[str, ...], tuple[list[Attribute], Callable[[Node], Iterable[Any]]]] = {}

    def read(self, names: tuple[str, ...]) -> tuple[list[Attribute], Callable[[Node], Iterable[Any]]]:
        """Attributes by their names, and what returns their values as they are written on an element."""
        if names not in self._read:
            attributes = [self.attributes[name] for name in names]
            fields = [attribute.field for attribute in attributes]
            several = attrgetter(*fields) if len(fields) > 1 else lambda node: [getattr(node, fields[0])]
            self._read[names] = attributes, several
        return self._read[names]

    def given(
        self, node: Node, attribute: Attribute | Text, fillers: Iterable[Node]
    ) -> tuple[Any, Node | None]:
        """The value of an attribute that an element or its defaults elements, nearest first, give, and the
        element that gives it; None twice if none does.

        Of mutually exclusive attributes, the nearer hides the farther: an `euler` of a defaults class has no
        value if the element or a nearer class has an `axisangle`.
        """
        value = getattr(node, attribute.field)
        if value is not None:
            return value, node
        hiders, nearer = self.hiders.get(attribute.name, ()), node
        for filler in fillers:
            if hiders and any(getattr(nearer, field, None) is not None for field in hiders):
                break
            nearer = filler
            field = self._provider(attribute, type(filler))
            value = None if field is None else getattr(filler, field)
            if value is not None:
                return value, filler
        return None, None

    def _provider(self, attribute: Attribute | Text, source: type[Node]) -> str | None:
        """The field of a kind of defaults element that provides an attribute."""
        key = source, attribute.field
        if key not in self._providers:
            found = provider(attribute, self._kinds[source].row)
            self._providers[key] = None if found is None else found.field
        return self._providers[key]

    def default(self, attribute: Attribute | Text, effective: Callable[[str], Any]) -> Any:
        """The schema's value of an attribute that nothing gives; ``effective`` returns that of another one,
        on which it may depend.
        """
        depends = self.depends.get(attribute.name)
        if depends is None:
            return attribute.default
        return depends.values.get(effective(depends.by), attribute.default)


@cache
def kinds_of(form: Format) -> Mapping[type[Node], Kind]:
    """The kinds of elements of a format by their classes."""
    kinds: dict[type[Node], Kind] = {}
    kinds.update((row.cls, Kind(row, kinds)) for row in form.elements.values())
    return kinds


class Resolved:
    """The effective values of one document.

    Attributes are read on every request. Which defaults elements exist, and the defaults class of each
    element, is determined on creation.

    Attributes:
        document: the document as it was passed.
        expanded: the same with the content of included files in place; the same object if nothing is
            included.
        kinds: the kinds of elements of its format.
    """

    def __init__(self, document: Node, form: Format) -> None:
        from polybody.document.includes import expand

        self.document, self.format = document, form
        self.expanded, twins = expand(document, form)
        self._filling = Filling(form, self.expanded)
        self.kinds = kinds_of(form)
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
        kind = self.kinds[type(node)]
        own = None if kind.own is None else getattr(node, kind.own)
        key = type(node), own or self._below.get(id(node), UNNAMED)
        if key not in self._chains:
            self._chains[key] = self._filling.chain(kind.row.key, key[1])
        return self._chains[key]

    def value(self, node: Node, name: str) -> Effective:
        """The effective value of an attribute, by its name in the document; see `Kind.given`.

        Raises:
            KeyError: the element has no such attribute.
        """
        kind = self.kinds[type(node)]
        attribute = kind.attributes[name]
        value, holder = kind.given(node, attribute, self.fillers(node))
        if holder is None:
            return Effective(self._default(kind, node, attribute), "schema", None)
        return Effective(value, "written" if holder is node else "defaults", holder)

    def get(self, node: Node, name: str) -> Any:
        """Only the effective value."""
        kind = self.kinds[type(node)]
        attribute = kind.attributes[name]
        value = kind.given(node, attribute, self.fillers(node))[0]
        return self._default(kind, node, attribute) if value is None else value

    def values(self, node: Node, names: Iterable[str]) -> list[Any]:
        """Only the effective values of several attributes."""
        kind, fillers = self.kinds[type(node)], None
        attributes, written = kind.read(names if type(names) is tuple else tuple(names))
        found = list(written(node))
        for place, value in enumerate(found):
            if value is None:
                attribute = attributes[place]
                fillers = self.fillers(node) if fillers is None else fillers
                value = kind.given(node, attribute, fillers)[0] if fillers else None
                found[place] = self._default(kind, node, attribute) if value is None else value
        return found

    def _default(self, kind: Kind, node: Node, attribute: Attribute) -> Any:
        """The schema's value of an attribute that the document does not give."""
        if attribute.name not in kind.depends:
            return attribute.default
        return kind.default(attribute, partial(self.get, node))

    def given(self, node: Node, name: str) -> Any:
        """The value that the document gives, on the element or by defaults; None if it gives none."""
        kind = self.kinds[type(node)]
        attribute = kind.attributes[name]
        written = getattr(node, attribute.field)
        return kind.given(node, attribute, self.fillers(node))[0] if written is None else written


def resolve(document: Node) -> Resolved:
    """The effective values of a document: as given, by its defaults classes and by the schema's defaults."""
    from polybody.document.registry import format_of

    return Resolved(document, format_of(document))
