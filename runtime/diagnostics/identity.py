"""What identifies a finding independently of positions: lines, columns and indices of elements.

The identity is the code, the path of the file, the elements from the root to the place of the finding by
their tags and names, and the values concerned. Values are what is written at the place, and the quotations
and numbers of the message. Findings with the same identity are numbered.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from typing import NamedTuple

from polybody.base import Source
from polybody.base.markup import markup
from polybody.diagnostics.diagnostic import Diagnostic
from polybody.escaping import printable

Text = Callable[[str], "bytes | None"]
"""The text of a file in UTF-8; None if it cannot be read."""

NAMES = {b"gazebo": b"reference", b"default": b"class"}
"""The attributes that name elements of some tags; that of the others is ``name``."""
LONGEST = 100
"""Maximum number of characters of a name or value; of longer ones the begin and a hash are kept."""
TOGETHER = frozenset({"PB044", "PB047"})
"""Codes about several values of an element: all that is written in it counts, and no number computed from
that.
"""
DIGITS = 3
"""Number of significant digits of numbers in messages, except for whole numbers: the others may be rounding.
"""
STEPS = 12
"""Maximum number of elements that describe a place: the innermost ones."""
_ATTRIBUTE = re.compile(rb"""[ \t\r\n]+([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_INDEX = re.compile(r"\[\d+\]")
_QUOTED = re.compile(r"(`[^`]*`|<[^<>]*>)|(?:[^\s`<]+:|\bline )\d+(?::\d+)?")
"""What a message quotes, and the places that it names."""
_SAID = re.compile(
    _QUOTED.pattern
    # Rows without a name are known by their number, and engines by their version.
    + r"|\b(?:actuator|body|camera|equality|flex|geom|joint|key|light|material|mesh|pair|row|sensor|site|skin"
    r"|tendon|texture|column|version|DART|Drake|MuJoCo|OpenRAVE|SDFormat|ring) \d[\d.]*"
    r"|(?<![\w.])([-+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)(?![.,]?\d|\w)"
)
"""Likewise, with the numbers that are values."""
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_BETWEEN = re.compile(rb">\s+<")


class Identity(NamedTuple):
    """What identifies a finding. ``element`` is a path such as ``robot[arm]/link[base]/inertial``."""

    code: str
    path: str
    element: str
    values: tuple[str, ...]

    def fingerprint(self, number: int) -> str:
        """A hash, in 32 hexadecimal digits, of the finding with this number among those with this
        identity.
        """
        parts = (self.code, self.path, self.element, *self.values, str(number))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class Identities:
    """The identities of findings.

    Args:
        text: the text of a file.
        relative: the path by which a file is identified.
    """

    def __init__(self, text: Text, relative: Callable[[str], str]) -> None:
        self._text, self._relative = text, relative
        self._files: dict[str, _Elements | None] = {}

    def of(self, finding: Diagnostic) -> Identity:
        """The identity of a finding."""
        elements = self._elements(finding.path)
        about = f"{_INDEX.sub('', finding.xpath)} {finding.about}".strip()
        together = finding.code in TOGETHER
        element, written = (about, "") if elements is None else elements.at(finding, together)
        numbers = not (together and written)
        values = [value for value in (written, *_said(finding.message, numbers)) if value]
        return Identity(
            finding.code,
            printable(self._relative(finding.path)),
            printable(element),
            tuple(printable(_short(_INDEX.sub("", value))) for value in values),
        )

    def numbered(self, findings: Iterable[Diagnostic]) -> Iterator[tuple[Identity, int]]:
        """For each finding its identity and its number, from 1, among the findings with this identity.

        A finding about an included file that several documents report has the same number in all of them.
        """
        numbers: dict[Identity, dict[tuple[int, int, str], int]] = {}
        for finding in findings:
            identity = self.of(finding)
            places = numbers.setdefault(identity, {})
            place = (finding.line, finding.column, finding.message)
            yield identity, places.setdefault(place, len(places) + 1)

    def fingerprints(self, findings: Iterable[Diagnostic]) -> list[str]:
        """The fingerprint of each finding."""
        return [identity.fingerprint(number) for identity, number in self.numbered(findings)]

    def _elements(self, path: str) -> _Elements | None:
        if path not in self._files:
            text = self._text(path)
            elements = None if text is None else _Elements(Source(path, text))
            self._files[path] = elements if elements is not None and elements.tags else None
        return self._files[path]


def without_lines(message: str) -> str:
    """A message without the lines and places that it names."""
    return _QUOTED.sub(lambda match: match[1] or "...", message)


def _said(message: str, numbers: bool) -> Iterator[str]:
    """What a message quotes, and its numbers without digits that rounding may change."""
    for quoted, number in _SAID.findall(message):
        if quoted:
            yield quoted
        elif number and numbers:
            whole = number.lstrip("+-").replace(",", "").isdigit()
            yield number if whole else f"{float(number.replace(',', '')):.{DIGITS}g}"


def _short(value: str) -> str:
    """A value of bounded length. Long values that differ anywhere remain different."""
    if len(value) <= LONGEST:
        return value
    return f"{value[:LONGEST]}... {hashlib.sha256(value.encode()).hexdigest()[:12]}"


class _Elements:
    """The elements of a text, well-formed or not, by position."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tags: list[tuple[int, int]] = []  # begin and end of the start tags
        self.ends: list[int] = []  # where their end tags begin, or the end of the text
        self.leaf: list[bool] = []  # whether they contain no others
        self.above: list[int] = []  # the element around each, -1: none
        self.offsets: list[int] = [0]
        self.inside: list[int] = [-1]  # the innermost element from each offset on
        now = -1
        for match in markup(source.data):
            if match is None:
                continue
            if match["close"]:
                if now >= 0:
                    self.ends[now] = match.start()
                now = self.above[now] if now >= 0 else -1
                self._from(match.end(), now)
                continue
            self.tags.append(match.span())
            self.ends.append(match.end() if match["empty"] else len(source.data))
            if now >= 0:
                self.leaf[now] = False
            self.leaf.append(True)
            self.above.append(now)
            self._from(match.start(), len(self.tags) - 1)
            if match["empty"]:
                self._from(match.end(), now)
            else:
                now = len(self.tags) - 1

    def _from(self, offset: int, element: int) -> None:
        self.offsets.append(offset)
        self.inside.append(element)

    def at(self, finding: Diagnostic, together: bool = False) -> tuple[str, str]:
        """The path of the element at the place of a finding, and what is written there: the attribute, or the
        text of an element that contains no others. ``together``: all that the element contains if it has no
        name; of one that contains only text, all that its parent does.
        """
        source = self.source
        begin = source.offset(finding.line, finding.column - 1)
        end = source.offset(finding.end_line, finding.end_column - 1)
        element = inner = self.inside[bisect_right(self.offsets, begin) - 1]
        steps: list[str] = []
        while element >= 0 and len(steps) < STEPS:
            steps.append(self._step(*self.tags[element]))
            element = self.above[element]
        at_tag = source.data[begin : begin + 1] == b"<"
        written = b"" if at_tag else source.data[begin:end]
        whole = self.above[inner] if inner >= 0 and self._is_text(inner) else inner
        if together and whole >= 0 and "[" not in self._step(*self.tags[whole]):
            written = self.source.data[self.tags[whole][0] + 1 : self.ends[whole]].rstrip(b" \t\r\n/>")
        elif inner >= 0 and at_tag and self._is_text(inner):
            written = source.data[self.tags[inner][1] : self.ends[inner]]
        written = _BETWEEN.sub(b"><", _COMMENT.sub(b" ", written))
        return "/".join(reversed(steps)), " ".join(written.decode(errors="replace").split())

    def _is_text(self, element: int) -> bool:
        """Whether an element contains a text and nothing else."""
        begin, end = self.tags[element][1], self.ends[element]
        return self.leaf[element] and bool(self.source.data[begin:end].strip())

    def _step(self, begin: int, end: int) -> str:
        """The tag and the name of an element."""
        data = self.source.data
        tag = data[begin + 1 : end].split(None, 1)[0].rstrip(b"/>")
        wanted, place = NAMES.get(tag, b"name"), begin + 1 + len(tag)
        name = ""
        while match := _ATTRIBUTE.match(data, place, end):
            place = match.end()
            if match[1] == wanted:
                name = unescape(match[2][1:-1].decode(errors="replace"))
                break
        shown = tag.decode(errors="replace")
        return f"{shown}[{name[:LONGEST]}]" if name else shown
