from collections.abc import Set
from typing import Any

from polybody.base.node import Node

def written(node: Node) -> dict[str, Any]:
    """The attributes written on an element, by field, in the schema's order: a new dict."""

def writes(node: Node, names: Set[str]) -> bool:
    """Whether any field of these names is written on an element."""

def containing(nodes: list[Any], word: str) -> list[Any]:
    """Those of some elements without a schema whose text, or the value of an attribute, contains a word."""
