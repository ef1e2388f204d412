from collections.abc import Collection, Iterable
from typing import Any

from polybody.base import Element, Node
from polybody.document.parser.tables import Table
from polybody.validation.effective import Chain, Effective

class Kept(Effective):
    """The kept elements of one document, kind by kind."""

    nodes: dict[str, list[Any]]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = ()) -> None: ...
    def parent(self, node: Node) -> Any:
        """What a kept node is in; None where that is nothing."""

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

    def bare(self, key: str, *names: str) -> list[Any]:
        """The kept nodes of a kind that have none of some children and attributes."""

    def unsized(self, key: str, name: str, size: int) -> list[Any]:
        """The kept nodes of a kind at which a vector is not written, or not with so many numbers."""

    def column(self, key: str, name: str) -> list[Any]:
        """The effective values of an attribute at the kept nodes of a kind."""

    def words(self, key: str, name: str) -> set[str]:
        """The texts that an attribute effectively is at the kept nodes of a kind, each once."""

    def parents(self, key: str) -> list[Any]:
        """What the kept nodes of a kind are in."""

    def along(self, nodes: list[Any], key: str, tag: str, name: str) -> list[Any]:
        """What is written as an attribute of the first child with a tag at nodes of a kind, or, without a
        tag, as one of their own; None where that is nothing.
        """

    def below(self, key: str, name: str, bound: float) -> list[Any]:
        """The kept nodes of a kind at which a number, or one of several, effectively is given and less than a
        bound.
        """

    def beyond(self, key: str, name: str, bound: float) -> list[Any]:
        """The kept nodes of a kind at which a number is written and its size exceeds a bound."""

    def unbalanced(self, key: str, name: str) -> list[Any]:
        """The kept nodes of a kind at which three numbers are written that are no principal moments of
        inertia: one is negative, or greater than both others together.
        """

    def homes(self, nodes: Iterable[Node], through: Collection[type[Node]]) -> list[Any]:
        """What kept nodes are in, past elements of some classes, which are kept, too."""

    def lacking(
        self, key: str, name: str, by: str, needs: dict[Any, int], enough: dict[str, int]
    ) -> list[Any]:
        """The kept nodes of a kind at which a vector begins with fewer positive numbers than its shape needs.

        by, needs: the attribute whose keyword tells, and how many each keyword needs.
        enough: how many are enough where another attribute is given.
        """

    def value(self, node: Node, row: Element, name: str) -> Any:
        """The effective value of an attribute of a node of interest: one in the lists above."""
