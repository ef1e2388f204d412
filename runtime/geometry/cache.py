"""Reading files with checks, and a cache of results by the content of files and numbers.

There is one cache for all results: limited in bytes, least recently used first out, and safe for several
threads. Cached objects are shared, so their arrays are made read-only.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray
from polybody.files import open_regular
from polybody.geometry.errors import GeometryError

BOUND = 512 << 20
"""Maximum size of the cache in bytes."""
LARGEST = 1 << 28
"""Maximum size of a file in bytes."""
SETTLED = 2_000_000_000
"""Time in ns after which another change of a file has another time stamp, on any file system."""
T = TypeVar("T")


class Store:
    """Values by key, with a maximum total size in bytes."""

    def __init__(self, bound: int = BOUND) -> None:
        self.bound, self.size = bound, 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under a key, or the result of ``make``, which is then stored; errors are not stored."""
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
        """Remove all values."""
        with self._lock:
            self._kept.clear()
            self.size = 0


STORE = Store()
"""The cache of this process."""


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
    """A key of 32 bytes for content; different content practically never has the same key."""
    import hashlib

    state = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.digest()


_DIGESTS: dict[tuple[object, ...], bytes] = {}
_MAX_DIGESTS = 1 << 16


def content(path: Path) -> bytes:
    """The content of a file.

    Raises:
        GeometryError: it cannot be read, is not a regular file, or is too large.
    """
    with _opened(path) as (file, _):
        return _read(file)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """A regular file, open for reading, and what is known about it; raises like ``content``."""
    try:
        with open_regular(path) as file:
            about = os.fstat(file.fileno())
            if about.st_size > LARGEST:
                size = about.st_size >> 20
                raise GeometryError(f"has {size} MiB; files of up to {LARGEST >> 20} MiB are read")
            yield file, about
    except OSError as error:
        raise GeometryError(f"cannot be read: {error.strerror or error}") from None


def _read(file: BinaryIO) -> bytes:
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise GeometryError(f"has more than {LARGEST >> 20} MiB")
    return data


def content_of(path: Path, name: bytes) -> bytes:
    """The content of a file with this digest.

    Raises:
        GeometryError: as in ``content``, or it has other content by now.
    """
    data = content(path)
    if digest(data) != name:
        raise GeometryError("was changed while it was read")
    return data


def digest_of_file(path: Path) -> tuple[bytes, bytes | None]:
    """The digest of a file's content, and the content if it had to be read.

    The digest is cached by the file's size and times, unless it was written just before, so that changes are
    noticed.

    Raises:
        GeometryError: as in ``content``.
    """
    with _opened(path) as (file, about):
        key = (str(path), about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        known = _DIGESTS.get(key)
        if known is not None:
            return known, None
        now = time.time_ns()
        data = _read(file)
    found = digest(data)
    if now - max(about.st_mtime_ns, about.st_ctime_ns) > SETTLED:
        if len(_DIGESTS) >= _MAX_DIGESTS:
            _DIGESTS.clear()
        _DIGESTS[key] = found
    return found, data
