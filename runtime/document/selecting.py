"""Elements of a document by XPath: lxml evaluates the expression on a copy of the document."""

from __future__ import annotations

from typing import Any

from polybody.base import Element, Format, Node, Untyped, children_of
from polybody.document import writer


def select(document: Node, form: Format, path: str) -> Any:
    """The result of an XPath 1.0 expression; see `polybody.xpath`."""
    from lxml import etree

    rows = {row.cls: row for row in form.elements.values()}
    spaces: dict[str, str] = {}
    nodes: dict[Any, Node] = {}
    top = etree.Element(_name(document.TAG, spaces))
    todo = [(document, top)]
    while todo:
        node, shadow = todo.pop()
        nodes[shadow] = node
        _fill(node, rows, shadow, spaces)
        todo += [(child, etree.SubElement(shadow, _name(child.TAG, spaces))) for child in children_of(node)]
    try:
        found: Any = top.getroottree().xpath(path, namespaces=spaces or None)
    except etree.XPathError as error:
        raise ValueError(f"invalid XPath {path!r}: {error}") from None
    if not isinstance(found, list):
        return found
    return [nodes.get(item, item.text) if hasattr(item, "tag") else str(item) for item in found]


def _fill(node: Node, rows: dict[type[Node], Element], shadow: Any, spaces: dict[str, str]) -> None:
    """Fill a copy of an element with its attributes, leaves and text."""
    from lxml import etree

    if isinstance(node, Untyped):
        shadow.text = node.text
        for name, text in node.attributes.items():
            shadow.set(_name(name, spaces), text)
        return
    row = rows[type(node)]
    for attribute in row.attributes:
        value = getattr(node, attribute.field)
        if value is None:
            continue
        text = writer.lexical(value, row, attribute)
        if attribute.leaf:
            etree.SubElement(shadow, _name(attribute.name, spaces)).text = text
        elif not attribute.name.startswith("xmlns"):
            shadow.set(_name(attribute.name, spaces), text)
    if row.text is not None and getattr(node, row.text.field) is not None:
        shadow.text = writer.lexical(getattr(node, row.text.field), row, row.text)


def _name(name: str, spaces: dict[str, str]) -> str:
    """A name in lxml's notation; each prefix stands for a separate namespace."""
    prefix, colon, local = name.rpartition(":")
    if not colon:
        return name
    return f"{{{spaces.setdefault(prefix, f'urn:{prefix}')}}}{local}"
