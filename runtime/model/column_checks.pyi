from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHECKS: tuple[str, ...]

class Rule:
    """The requirements for a given column."""

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
        most: float | None,
        open: bool,
        unit: int,
        refers: str,
        tolerance: float,
        count: int | None = None,
        total: int | None = None,
    ) -> None: ...

class Taken:
    """The columns of a Model, taken from those that were given."""

    arrays: dict[str, NDArray[Any]]
    lengths: dict[str, int]
    suspects: dict[str, list[str]]
    missing: list[str]
    others: list[str]

class ColumnChecks:
    """The requirements for all given columns."""

    def __init__(self, rules: Sequence[Rule]) -> None: ...
    def take(self, columns: dict[str, Any]) -> Taken:
        """The given columns by name, and defaults for the others."""

    def add(self, taken: Taken, name: str, array: NDArray[Any]) -> None:
        """Add a column: a read-only array of the schema's type."""

def is_frozen(array: NDArray[Any]) -> bool:
    """Whether an array's memory is a bytes object."""
