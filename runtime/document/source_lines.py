"""The lines of the sources that findings are about."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from polybody.base import Source
from polybody.diagnostics import Diagnostic
from polybody.diagnostics.output import Lines
from polybody.document.packages import own_folders
from polybody.document.sources import LIMITS, SourceError, load, make_source
from polybody.files import is_within, real


def source_lines(texts: Mapping[str, bytes] | None = None) -> Lines:
    """A function that gives the source line of a finding; it reads each file once.

    It gives None for a file outside the document's folder and the package that contains it: a document must
    not get parts of other files printed.
    """
    given = {} if texts is None else texts

    @cache
    def source(path: str, document: str) -> Source | None:
        try:
            if path in given:
                return make_source(path, given[path], LIMITS)
            place = real(path)
            if not any(is_within(str(place), folder) for folder in own(Path(document).parent)):
                return None
            return make_source(path, load(place, LIMITS, path), LIMITS)
        except (SourceError, ValueError):
            return None

    @cache
    def own(folder: Path) -> tuple[str, ...]:
        return tuple(str(real(each)) for each in own_folders(folder))

    def line(diagnostic: Diagnostic) -> str | None:
        path, stack = diagnostic.path, diagnostic.include_stack
        found = source(path, stack[0].rpartition(":")[0] if stack else path)
        return None if found is None else found.line(diagnostic.line)

    return line
