"""The table of a Model's candidate pairs, and its contacts at given poses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.collision.flex_table import FlexTable

CONTACT: np.dtype[np.void]
FUNCTIONS: list[list[bool]]
PLACES: Mapping[str, int]
Rows = NDArray[Any]

def registers() -> list[int]: ...
def choose_registers(size: int) -> None: ...
def mix(collisions: NDArray[np.uint64], explicit: int) -> None: ...

class CollisionTable:
    """The candidate pairs of a Model with their contact parameters. Immutable; shared by all simulations."""

    work_bytes: int
    searched: bool
    def __init__(
        self,
        facts: Mapping[str, Any],
        geoms: Rows,
        manners: Rows,
        listed: Rows,
        swept: ArrayLike,
        exclude: ArrayLike,
        paired: ArrayLike,
        meshes: Sequence[Any],
        fields: tuple[Rows, Mapping[int, Callable[[Rows], Rows]]],
        trees: Mapping[int, Any],
        sides: Mapping[int, Any],
    ) -> None: ...
    def plant(self, trees: Mapping[int, Any]) -> None: ...
    @property
    def listed(self) -> Rows: ...
    @property
    def geoms(self) -> Rows: ...
    @property
    def swept(self) -> Rows: ...
    @property
    def manners(self) -> Rows: ...
    def attach(self, flexes: FlexTable) -> None: ...
    @property
    def struct(self) -> bytes: ...
    @property
    def address(self) -> int: ...
    @property
    def flexes(self) -> FlexTable | None: ...
    def contacts(self, geom_xpos: ArrayLike, geom_xmat: ArrayLike, flexvert_xpos: ArrayLike = ()) -> Rows: ...
    def fill(
        self,
        geom_xpos: NDArray[np.float64],
        geom_xmat: NDArray[np.float64],
        flexvert_xpos: NDArray[np.float64],
        work: NDArray[np.uint8],
        space: NDArray[np.uint8],
    ) -> int: ...
    def rays(
        self, geom_xpos: ArrayLike, geom_xmat: ArrayLike, starts: Rows, directions: Rows, counted: Rows
    ) -> tuple[Rows, NDArray[np.int32]]: ...
    def distance(
        self, geom1: int, geom2: int, geom_xpos: ArrayLike, geom_xmat: ArrayLike, cutoff: float
    ) -> tuple[float, Rows]: ...
