"""Arguments of edits, and what is wrong with them."""

from __future__ import annotations

from polybody.base import Node


def require_element(thing: object) -> None:
    """Raise a TypeError if something is not an element."""
    if not isinstance(thing, Node):
        hint = (
            "document.find(tag, name) returns None if there is none" if thing is None else "see document.find"
        )
        raise TypeError(f"expected an element of the document, not {thing!r:.60}; {hint}")


def require_within(document: Node, node: Node) -> None:
    """Raise a ValueError if an element is not in a document."""
    if all(node is not other for other in document.walk()):
        raise ValueError(f"<{node.TAG}> is not in the document")
