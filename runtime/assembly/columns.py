"""Columns of a Model as arrays: a row for each element, or the rows of all elements one after another."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.assembly import gather

Array = NDArray[Any]
Columns = dict[str, Array]
DOUBLE, SINGLE, INTEGER, BYTE = np.float64, np.float32, np.int32, np.uint8

_LETTERS = {DOUBLE: "d", SINGLE: "f", INTEGER: "i", BYTE: "B"}


def numbers(rows: Sequence[Any], width: int, kind: Any) -> Array:
    """An array with a row for each element; without elements an empty one of the right width."""
    if not width or not rows:
        found = np.array(rows, dtype=kind)
        return found.reshape(-1, width) if width else found
    flat = array(_LETTERS[kind], list(chain.from_iterable(rows)))  # twice as fast as np.array of tuples
    return np.frombuffer(flat, dtype=kind).reshape(-1, width)


def column(values: Sequence[Any], kind: Any) -> Array:
    """An array with a number for each element."""
    return np.frombuffer(array(_LETTERS[kind], values), dtype=kind) if values else np.zeros(0, kind)


def repeated(values: Sequence[Any], count: int, kind: Any) -> Array:
    """An array of so many rows that all are the same; of one number, (n,)."""
    shape = (count,) if len(values) == 1 else (count, len(values))
    return np.ndarray(shape, kind, array(_LETTERS[kind], values).tobytes() * count)


def joined(parts: Sequence[Array], width: int, kind: Any) -> Array:
    """Arrays one after another, in a read-only bytes object, which a Model uses without a copy."""
    if not parts:
        return numbers((), width, kind)
    whole = b"".join([np.ascontiguousarray(part, kind).data for part in parts])
    return np.frombuffer(whole, kind).reshape(-1, *parts[0].shape[1:])


def starts(counts: Sequence[int], optional: bool = False) -> Array:
    """First indices of consecutive runs of these lengths; if optional, -1 for empty ones."""
    ends = np.cumsum(np.array(counts, dtype=np.int64))
    found = ends - counts
    if optional:
        found = np.where(np.array(counts) > 0, found, -1)
    return found.astype(INTEGER)


def places_later(nodes: Mapping[str, Iterable[Any]]) -> Callable[[], dict[str, tuple[str, ...]]]:
    """What gives a Model the places of its rows: few ask for them, and texts take longer than numbers.

    Args:
        nodes: by kind: the element of each row, None for none.
    """
    written = {kind: gather.written(rows) for kind, rows in nodes.items()}
    return lambda: {kind: gather.texts(*found) for kind, found in written.items()}
