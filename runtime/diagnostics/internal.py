"""Faults of polybody itself: an exception that nothing foresaw becomes a finding that asks for a report."""

from __future__ import annotations

import os
import traceback
from contextlib import suppress
from types import TracebackType
from typing import Any

from polybody.base import Node, Span
from polybody.diagnostics.diagnostic import Findings, ValidationError
from polybody.errors import InternalError, ModelError

CODE = "PB099"
OURS = (ValidationError, ModelError, InternalError, MemoryError)
"""What may leave `read`, `check`, `load` and `write`, beside what they say of their arguments."""
NOTED_IN = "POLYBODY_INTERNAL_ERRORS"
"""The environment variable that names a file to which tracebacks of internal errors are appended."""
ASKING = (
    "this is a defect of polybody, not of the file; please report it with the file and the traceback, which "
    f"is appended to the file that {NOTED_IN} names"
)


class Guarded:
    """Context that makes a finding of any exception that is not ours, at the element it was at.

    Args:
        findings: where it goes.
        path: the file, for a place where no element is known.
        ours: other exceptions that pass.
    """

    def __init__(self, findings: Findings, path: str = "", ours: tuple[type[Exception], ...] = ()) -> None:
        self.findings, self.path, self.ours = findings, path, ours

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, (*OURS, *self.ours)):
            return False
        node = element_of(error)
        note(error)
        span = None if node is None else node.span
        where = "" if node is None else f" at <{node.TAG}>"
        message = f"internal error{where}: {summary(error)}"
        self.findings.add_internal(CODE, span or Span(self.path, 1, 1, 1, 1), message, ASKING, error)
        return True


def element_of(error: BaseException) -> Node | None:
    """The element that was looked at last when an exception was raised; None where no frame shows one."""
    frames = []
    step: TracebackType | None = error.__traceback__
    while step is not None:
        frames.append(step.tb_frame)
        step = step.tb_next
    for frame in reversed(frames):
        values = list(frame.f_locals.values())
        values += [_part(value, name) for value in values for name in ("node", "innermost")]
        nodes = [value for value in values if isinstance(value, Node) and value.span is not None]
        if nodes:  # of an element and those in it, the inner one
            return max(nodes, key=lambda node: node._position or 0)
    return None


def _part(value: Any, name: str) -> Any:
    """An attribute of one of our objects; None where there is none."""
    if not type(value).__module__.startswith("polybody."):
        return None
    with suppress(Exception):
        return getattr(value, name, None)
    return None


def summary(error: BaseException) -> str:
    """An exception in one line, with where it was raised."""
    steps = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(steps[-1].filename)}:{steps[-1].lineno})" if steps else ""  # noqa: PTH119
    text = ", ".join(filter(None, (str(error)[:200], *getattr(error, "__notes__", ()))))
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


def note(error: BaseException) -> None:
    """Append the traceback to the file that the environment names."""
    path = os.environ.get(NOTED_IN)
    if path:
        with suppress(OSError), open(path, "a", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
            file.write("".join(traceback.format_exception(error)) + "\n")
