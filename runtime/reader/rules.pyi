from collections.abc import Iterable
from typing import Any

from polybody.base import Attribute, Element, Graph, Node, Rule
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
    classes: dict[int, str]
    parents: dict[int, Node | None]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = (), parents: bool = False) -> None: ...
    def chain(self, node: Node, row: Element) -> tuple[Node, ...]:
        """The defaults elements that fill a node of interest, the nearest first."""

    def values(self, key: str, name: str) -> list[Any]:
        """The effective values of an attribute of all nodes of a kind that was asked for, in their order."""

    def value(self, node: Node, row: Element, name: str) -> Any:
        """The effective value of an attribute of a node of interest: one in the lists above."""

def rule_names(rule: Rule) -> list[str]:
    """The names of what a rule is about."""

def names_in(rules: Rules, namespace: str) -> dict[str, Node | None]:
    """The names of a namespace, declared and built in, with the node that declares each."""
