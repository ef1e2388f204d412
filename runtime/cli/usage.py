"""Messages about wrong usage, whatever the versions of typer and of the libraries below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from polybody.escaping import printable
from typer.core import TyperGroup

_PLAIN = (
    (re.compile(r"Value error, "), ""),
    (re.compile(r"Input should be a valid integer.*"), "expected an integer"),
    (re.compile(r"Input should be a valid number.*"), "expected a number"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"must be at least \1"),
    (re.compile(r"Input should be less than or equal to (\S+)"), r"must be at most \1"),
)
"""What typer 0.29 says of values that it cannot convert, and the same in plain words."""
_UNKNOWN = re.compile(r"No such command '([^']*)'\.?")
INSTEAD = {
    "validate": "check",
    "lint": "check",
    "format": "fmt",
    "run": "sim",
    "show": "info",
    "version": "--version",
}
"""What other tools call our commands."""


class Commands(TyperGroup):
    """The commands of polybody. Errors of usage are worded alike."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with self._worded():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with self._worded():
            return super().invoke(ctx)

    @contextmanager
    def _worded(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            message: Any = getattr(error, "message", None)
            if hasattr(error, "format_message") and isinstance(message, str):
                error.message = self._plain(message)  # type: ignore[attr-defined]
            raise

    def _plain(self, message: str) -> str:
        unknown = _UNKNOWN.match(message)
        if unknown is not None:
            return printable(f"No such command {unknown[1]!r}; {self._instead(unknown[1])}")
        for pattern, words in _PLAIN:
            message = pattern.sub(words, message)
        return printable(message)

    def _instead(self, name: str) -> str:
        from polybody.suggest import closest

        found = INSTEAD.get(name) or closest(name, self.commands)
        return f"did you mean `polybody {found}`?" if found else f"commands are {', '.join(self.commands)}"
