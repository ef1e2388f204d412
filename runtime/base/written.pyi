from collections.abc import Set
from typing import Any

from polybody.base.node import Node

def written(node: Node) -> dict[str, Any]:
    """What is written on an element, by field, in the schema's order: a new dict, which can be changed."""

def writes(node: Node, names: Set[str]) -> bool:
    """Whether a field of one of some names is written on an element."""
