"""The garbage collector is paused while documents are read and models compiled.

Nothing that these allocate becomes garbage before they end, and collecting it would cost more than a parse.
"""

from __future__ import annotations

import gc
from threading import Lock
from typing import ClassVar


class CollectorPaused:
    """A context in which the garbage collector is paused.

    Contexts can be nested and are shared by threads: the first to begin disables the collector, the last to
    end enables it again.
    """

    _lock: ClassVar = Lock()
    _count: ClassVar[int] = 0
    _was_enabled: ClassVar[bool] = False

    @classmethod
    def remain(cls) -> None:
        """Leave the collector paused, since the process ends: a collection of a large document takes long."""
        cls._was_enabled = False
        gc.disable()

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
