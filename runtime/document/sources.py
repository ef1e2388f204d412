"""Texts of documents: bytes within limits, in any declared encoding, converted to UTF-8.

All input is treated as hostile. A document type declaration, which entity expansion and external entities
need, is refused before the parser sees a byte. If one were overlooked here, the parser would refuse it. In
formats of users' own schemas one that defines nothing itself is skipped: the parser gets white space instead.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from polybody.base import Source, Span
from polybody.base.source import UTF_8
from polybody.document.parser.scan import begun, prolog_end, tags_in
from polybody.files import RealPath, contents

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BARE = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_DECLARED = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([^"'<>]{0,80})["']""")
# Text encodings that Python knows, without its codecs from bytes to bytes and the like.
_KNOWN = re.compile(
    r"utf_?(8|16|32)|ascii|us_ascii|iso_?8859_\d+|latin_?\d*|l\d|(cp|windows_)?\d{3,5}|koi8_\w|mac_\w+"
    r"|gbk?|gb2312|gb18030|big5|shift_jis|euc_(jp|kr)"
)
_MARKED = " with a mark"
PROLOG = 1 << 20  # maximum number of bytes before the root element
_GLANCES = (1 << 10, 1 << 12, 1 << 14)  # number of bytes from there that are examined to detect the format
_QUOTED = rb"""(?:"[^"<>]*+"|'[^'<>]*+')"""
_DOCUMENT_TYPE = re.compile(
    rb"<!DOCTYPE\s+[^\s<>\[\]\"']++(?:\s+(?:SYSTEM\s+%b|PUBLIC\s+%b\s+%b))?\s*>" % (_QUOTED, _QUOTED, _QUOTED)
)
"""A document type without a subset of its own."""
_ROOT = re.compile(rb"<([^\s<>/=\"'&!?]+)")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits beyond which a document is refused, together with the files that it includes."""

    bytes: int = 256 << 20
    markup: int = 8 << 20  # bytes between two `<`: the longest attribute, text or comment
    attributes: int = 10_000  # of one element
    depth: int = 10_000
    elements: int = 2_000_000
    repeated: int = 100_000  # elements of files that are included repeatedly
    files: int = 64  # depth of files that include each other
    names: int = 16 << 20  # characters of names that the prefixes of a document generate
    judged: int = 50_000  # elements, copies included, of a document whose Model is judged


LIMITS = Limits()


class SourceError(Exception):
    """A text that cannot be read at all: the code of a finding, its message, and its place."""

    def __init__(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.span, self.hint = code, message, span, hint


def load(path: str | RealPath, limits: Limits, shown: str = "") -> bytes:
    """The bytes of a file; ``shown`` is its path in the error, if it is another.

    Raises:
        SourceError: the file is missing, not a regular file, not readable or too large.
    """
    try:
        return contents(path, limits.bytes)
    except OSError as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError("PB001", f"cannot read the file: {reason}", _start_of(shown or str(path))) from None


def make_source(
    path: str,
    data: bytes,
    limits: Limits,
    include_stack: tuple[Span, ...] = (),
    *,
    decoded: bool = False,
    access: Any = None,
) -> Source:
    """A source with its text as UTF-8. It is refused if it is too long or has a document type with content.

    decoded: whether the bytes are UTF-8 whatever encoding the text declares.
    access: how files that it refers to are found.

    Raises:
        SourceError: beyond a limit, wrongly encoded, or with a DOCTYPE.
    """
    if len(data) > limits.bytes:
        message = f"the file is longer than {limits.bytes:,} bytes, which exceeds the limit of this reader"
        raise SourceError("PB002", message, _start_of(path))
    text, encoding = (data, _declared(data)) if decoded else _as_utf8(path, data)
    source = Source(path, text, include_stack, encoding, access=access)
    if source.data.startswith(codecs.BOM_UTF8):
        message = "a second byte order mark: the text begins with the character U+FEFF"
        raise SourceError("PB005", message, source.between(0, 3), "remove it")
    if source.data.startswith(_WIDE) or b"\0" in source.data[:2]:
        # After a UTF-8 byte order mark, expat would still interpret it as UTF-16.
        message = f"the text begins with the bytes 0x{source.data[:2].hex().upper()}, which are not UTF-8"
        raise SourceError("PB005", message, source.between(0, 1), "save the file as UTF-8")
    if len(source.data) > 4 * limits.elements and begun(source.data) > limits.elements:
        message = f"more than {limits.elements:,} elements, which exceeds the limit of this reader"
        raise SourceError("PB002", message, _start_of(path))
    place = _long_markup(source.data, limits.markup)
    if place is not None:
        message = (
            f"a tag or a text longer than {limits.markup:,} bytes, which exceeds the limit of this reader"
        )
        raise SourceError("PB002", message, source.between(place, place + 1))
    place = _prolog_end(source.data)
    if place > PROLOG:
        message = (
            f"comments of more than {PROLOG:,} bytes before the root, which exceeds the limit of this reader"
        )
        raise SourceError("PB002", message, _start_of(path))
    if source.data[place : place + 9].upper() == b"<!DOCTYPE":
        raise document_type(source, place)  # one that can be skipped is part of the prolog
    return source


def _start_of(path: str) -> Span:
    return Span(path, 1, 1, 1, 1)


def document_type(source: Source, place: int) -> SourceError:
    """The error for a document type that begins at an offset."""
    message = "a document type (DOCTYPE) is refused, because it can define entities and refer to other files"
    return SourceError("PB004", message, source.between(place, place + 9), "remove it")


def root_place(source: Source) -> int:
    """The offset at which the root element begins."""
    return _prolog_end(source.data)


def root_tag(source: Source) -> str | None:
    """The tag of the root element; None if the text does not contain one."""
    root = _ROOT.match(source.data, _prolog_end(source.data))
    return None if root is None else root[1].decode("utf-8", "replace")


def first_tags(source: Source) -> Iterator[dict[str, int]]:
    """Numbers of occurrences of tags after the root's start tag, in increasingly long parts of the text."""
    begin = _prolog_end(source.data)
    for glance in _GLANCES:
        yield tags_in(source.data, begin + 1, begin + glance)
        if begin + glance >= len(source.data):
            return


