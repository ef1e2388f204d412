"""What the rules of one format ask of a document, and how they report."""

from __future__ import annotations

from functools import cache
from typing import Any

from polybody.base import Element, Format, Node, Span
from polybody.diagnostics import Findings
from polybody.document.registry import format_of
from polybody.validation.checker import Rules
from polybody.validation.effective import Chain


class Scene:
    """A document while its format's own rules look at it."""

    def __init__(self, root: Node, rules: Rules, findings: Findings) -> None:
        self.root, self.rules, self.findings = root, rules, findings
        self.format = format_of(root)
        self.rows = rows_of(self.format)
        self.homes: dict[int, Any] = {}  # by the id of what only holds others together: what that is in
        self.sizes: dict[Chain, tuple[float, ...]] = {}  # what defaults give

    def nodes(self, *keys: str) -> list[Any]:
        """The elements of some kinds, which the module lists in its NODES."""
        return [node for key in keys for node in self.rules.nodes[key]]

    def value(self, node: Node, name: str) -> Any:
        """The effective value of an attribute of one of those elements."""
        return self.rules.value(node, self.rows[type(node)], name)

    def select(self, key: str, name: str, *values: Any) -> list[Any]:
        """The elements of a kind at which an attribute effectively is one of some keywords."""
        return self.rules.select(key, name, values)

    def having(self, key: str, name: str) -> list[Any]:
        """The elements of a kind on which an attribute is written."""
        return self.rules.having(key, name)

    def names(self, key: str) -> set[str]:
        """The attributes of a kind of element."""
        return names_of(self.format, key)

    def parent(self, node: Node) -> Any:
        """What one of those elements stands in."""
        return self.rules.parent(node)

    def declared(self, namespace: str) -> dict[str, Node]:
        """The elements that declare names, by their names."""
        return self.rules.declared[namespace]

    def report(
        self,
        code: str,
        node: Node,
        name: str | None,
        message: str,
        hint: str | None = None,
        related: Span | None = None,
    ) -> None:
        """A finding at an attribute as written, else at the element."""
        if not self.findings.takes(code):
            return
        span = node.span if name is None else node.attribute_span(name)
        self.findings.add(code, span, message, hint=hint, source=node.source, related=related)


@cache
def rows_of(form: Format) -> dict[type[Node], Element]:
    """The rows of a format's elements by their classes."""
    return {row.cls: row for row in form.elements.values()}


@cache
def names_of(form: Format, key: str) -> set[str]:
    return {attribute.name for attribute in form.elements[key].attributes}
