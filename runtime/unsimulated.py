"""What a document says that the simulation does not take up, with the reason and every place."""

from __future__ import annotations

from typing import NamedTuple

from polybody.base import Element, Format, Node, Span, Status
from polybody.formats import format_of


class Unsimulated(NamedTuple):
    """An element, or an attribute of it, that stands in the document without moving anything."""

    element: str
    attribute: str
    reason: str
    places: tuple[Span | None, ...]

    @property
    def what(self) -> str:
        """As a reader would look for it."""
        return f'<{self.element} {self.attribute}="...">' if self.attribute else f"<{self.element}>"


def unsimulated(document: Node) -> list[Unsimulated]:
    """Everything written in the document whose status in the schema is not "simulated"."""
    form = format_of(document)
    found: dict[tuple[str, str, str], list[Span | None]] = {}
    stack: list[tuple[Node, Element]] = [(document, form.elements[form.root])]
    while stack:
        node, row = stack.pop()
        if row.status is not Status.SIMULATED:
            found.setdefault((row.tag, "", row.reason), []).append(node.span)
        else:
            for attribute in row.attributes:
                written = getattr(node, attribute.field) is not None
                if written and attribute.status is not Status.SIMULATED:
                    place = node.attribute_span(attribute.name, *attribute.aliases)
                    found.setdefault((row.tag, attribute.name, attribute.reason), []).append(place)
        rows = _children(form, row)
        stack.extend((child, rows[child.TAG]) for child in reversed(node.children))
    return [Unsimulated(*key, tuple(places)) for key, places in sorted(found.items())]


def _children(form: Format, row: Element) -> dict[str, Element]:
    return {child.tag: form.elements[child.element] for child in row.children}
