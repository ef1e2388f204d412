"""Positions in a source."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from polybody.base.markup import markup

# The position of a node is line << 30 | column: two digits of a Python int, the smallest object that holds
# it.
COLUMN_BITS = 30
COLUMN_MASK = (1 << COLUMN_BITS) - 1
UTF_8 = "utf-8"
_TAG_NAME = re.compile(rb"<[^\s/>=]*")
_ATTRIBUTE = re.compile(rb"""[ \t\r\n]*([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_BLOCK = 1 << 12  # block size in bytes for counting lines and characters
_BLOCKS = 64  # block size in which starts of lines are cached
_CONTINUED = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that do not begin a character
_ATTRIBUTES = 2000  # maximum number of attributes of one tag that are distinguished
_LOOKS = 16
"""Maximum number of times that a text is searched for the children that findings are about."""
_TAG_END = re.compile(rb"[ \t\r\n]*/?>?")


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a source. Lines and columns count characters from 1; the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Source:
    """A text from which nodes were read: its path, its content as UTF-8, where it was included (outermost
    first), the encoding of its file, and how files that it refers to are found (`polybody.document.access`).

    If several elements are one, ``continued`` are the positions of the tags after the first, and ``refilled``
    those of their content that adds to a defaults element of an earlier one. ``dropped`` are the fields, each
    with the position of its element, whose values were ignored with a warning. ``release`` is that as which
    the text was read, of a format with releases.
    """

    __slots__ = (
        *("_counts", "_looked", "_tag", "access", "continued", "data", "dropped", "encoding"),
        *("include_stack", "path", "refilled", "release"),
    )

    def __init__(
        self,
        path: str,
        data: bytes,
        include_stack: tuple[Span, ...] = (),
        encoding: str = UTF_8,
        continued: Iterable[int] = (),
        refilled: Iterable[int] = (),
        access: Any = None,
        dropped: Iterable[tuple[int, str]] = (),
        release: str = "",
    ) -> None:
        self.access, self.dropped, self.release = access, set(dropped), release
        self.continued, self.refilled = list(continued), list(refilled)
        self.path = path
        self.data = data
        self.include_stack = include_stack
        self.encoding = encoding
        self._counts: _Counts | None = None  # created for the first finding
        self._looked = 0  # bytes that were searched for children
        self._tag: _Tag | None = None  # the most recent one

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (
            self.path,
            self.data,
            self.include_stack,
            self.encoding,
            tuple(self.continued),
            tuple(self.refilled),
            self.access,
            tuple(self.dropped),
            self.release,
        )

    @property
    def counts(self) -> _Counts:
        if self._counts is None:
            self._counts = _Counts(self.data)
        return self._counts

    def starts(self, line: int) -> int:
        """The byte offset at which a line starts, counted from 1; the end of the text for lines after it."""
        return self.counts.start_of(line)

    def line_at(self, offset: int) -> int:
        """The line, counted from 1, that contains a byte offset."""
        return self.counts.line_at(offset)

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        if number < 1:
            return ""
        piece = self.data[self.starts(number) : self.starts(number + 1)]
        return piece.rstrip(b"\r\n").decode("utf-8", "replace")

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a line counted from 1 and a column counted from 0, in characters."""
        start = self.starts(line)
        counts = self.counts
        if counts.ascii:
            return min(start + column, len(self.data))
        return counts.offset_of(counts.characters(start) + column)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both counted from 1, of a byte offset."""
        counts = self.counts
        line = counts.line_at(offset)
        start = counts.start_of(line)
        if counts.ascii:
            return line, offset - start + 1
        return line, counts.characters(offset) - counts.characters(start) + 1

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

    def place_of(self, position: int) -> str:
        """The place of the start tag at a position, as path:line:column."""
        return f"{self.path}:{position >> COLUMN_BITS}:{(position & COLUMN_MASK) + 1}"

    def tag_span(self, position: int) -> Span:
        """The span of the start tag at a position."""
        tag = self._parts(position)
        return self.between(tag.start, tag.end)

    def attribute_span(self, position: int, names: Iterable[str]) -> Span:
        """The first attribute with one of these names in the start tag at a position, otherwise the whole
        tag.
        """
        tag = self._parts(position)
        wanted = [name.encode("utf-8", "surrogatepass") for name in names]
        found = [tag.attributes[name] for name in wanted if name in tag.attributes]
        if not found:  # in formats that compare names without letter case
            lower = {name.lower() for name in wanted}
            found = [place for name, place in tag.attributes.items() if name.lower() in lower]
        return self.between(*min(found, default=(tag.start, tag.end)))

    def child_span(self, position: int, names: Iterable[str]) -> Span:
        """The start tag of the first child with one of these tags, otherwise that of the element at a
        position.

        The latter is also the result once the text has been searched for too many findings.
        """
        tag = self._parts(position)
        wanted = {name.encode("utf-8", "surrogatepass") for name in names}
        depth = 0 if self.data.endswith(b"/>", tag.start, tag.end) else 1
        found, place = None, tag.end
        most = tag.end + _LOOKS * len(self.data) - self._looked
        for match in markup(self.data, tag.end) if depth else ():
            if match is None:
                continue
            place = match.end()
            if match["close"]:
                depth -= 1
            elif depth == 1 and match["name"] in wanted:
                found = match.span()
            else:
                depth += not match["empty"]
            if found or not depth or place > most:
                break
        self._looked += place - tag.end
        return self.between(*(found or (tag.start, tag.end)))


class _Counts:
    """Counts lines and characters of a text, block by block on request.

    A place then costs one block, whatever the size of the text, its lines and the list of findings.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.ascii = data.isascii()
        # Numbers of line ends and characters before each block.
        self._lines, self._characters = array("q", [0]), array("q", [0])
        self._starts: dict[int, list[int]] = {}  # starts of lines in the most recently used blocks

    def _count(self) -> bool:
        """Count one more block; False if there is none."""
        begin = (len(self._lines) - 1) * _BLOCK
        if begin >= len(self.data):
            return False
        end = min(begin + _BLOCK, len(self.data))
        self._lines.append(self._lines[-1] + self._line_ends(begin, end))
        self._characters.append(self._characters[-1] + self._begun(begin, end))
        return True

    def _line_ends(self, begin: int, end: int) -> int:
        """Number of bytes that are the last one of a line, its end included."""
        count = self.data.count
        return count(b"\n", begin, end) + count(b"\r", begin, end) - count(b"\r\n", begin, end + 1)

    def _begun(self, begin: int, end: int) -> int:
        """Number of characters that begin."""
        return end - begin if self.ascii else len(self.data[begin:end].translate(None, _CONTINUED))

    def _reach(self, offset: int) -> int:
        """The block that contains an offset, after all blocks before it are counted."""
        block = offset // _BLOCK
        while len(self._lines) <= block and self._count():
            pass
        return min(block, len(self._lines) - 1)

    def line_at(self, offset: int) -> int:
        block = self._reach(offset)
        return 1 + self._lines[block] + bisect_right(self._starts_in(block), offset)

    def start_of(self, line: int) -> int:
        if line < 2:
            return 0
        while self._lines[-1] < line - 1:
            if not self._count():
                return len(self.data)
        block = bisect_left(self._lines, line - 1) - 1
        return self._starts_in(block)[line - 2 - self._lines[block]]

    def _starts_in(self, block: int) -> list[int]:
        """The starts of the lines whose predecessors end in a block."""
        found = self._starts.get(block)
        if found is None:
            begin = block * _BLOCK
            # A start in the previous block belongs to that; the line feed of a carriage return may be in the
            # next.
            begin += self.data[begin - 1 : begin + 1] == b"\r\n" and begin > 0
            end = min((block + 1) * _BLOCK, len(self.data))
            split = self.data[end - 1 : end + 1] == b"\r\n"
            lines = self.data[begin : end - split].splitlines(keepends=True)
            if lines and not lines[-1].endswith((b"\n", b"\r")):
                lines.pop()  # it ends in a later block
            found = list(accumulate(map(len, lines), initial=begin))[1:]
            if begin != block * _BLOCK:
                found.insert(0, begin)
            if len(self._starts) == _BLOCKS:
                self._starts.clear()
            self._starts[block] = found
        return found

    def characters(self, offset: int) -> int:
        """Number of characters that begin before an offset."""
        block = self._reach(offset)
        return self._characters[block] + self._begun(block * _BLOCK, offset)

    def offset_of(self, character: int) -> int:
        """The offset at which a character begins, counted from 0; the end of the text for those after it."""
        while self._characters[-1] <= character:
            if not self._count():
                return len(self.data)
        block = bisect_right(self._characters, character) - 1
        begin = block * _BLOCK
        piece = self.data[begin : begin + _BLOCK + 4]
        whole = piece.lstrip(_CONTINUED)
        text = whole.decode("utf-8", "replace")[: character - self._characters[block]]
        return begin + len(piece) - len(whole) + len(text.encode())


class _Tag(NamedTuple):
    """Begin and end of the start tag at a position, and of its attributes."""

    position: int
    start: int
    end: int
    attributes: dict[bytes, tuple[int, int]]
