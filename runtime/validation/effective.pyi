from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from polybody.base import Format, Node
from polybody.document.defaults import Filling
from polybody.document.parser.tables import Table

T = TypeVar("T")

class Chain:
    """What the defaults elements of one class, and of those around it, give to one kind of element."""

    own: tuple[Any, ...]
    above: Chain | None
    def giver(self, index: int) -> Node | None:
        """The defaults element that gives an attribute, by its place in the table; None: there is none."""

    def __iter__(self) -> Iterator[Any]:
        """The defaults elements, the nearest first."""

    def folded(self, memo: dict[Chain, T], start: T, step: Callable[[tuple[Any, ...], T], T]) -> T:
        """What ``step(own, what is made of those above)`` makes of the chain, each part of which ``memo``
        keeps.
        """

class Effective:
    """The effective values of one document."""

    format: Format
    filling: Filling
    def __init__(self, table: Table, root: Node, *_: Any) -> None: ...
    def filler(self, key: str) -> Any:
        """The nearest defaults element that fills a kind of element without a class; None: there is none."""
