"""A process that evaluates cases; the operating system limits its memory and time."""

from __future__ import annotations

import os
import pickle
import resource
import struct
import subprocess
import sys
from typing import BinaryIO

from tests.waiting import PATIENCE

from .cases import Case

MEMORY = 4 << 30
"""Bytes of address space of a child."""
SECONDS = 10
"""Processor time for one case, none of which has more than some ten thousand bytes."""
SLOWER = 6
"""Largest factor by which sanitizers slow down the process."""


def serve() -> None:
    """Read cases from standard input and write verdicts to standard output until the input ends."""
    from .verdict import verdict

    sanitized = "ASAN_OPTIONS" in os.environ
    if not sanitized:  # their shadow memory takes terabytes, and they have a limit of their own
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seconds = SECONDS * (SLOWER if sanitized else 1)
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    while (case := _receive(sys.stdin.buffer)) is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        spent = int(usage.ru_utime + usage.ru_stime) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, resource.RLIM_INFINITY))
        _send(out, verdict(case))


def _send(stream: BinaryIO, value: object) -> None:
    data = pickle.dumps(value)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO) -> object:
    head = stream.read(8)
    return pickle.loads(stream.read(struct.unpack("<Q", head)[0])) if len(head) == 8 else None


class Child:
    """Such a process, restarted whenever a case ends it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def verdict(self, case: Case) -> str:
        """The verdict on a case; a case that ends the process gets one as well."""
        if self.process is None:
            flags = ["-S"] if sys.flags.no_site else []
            command = [sys.executable, *flags, "-c", "from tests.fuzz.child import serve; serve()"]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, case)
            found = _receive(process.stdout)
        except OSError:
            found = None
        if isinstance(found, str):
            return found
        self.process = None
        code = process.wait(PATIENCE)
        return "processor time" if code == -24 else f"ended with {code}"

    def close(self) -> None:
        """End it."""
        if self.process is not None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(PATIENCE)
            self.process = None
