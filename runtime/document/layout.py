"""Positions of the elements of a text, of their tags and attributes, as byte offsets."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from polybody.base import COLUMN_BITS, COLUMN_MASK, Source
from polybody.base.markup import markup

_ATTRIBUTE = re.compile(rb"""[ \t\r\n]*([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_NAME = re.compile(rb"<[^\s/>=]*")
_LINE_END = re.compile(rb"[ \t]*(?:<!--(?:(?!-->)[^\r\n])*-->[ \t]*)?(?=\r|\n)")
_BLANKS = b" \t"


@dataclass(slots=True)
class Place:
    """Position of an element.

    Attributes:
        start, opened: begin and end of its start tag.
        closing, end: begin and end of its end tag; both ``opened`` for an empty-element tag.
        around: the parent.
        children: the child elements.
    """

    tag: bytes
    start: int
    opened: int
    around: Place | None
    closing: int = -1
    end: int = -1
    children: list[Place] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether it is an empty-element tag."""
        return self.closing == self.opened == self.end


class Layout:
    """The elements of a well-formed text, and the white space around them."""

    def __init__(self, source: Source) -> None:
        self.source, self.data = source, source.data
        self.places: dict[int, Place] = {}  # by the offset of the start tag
        self.rest = len(self.data)  # where tags after the root begin, which engines ignore
        self.root = self._read()
        self.newline = b"\r\n" if b"\r\n" in self.data else b"\n"

    def _read(self) -> Place | None:
        root: Place | None = None
        stack: list[Place] = []
        for match in markup(self.data):
            if match is None:
                continue
            if root is not None and not stack:
                self.rest = match.start()
                break
            if match["close"]:
                place = stack.pop()
                place.closing, place.end = match.span()
                continue
            around = stack[-1] if stack else None
            place = Place(match["name"], *match.span(), around)
            self.places[place.start] = place
            if around is None:
                root = place
            else:
                around.children.append(place)
            if match["empty"]:
                place.closing = place.end = place.opened
            else:
                stack.append(place)
        return root

    def place_at(self, position: int) -> Place | None:
        """The element whose start tag is at a node's position."""
        offset = self.source.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
        return self.places.get(offset)

    def around(self, offset: int) -> Place | None:
        """The element whose start tag contains an offset."""
        place = self.places.get(self.data.rfind(b"<", 0, offset + 1))
        return place if place is not None and offset < place.opened else None

    def attributes(self, place: Place) -> dict[bytes, tuple[int, int, int]]:
        """By name: the begin of an attribute, including the white space before it, that of its value,
        including quotes, and the end of both.
        """
        found: dict[bytes, tuple[int, int, int]] = {}
        name = _NAME.match(self.data, place.start)
        end = place.start if name is None else name.end()
        while match := _ATTRIBUTE.match(self.data, end, place.opened):
            found.setdefault(match[1], (match.start(), match.start(2), match.end()))
            end = match.end()
        return found

    def scope(self, place: Place) -> dict[str, str]:
        """The namespaces in force in an element, by prefix; "" is the prefix of names without one."""
        around: list[Place] = []
        within: Place | None = place
        while within is not None:
            around.append(within)
            within = within.around
        from html import unescape

        scope: dict[str, str] = {}
        for each in reversed(around):
            for name, (_, quote, end) in self.attributes(each).items():
                if name == b"xmlns" or name.startswith(b"xmlns:"):
                    scope[name.decode()[6:]] = unescape(self.data[quote + 1 : end - 1].decode())
        return scope

    def attributes_end(self, place: Place) -> int:
        """Where to insert another attribute: after the last one, or after the tag."""
        every = self.attributes(place)
        if every:
            return max(end for _, _, end in every.values())
        name = _NAME.match(self.data, place.start)
        return place.start if name is None else name.end()

    def indent(self, offset: int) -> bytes | None:
        """The white space before an offset on its line; None if there is anything else."""
        begin = offset
        while begin and self.data[begin - 1] in _BLANKS:
            begin -= 1
        if begin and self.data[begin - 1] not in b"\r\n":
            return None
        return self.data[begin:offset]

    def line_end(self, offset: int) -> int:
        """The end of the line, if only white space and a comment precede it; otherwise the offset."""
        match = _LINE_END.match(self.data, offset)
        return offset if match is None else match.end()

    def whole(self, place: Place) -> tuple[int, int]:
        """The range of an element; if nothing else is on its lines, including these and the line end before
        them.
        """
        start, end = place.start, place.end
        blanks = self.indent(start)
        behind = end
        while behind < len(self.data) and self.data[behind] in _BLANKS:
            behind += 1
        if blanks is None or self.data[behind : behind + 1] not in (b"\r", b"\n", b""):
            return start, end
        start -= len(blanks)
        if self.data[max(start - 2, 0) : start] == b"\r\n":
            return start - 2, behind
        return max(start - 1, 0), behind

    def inner(self, place: Place) -> tuple[bytes, bytes]:
        """The indentation of the content of an element, and its difference from that of the element: as for
        existing content, otherwise as in surrounding elements, otherwise as at the first place of the text.
        """
        outer = self.indent(place.start) or b""
        within: Place | None = place
        while within is not None:
            unit = self._deeper(within)
            if unit:
                return outer + unit, unit
            within = within.around
        unit = next((unit for other in self.places.values() if (unit := self._deeper(other))), b"  ")
        return outer + unit, unit

    def _deeper(self, place: Place) -> bytes:
        """By how much the first child of an element is indented more; empty if that is unknown."""
        outer = self.indent(place.start)
        first = self.indent(place.children[0].start) if place.children else None
        if outer is None or first is None or not first.startswith(outer):
            return b""
        return first[len(outer) :]

    def content_end(self, place: Place) -> int:
        """The end of an element's content, without trailing white space."""
        return place.opened + len(self.data[place.opened : place.closing].rstrip())


def longest_increasing(numbers: list[int]) -> set[int]:
    """Indices of a longest increasing subsequence of a list of different numbers."""
    tails: list[int] = []  # indices of the smallest last numbers of subsequences of each length
    least: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(least, number)
        before.append(tails[length - 1] if length else -1)
        if length == len(tails):
            tails.append(place)
            least.append(number)
        else:
            tails[length], least[length] = place, number
    found = set()
    place = tails[-1] if tails else -1
    while place >= 0:
        found.add(place)
        place = before[place]
    return found
