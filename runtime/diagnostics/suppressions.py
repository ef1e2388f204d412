"""Comments that suppress findings: ``<!-- polybody: ignore PB012, PB031 the reason -->``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from polybody.diagnostics.catalogue import CATALOGUE, models
from polybody.diagnostics.diagnostic import Diagnostic
from polybody.suggest import did_you_mean, distance

CODE = "PB090"
TOOL, VERB = "polybody", "ignore"
OTHER_VERBS = ("disable", "suppress", "noqa", "skip")
"""Words with which other programs suppress findings."""
NOTHING = "this comment suppresses nothing"
OF_MODELS = frozenset(row.code for row in models.CODES)
"""Codes that are only found if the Model is judged; comments that name them are never without effect."""
LONGEST = 400
"""The greatest number of bytes of such a comment after its keyword."""
_BEGIN = re.compile(rb"<!--[ \t\r\n]*([A-Za-z]{6,10})[ \t]*(:?)[ \t\r\n]*([A-Za-z]{4,9})\b:?")
_CODE = re.compile(rb"[ \t\r\n,;]*(?:and[ \t\r\n]+)?([A-Za-z]{1,3}[0-9]{1,4})\b")
_TAG = re.compile(rb"""<(?!!--|\?)[^<>"']*+(?:(?:"[^"<]*+"|'[^'<]*+')[^<>"']*+)*+""")
"""A tag up to its end, or as much of it as is well-formed."""


@dataclass(slots=True)
class Suppression:
    """A comment. ``begin`` and ``end`` are its offsets in the text. ``lines`` are those to which it applies;
    None stands for the whole file.
    """

    begin: int
    end: int
    codes: list[str]
    misspelt: bool
    lines: set[int] | None = None
    used: set[str] = field(default_factory=set)


class Suppressions:
    """The comments of a text that suppress findings.

    Before the root element, such a comment applies to the whole file; elsewhere to its own lines and those of
    the next tag.
    """

    def __init__(self, path: str, text: bytes) -> None:
        self.path, self.text = path, text
        self.comments = list(_comments(text))
        self._place()

    def _place(self) -> None:
        """Find the lines to which comments apply."""
        text = self.text
        root = _first_tag(text) if self.comments else 0
        line, place = 1, 0
        for each in self.comments:
            if each.begin < root:
                continue
            line += text.count(b"\n", place, each.begin)
            place = each.begin
            following = _TAG.search(text, each.end)
            begin, end = (each.begin, each.end) if following is None else following.span()
            first = line + text.count(b"\n", place, begin)
            own = range(line, line + text.count(b"\n", place, each.end) + 1)
            each.lines = {*own, *range(first, first + text.count(b"\n", begin, end) + 1)}

    def __contains__(self, finding: Diagnostic) -> bool:
        """Whether a finding is suppressed. The comments that do so are noted."""
        found = False
        for each in self.comments:
            applies = not each.misspelt and (each.lines is None or finding.line in each.lines)
            if applies and finding.code in each.codes:
                each.used.add(finding.code)
                found = True
        return found

    def faults(self, complete: bool) -> Iterator[Diagnostic]:
        """Findings about comments that suppressed nothing, after all others were looked up.

        complete: whether the text was checked to its end.
        """
        for each in self.comments:
            if each.misspelt:
                written = f"<!-- {TOOL}: {VERB} {', '.join(each.codes)} -->"
                yield self._fault(each, NOTHING, f"write `{written}`")
            elif not each.codes:
                written = f"<!-- {TOOL}: {VERB} PB012 -->"
                yield self._fault(each, f"{NOTHING}: it names no code", f"name one, as in `{written}`")
            for code in [] if each.misspelt else each.codes:
                if code not in CATALOGUE:
                    hint = did_you_mean(code, CATALOGUE) or "`polybody explain` lists all codes"
                    yield self._fault(each, f"unknown code `{code}` after `{TOOL}: {VERB}`", hint)
                elif complete and code not in each.used and code not in OF_MODELS:
                    where = "in this file" if each.lines is None else "in this line or the next tag"
                    message = f"{NOTHING}: there is no {code} {where}"
                    yield self._fault(each, message, "remove the code")

    def _fault(self, comment: Suppression, message: str, hint: str) -> Diagnostic:
        place = (*_position(self.text, comment.begin), *_position(self.text, comment.end))
        severity = CATALOGUE[CODE].severities.strict
        return Diagnostic(self.path, *place, CODE, severity, message, suggestion=hint)


def _comments(text: bytes) -> Iterator[Suppression]:
    """The comments of a text that suppress findings, or seem to be meant to."""
    for match in _BEGIN.finditer(text):
        tool, colon, verb = (group.decode() for group in match.groups())
        end = text.find(b"-->", match.end(), match.end() + LONGEST)
        if end < 0:
            continue
        codes, place = [], match.end()
        while (found := _CODE.match(text, place, end)) is not None:
            codes.append(found[1].decode().upper())
            place = found.end()
        exact = (tool, colon, verb) == (TOOL, ":", VERB)
        if exact or (codes and _resembles(tool, (TOOL,)) and _resembles(verb, (VERB, *OTHER_VERBS))):
            yield Suppression(match.start(), end + 3, list(dict.fromkeys(codes)), not exact)


def _resembles(word: str, keywords: tuple[str, ...]) -> bool:
    return any(distance(word.lower(), keyword, 2) <= 2 for keyword in keywords)


def _position(text: bytes, offset: int) -> tuple[int, int]:
    """The line and column of an offset, in characters, from 1."""
    start = text.rfind(b"\n", 0, offset) + 1
    return text.count(b"\n", 0, offset) + 1, len(text[start:offset].decode("utf-8", "replace")) + 1


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
