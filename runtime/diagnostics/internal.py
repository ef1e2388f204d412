"""Internal errors: an unexpected exception becomes a finding that asks the user for a report."""

from __future__ import annotations

import os
from contextlib import suppress
from types import TracebackType
from typing import Any

from polybody.base import Node, Span
from polybody.diagnostics.diagnostic import Findings, ValidationError
from polybody.errors import InternalError, ModelError

CODE = "PB099"
OURS = (ValidationError, ModelError, InternalError, MemoryError)
"""Exceptions that `read`, `check`, `load` and `write` raise on purpose, apart from those about arguments."""
NOTED_IN = "POLYBODY_INTERNAL_ERRORS"
"""The environment variable that names a file to which tracebacks of internal errors are appended."""
ASKING = (
    "this is a bug in polybody, not in the file; please report it with the file and the traceback. To record "
    f"the traceback, set {NOTED_IN} to the name of a file"
)


class Guarded:
    """Context that turns any unexpected exception into a finding at the element that was being processed.

    Args:
        findings: the collection to which the finding is added.
        path: the file, used as the place if the element is unknown.
        ours: further exceptions that are not unexpected; they are re-raised.
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
    """The element that was being processed when an exception was raised; None if no frame refers to one."""
    frames = []
    step: TracebackType | None = error.__traceback__
    while step is not None:
        frames.append(step.tb_frame)
        step = step.tb_next
    for frame in reversed(frames):
        values = list(frame.f_locals.values())
        values += [_part(value, name) for value in values for name in ("node", "innermost")]
        nodes = [value for value in values if isinstance(value, Node) and value.span is not None]
        if nodes:  # the innermost of nested elements
            return max(nodes, key=lambda node: node._position or 0)
    return None


def _part(value: Any, name: str) -> Any:
    """An attribute of one of our objects; None if it does not have it."""
    if not type(value).__module__.startswith("polybody."):
        return None
    with suppress(Exception):
        return getattr(value, name, None)
    return None


def summary(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    import traceback

    steps = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(steps[-1].filename)}:{steps[-1].lineno})" if steps else ""  # noqa: PTH119
    text = ", ".join(filter(None, (str(error)[:200], *getattr(error, "__notes__", ()))))
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


def note(error: BaseException) -> None:
    """Append the traceback to the file that the environment variable names."""
    import traceback

    path = os.environ.get(NOTED_IN)
    if path:
        with suppress(OSError), open(path, "a", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
            file.write("".join(traceback.format_exception(error)) + "\n")
