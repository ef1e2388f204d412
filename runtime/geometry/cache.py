"""What was made of files and numbers, kept in memory by their content.

One store for all: bounded in bytes, the least recently used goes first, safe to use from several threads.
What is kept is shared, so its arrays are made read-only.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

BOUND = 512 << 20
"""Bytes that are kept at most."""
T = TypeVar("T")


class Store:
    """Values by key, of at most so many bytes in all."""

    def __init__(self, bound: int = BOUND) -> None:
        self.bound, self.size = bound, 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key, or what ``make`` gives, which then is kept; what it raises is not."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                kept: T = self._kept[key][0]
                return kept
        made = make()
        size = 0
        for array in arrays(made):
            array.flags.writeable = False
            size += array.nbytes
        with self._lock:
            if key not in self._kept and size <= self.bound:
                self._kept[key] = (made, size)
                self.size += size
                while self.size > self.bound:
                    self.size -= self._kept.popitem(last=False)[1][1]
        return made

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            self._kept.clear()
            self.size = 0


STORE = Store()
"""The process's."""


def arrays(value: Any) -> Iterator[NDArray[Any]]:
    """The arrays in a tree of objects with slots, each once."""
    seen: set[int] = set()
    todo = [value]
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            yield item
        elif isinstance(item, tuple | list):
            todo.extend(item)
        elif not isinstance(item, type):
            todo.extend(getattr(item, name) for name in getattr(type(item), "__slots__", ()))


def digest(*parts: bytes | NDArray[Any]) -> bytes:
    """A key of 32 bytes for content: equal content has it, other content practically never."""
    state = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.digest()
