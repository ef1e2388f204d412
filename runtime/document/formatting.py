"""A text in canonical layout: its content is kept, including comments; white space and line ends change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from polybody.base import Source
from polybody.document.layout import Layout, Place

UNIT = b"  "
WIDTH = 120
"""Length of a line in bytes beyond which each attribute of a start tag gets its own line."""
_PIECE = re.compile(
    rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<[^>\"']*(?:\"[^\"]*\"[^>\"']*|'[^']*'[^>\"']*)*>", re.DOTALL
)
_PAIR = re.compile(rb"""([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")


class Piece(NamedTuple):
    """A tag, a comment or an instruction, and the text before it."""

    before: bytes
    text: bytes
    start: int


def formatted(source: Source) -> bytes:
    """The text of a well-formed document in canonical layout.

    Every element and comment is on its own line, indented by two spaces per level; a comment after other
    content stays on its line. The content of an element with text is unchanged. Several consecutive blank
    lines become one. Attributes keep their order and values; in a line longer than 120 bytes, each attribute
    gets its own line.
    """
    return _Formatting(source).text()


class _Formatting:
    def __init__(self, source: Source) -> None:
        self.data = source.data
        self.layout = Layout(source)
        self.out: list[bytes] = []
        self.verbatim = 0  # the text up to this offset is unchanged

    def text(self) -> bytes:
        depth = 0
        for piece in self._pieces():
            if piece.start >= self.layout.rest:
                break
            if piece.start < self.verbatim:
                continue
            place = self.layout.places.get(piece.start)
            closing = piece.text.startswith(b"</")
            depth -= closing
            if self._trails(piece):
                self.out.append(b" " + piece.text)
                continue
            self._line(piece, depth, closing)
            if place is None:
                self.out.append(piece.text)
                continue
            tag = _tag(place, self.data, UNIT * depth)
            self.out.append(tag)
            if self._has_text(place):
                self.out.append(self.data[place.opened : place.end])
                self.verbatim = place.end
            elif not place.empty and not self.data[place.opened : place.closing].strip():
                self.out.append(self.data[place.closing : place.end])
                self.verbatim = place.end
            else:
                depth += not place.empty
        rest = self.data[self.layout.rest :].strip()
        return b"".join((*self.out, b"\n", *((rest, b"\n") if rest else ())))

    def _pieces(self) -> Iterator[Piece]:
        end = 0
        for match in _PIECE.finditer(self.data):
            yield Piece(self.data[end : match.start()], match[0], match.start())
            end = match.end()

    def _line(self, piece: Piece, depth: int, closing: bool) -> None:
        """Begin a line, after a blank one if there was one."""
        if not self.out:
            return
        opened = self.out[-1].endswith(b">") and piece.before.count(b"\n") > 1 and not closing
        self.out.append((b"\n\n" if opened else b"\n") + UNIT * depth)

    def _trails(self, piece: Piece) -> bool:
        """Whether a comment follows other content on its line."""
        follows = bool(self.out) and not self.out[-1].endswith(b"?>")
        return follows and piece.text.startswith(b"<!--") and b"\n" not in piece.before + piece.text

    def _has_text(self, place: Place) -> bool:
        """Whether an element contains anything but elements, comments and white space."""
        begin = place.opened
        for child in place.children:
            if _says(self.data[begin : child.start]):
                return True
            begin = child.end
        return _says(self.data[begin : place.closing])


def _says(text: bytes) -> bool:
    return bool(text.strip()) and bool(
        _PIECE.sub(lambda m: b"x" if m[0][:3] == b"<![" else b"", text).strip()
    )


def _tag(place: Place, data: bytes, indent: bytes) -> bytes:
    """A start tag with single spaces between its attributes, or with each attribute on its own line."""
    text = data[place.start : place.opened]
    name = b"<" + place.tag
    pairs = [match[1] + b"=" + _quoted(match[2]) for match in _PAIR.finditer(text, len(name))]
    end = b"/>" if place.empty and text.endswith(b"/>") else b">"
    line = b" ".join((name, *pairs)) + end
    if len(indent) + len(line) <= WIDTH or len(pairs) < 2:
        return line
    gap = b"\n" + indent + b" " * (len(name) + 1)
    return name + b" " + gap.join(pairs) + end


def _quoted(value: bytes) -> bytes:
    inner = value[1:-1]
    return value if b'"' in inner else b'"' + inner + b'"'