def _prolog_end(data: bytes) -> int:
    """The offset after white space, comments, processing instructions and a DOCTYPE that can be skipped: that
    of the root, or of another DOCTYPE.
    """
    place = prolog_end(data, PROLOG)
    skipped = _skipped(data, place)
    return place if skipped is None else skipped.end() + prolog_end(data[skipped.end() :], PROLOG)


def skipped_document_type(data: bytes) -> tuple[int, int] | None:
    """Begin and end of a DOCTYPE that can be skipped: it defines nothing itself, and what it refers to is
    never opened.
    """
    skipped = _skipped(data, prolog_end(data, PROLOG))
    return None if skipped is None else skipped.span()


def _skipped(data: bytes, place: int) -> re.Match[bytes] | None:
    return _DOCUMENT_TYPE.match(data, place) if data.startswith(b"<!DOCTYPE", place) else None


def _long_markup(data: bytes, most: int) -> int | None:
    """The offset of markup that is longer than a limit; None if there is none."""
    place = 0
    while len(data) - place > most:
        # The last `<` of the next part; all `<` before it are closer than the limit.
        following = data.rfind(b"<", place + 1, place + most + 1)
        if following < 0:
            return place
        place = following
    return None


def encoded(text: bytes, encoding: str) -> bytes:
    """A text in UTF-8 as the bytes of a file in the encoding of a `Source`.

    Characters that the encoding lacks become character references.
    """
    mark = next((mark for mark, name in _BOMS if encoding == f"{name}{_MARKED}"), b"")
    name = encoding.removesuffix(_MARKED)
    return mark + (text if name == UTF_8 else text.decode().encode(name, "xmlcharrefreplace"))


def _declared(data: bytes) -> str:
    """The encoding that a text declares; UTF-8 if it declares none that is known."""
    match = _DECLARED.match(data[:1024])
    declared = "" if match is None else match[1].decode("ascii", "replace")
    wanted = declared.lower().replace("-", "_")
    try:
        return codecs.lookup(declared).name if _KNOWN.fullmatch(wanted) else UTF_8
    except LookupError:
        return UTF_8


def _as_utf8(path: str, data: bytes) -> tuple[bytes, str]:
    """The text as UTF-8 without byte order mark, according to its mark or declaration; and its encoding."""
    marked, name = None, "utf-8"
    if data[:1] != b"<" or data[1:2] == b"\0":  # otherwise, as in most texts, there is no mark
        marked = next(((mark, name) for mark, name in _BOMS if data.startswith(mark)), None)
        if marked is not None:
            data = data[len(marked[0]) :]
        name = marked[1] if marked else next((n for start, n in _BARE if data.startswith(start)), name)
    head = data[:1024]
    if name != "utf-8":
        head = head.decode(name, "replace").encode()
    match = _DECLARED.match(head)
    declared = "" if match is None else match[1].decode("ascii", "replace")
    if match is not None:
        line = head.count(b"\n", 0, match.start(1)) + 1
        column = match.start(1) - head.rfind(b"\n", 0, match.start(1))
        span = Span(path, line, column, line, column + len(declared))
        name = _agree(name, declared, marked is not None, span)
    encoding = f"{name}{_MARKED}" if marked else name
    if name == UTF_8:
        return data, encoding
    try:
        return data.decode(name).encode(), encoding
    except (UnicodeError, LookupError) as error:
        place = getattr(error, "start", 0)
        line = data.count(b"\n", 0, place) + 1
        column = place - data.rfind(b"\n", 0, place)
        message = f"byte 0x{data[place : place + 1].hex().upper()} is not {declared or name}"
        span = Span(path, line, column, line, column + 1)
        raise SourceError("PB003", message, span, "declare the encoding in which the file is saved") from None


def _agree(found: str, declared: str, marked: bool, span: Span) -> str:
    """The encoding to use, according to the first bytes and the declaration."""
    wanted = declared.lower().replace("-", "_")
    try:
        known = codecs.lookup(declared).name if _KNOWN.fullmatch(wanted) else None
    except LookupError:
        known = None
    if known is None:
        message = f"unknown encoding `{declared}`"
        raise SourceError("PB003", message, span, "save the file as UTF-8")
    family = known.rsplit("-", 1)[0] if known.endswith(("-le", "-be")) else known
    wide = found.startswith(("utf-16", "utf-32"))
    if wide:
        if found.startswith(family):
            return found
    elif known == "ascii" or (
        not family.startswith(("utf-16", "utf-32")) and (known == "utf-8" or not marked)
    ):
        return known
    message = f"the declaration says `{declared}`, but the text is {found}"
    raise SourceError(
        "PB003", message, span, f"declare `{found[:6].rstrip('-')}` or save the file as it declares"
    )
