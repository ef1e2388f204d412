"""Which elements are in which scope of names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from polybody.base import Format, Node, children_of
from polybody.base.children import found_below, grouped_below
from polybody.document.naming import Naming


class Part(NamedTuple):
    """The elements of a scope, as in `Scope`, without the document's own."""

    form: Format
    around: int
    """Index of the surrounding scope; -1: none."""
    element: int
    """The ``id`` of the scope's element; 0: none."""
    declares: dict[type[Node], list[Any]]
    users: dict[type[Node], list[Any]]


def parts_of(document: Node, form: Format, naming: Naming, tables: Any) -> list[Part]:
    if not naming.scopes:
        groups = grouped_below(document, {type(document): False, **tables.classes})
        if groups.get(type(document), [None])[0] is document:
            del groups[type(document)][0]
        return [Part(form, -1, 0, groups, {})]
    parts = [Part(form, -1, 0, {}, {})]
    todo = [(document, 0)]
    while todo:
        node, scope = todo.pop()
        own = scope
        inside = scope and node.TAG in naming.joins
        if tables.scopes.get(type(node)) and not inside:
            own = len(parts)
            parts.append(Part(form, scope, id(node), {}, {}))
        if node is not document and (type(node) in tables.classes or own != scope):
            _group((node,), parts[scope].declares)
            if own != scope:
                _group((node,), parts[own].users)
        below = []
        for child in children_of(node):
            outer = own != scope and child.TAG in naming.outer
            if type(child) in tables.scopes:
                below.append((child, own))
            elif type(child) in tables.inner:
                _group(found_below(child, tables.inner), parts[scope if outer else own].declares)
        todo.extend(reversed(below))
    return parts


def _group(nodes: Iterable[Node], groups: dict[type[Node], list[Any]]) -> None:
    for node in nodes:
        groups.setdefault(type(node), []).append(node)
