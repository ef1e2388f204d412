"""What stands in a document, read fast: written attributes, and children with those of included files."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import Any

from polybody.base import Node, children_of
from polybody.generated.formats.mjcf import Include

Values = dict[str, Any]


@cache
def _fields(cls: Any) -> tuple[tuple[str, ...], Any]:
    names = cls.FIELDS
    return names, attrgetter(*names) if len(names) > 1 else None


def written(node: Node) -> Values:
    """What is written on an element, by field."""
    cls: Any = type(node)
    names, get = _fields(cls)
    if get is None:
        return {name: value for name in names if (value := getattr(node, name)) is not None}
    return {name: value for name, value in zip(names, get(node)) if value is not None}  # noqa: B905


def flat(node: Node | None) -> list[Any]:
    """The children of an element in the document's order, with those of included files in their place."""
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
