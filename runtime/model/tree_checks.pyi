from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

TREE: int
COORDINATES: int
PHYSICS: int

class TreeChecks:
    """The requirements for the columns of the tree."""

    def __init__(self, sizes: Sequence[tuple[int, int]], free: int, triangle: float, unit: float) -> None: ...
    def suspects(self, arrays: dict[str, NDArray[Any]]) -> int:
        """Which of TREE, COORDINATES and PHYSICS the columns may violate, as bits."""

def rows_by_name(rows: Sequence[Any]) -> dict[str, int] | None:
    """The rows of a kind by name; None if a name may be invalid or occurs twice."""
