"""Elements of a document by XPath, and edits that update references: renaming and deleting."""

from __future__ import annotations

from typing import Any

from polybody.base import Child, Node, OneOf, Required, Text
from polybody.document.references import References, Use
from polybody.document.registry import format_of
from polybody.document.selecting import select


def xpath(document: Node, path: str) -> Any:
    """Evaluate an XPath 1.0 expression on a document.

        pb.xpath(document, "//geom[@type='box']/..")
        pb.xpath(document, "count(//joint)")

    Attributes have the values of the document, in canonical spelling.

    Returns:
        A list of elements and texts, or a number, string or boolean.

    Raises:
        ValueError: it is not a valid XPath expression.
        TypeError: ``document`` is not a document.
    """
    return select(document, format_of(document), path)


def rename(document: Node, node: Node, name: str) -> int:
    """Rename an element of a document, and change all references to it.

        pb.rename(document, document.find("body", "torso"), "trunk")

    Names in files that the document includes are not changed. `polybody.validate` says whether the document
    is still valid.

    Returns:
        The number of changed references.

    Raises:
        TypeError: ``document`` or ``node`` is not an element.
        ValueError: the element is not in the document, has no name, or another element already has the new
            name.
    """
    form = format_of(document)
    _require_element(node)
    references = References(document, form)
    if id(node) not in references.scopes:
        raise ValueError(f"<{node.TAG}> is not in the document")
    declared = references.declared(node)
    if declared is None:
        raise ValueError(f"<{node.TAG}> has no name")
    row, kind = declared
    taken = references.scopes[id(node)].names.get(kind, {}).get(name)
    if taken is not None and taken is not node:
        where = f" at {taken.place}" if taken.place else ""
        raise ValueError(f"there is another <{taken.TAG}> named {name!r}{where}")
    uses = [use for use in references.uses() if use.target is node]
    # In a formula, a change moves the text after it.
    for use in sorted(uses, key=lambda use: use.part, reverse=True):
        setattr(use.node, use.row.field, references.renamed(use, name))
    setattr(node, row.field, name)
    return len(uses)


def delete(document: Node, node: Node) -> list[Node]:
    """Delete an element of a document, with its content and everything that refers to it.

    An optional attribute that refers to a deleted element is removed. An element that requires the reference
    is deleted as well, and so is its parent if that requires the element.

    Returns:
        The deleted elements, the given one first, without their descendants.

    Raises:
        TypeError: ``document`` or ``node`` is not an element.
        ValueError: the element is not in the document, or is its root.
    """
    form = format_of(document)
    _require_element(node)
    if node is document or all(node is not other for other in document.walk()):
        what = "the document's root" if node is document else "not in the document"
        raise ValueError(f"<{node.TAG}> is {what}")
    todo, deleted = [node], list[Node]()
    while todo:
        top = todo.pop(0)
        references = References(document, form)
        parent = references.parents.get(id(top)) or _parent_of_untyped(document, top)
        if parent is None:
            continue  # it was deleted together with another
        gone = {id(other) for other in top.walk()}
        for use in list(references.uses()):
            if id(use.target) in gone and id(use.node) not in gone and _words(use):
                if _needed(references, use):
                    todo.append(_whole(references, use.node))
                else:
                    setattr(use.node, use.row.field, None)
        parent.children[:] = [child for child in parent.children if child is not top]
        deleted.append(top)
    return deleted


def _require_element(thing: object) -> None:
    if not isinstance(thing, Node):
        hint = (
            "document.find(tag, name) returns None if there is none" if thing is None else "see document.find"
        )
        raise TypeError(f"expected an element of the document, not {thing!r:.60}; {hint}")


def _parent_of_untyped(document: Node, node: Node) -> Node | None:
    parents = (other for other in document.walk() if any(child is node for child in other.children))
    return next(parents, None)


def _needed(references: References, use: Use) -> bool:
    """Whether an element has no meaning without the element that it refers to."""
    row = references.row_of(use.node)
    assert row is not None
    if isinstance(use.row, Text) or use.row.required or len(_words(use)) > 1:
        return True
    for rule in row.rules:
        if isinstance(rule, OneOf) and use.row.name in rule.names:
            return True
        if isinstance(rule, Required) and use.row.name == rule.name and not rule.advised:
            return True
    return use.row.name in references.naming.chosen


def _words(use: Use) -> list[str]:
    value = getattr(use.node, use.row.field)
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _whole(references: References, node: Node) -> Node:
    """An element, or its ancestor that cannot exist without it."""
    while (parent := references.parents.get(id(node))) is not None:
        row = references.row_of(parent)
        child = None if row is None else _child(row.children, node)
        if child is None or not child.low:
            break
        node = parent
    return node


def _child(rows: tuple[Child, ...], node: Node) -> Child | None:
    return next((row for row in rows if row.tag == node.TAG), None)
