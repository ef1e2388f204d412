"""Where things stand in a source."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

# A node's position is line << 30 | column: two digits of a Python int, the smallest object that holds it.
COLUMN_BITS = 30
COLUMN_MASK = (1 << COLUMN_BITS) - 1
_NEWLINE = re.compile(rb"\r\n|\r|\n")
_TAG_NAME = re.compile(rb"<[^\s/>=]*")
_ATTRIBUTE = re.compile(rb"""[ \t\r\n]*([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_STRETCH = 1 << 20  # bytes in which lines are counted at a time
_ATTRIBUTES = 2000  # of one tag that are told apart
_MARKUP = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|</[^>]*>|<([^\s/>=]+)(?:[^>"']|"[^"]*"|'[^']*')*>""",
    re.DOTALL,
)
_TAG_END = re.compile(rb"[ \t\r\n]*/?>?")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source: lines and columns count characters from 1, the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Source:
    """A text that nodes come from: its path, its content as UTF-8, and where it was included (outermost
    first).
    """

    __slots__ = ("_ascii", "_last", "_scanned", "_starts", "_tag", "data", "include_stack", "path")

    def __init__(self, path: str, data: bytes, include_stack: tuple[Span, ...] = ()) -> None:
        self.path = path
        self.data = data
        self.include_stack = include_stack
        # Places are computed for findings only, as far into the text as they stand, and from the last one on:
        # findings come in order of place, and a hostile text may have one line of a hundred megabytes.
        self._starts = array("q", [0])
        self._scanned = 0
        self._ascii: bool | None = None
        self._last = (0, 0, 0)  # line, column and offset asked for last
        self._tag: _Tag | None = None  # the one asked for last

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.path, self.data, self.include_stack)

    def _scan(self) -> None:
        """Note the line starts in the next stretch of the text."""
        end = self._scanned + _STRETCH
        end += self.data[end - 1 : end + 1] == b"\r\n"
        self._starts.extend(match.end() for match in _NEWLINE.finditer(self.data, self._scanned, end))
        self._scanned = min(end, len(self.data))

    def starts(self, line: int) -> int:
        """The byte offset at which a line starts, counted from 1; the text's end for lines behind it."""
        while line > len(self._starts) and self._scanned < len(self.data):
            self._scan()
        return self._starts[line - 1] if line <= len(self._starts) else len(self.data)

    def line_at(self, offset: int) -> int:
        """The line, counted from 1, in which a byte offset lies."""
        while offset >= self._scanned and self._scanned < len(self.data):
            self._scan()
        return bisect_right(self._starts, offset)

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        if number < 1:
            return ""
        piece = self.data[self.starts(number) : self.starts(number + 1)]
        return piece.rstrip(b"\r\n").decode("utf-8", "replace")

    def _from(self, line: int) -> tuple[int, int]:
        """A column of a line, counted from 0, and its offset: the last one asked for, or the line's start."""
        last_line, last_column, last_offset = self._last
        return (last_column, last_offset) if last_line == line else (0, self.starts(line))

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a line counted from 1 and a column counted from 0, in characters."""
        if self._ascii is None:
            self._ascii = self.data.isascii()
        if self._ascii:
            return min(self.starts(line) + column, len(self.data))
        skip, start = self._from(line)
        if skip > column:
            skip, start = 0, self.starts(line)
        piece = self.data[start : start + 4 * (column - skip)].decode("utf-8", "replace")[: column - skip]
        offset = start + len(piece.encode())
        self._last = (line, column, offset)
        return offset

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both counted from 1, of a byte offset."""
        line = self.line_at(offset)
        if self._ascii:
            return line, offset - self.starts(line) + 1
        column, start = self._from(line)
        if start > offset:
            column, start = 0, self.starts(line)
        column += len(self.data[start:offset].decode("utf-8", "replace"))
        self._last = (line, column, offset)
        return line, column + 1

    def between(self, start: int, end: int) -> Span:
        """The span from one byte offset to another."""
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Span(self.path, line, column, end_line, end_column)

    def _parts(self, position: int) -> _Tag:
        if self._tag is None or self._tag.position != position:
            start = self.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
            attributes: dict[bytes, tuple[int, int]] = {}
            end = start
            if match := _TAG_NAME.match(self.data, start):
                end = match.end()
                while len(attributes) < _ATTRIBUTES and (match := _ATTRIBUTE.match(self.data, end)):
                    attributes.setdefault(match[1], (match.start(1), match.end()))
                    end = match.end()
                if match := _TAG_END.match(self.data, end):
                    end = match.end()
            self._tag = _Tag(position, start, end, attributes)
        return self._tag

    def tag_span(self, position: int) -> Span:
        """The start tag at a position, from its ``<`` to its end."""
        tag = self._parts(position)
        return self.between(tag.start, tag.end)

    def attribute_span(self, position: int, names: Iterable[str]) -> Span:
        """The first attribute with one of these names in the start tag at a position, else the whole tag."""
        tag = self._parts(position)
        wanted = [name.encode("utf-8", "surrogatepass") for name in names]
        found = [tag.attributes[name] for name in wanted if name in tag.attributes]
        if not found:  # in formats that compare names without their case
            lower = {name.lower() for name in wanted}
            found = [place for name, place in tag.attributes.items() if name.lower() in lower]
        return self.between(*min(found, default=(tag.start, tag.end)))

    def child_span(self, position: int, names: Iterable[str]) -> Span:
        """The start tag of the first child with one of these tags, else that of the element at a position."""
        tag = self._parts(position)
        wanted = {name.encode("utf-8", "surrogatepass") for name in names}
        depth = 0 if self.data.endswith(b"/>", tag.start, tag.end) else 1
        place = tag.end
        while depth and (match := _MARKUP.search(self.data, place)):
            place = match.end()
            if match[1] is None:
                depth -= match[0].startswith(b"</")
            elif depth == 1 and match[1] in wanted:
                return self.between(match.start(), match.end())
            else:
                depth += not match[0].endswith(b"/>")
        return self.between(tag.start, tag.end)


class _Tag(NamedTuple):
    """Where a start tag at a position begins and ends, and where its attributes stand."""

    position: int
    start: int
    end: int
    attributes: dict[bytes, tuple[int, int]]
