"""A pool of threads that share a task: our own threads, or those of the caller's executor."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait


class Pool:
    """A number of threads, including the calling one.

    Args:
        threads: maximum number of threads.
        executor: provides the other threads; by default a pool that is created on first use.

    Raises:
        TypeError: not an executor, or its workers do not share the memory of this process.
    """

    def __init__(self, threads: int, executor: Executor | None = None) -> None:
        if executor is not None and not isinstance(executor, Executor):
            raise TypeError(f"expected an executor of concurrent.futures, not {type(executor).__name__}")
        if isinstance(executor, ProcessPoolExecutor):
            raise TypeError("threads must share memory: an executor of processes does not")
        self.threads, self.executor = threads, executor
        self._own: ThreadPoolExecutor | None = None
        self._process = 0

    def run(
        self, work: Callable[[int], object], shares: int, end: Callable[[], object] | None = None
    ) -> None:
        """Call ``work(0)`` in this thread and ``work(1)``... in others, as many as shares and threads allow.

        Work takes pieces from a common store until it is empty, so no particular call is needed: a busy
        executor delays nothing, and a full one does not block. All calls have ended when this returns or
        raises; if the handler of a signal raises in this thread, `end()` tells the others to end early.
        """
        others: list[Future[object]] = []
        try:
            for worker in range(1, min(self.threads, shares)):
                others.append(self._lender().submit(work, worker))  # noqa: PERF401  (some may be under way)
        finally:
            try:
                work(0)
            finally:
                self._gather(others, end)

    def _gather(self, others: list[Future[object]], end: Callable[[], object] | None) -> None:
        running = [other for other in others if not other.cancel()]
        interrupted: BaseException | None = None
        while True:
            try:
                wait(running)
                break
            except BaseException as error:  # do not continue while other threads still write
                interrupted = error
                if end is not None:
                    end()
        if interrupted is not None:
            raise interrupted
        for other in running:
            other.result()

    def _lender(self) -> Executor:
        if self.executor is not None:
            return self.executor
        if self._own is None or self._process != os.getpid():  # threads do not exist in a forked process
            self._own = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="polybody")
            self._process = os.getpid()
            weakref.finalize(self, self._own.shutdown, wait=False)
        return self._own

    def close(self) -> None:
        """End our own threads; an executor's belong to the caller. Further work creates new threads."""
        if self._own is not None and self._process == os.getpid():
            self._own.shutdown()
        self._own = None
