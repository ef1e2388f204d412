from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

def reals(parts: Sequence[Any], field: str, width: int = 0) -> Reals:
    """A column of doubles: (n, width), or (n,) of single numbers."""

def singles(parts: Sequence[Any], field: str, width: int = 0) -> NDArray[np.float32]:
    """A column of 32-bit numbers: (n, width), or (n,) of single numbers."""

def integers(parts: Sequence[Any], field: str, width: int = 0) -> NDArray[np.int32]:
    """A column of 32-bit integers: (n, width), or (n,) of single numbers."""

def flags(parts: Sequence[Any], field: str) -> NDArray[np.uint8]:
    """A column of bytes that are 1 where something is true, (n,)."""

def given(parts: Sequence[Any], field: str) -> Reals | None:
    """A column of numbers, 0 for None; None where no part has another number than 0."""

def units(parts: Sequence[Any], field: str) -> Reals:
    """A column of unit quaternions, (n, 4), along those that parts have."""

def ranges(parts: Sequence[Any], field: str) -> tuple[NDArray[np.uint8], Reals]:
    """Whether parts have bounds, and these: flags (n,) and numbers (n, 2)."""

def listed(parts: Sequence[Any], field: str, otherwise: Callable[[Any], Sequence[float]]) -> Reals:
    """The numbers of all parts one after another; of a part with None what ``otherwise`` gives of it."""

def per_dof(
    joints: Sequence[Any], field: str, counts: Sequence[int], otherwise: Callable[[Any, str], Sequence[float]]
) -> Reals:
    """The numbers of joints for each degree of freedom, (n,); each joint has as many as ``counts`` says."""

def inertias(parts: Sequence[Any]) -> tuple[Reals, Reals | None, Reals | None]:
    """Inertia matrices of bodies, (n, 3, 3), with principal moments and axes where all are diagonal."""

def extents(geoms: Sequence[Any]) -> tuple[Reals, Reals, Reals]:
    """Of shapes their sizes (n, 3), boxes around them (n, 6), and balls around their origins (n,), m."""

def values(parts: Sequence[Any], field: str) -> tuple[Any, ...]:
    """What parts have in a field, as it is."""

def places(nodes: Iterable[Any]) -> tuple[str, ...]:
    """Where elements are written, as path:line:column; "" for None and for those that no file has."""

def texts(paths: list[str], positions: list[int | None]) -> tuple[str, ...]:
    """The same from what `written` gives."""

def written(nodes: Iterable[Any]) -> tuple[list[str], list[int | None]]:
    """What tells where elements are written, and keeps none of them."""

def numbered(parts: Iterable[Any]) -> dict[Any, int]:
    """The rows of parts."""

def depth_first(bodies: Iterable[Any], world: Any) -> list[Any]:
    """The world and the bodies that it carries, at any depth: each before those that it carries."""

def owners(parts: Iterable[Any], field: str) -> NDArray[np.int32]:
    """The row of each part that parts have in a field: that of the one that has it."""

def flattened(parts: Iterable[Any], field: str) -> list[Any]:
    """The parts that parts have in a field, one after another."""
