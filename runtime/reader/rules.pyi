from collections.abc import Iterable
from typing import Any

from polybody.base import Attribute, Element, Format, Node, Rule
from polybody.reader.tables import Table

class Rules:
    """One check of one document: all rules of its format, over the format's laid-out tables."""

    declared: dict[str, dict[str, Node]]
    violations: list[tuple[Node, Element, Rule]]
    duplicates: list[tuple[Node, Element, Attribute, Node]]
    references: list[tuple[Node, Element, Attribute]]
    nodes: dict[str, list[Any]]
    fillers: dict[str, Node]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = ()) -> None: ...

def rule_names(rule: Rule) -> list[str]:
    """The attributes that a rule is about."""

def fillers_of(format: Format, root: Node) -> dict[str, Node]:
    """For each kind of element that a defaults element of this document fills: that defaults element."""
