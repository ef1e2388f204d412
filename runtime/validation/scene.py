"""The document as the rules of a format see it, and their interface for reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Span
from polybody.diagnostics import Findings
from polybody.document.notations import Part
from polybody.document.registry import format_of
from polybody.validation.checker import Rules
from polybody.validation.effective import Chain
from polybody.validation.names import distinct
from polybody.validation.places import Place, places_of


class At(NamedTuple):
    """The place of a finding that is not at an element's start tag, attribute or leaf."""

    span: Span | None
    step: str = ""  # appended to the element's XPath
    holder: Node | None = None  # the node that has the value, if it is not the element


class Remark(NamedTuple):
    """A finding before it is reported."""

    code: str
    node: Node
    name: str | None
    message: str
    hint: str | None
    related: Span | None
    at: At | None


class PartScene:
    """The same as `Scene` for a document that is not XML."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def report(
        self,
        code: str,
        node: Part,
        name: str | tuple[str, ...] | None,
        message: str,
        hint: str | None = None,
        related: Span | None = None,
    ) -> None:
        """A finding at a value of a part, given by its key or the keys that lead to it, otherwise at the
        part.
        """
        keys = () if name is None else (name,) if isinstance(name, str) else name
        span, path = node.where(*keys)
        self.findings.add(
            code, span, message, xpath=path, hint=hint, source=node.source, related=related, about=node.about
        )


class Scene:
    """A document while its rules are checked.

    Findings are collected until all rules are checked. Then a single pass through the document determines
    their positions.
    """

    def __init__(self, root: Node, rules: Rules, findings: Findings) -> None:
        self.root, self.rules, self.findings = root, rules, findings
        self.format = format_of(root)
        self.rows = rows_of(self.format)
        self.homes: dict[
            int, Any
        ] = {}  # by the id of an element that only groups others: the element that contains it
        self.sizes: dict[Chain, tuple[float, ...]] = {}  # what defaults provide
        self._places: dict[int, Place] = {}
        self._remarks: list[Remark] = []
        self._counts: dict[str, int] = defaultdict(int)  # numbers of remarks by code

    # --- what is in the document --------------------------------------------------------------------------

    def nodes(self, *keys: str) -> list[Any]:
        """The elements of some kinds, which the module must list in its NODES."""
        return [node for key in keys for node in self.rules.nodes[key]]

    def value(self, node: Node, name: str) -> Any:
        """The effective value of an attribute of one of those elements."""
        return self.rules.value(node, self.rows[type(node)], name)

    def select(self, key: str, name: str, *values: Any) -> list[Any]:
        """The elements of a kind for which the effective value of an attribute is one of some keywords."""
        return self.rules.select(key, name, values)

    def having(self, key: str, name: str) -> list[Any]:
        """The elements of a kind that give an attribute."""
        return self.rules.having(key, name)

    def names(self, key: str) -> set[str]:
        """The attributes of a kind of element."""
        return names_of(self.format, key)

    def parent(self, node: Node) -> Any:
        """The parent of one of those elements."""
        return self.rules.parent(node)

    def declared(self, namespace: str) -> dict[str, Node]:
        """The elements that declare names, by name."""
        return self.rules.declared[namespace]

    # --- findings -----------------------------------------------------------------------------------------

    @property
    def full(self) -> bool:
        """Whether the limit on errors is reached, so that the check can stop."""
        return self.findings.full

    def takes(self, code: str) -> bool:
        """Whether a finding with this code would be kept; a caller can ask first to save work."""
        return self._counts[code] < self.findings.limit and self.findings.takes(code)

    def report(
        self,
        code: str,
        node: Node,
        name: str | None,
        message: str,
        hint: str | None = None,
        related: Span | None = None,
        at: At | None = None,
    ) -> None:
        """A finding at an attribute or leaf if it is given, otherwise at the element's start tag.

        related: another place that is concerned.
        """
        if self.takes(code):
            self._counts[code] += 1
            self._remarks.append(Remark(code, node, name, message, hint, related, at))

    def teller(self, node: Node, name: str | None) -> Callable[..., None]:
        """A function that reports a code, a message and optionally a hint about a value of an element."""

        def tell(code: str, message: str, hint: str | None = None) -> None:
            self.report(code, node, name, message, hint)

        return tell

    def look_for(self, nodes: Iterable[Node]) -> None:
        """Determine the positions of elements, all in one pass."""
        unknown = [node for node in nodes if id(node) not in self._places]
        self._places.update((id(place.node), place) for place in places_of(self.root, unknown))

    def place(self, node: Node) -> Place:
        """The position of an element that was passed to `look_for`."""
        return self._places[id(node)]

    def tell(self) -> None:
        """Turn the collected reports into findings."""
        remarks, self._remarks = self._remarks, []
        self.look_for(remark.node for remark in remarks)
        for code, node, name, message, hint, related, at in remarks:
            if not self.findings.takes(code):
                continue
            where = self._at(node, name) if at is None else at
            place = self._places.get(id(node))
            xpath = "" if place is None else place.xpath() + where.step
            about = "" if place is None else place.owner()
            self.findings.add(
                code, where.span, message, xpath=xpath, hint=hint, source=(where.holder or node).source,
                related=related, about=about,
            )  # fmt: skip

    def _at(self, node: Node, name: str | None) -> At:
        if name is None:
            return At(node.span)
        row = self.rows.get(type(node))  # not in files of another format
        value = None if row is None else attributes_of(row).get(name)
        if value is None:
            return At(node.attribute_span(name), f"/@{name}")
        return At(node.value_span(value), f"/{'' if value.leaf else '@'}{name}")


def again(nodes: Iterable[Any], names: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The nodes with the name of an earlier node, each with the first of that name; None is not a name."""
    if distinct(names):
        return
    first: dict[Any, Any] = {}
    for node, name in zip(nodes, names, strict=True):
        if name is not None and first.setdefault(name, node) is not node:
            yield node, first[name]


@cache
def rows_of(form: Format) -> dict[type[Node], Element]:
    """The rows of a format's elements by class."""
    return {row.cls: row for row in form.elements.values()}


@cache
def names_of(form: Format, key: str) -> set[str]:
    return {attribute.name for attribute in form.elements[key].attributes}


def attributes_of(row: Element) -> dict[str, Attribute]:
    """The attributes and leaves of a kind of element by name."""
    return {attribute.name: attribute for attribute in row.attributes}
