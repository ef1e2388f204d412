from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

def reals(parts: Sequence[Any], field: str, width: int = 0) -> Reals:
    """A column of doubles, (n, width), or (n,) for scalars."""

def singles(parts: Sequence[Any], field: str, width: int = 0) -> NDArray[np.float32]:
    """A column of 32-bit floats, (n, width), or (n,) for scalars."""

def integers(parts: Sequence[Any], field: str, width: int = 0) -> NDArray[np.int32]:
    """A column of 32-bit integers, (n, width), or (n,) for scalars."""

def flags(parts: Sequence[Any], field: str) -> NDArray[np.uint8]:
    """A column of flags as bytes, (n,)."""

def given(parts: Sequence[Any], field: str) -> Reals | None:
    """A column of numbers, 0 for None; None if all of them are 0."""

def units(parts: Sequence[Any], field: str) -> Reals:
    """A column of unit quaternions, (n, 4): the parts' quaternions, normalised."""

def ranges(parts: Sequence[Any], field: str, enabled: str | None = None) -> tuple[NDArray[np.uint8], Reals]:
    """Whether parts have bounds, (n,), and the bounds, (n, 2). ``enabled``: a field that tells whether they
    count.
    """

def listed(parts: Sequence[Any], field: str, otherwise: Callable[[Any], Sequence[float]]) -> Reals:
    """The numbers of all parts, concatenated; if a part has None, those that ``otherwise`` returns."""

def per_dof(
    joints: Sequence[Any], field: str, counts: Sequence[int], otherwise: Callable[[Any, str], Sequence[float]]
) -> Reals:
    """The numbers of joints by degree of freedom, (n,); ``counts`` has the number of degrees of freedom of
    each joint.
    """

def inertias(parts: Sequence[Any]) -> tuple[Reals, Reals | None, Reals | None]:
    """Inertia matrices of bodies, (n, 3, 3), with principal moments and axes if all matrices are diagonal."""

def extents(geoms: Sequence[Any]) -> tuple[Reals, Reals, Reals]:
    """Sizes (n, 3), bounding boxes (n, 6), and radii of bounding spheres about the origin (n,) of shapes,
    m.
    """

def values(parts: Sequence[Any], field: str) -> tuple[Any, ...]:
    """The unconverted values of a field."""

def having(parts: Sequence[Any], field: str) -> list[Any]:
    """The parts whose field is true."""

def repeated(values: Sequence[float], count: int) -> Reals:
    """A column of doubles of which all rows are the same, (n, width)."""

def places(nodes: Iterable[Any]) -> tuple[str, ...]:
    """The locations of elements, as path:line:column; "" for None and for elements without a file."""

def texts(paths: list[str], positions: list[int | None]) -> tuple[str, ...]:
    """The locations, from the result of `written`."""

def written(nodes: Iterable[Any]) -> tuple[list[str], list[int | None]]:
    """The data from which the locations of elements are computed, without references to the elements."""

def named_rows(parts: list[Any], begin: int, found: dict[tuple[int, str], int]) -> None:
    """Add the rows of parts, from ``begin`` on, by their ``instance`` and ``name``; earlier ones of that name
    remain.
    """

def numbered(parts: Iterable[Any]) -> dict[Any, int]:
    """The row of each part."""

def depth_first(bodies: Sequence[Any], world: Any) -> tuple[list[Any], NDArray[np.int32]]:
    """The world and all its descendants, parents before children; and the row of the parent of each, (n,)."""

def owners(parts: Iterable[Any], field: str) -> NDArray[np.int32]:
    """The row of the owner of each part in a field of parts."""

def flattened(parts: Iterable[Any], field: str) -> list[Any]:
    """The parts in a field of all parts, concatenated."""
