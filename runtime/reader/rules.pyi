from collections.abc import Iterable
from typing import Any

from polybody.base import Attribute, Element, Format, Graph, Node, Rule
from polybody.reader.tables import Table

class Rules:
    """One check of one document: all rules of its format, over the format's laid-out tables."""

    declared: dict[str, dict[str, Node]]
    violations: list[tuple[Node, Element, Rule]]
    duplicates: list[tuple[Node, Element, Attribute, Node]]
    references: list[tuple[Node, Element, Attribute]]
    graphs: list[tuple[Node, Element, Graph]]
    nodes: dict[str, list[Any]]
    lost: set[str]
    fillers: dict[str, Node]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = ()) -> None: ...

def rule_names(rule: Rule) -> list[str]:
    """The names of what a rule is about."""

def names_in(rules: Rules, namespace: str) -> dict[str, Node | None]:
    """The names of a namespace, declared and built in, with the node that declares each."""

def fillers_of(format: Format, root: Node) -> dict[str, Node]:
    """For each kind of element that a defaults element of this document fills: that defaults element."""
