from collections.abc import Sequence
from typing import Any

from polybody.base.node import Node

class Kinds:
    """The kinds of children that an element class allows, and the element's own tag."""

    tag: str
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    many: tuple[bool, ...]
    ordered: bool
    def __init__(self, cls: type) -> None: ...
    def descriptors(self) -> dict[str, Any]:
        """For each field, the descriptor of the attribute of nodes."""

class Children(list[Any]):
    """All children of one node, in the document's order."""

class ChildList(list[Any]):
    """The children of one kind of one node."""

def place_children(cls: type) -> None:
    """Set the class of nodes; `_children` is the slot in which its instances store their children."""

def all_children(node: Node) -> list[Node]:
    """The list of all children of a node, created on first access."""

def children_of(node: Node) -> Sequence[Any]:
    """The children of a node, read-only; no list is created if there are none."""

def held(node: Node, field: str) -> list[Any]:
    """The children in one field of a node, read-only; empty if the node has no such field."""

def fields_held(node: Node) -> set[str]:
    """The fields of a node in which there are children."""

def grouped(node: Node) -> list[Node]:
    """The children of a node by kind, in the schema's order; those of one kind in the document's order."""

def found_below(root: Node, classes: dict[type, bool]) -> list[Node]:
    """The elements of some classes in a subtree, including its root, in the document's order.

    Args:
        root: the root of the subtree.
        classes: the classes whose elements are searched, and whether they are part of the result.
    """

def grouped_below(root: Node, classes: dict[type, bool]) -> dict[type, list[Any]]:
    """The elements of `found_below`, by class; those of one class in the document's order."""

def note(root: Node, about: Any) -> None:
    """Keep something about the elements below another, which must not refer to that element itself. Only the
    last note is kept, until the element is gone.
    """

def noted_about(root: Node) -> Any:
    """What is noted about the elements below another; None if there is nothing, or if the children of any
    element changed since.
    """
