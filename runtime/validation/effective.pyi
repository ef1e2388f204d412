from typing import Any

from polybody.base import Format, Node
from polybody.document.defaults import Filling
from polybody.document.parser.tables import Table

class Effective:
    """The effective values of one document."""

    format: Format
    filling: Filling
    def __init__(self, table: Table, root: Node, *_: Any) -> None: ...
    def filler(self, key: str) -> Any:
        """The nearest defaults element that fills a kind of element without a class; None: there is none."""
