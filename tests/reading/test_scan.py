"""The scanner of plain XML compared with expat: its tokens are in the text, at the same positions, and
well-formed.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.parsers import expat

import polybody as pb
import pytest
from polybody.document.parser.scan import events, prolog_end, tags_in

SAMPLES = [
    b'<?xml version="1.0" encoding="utf-8"?>\n<!-- a robot -->\n<a b="1" c:d=\'2 "3"\'>\n  <e/> text '
    b'<f\n g="\t1\n2" >\n\n<!---->more</f\n>\n</a>\n<!-- end -->\n',
    b"<a><b/><b></b>]<c x='>' y=\"]]>\"/>&lt;<![CDATA[ <d> ]]><?target this?></a>",
    b'<_1.2-3:a xmlns:p="q" long-name_x.y="' + b"0.5 " * 40 + b'"> </_1.2-3:a>',
    *(path.read_bytes() for path in sorted((Path(__file__).parent / "small").glob("*.py"))),
]
PIECES = (
    *(
        b"<",
        b">",
        b'"',
        b"'",
        b"&",
        b"&amp;",
        b"/",
        b"=",
        b":",
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"\0",
        b"\x7f",
        b"\x1f",
    ),
    *(b"]]>", b"--", b"<!-- x -->", b"<?x y?>", b"<![CDATA[x]]>", b"</a>", b"<a>", b"<a/>", b"text", b"a=''"),
    *(
        b' b="1" b="2"',
        b' x="1"y="2"',
        b"\xc3\xa9",
        b"\xff",
        b"xmlns:",
        b"\x1f",
        b"<!DOCTYPE a>",
        b"1",
        b"-",
        b".",
    ),
)


def parsed(data: bytes) -> tuple[list[tuple[int, int, Any]], bool]:
    """Expat's tokens, and whether the text is well-formed."""
    found: list[tuple[int, int, Any]] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = False

    def met(what: Any) -> None:
        found.append((parser.CurrentLineNumber, parser.CurrentColumnNumber, what))

    parser.StartElementHandler = lambda tag, attributes: met((tag, attributes))
    parser.EndElementHandler = met
    parser.CharacterDataHandler = lambda text: met(text.encode())
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return found, False
    return found, True


def joined(found: list[tuple[int, int, Any]]) -> list[Any]:
    """Texts joined, without their positions."""
    joint: list[Any] = []
    for each in found:
        if not isinstance(each[2], bytes):
            joint.append(each)
        elif joint and isinstance(joint[-1], bytes):
            joint[-1] += each[2]
        else:
            joint.append(each[2])
    return joint


def compare(data: bytes) -> bool:
    """Whether the scanner accepted the whole text; its tokens must agree with expat."""
    mine, finished = events(data)
    theirs, well_formed = parsed(data)
    mine, theirs = joined(mine), joined(theirs)
    if not finished and mine and isinstance(mine[-1], bytes):
        mine.pop()  # expat may find more of it
    assert mine == theirs[: len(mine)], data
    assert not finished or (well_formed and len(mine) == len(theirs)), data
    return finished


@pytest.mark.parametrize("seed", range(8))
def test_a_scan_finds_what_expat_finds(seed: int) -> None:
    rng = random.Random(seed)
    finished = 0
    for _ in range(1500):
        text = bytearray(rng.choice(SAMPLES))
        for _ in range(rng.randrange(4)):
            place = rng.randrange(len(text) + 1)
            change = rng.randrange(4)
            if change == 0:
                text[place:place] = rng.choice(PIECES)
            elif change == 1:
                del text[place : place + rng.randrange(1, 6)]
            elif change == 2:
                text[place : place + 1] = rng.choice(PIECES)
            else:
                other = rng.randrange(len(text) + 1)
                text[place:place] = text[other : other + rng.randrange(1, 30)]
        finished += compare(bytes(text))
    assert finished > 100


def test_texts_that_are_not_kept_are_read_line_by_line() -> None:
    found, finished = events(b"<a>\n  one\n two <b/>  \n</a>", keeps=False)
    assert finished
    assert found[1:3] == [(2, 2, b"one"), (3, 1, b"two ")]
    assert found[3] == (3, 5, ("b", {}))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"<a>",
        b"<a></b>",
        b"<a/><a/>",
        b"<a/>x",
        b"x<a/>",
        b'<a b="1" b="2"/>',
        b'<a b="1"c="2"/>',
        b'<a b="<"/>',
        b"<a b=1/>",
        b"<a><!-- -- --></a>",
        b"<a>]]></a>",
        b"<a>\0</a>",
        b"</a>",
        b"<1/>",
        b"<a",
        b'<a b="1',
        b" <?xml version='1.0'?><a/>",
    ],
)
def test_what_is_malformed_is_strange(text: bytes) -> None:
    assert not compare(text)
    assert not parsed(text)[1]


@pytest.mark.parametrize(
    "end", [b"", b"<?p x?>", b"<!--c--><![CDATA[4]]>", b"\xc3\xa9", b"&#50;", b'<a b="&lt;"/>']
)
def test_where_expat_takes_over_nothing_is_lost_or_met_twice(end: bytes) -> None:
    start = b'<sdf version="1.9"><model name="m"><foo/><bar>x</bar><link name="l">stray<inertial><mass>1'
    text = start + b"<!-- 2 -->3" + end + b"</mass></inertial></link></model>stray\n stray</sdf>"
    found = [repr(finding) for finding in pb.check("a.sdf", text=b"\n" + text)]
    assert len(found) >= 4
    # With a processing instruction before the root, expat reads all of it.
    assert found == [repr(finding) for finding in pb.check("a.sdf", text=b"<?p?>\n" + text)]


def test_many_attributes_and_deep_trees() -> None:
    many = b"<a " + b" ".join(b'x%d="%d"' % (place, place) for place in range(64)) + b"/>"
    assert compare(many)
    assert not compare(b"<r>" + many.replace(b"/>", b' y="1"/>') + b"</r>")
    assert compare(b"<a>" * 5000 + b"</a>" * 5000)


def test_tags_in_a_part_of_a_text() -> None:
    """As a regular expression finds them, whatever the text is."""
    rng = random.Random(5)
    for sample in (*SAMPLES, *(b"".join(rng.choices(PIECES, k=40)) for _ in range(200))):
        for begin, end in ((0, len(sample)), (1, 50), (rng.randrange(60), rng.randrange(60)), (70, 10_000)):
            found = re.compile(rb"<([^\s<>/=\"'&!?]+)").findall(sample, begin, end)
            assert tags_in(sample, begin, end) == Counter(tag.decode("utf-8", "replace") for tag in found)


def test_where_a_root_begins() -> None:
    """After white space, comments and processing instructions that end; the search itself ends, too."""
    rng = random.Random(6)
    pieces = (b" ", b"\n", b"\t\r", b"<!-- x -->", b"<!--->", b"<?x y?>", b"<?>", b"<!-", b"<a>", b"", b"\0")
    between = re.compile(rb"(?:[ \t\r\n]+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
    for _ in range(500):
        text = b"".join(rng.choices(pieces, k=5))
        match = between.match(text)
        assert match is not None
        assert prolog_end(text, 1 << 20) == match.end()
    assert prolog_end(b"<!-- x -->" * 100, 55) == 60
