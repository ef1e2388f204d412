"""Where things stand in a source."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# A node's position is line << 30 | column: two digits of a Python int, the smallest object that holds it.
COLUMN_BITS = 30
COLUMN_MASK = (1 << COLUMN_BITS) - 1
_NEWLINE = re.compile(rb"\r\n|\r|\n")
_TAG_NAME = re.compile(rb"<[^\s/>=]*")
_ATTRIBUTE = re.compile(rb"""[ \t\r\n]*([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
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

    __slots__ = ("_ascii", "_last", "_starts", "data", "include_stack", "path")

    def __init__(self, path: str, data: bytes, include_stack: tuple[Span, ...] = ()) -> None:
        self.path = path
        self.data = data
        self.include_stack = include_stack
        self._starts: array[int] | None = None
        self._ascii: bool | None = None
        self._last = (0, 0, 0)  # line, column and offset asked for last: findings come in order of place

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.path, self.data, self.include_stack)

    @property
    def starts(self) -> array[int]:
        """The byte offset at which each line starts, by the line ends that XML knows."""
        if self._starts is None:
            self._starts = array("q", [0])
            self._starts.extend(match.end() for match in _NEWLINE.finditer(self.data))
        return self._starts

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.data)
        return self.data[starts[number - 1] : end].rstrip(b"\r\n").decode("utf-8", "replace")

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a line counted from 1 and a column counted from 0, in characters."""
        starts = self.starts
        if line > len(starts):
            return len(self.data)
        start = starts[line - 1]
        if self._ascii is None:
            self._ascii = self.data.isascii()
        if self._ascii:
            return min(start + column, len(self.data))
        last_line, last_column, last_offset = self._last
        skip = 0
        if last_line == line and last_column <= column:
            start, skip = last_offset, last_column
        piece = self.data[start : start + 4 * (column - skip)].decode("utf-8", "replace")[: column - skip]
        offset = start + len(piece.encode())
        self._last = (line, column, offset)
        return offset

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both counted from 1, of a byte offset."""
        starts = self.starts
        line = bisect_right(starts, offset)
        start, column = starts[line - 1], 0
        last_line, last_column, last_offset = self._last
        if last_line == line and last_offset <= offset:
            start, column = last_offset, last_column
        return line, column + len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def between(self, start: int, end: int) -> Span:
        """The span from one byte offset to another."""
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Span(self.path, line, column, end_line, end_column)

    def tag_span(self, position: int) -> Span:
        """The start tag at a position, from its ``<`` to its end."""
        start = self.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
        end = start
        if match := _TAG_NAME.match(self.data, start):
            end = match.end()
            while match := _ATTRIBUTE.match(self.data, end):
                end = match.end()
            if match := _TAG_END.match(self.data, end):
                end = match.end()
        return self.between(start, end)

    def attribute_span(self, position: int, names: Iterable[str]) -> Span:
        """The first attribute with one of these names in the start tag at a position, else the whole tag."""
        start = self.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
        wanted = {name.encode() for name in names}
        if match := _TAG_NAME.match(self.data, start):
            end = match.end()
            while match := _ATTRIBUTE.match(self.data, end):
                if match[1] in wanted:
                    return self.between(match.start(1), match.end())
                end = match.end()
        return self.tag_span(position)
