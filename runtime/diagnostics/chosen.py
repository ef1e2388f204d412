"""Selection of findings: by code, by severity, and by comments in the files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from polybody.diagnostics.catalogue import CATALOGUE
from polybody.diagnostics.diagnostic import Diagnostic
from polybody.suggest import did_you_mean

SEVERITIES = ("info", "warning", "error")
_COMMENT = re.compile(
    rb"<!--[ \t\r\n]*polybody:[ \t\r\n]*ignore[ \t\r\n]+([A-Za-z0-9, \t\r\n]{1,400}?)[ \t\r\n]*-->"
)
_WORD = re.compile(rb"[A-Za-z0-9]+")
_TAG = re.compile(rb"""<(?!!--|\?)[^<>"']*+(?:(?:"[^"<]*+"|'[^'<]*+')[^<>"']*+)*+""")
"""A tag up to its end, or as much of it as is well-formed."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection of findings: without some codes, and with a minimum severity.

    Raises:
        ValueError: there is no such code or severity.
    """

    ignore: frozenset[str] = frozenset()
    least: str = "info"

    def __post_init__(self) -> None:
        for code in sorted(self.ignore - CATALOGUE.keys()):
            hint = did_you_mean(code, CATALOGUE) or "`polybody explain` lists all codes"
            raise ValueError(f"unknown code {code!r}; {hint}")
        if self.least not in SEVERITIES:
            raise ValueError(f"unknown severity {self.least!r}: expected one of {', '.join(SEVERITIES)}")

    def of(self, findings: Iterable[Diagnostic], text: Callable[[str], bytes | None]) -> list[Diagnostic]:
        """The selected findings.

        text: returns the text of a file in UTF-8, or None if there is none.
        """
        kept: list[Diagnostic] = []
        suppressed = cache(lambda path: Suppressed(text(path) or b""))
        for finding in findings:
            wanted = SEVERITIES.index(finding.severity) >= SEVERITIES.index(self.least)
            if wanted and finding.code not in self.ignore and finding not in suppressed(finding.path):
                kept.append(finding)
        return kept


class Suppressed:
    """The findings that comments of a text suppress: ``<!-- polybody: ignore PB012, PB031 -->``.

    Before the root element, such a comment applies to the whole file; elsewhere to its own lines and those of
    the next tag.
    """

    def __init__(self, text: bytes) -> None:
        self.whole: set[str] = set()
        self.lines: dict[int, set[str]] = {}
        root = _first_tag(text)
        line, place = 1, 0
        for match in _COMMENT.finditer(text):
            codes = {word.decode().upper() for word in _WORD.findall(match[1])}
            if match.start() < root:
                self.whole |= codes
                continue
            line += text.count(b"\n", place, match.start())
            place = match.start()
            following = _TAG.search(text, match.end())
            begin, end = match.span() if following is None else following.span()
            first = line + text.count(b"\n", place, begin)
            own = range(line, line + text.count(b"\n", place, match.end()) + 1)
            for number in (*own, *range(first, first + text.count(b"\n", begin, end) + 1)):
                self.lines.setdefault(number, set()).update(codes)

    def __contains__(self, finding: Diagnostic) -> bool:
        return finding.code in self.whole or finding.code in self.lines.get(finding.line, ())


def _first_tag(text: bytes) -> int:
    """The offset at which the root element begins."""
    place = 0
    while (place := text.find(b"<", place)) >= 0:
        ends = {b"<!--": b"-->", b"<?": b"?>"}
        begin = next((begin for begin in ends if text.startswith(begin, place)), None)
        if begin is None:
            return place
        end = text.find(ends[begin], place + len(begin))
        if end < 0:
            return len(text)
        place = end
    return len(text)
