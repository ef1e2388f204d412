"""Keys of elements. They depend on what a schema declares, not on the order of declarations.

The key of an element with a named complex type is the type's name, ``Geom``; if elements with several tags
have that type, the tag follows: ``JointSensor(jointpos)``. The key of any other element is its path from the
named type, group or global element that declares it: ``Mass/density``, ``shop/item``. If such a key is
ambiguous, the kind of its beginning is added: ``group::Transform/quat``, ``type::Transform/quat``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from .model import Element
from .source import XS, Node

KINDS = {
    f"{XS}complexType": "type",
    f"{XS}simpleType": "type",
    f"{XS}group": "group",
    f"{XS}attributeGroup": "attributes",
    f"{XS}element": "element",
    f"{XS}attribute": "attribute",
}
"""Components with a name that contain other declarations, and their kind in keys."""
AROUND_ALL = (f"{XS}schema", f"{XS}redefine", f"{XS}override")


class Key(NamedTuple):
    """A key, and a shorter one that is equivalent if it is unambiguous."""

    full: str
    short: str


def of_type(name: str, tag: str) -> Key:
    """The key of the elements of a tag that have a named complex type."""
    return Key(f"{name}({tag})", name)


def of_place(node: Node, tag: str, space: str) -> Key:
    """The key of an element whose type is not a named complex type.

    Args:
        node: its declaration.
        tag: its tag in documents.
        space: the prefix of names of the file's namespace: "" or a prefix with its colon.
    """
    kind, names = lineage(node)
    path = "/".join([space + names[0], *names[1:-1], tag] if names[1:] else [tag])
    return Key(f"{kind}::{path}", path)


def lineage(node: Node) -> tuple[str, tuple[str, ...]]:
    """The kind of the global component that contains a node, and the names from that one inwards."""
    names: list[str] = []
    while True:
        kind, name = KINDS.get(node.tag, ""), node.get("name")
        if kind and name is not None:
            names.append(name)
        node = node.getparent()
        if node.tag in AROUND_ALL:
            return kind, tuple(reversed(names))


def shortened(elements: Iterable[Element], short: Mapping[str, str]) -> dict[str, str]:
    """The final keys of elements by their full ones: the short one if it is unambiguous."""
    full = [element.key for element in elements]
    counts = Counter(short[key] for key in full)
    return {key: short[key] if counts[short[key]] == 1 else key for key in full}


def renamed(element: Element, keys: Mapping[str, str]) -> Element:
    """An element with other keys for itself and its children."""
    children = tuple(replace(child, element=keys[child.element]) for child in element.children)
    return replace(element, key=keys[element.key], children=children)
