"""The documents of examples, and their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

INDENT = "  "
WIDTH = 100


@dataclass(eq=False)
class Node:
    """An element of a document; ``key`` is that of its definition, "" for its parent's field."""

    tag: str
    key: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    text: str = ""
    parent: Node | None = None

    def all(self, tag: str) -> list[Node]:
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Node | None:
        return next((child for child in self.children if child.tag == tag), None)

    def inside(self) -> Iterator[Node]:
        """The element and all its descendants."""
        yield self
        for child in self.children:
            yield from child.inside()

    def around(self) -> Iterator[Node]:
        """The element and its ancestors, nearest first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent


def printed(node: Node, shown: Node) -> tuple[str, tuple[int, int]]:
    """The document as text, and the first and the last line of one of its elements, counted from 1."""
    lines: list[str] = []
    span = (1, 1)

    def put(node: Node, indent: str) -> None:
        nonlocal span
        first = len(lines) + 1
        lines.extend(_start(node, indent))
        if node.text:
            lines[-1] += f">{escape(node.text)}</{node.tag}>"
        elif node.children:
            lines[-1] += ">"
            for child in node.children:
                put(child, indent + INDENT)
            lines.append(f"{indent}</{node.tag}>")
        else:
            lines[-1] += "/>"
        if node is shown:
            span = (first, len(lines))

    put(node, "")
    return "\n".join(lines) + "\n", span


def _start(node: Node, indent: str) -> list[str]:
    """The start tag without its end; attributes continue on the next line if a line would be too long."""
    lines = [f"{indent}<{node.tag}"]
    for name, value in node.attributes.items():
        word = f" {name}={quoteattr(value)}"
        if len(lines[-1]) + len(word) > WIDTH and lines[-1].strip() != f"<{node.tag}":
            lines.append(" " * len(f"{indent}<{node.tag}"))
        lines[-1] += word
    return lines
