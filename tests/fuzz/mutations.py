"""Randomly changed texts: changes of bytes, tokens, pieces of other texts, and encodings."""

from __future__ import annotations

import codecs
import random
import re

TOKENS = (
    *(
        b"<",
        b">",
        b"/>",
        b"</",
        b"&",
        b"&amp;",
        b"&#0;",
        b"&#x110000;",
        b"&#9;",
        b"&lol;",
        b"'",
        b'"',
        b"=",
        b" ",
    ),
    *(b"<!--", b"-->", b"--", b"<![CDATA[", b"]]>", b"<?", b"?>", b"<?xml version='1.0'?>", b"<!DOCTYPE a>"),
    *(
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\0",
        b"\x0b",
    ),
    *(
        b"\r",
        b"\r\n",
        b"\t",
        b"\n",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\xf4\x90\x80\x80",
        b"\xef\xbf\xbe",
        b"xmlns:",
    ),
    *(
        b"xmlns='u'",
        b"xml:id='a'",
        b"a:b",
        b":",
        b"1e308",
        b"-1e308",
        b"nan",
        b"inf",
        b"-0",
        b"1e-400",
        b"0x1p3",
    ),
    *(b"9" * 400, b"1 " * 300, b"-1", b"", b"none", b"true", b"a" * 300, b"__init__", b"*", b"..", b"a/../b"),
)
NUMBERS = (
    b"0",
    b"-1",
    b"1e308",
    b"-1e308",
    b"nan",
    b"inf",
    b"-inf",
    b"1e-320",
    b"9" * 30,
    b"1e999",
    b"2147483648",
)
ENCODINGS = (
    *(
        "utf-8",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-be",
        "iso-8859-1",
        "ascii",
        "windows-1252",
    ),
    *(
        "shift_jis",
        "gb18030",
        "utf-7",
        "idna",
        "zlib",
        "hex",
        "rot13",
        "punycode",
        "unicode_escape",
        "cp037",
        "",
        "x",
    ),
)
_TAG = re.compile(rb"<[^<>]*>")
_VALUE = re.compile(rb"=\s*(\"[^\"<]*\"|'[^'<]*')")
_NUMBER = re.compile(rb"-?\d+(\.\d+)?(e-?\d+)?")


def mutated(text: bytes, draw: random.Random) -> bytes:
    """A text with some changes."""
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        text = draw.choice(CHANGES)(text, draw)
    return text


def _place(text: bytes, draw: random.Random) -> int:
    return draw.randrange(len(text) + 1)


def _flip(text: bytes, draw: random.Random) -> bytes:
    place = _place(text, draw)
    return text[:place] + bytes([draw.randrange(256)]) + text[place + 1 :]


def _cut(text: bytes, draw: random.Random) -> bytes:
    place = _place(text, draw)
    return text[:place] + text[place + draw.choice((1, 2, 8, 40, 200)) :]


def _truncate(text: bytes, draw: random.Random) -> bytes:
    return text[: _place(text, draw)]


def _token(text: bytes, draw: random.Random) -> bytes:
    place = _place(text, draw)
    return text[:place] + draw.choice(TOKENS) + text[place:]


def _double(text: bytes, draw: random.Random) -> bytes:
    start = _place(text, draw)
    piece = text[start : start + draw.choice((1, 5, 50, 400))]
    return text[:start] + piece * draw.choice((2, 3, 30)) + text[start:]


def _tags(text: bytes, draw: random.Random) -> bytes:
    """Tags removed, duplicated or swapped."""
    found = list(_TAG.finditer(text))
    if len(found) < 2:
        return text
    one, other = sorted(draw.sample(found, 2), key=lambda match: match.start())
    kind = draw.randrange(4)
    if kind == 0:
        return text[: one.start()] + text[one.end() :]
    if kind == 1:
        return text[: one.end()] + one[0] + text[one.end() :]
    if kind == 2:
        between = text[one.end() : other.start()]
        return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]
    return text[: one.start()] + text[other.end() :]


def _values(text: bytes, draw: random.Random) -> bytes:
    """A value replaced by another, or by a token."""
    found = list(_VALUE.finditer(text))
    if not found:
        return text
    one = draw.choice(found)
    value = (
        draw.choice(found)[1] if draw.random() < 0.5 else b'"' + draw.choice(TOKENS).replace(b'"', b"") + b'"'
    )
    return text[: one.start(1)] + value + text[one.end(1) :]


def _numbers(text: bytes, draw: random.Random) -> bytes:
    """A number replaced by an extreme one."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    one = draw.choice(found)
    return text[: one.start()] + draw.choice(NUMBERS) + text[one.end() :]


def _deeper(text: bytes, draw: random.Random) -> bytes:
    """A piece between two tags nested into itself many times."""
    found = [match for match in _TAG.finditer(text) if not match[0].startswith((b"</", b"<?", b"<!"))]
    if not found:
        return text
    one = draw.choice(found)
    name = re.split(rb"[\s/>]", one[0][1:], maxsplit=1)[0]
    times = draw.choice((2, 20, 300))
    opened = one[0].replace(b"/>", b">")
    return (
        text[: one.start()]
        + opened * times
        + b"</"
        + name
        + b">" * 1
        + (b"</" + name + b">") * (times - 1)
        + text[one.end() :]
    )


CHANGES = (_flip, _cut, _truncate, _token, _double, _tags, _values, _values, _numbers, _deeper)


def spliced(text: bytes, other: bytes, draw: random.Random) -> bytes:
    """A piece of one text inserted into another; mostly whole tags."""
    if draw.random() < 0.2:
        start = _place(other, draw)
        piece = other[start : start + draw.choice((10, 100, 1000))]
        place = _place(text, draw)
        return text[:place] + piece + text[place:]
    tags = list(_TAG.finditer(other))
    if not tags:
        return text
    start = draw.randrange(len(tags))
    end = min(len(tags) - 1, start + draw.randrange(6))
    return inserted(text, other[tags[start].start() : tags[end].end()], draw)


def inserted(text: bytes, piece: bytes, draw: random.Random) -> bytes:
    """A piece inserted after a tag of a text."""
    tags = list(_TAG.finditer(text))
    place = draw.choice(tags).end() if tags else len(text)
    return text[:place] + piece + text[place:]


def encoded(text: bytes, draw: random.Random) -> bytes:
    """A text in some encoding, with a byte order mark and a declaration that may contradict it."""
    name, said = draw.choice(ENCODINGS), draw.choice(ENCODINGS)
    head = (
        ""
        if draw.random() < 0.3
        else f'<?xml version="1.0" encoding="{name if draw.random() < 0.6 else said}"?>'
    )
    plain = "\ufeff" * draw.choice((0, 0, 1, 2)) + head + text.decode("utf-8", "replace")
    try:
        data = plain.encode(name)
    except (UnicodeError, LookupError, TypeError):
        data = plain.encode("utf-8")
    mark = draw.choice(
        (b"", b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE)
    )
    return mark + data
