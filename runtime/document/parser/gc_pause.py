"""The garbage collector rests while documents are read and models compiled.

Nothing that these allocate can become garbage before they end, and looking for it costs more than a parse.
"""

from __future__ import annotations

import gc
from threading import Lock
from typing import ClassVar


class CollectorPaused:
    """Context in which the garbage collector rests.

    Contexts nest, and threads share it: the first to begin turns the collector off, the last to end turns it
    on again.
    """

    _lock: ClassVar = Lock()
    _count: ClassVar[int] = 0
    _was_enabled: ClassVar[bool] = False

    def __enter__(self) -> None:
        cls = CollectorPaused
        with cls._lock:
            if cls._count == 0:
                cls._was_enabled = gc.isenabled()
                gc.disable()
            cls._count += 1

    def __exit__(self, *exception: object) -> None:
        cls = CollectorPaused
        with cls._lock:
            cls._count -= 1
            if cls._count == 0 and cls._was_enabled:
                gc.enable()
