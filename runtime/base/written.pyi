from collections.abc import Set
from typing import Any

from polybody.base.node import Node

def written(node: Node) -> dict[str, Any]:
    """The attributes written on an element, by field, in the schema's order: a new dict."""

def writes(node: Node, names: Set[str]) -> bool:
    """Whether any field of these names is written on an element."""
