"""Faults put into valid documents are reported on their lines, and no text makes the reader fail."""

from __future__ import annotations

import contextlib
import os
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

import polybody as pb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polybody.diagnostics import Diagnostic
from polybody.document.sources import SourceError

from tests.amounts import amount

from . import small
from .faults import FAULTS
from .test_reader import PENDULUM, SMALL_TEXT
from .test_x_xy import EXAMPLES, FORBIDDEN
from .tools import parse

ROUNDS = 2
# The line is not always the one that a person would look at first: if a body is pasted twice, its first
# duplicate name is that of the original; a missing start tag or a doubled end tag leaves no trace.
HARD = {"body pasted twice", "start tag gone", "end tag twice"}
BASES = {path.stem: path.read_text() for path in EXAMPLES if path.stem not in FORBIDDEN}


def identity(found: Diagnostic) -> tuple[str, str, str]:
    return found.code, found.xpath, found.message


def outcomes() -> Iterator[tuple[str, str, bool, bool]]:
    """For each fault in each document: its name, the document, whether it is an error, and whether on its
    line.
    """
    for number, (name, text) in enumerate(sorted(BASES.items())):
        known = {identity(d) for d in pb.check(name, text=text)}
        for fault, put in FAULTS.items():
            for k in range(ROUNDS):
                made = put(text, random.Random(100 * number + k))
                if made is None or made[0] == text:
                    continue
                line = text.count("\n", 0, made[1]) + 1
                new = [d for d in pb.check(name, text=made[0]) if identity(d) not in known]
                error = any(d.severity == "error" for d in new)
                yield fault, name, error, any(abs(d.line - line) <= 1 for d in new[:3])


def test_faults_are_errors_on_their_line() -> None:
    missed = []
    lines: dict[str, list[bool]] = defaultdict(list)
    for fault, name, error, near in outcomes():
        if not error:
            missed.append((fault, name))
        lines[fault].append(near)
    assert missed == []
    assert set(lines) == set(FAULTS)
    assert {fault for fault, near in lines.items() if sum(near) < 0.9 * len(near)} <= HARD
    named = [near for some in lines.values() for near in some]
    assert sum(named) >= 0.985 * len(named)


# --- any text ----------------------------------------------------------------------------------------------

PIECES = [
    "<", ">", "/", "</", "/>", "=", '"', "'", "&", ";", " ", "\n", "\r", "\t", "<!--", "-->",
    "<![CDATA[", "]]>", "<?", "?>", "&amp;", "&#10;", "&#x0;", "&#xD800;", "&x;", "\xff", "é", "\0",
    "\x01", "\x7f", "<body>", "</body>", "<!DOCTYPE a>", "<!DOCTYPE", "x", "-", "1", "\ufffe", "\u2028",
    "\u0300", "<?xml?>", "\x85", "name=", 'pos="1"', "xmlns", ":", "x_xy", "\U0001f600", "]", "[",
    "<geom", "<x_xy>", "</x_xy>", "%",
]  # fmt: skip
EXAMPLES_FUZZED = int(os.environ.get("POLYBODY_FUZZ", "3000"))
"""How many corrupted documents are read; increase it for a longer search for faults of the reader."""


def spoilt(text: str, r: random.Random) -> bytes:
    data = bytearray(text.encode())
    for _ in range(r.choice((1, 1, 1, 2, 3, 8))):
        at = r.randrange(len(data) + 1)
        kind = r.random()
        if kind < 0.3:
            del data[at : at + r.choice((1, 2, 5, 40))]
        elif kind < 0.7:
            data[at:at] = r.choice(PIECES).encode()
        elif kind < 0.8:
            data[at:at] = bytes([r.randrange(256)])
        else:
            start = r.randrange(len(data) + 1)
            data[at:at] = data[start : start + r.choice((1, 5, 50, 400))]
    return bytes(data)


def is_well_formed(data: bytes) -> bool:
    try:
        expat.ParserCreate("utf-8").Parse(data, True)
    except expat.ExpatError:
        return False
    return True


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_documents(seed: int) -> None:
    """No text makes the reader fail, and it agrees with expat on which texts are well-formed."""
    r = random.Random(seed)
    texts = [PENDULUM, SMALL_TEXT.replace("small", "x_xy"), BASES["test_all_1"]]
    for _ in range(EXAMPLES_FUZZED // 4):
        data = spoilt(r.choice(texts), r)
        found = pb.check("a.xml", text=data)
        malformed = any(d.code in ("PB003", "PB004", "PB005", "PB006", "PB091") for d in found)
        if b"<!DOCTYPE" not in data and b"encoding" not in data and not data.startswith(b"\xef\xbb\xbf"):
            assert malformed == (not is_well_formed(data)), data
        for d in found:
            assert d.line >= 1 <= d.column
            assert (d.end_line, d.end_column) >= (d.line, d.column), (d, data)
            assert str(d).count("\n") == 0
        assert found == pb.check("a.xml", text=data)
        with contextlib.suppress(SourceError):
            parse(data.replace(b"x_xy", b"small"), small.FORMAT)


TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map(lambda pieces: "".join(pieces).encode())


@settings(max_examples=amount(300, 100))
@given(st.binary(max_size=200) | TEXTS)
def test_random_bytes(data: bytes) -> None:
    found = pb.check("a.xml", text=data)
    assert all(
        d.code in ("PB003", "PB004", "PB005", "PB006", "PB007", "PB008", "PB015") or d.line for d in found
    )
    assert found


def test_the_examples_are_read_from_any_directory() -> None:
    assert all(Path(path).is_absolute() for path in EXAMPLES)
