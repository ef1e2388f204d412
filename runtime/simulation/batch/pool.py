"""Threads that work on one thing together: our own, or those of an executor that the caller has."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait


class Pool:
    """So many threads, the calling one among them.

    Args:
        threads: how many work at most.
        executor: who lends the others; by default a small pool of our own, made when first needed.

    Raises:
        TypeError: the executor's workers do not share this process's memory, or it is none.
    """

    def __init__(self, threads: int, executor: Executor | None = None) -> None:
        if executor is not None and not isinstance(executor, Executor):
            raise TypeError(f"expected an executor of concurrent.futures, not {type(executor).__name__}")
        if isinstance(executor, ProcessPoolExecutor):
            raise TypeError("threads must share memory: an executor of processes does not")
        self.threads, self.executor = threads, executor
        self._own: ThreadPoolExecutor | None = None
        self._process = 0

    def run(self, work: Callable[[int], object], shares: int) -> None:
        """Call ``work(0)`` here and ``work(1)``... elsewhere, so many as shares and threads allow.

        Work is what takes from a common store until that is empty: a call that does not happen is not
        missed, so a busy executor delays nothing and one that is full does not block. When this returns, or
        raises, all calls have come to their end.
        """
        others: list[Future[object]] = []
        try:
            for worker in range(1, min(self.threads, shares)):
                others.append(self._lender().submit(work, worker))  # noqa: PERF401  (some may be under way)
        finally:
            try:
                work(0)
            finally:
                self._gather(others)

    def _gather(self, others: list[Future[object]]) -> None:
        under_way = [other for other in others if not other.cancel()]
        interrupted = None
        while True:
            try:
                wait(under_way)
                break
            except KeyboardInterrupt as error:  # nobody may go on while they still write
                interrupted = error
        if interrupted is not None:
            raise interrupted
        for other in under_way:
            other.result()

    def _lender(self) -> Executor:
        if self.executor is not None:
            return self.executor
        if self._own is None or self._process != os.getpid():  # threads do not live on in a forked process
            self._own = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="polybody")
            self._process = os.getpid()
            weakref.finalize(self, self._own.shutdown, wait=False)
        return self._own

    def close(self) -> None:
        """End our own threads; those of an executor are the caller's. More work makes new ones."""
        if self._own is not None and self._process == os.getpid():
            self._own.shutdown()
        self._own = None
