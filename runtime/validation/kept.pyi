from collections.abc import Collection, Iterable
from typing import Any

from polybody.base import Element, Node
from polybody.document.parser.tables import Table
from polybody.validation.effective import Chain, Effective

class Kept(Effective):
    """The kept elements of one document, by kind."""

    nodes: dict[str, list[Any]]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = ()) -> None: ...
    def parent(self, node: Node) -> Any:
        """The parent of a kept node, or None."""

    def chain(self, node: Node, row: Element) -> Chain | None:
        """The defaults elements that apply to a node of interest, or None."""

    def select(self, key: str, name: str, values: Iterable[Any]) -> list[Any]:
        """The kept nodes of a kind whose effective value of an attribute is one of some keywords."""

    def having(self, key: str, name: str) -> list[Any]:
        """The kept nodes of a kind on which an attribute is written."""

    def giving(self, key: str, name: str, *others: str) -> list[list[Any]]:
        """The kept nodes of a kind on which an attribute is written or has a default; each with that value,
        and the effective values of some other attributes.
        """

    def bare(self, key: str, *names: str) -> list[Any]:
        """The kept nodes of a kind without any of some children and attributes."""

    def unsized(self, key: str, name: str, size: int) -> list[Any]:
        """The kept nodes of a kind on which a vector is not written, or has another size."""

    def column(self, key: str, name: str) -> list[Any]:
        """The effective values of an attribute of the kept nodes of a kind."""

    def words(self, key: str, name: str) -> set[str]:
        """The distinct effective values of a text attribute of the kept nodes of a kind."""

    def parents(self, key: str) -> list[Any]:
        """The parents of the kept nodes of a kind."""

    def along(self, nodes: list[Any], key: str, tag: str, name: str) -> list[Any]:
        """The written values of an attribute of the first child with a tag of nodes of a kind or, without a
        tag, of an attribute of the nodes themselves; None where nothing is written.
        """

    def below(self, key: str, name: str, bound: float) -> list[Any]:
        """The kept nodes of a kind with an effective number, or one of several, below a bound."""

    def beyond(self, key: str, name: str, bound: float) -> list[Any]:
        """The kept nodes of a kind on which a number is written whose absolute value exceeds a bound."""

    def unbalanced(self, key: str, name: str) -> list[Any]:
        """The kept nodes of a kind on which three numbers are written that cannot be principal moments of
        inertia: one is negative, or greater than the sum of the other two.
        """

    def homes(self, nodes: Iterable[Node], through: Collection[type[Node]]) -> list[Any]:
        """The nearest ancestors of kept nodes that are not of some classes, whose elements are kept as
        well.
        """

    def lacking(
        self, key: str, name: str, by: str, needs: dict[Any, int], enough: dict[str, int]
    ) -> list[Any]:
        """The kept nodes of a kind whose vector begins with fewer positive numbers than its shape needs.

        by, needs: the attribute with the shape, and the number that each keyword needs.
        enough: by the names of other attributes, the number that is sufficient if that attribute is given.
        """

    def value(self, node: Node, row: Element, name: str) -> Any:
        """The effective value of an attribute of a node of interest: one in the lists above."""
