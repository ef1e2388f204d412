from collections.abc import Collection, Iterable, Sequence
from typing import Any

from polybody.base import Attribute, Element, Graph, Node, Rule, Text
from polybody.document.parser.tables import Table
from polybody.validation.effective import Chain, Effective

class Rules(Effective):
    """One check of one document: all rules of its format, over the format's laid-out tables."""

    declared: dict[str, dict[str, Node]]
    violations: list[tuple[Node, Element, Rule]]
    duplicates: list[tuple[Node, Element, Attribute | Text, Node]]
    references: list[tuple[Node, Element, Attribute | Text, Sequence[Any]]]
    graphs: list[tuple[Node, Element, Graph]]
    nodes: dict[str, list[Any]]
    lost: set[str]
    poisoned: set[tuple[int, str]]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = ()) -> None: ...
    def parent(self, node: Node) -> Any:
        """What a kept node stands in; None where that is nothing."""

    def chain(self, node: Node, row: Element) -> Chain | None:
        """The defaults elements that fill a node of interest; None: there are none."""

    def select(self, key: str, name: str, values: Iterable[Any]) -> list[Any]:
        """The kept nodes of a kind at which an attribute effectively is one of some keywords."""

    def having(self, key: str, name: str) -> list[Any]:
        """The kept nodes of a kind on which an attribute is written."""

    def giving(self, key: str, name: str, *others: str) -> list[list[Any]]:
        """The kept nodes of a kind at which an attribute is written or given by defaults; each with the value
        of that, and the effective values of some others.
        """

    def bare(self, key: str, *tags: str) -> list[Any]:
        """The kept nodes of a kind that have none of some children."""

    def below(self, key: str, name: str, bound: float) -> list[Any]:
        """The kept nodes of a kind at which a number, or one of several, effectively is given and less than a
        bound.
        """

    def homes(self, nodes: Iterable[Node], through: Collection[type[Node]]) -> list[Any]:
        """What kept nodes stand in, past elements of some classes, which are kept, too."""

    def lacking(
        self, key: str, name: str, by: str, needs: dict[Any, int], enough: dict[str, int]
    ) -> list[Any]:
        """The kept nodes of a kind at which a vector begins with fewer positive numbers than its shape needs.

        by, needs: the attribute whose keyword tells, and how many each keyword needs.
        enough: how many are enough where another attribute is given.
        """

    def value(self, node: Node, row: Element, name: str) -> Any:
        """The effective value of an attribute of a node of interest: one in the lists above."""

def names_in(rules: Rules, namespace: str) -> dict[str, Node | None]:
    """The names of a namespace, declared and built in, with the node that declares each."""
