"""The elements of a document, with include elements replaced by the content of their files."""

from __future__ import annotations

from typing import Any

from polybody.base import Node, children_of
from polybody.generated.formats.mjcf import Include


def flat(node: Node | None) -> list[Any]:
    """The children of an element in the document's order, with include elements replaced by their content."""
    if node is None:
        return []
    found = list(children_of(node))
    if Include not in map(type, found):
        return found
    stack, found = [iter(found)], []
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif not isinstance(child, Include):
            found.append(child)
        elif child.content is not None:
            stack.append(iter(children_of(child.content)))
    return found
