"""The constraints of one simulation: memory, and the function that kernels call."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.collision.table import CollisionTable

MODEL: tuple[tuple[str, str], ...]
DTYPES: dict[str, Any]
DATA: tuple[str, ...]
FACTS: tuple[str, ...]
LEAVES: tuple[str, ...]

class ModelTables:
    collisions: CollisionTable | None
    def __init__(
        self,
        columns: Mapping[str, NDArray[Any]],
        facts: Mapping[str, int],
        collisions: CollisionTable | None,
    ) -> None: ...
    @property
    def address(self) -> int: ...

class Solver:
    def __init__(
        self, tables: ModelTables, arrays: Mapping[str, NDArray[Any]], eq_active: NDArray[np.uint8]
    ) -> None: ...
    @property
    def function(self) -> int: ...
    @property
    def address(self) -> int: ...
    @property
    def taking(self) -> int: ...
    @property
    def layout(self) -> int: ...
    @property
    def counts(self) -> tuple[int, int, int, int, int]: ...
    @property
    def iterations(self) -> list[int]: ...
    def clear(self) -> None: ...
    def contact(self) -> NDArray[Any]: ...
    def contact_force(self, number: int) -> NDArray[np.float64]: ...
    def row(self, name: str) -> NDArray[Any]: ...
    def jacobian(self) -> NDArray[np.float64]: ...
