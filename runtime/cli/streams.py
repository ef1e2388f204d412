"""Standard input, output and error of the program: what others wrote into names is shown, never obeyed."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from polybody.escaping import printable_lines

if TYPE_CHECKING:
    from rich.console import Console


STANDARD_INPUT = "-"


def content(file: str) -> tuple[str, bytes | None]:
    """The name of a file for messages and, of standard input, its content."""
    return ("<stdin>", sys.stdin.buffer.read()) if file == STANDARD_INPUT else (file, None)


class EscapedStream(TextIOWrapper):
    """A text stream in which only line breaks and tabs are not shown as characters; others are escaped.

    What is laid out in colours has its names escaped before and goes through ``plain``.
    """

    plain: TextIOWrapper

    def write(self, text: str) -> int:
        super().write(printable_lines(text))
        return len(text)


def escape_standard_streams() -> None:
    """Have them escaped, in UTF-8; one that is closed is nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the program
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, TextIOWrapper) and not isinstance(stream, EscapedStream):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
            stream.flush()
            escaped = EscapedStream(
                stream.buffer,
                encoding="utf-8",
                errors="backslashreplace",
                line_buffering=stream.line_buffering,
            )
            escaped.plain = stream
            setattr(sys, name, escaped)


def console(*, stderr: bool = False, **options: bool) -> Console:
    """A console that may lay out and colour; whoever prints there escapes names."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    stream.flush()
    return Console(file=stream.plain if isinstance(stream, EscapedStream) else stream, **options)  # type: ignore[arg-type]
