"""Threads and processes in tests: every wait ends, no process is left, and no exception is lost.

Nothing here makes a test depend on the speed of the machine: tests pass because of what they observe, and
PATIENCE is only the time after which a wait counts as a hang.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Process = subprocess.Popen[Any]
ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 300.0
"""Seconds after which a wait is given up; many times the longest wait on a busy machine."""


def until(seen: Callable[[], T], patience: float = PATIENCE) -> T:
    """Call repeatedly until the result is true, and return it.

    Raises:
        TimeoutError: it never was true.
    """
    end = time.monotonic() + patience
    while not (answer := seen()):
        if time.monotonic() > end:
            raise TimeoutError(f"not seen in {patience:g} s")
        time.sleep(0.005)
    return answer


# --- threads -----------------------------------------------------------------------------------------


def start(work: Callable[..., T], *arguments: Any) -> Future[T]:
    """Call in a separate thread, which does not outlive the process; the result raises any exception of the
    call.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work(*arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def at_once(work: Callable[[Any], T], arguments: Iterable[Any]) -> list[T]:
    """Call once per argument, each in its own thread; returns the results in order, or raises the first
    exception.
    """
    return [future.result(PATIENCE) for future in [start(work, argument) for argument in arguments]]


# --- processes ---------------------------------------------------------------------------------------


@contextmanager
def process(command: list[str], **options: Any) -> Iterator[Process]:
    """A process with its own session, all of which is killed at the end; its outputs are pipes."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    running = subprocess.Popen(command, **{**pipes, "start_new_session": True, **options})
    try:
        yield running
    finally:
        with suppress(OSError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait(PATIENCE)
        for pipe in (running.stdin, running.stdout, running.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def python(code: str) -> list[str]:
    """The command that runs code with this interpreter; SIGINT interrupts it even if it is ignored here."""
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    return [sys.executable, "-c", heed + code]


def environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment of processes that can import the same modules as this one, including the tests."""
    path = os.pathsep.join([str(ROOT), *sys.path])
    return {**os.environ, **(settings or {}), "PYTHONPATH": path}


def said(code: str, **settings: str) -> str:
    """The output of code in a process of its own, which must succeed and print nothing on standard error."""
    done = subprocess.run(
        python(code),
        env=environment(settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def in_a_fork(work: Callable[[], bytes | None]) -> bytes:
    """Call in a forked process, which must succeed; returns the bytes that the call returned, at most 64
    KiB.
    """
    said, code = forked(work)
    assert code == 0
    return said


def forked(work: Callable[[], bytes | None], patience: float = PATIENCE) -> tuple[bytes, int]:
    """Call in a forked process: the bytes that it returned, at most 64 KiB, and its exit code.

    A process that takes longer than ``patience`` seconds is killed, with exit code -9; other signals give
    their negative number as well.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # this test is about forks beside threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(writer, work() or b"")
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writer)
    ended = (0, 0)
    try:
        with suppress(TimeoutError):
            ended = until(lambda: (found := os.waitpid(child, os.WNOHANG))[0] and found, patience)
        if ended[0]:
            return os.read(reader, 1 << 16), os.waitstatus_to_exitcode(ended[1])
        return b"", -signal.SIGKILL
    finally:
        if not ended[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(reader)
