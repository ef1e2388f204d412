from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from polybody.base import Format, Node
from polybody.document.defaults import Filling
from polybody.document.parser.tables import Table

T = TypeVar("T")

class Chain:
    """The defaults of one kind of element in a defaults class and its parent classes."""

    own: tuple[Any, ...]
    above: Chain | None
    def __iter__(self) -> Iterator[Any]:
        """The defaults elements, the nearest first."""

    def folded(self, memo: dict[Chain, T], start: T, step: Callable[[tuple[Any, ...], T], T]) -> T:
        """Reduce the chain from its end by ``step(own, result of the part above)``; ``memo`` caches the
        result of each part.
        """

class Effective:
    """The effective values of one document."""

    format: Format
    filling: Filling
    def __init__(self, table: Table, root: Node, *_: Any) -> None: ...
    def filler(self, key: str) -> Any:
        """The nearest defaults element for a kind of element without a class; or None."""
