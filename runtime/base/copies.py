"""Copies of a C struct that holds the addresses of columns, with memory of their own for some of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.base.kernel_columns import CACHE_LINE, memory

Array = NDArray[Any]


class Own(NamedTuple):
    """A column that each copy has, or a number within the struct."""

    place: int
    """Where the struct has the column's address, or the number itself; bytes from its start."""
    dtype: np.dtype[Any]
    elements: int
    """Their number."""
    inside: bool = False
    """Whether the struct has the elements themselves."""


class Copies:
    """Copies of a struct; each is one block of memory, which nothing occupies before it is written.

    Attributes:
        addresses: of each copy, (n,) of uint64.
        bytes: the size of a block.

    Args:
        n: number of copies.
        size: size of the struct in bytes.
        own: the columns that each copy has, by name.
    """

    def __init__(self, n: int, size: int, own: Mapping[str, Own]) -> None:
        self._size, self._own = size, own
        self._start: dict[str, int] = {}
        end = _aligned(size)
        for name, column in own.items():
            self._start[name] = column.place if column.inside else end
            if not column.inside:  # a line more than needed, so that kernels may read whole registers
                end += _aligned(column.dtype.itemsize * column.elements) + CACHE_LINE
        self.bytes = end
        self._memory = memory(n, np.uint8, (end,))
        self.addresses: NDArray[np.uint64] = np.arange(n, dtype=np.uint64) * np.uint64(end)
        self.addresses += np.uint64(self._memory.ctypes.data)
        self._views = {name: self._view(column, self._start[name]) for name, column in own.items()}
        pointers = {name: column for name, column in own.items() if not column.inside}
        word = np.dtype(np.uint64)
        self._pointers = {name: self._view(Own(c.place, word, 1), c.place) for name, c in pointers.items()}

    def __getitem__(self, name: str) -> Array:
        """A column of all copies, (n, count); writable."""
        return self._views[name]

    def put(self, rows: Array, struct: bytes) -> None:
        """Make copies of a struct: its numbers and addresses, but those of the own columns."""
        self._memory[rows, : self._size] = np.frombuffer(struct, np.uint8)
        for name, pointer in self._pointers.items():
            pointer[rows, 0] = self.addresses[rows] + np.uint64(self._start[name])

    def _view(self, column: Own, start: int) -> Array:
        shape, strides = (len(self._memory), column.elements), (self.bytes, column.dtype.itemsize)
        if not len(self._memory) or not column.elements:
            return np.zeros(shape, column.dtype)
        return np.ndarray(shape, column.dtype, self._memory, start, strides)


def _aligned(size: int) -> int:
    return -(-size // CACHE_LINE) * CACHE_LINE
