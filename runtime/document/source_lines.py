"""The lines of the sources that findings are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polybody.diagnostics import Diagnostic
from polybody.diagnostics.output import Lines
from polybody.document.sources import Limits, SourceError, load, make_source


def source_lines(texts: Mapping[str, bytes] | None = None) -> Lines:
    """A function that gives the source line of a finding; it reads each file once."""
    limits = Limits()
    sources: dict[str, Any] = {}

    def line(diagnostic: Diagnostic) -> str | None:
        path = diagnostic.path
        if path not in sources:
            try:
                data = texts[path] if texts is not None and path in texts else load(path, limits)
                sources[path] = make_source(path, data, limits)
            except SourceError:
                sources[path] = None
        return None if sources[path] is None else sources[path].line(diagnostic.line)

    return line
