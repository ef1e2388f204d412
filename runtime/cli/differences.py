"""Unified diffs of texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

from polybody.cli.streams import EscapedStream
from polybody.escaping import printable

UNENDED = b"\n\\ No newline at end of file\n"
"""What follows a last line without a line end, as in `diff`."""


def difference(path: str, before: bytes, after: bytes) -> bytes:
    """The unified diff of a file, as `patch` and `git apply` take it."""
    name = printable(path).encode()
    return b"".join(_ended(diff_bytes(unified_diff, _lines(before), _lines(after), name, name)))


def _lines(text: bytes) -> list[bytes]:
    """The lines of a text with their ends; unlike `splitlines`, a carriage return alone ends none."""
    *lines, last = text.split(b"\n")
    return [line + b"\n" for line in lines] + [last] * bool(last)


def _ended(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line if line.endswith(b"\n") else line + UNENDED


def show(text: bytes) -> None:
    """Write a diff to standard output: unchanged for programs, with control characters escaped on a
    terminal.
    """
    sys.stdout.flush()
    if sys.stdout.isatty() and isinstance(sys.stdout, EscapedStream):
        sys.stdout.write(text.decode("utf-8", "backslashreplace"))
    else:
        sys.stdout.buffer.write(text)
    sys.stdout.flush()
