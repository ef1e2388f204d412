from typing import Any

from polybody.base import Node
from polybody.document.parser.tables import Table
from polybody.document.sources import Limits

class Inspection:
    """One inspection of one document; `faults` are tuples of the kind of fault, the element, and details."""

    faults: list[tuple[Any, ...]]
    replaced: list[tuple[Node, str, Any]]
    removed: list[tuple[Node, Node]]
    includes: list[Any]
    unplaced: bool
    cut: bool
    differs: bool
    def __init__(self, table: Table, root: Node, limits: Limits) -> None: ...
