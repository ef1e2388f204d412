"""Standard input, output and error of the program. Control characters in names are shown escaped."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click
from polybody.escaping import printable, printable_lines

if TYPE_CHECKING:
    from rich.console import Console


STANDARD_INPUT = "-"


def tell(message: object, lead: str = "polybody: ") -> None:
    """Print a message, or that of an exception, on standard error.

    All messages on standard error are printed here. What they quote from files, settings and arguments is
    escaped, line breaks included: only exceptions that list several problems have several lines.
    """
    lines = getattr(message, "lines", None) if isinstance(message, Exception) else None
    click.echo(printable(lead) + "\n".join(map(printable, lines or [str(message)])), err=True)


def say(line: str) -> None:
    """Print a line on standard output. What it quotes is escaped."""
    click.echo(printable(line))


def content(file: str, stdin_filename: str | None = None) -> tuple[str, bytes | None]:
    """The name of a file and, for standard input, its content. That is named as if it were such a file."""
    if file != STANDARD_INPUT:
        return file, None
    from polybody.reading import standard_input

    return stdin_filename or "<stdin>", standard_input()


def argument(file: str, stdin_filename: str | None = None) -> str | None:
    """What names standard input in another command; None for any other file."""
    if file != STANDARD_INPUT:
        return None
    return file if stdin_filename is None else f"{file} --stdin-filename {printable_lines(stdin_filename)}"


class EscapedStream(TextIOWrapper):
    """A text stream that escapes all control characters except line breaks and tabs.

    Coloured text has its names escaped beforehand and is written to ``plain``.
    """

    plain: TextIOWrapper

    def write(self, text: str) -> int:
        super().write(printable_lines(text))
        return len(text)


def escape_standard_streams() -> None:
    """Make standard output and error escaped streams in UTF-8; a closed one writes to the null device."""
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
    """A console for coloured text. The caller escapes names."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    stream.flush()
    return Console(file=stream.plain if isinstance(stream, EscapedStream) else stream, **options)  # type: ignore[arg-type]
