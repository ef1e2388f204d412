"""Programs that are compiled quickly: without optimisation, and in this process instead of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import polybody as pb
from polybody.programs import build, target, worker
from polybody.programs.worker_protocol import Job

OPTIMISED, PLAIN = "-O2", "-O0"


class Here:
    """A worker's job, executed in this process."""

    left = False

    def __init__(self, job: Job) -> None:
        self.job = job

    def work(self, tell: Callable[[Any], object]) -> str:
        try:
            worker.make(self.job, lambda *_: None)
        except (pb.CompileError, ValueError) as error:
            return str(error)
        return ""


@contextmanager
def quickly() -> Iterator[None]:
    """Programs that are asked for in this context are compiled quickly."""

    @contextmanager
    def employed(job: Job) -> Iterator[Here]:
        yield Here(job)

    assert OPTIMISED in target.FLAGS
    flags, target.FLAGS = target.FLAGS, tuple(PLAIN if flag == OPTIMISED else flag for flag in target.FLAGS)
    build.builds.employed = employed  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        target.FLAGS = flags
        del build.builds.employed
