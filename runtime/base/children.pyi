from collections.abc import Sequence
from typing import Any

from polybody.base.node import Node

class Kinds:
    """The kinds of children that an element class takes, and the tag by which it is itself taken."""

    tag: str
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    many: tuple[bool, ...]
    ordered: bool
    def __init__(self, cls: type) -> None: ...
    def descriptors(self) -> dict[str, Any]:
        """For each field what gives a node its attribute."""

class Children(list[Any]):
    """All children of one node, in the document's order."""

class ChildList(list[Any]):
    """The children of one kind of one node."""

def place_children(cls: type) -> None:
    """Note where nodes of a class, and of those derived from it, keep their children: `_children`."""

def all_children(node: Node) -> list[Node]:
    """The list of all children of a node, made when first asked for."""

def children_of(node: Node) -> Sequence[Any]:
    """The children of a node, to be read only: no list is made where there are none."""

def held(node: Node, field: str) -> list[Any]:
    """The children in one field of a node, to be read only; none where the node has no such field."""

def grouped(node: Node) -> list[Node]:
    """The children of a node by their kinds, in the schema's order; those of a kind in the document's."""

def found_below(root: Node, classes: dict[type, bool]) -> list[Node]:
    """The elements of some classes among an element and all below it, in the document's order.

    Args:
        root: where the search begins.
        classes: whether elements of a class are wanted; it goes on below those that are here.
    """
