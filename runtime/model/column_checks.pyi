from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHECKS: tuple[str, ...]

class Rule:
    """What a given column must be."""

    name: str
    axis: str
    wide: str
    refers: str
    def __init__(
        self,
        name: str,
        axis: str,
        dtype: np.dtype[Any],
        shape: tuple[int, ...] | None,
        wide: str,
        default: bytes | None,
        unsaid: NDArray[Any] | None,
        codes: Sequence[int] | None,
        flag: bool,
        least: float | None,
        open: bool,
        unit: int,
        refers: str,
        tolerance: float,
    ) -> None: ...

class Taken:
    """Columns that were taken over."""

    arrays: dict[str, NDArray[Any]]
    lengths: dict[str, int]
    suspects: dict[str, list[str]]
    missing: list[str]
    others: list[str]

class ColumnChecks:
    """What all given columns must be."""

    def __init__(self, rules: Sequence[Rule]) -> None: ...
    def take(self, columns: dict[str, Any]) -> Taken:
        """The columns that are given, by name, and those that say nothing."""

    def add(self, taken: Taken, name: str, array: NDArray[Any]) -> None:
        """Put a column among those taken: an array of the schema's type that nobody can write."""

def is_frozen(array: NDArray[Any]) -> bool:
    """Whether the numbers of an array are in a bytes object."""
