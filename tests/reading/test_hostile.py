"""Malicious files: each gives one error with a line and exit code 1, quickly and with little memory.

Each runs in a process of its own, whose memory and time the operating system limits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

from . import limits

if sys.platform == "win32":
    pytest.skip("no resource limits on Windows", allow_module_level=True)

RUN = """
import polybody

polybody.check("warm.xml", text="<x_xy><worldbody><body/></worldbody></x_xy>")
found = polybody.check(sys.argv[1])
print(json.dumps({"resident": resident(), "found": [d.as_json() for d in found]}))
"""


def run(path: Path) -> dict[str, object]:
    (result,) = limits.run(RUN, path)
    assert isinstance(result, dict)
    return result


def wrap(inside: bytes) -> bytes:
    return b"<x_xy><worldbody>\n" + inside + b"\n</worldbody></x_xy>"


def tag(attributes: bytes) -> bytes:
    return b"<body " + attributes + b"/>"


def rx(attributes: bytes) -> bytes:
    return wrap(tag(b'name="a" joint="rx" ' + attributes))


def unknown(count: int) -> bytes:
    return b" ".join(b'a%d=""' % i for i in range(count))


def entities(levels: int) -> bytes:
    rows = [b'<!ENTITY e0 "lollollollol">']
    rows += [b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10) for i in range(1, levels)]
    return b"<!DOCTYPE x_xy [" + b"\n".join(rows) + b"]>\n" + wrap(b"&e%d;" % (levels - 1))


MIB = 1 << 20
HOSTILE: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "billion laughs": (lambda: entities(10), {"PB004"}),
    "quadratic blow-up": (
        lambda: b'<!DOCTYPE x [<!ENTITY a "' + b"x" * 50_000 + b'">]>' + wrap(b"&a;" * 20_000),
        {"PB004"},
    ),
    "external entity": (
        lambda: b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + wrap(b"&a;"),
        {"PB004"},
    ),
    "external document type": (
        lambda: b'<!DOCTYPE x SYSTEM "http://example.org/x.dtd">' + wrap(b""),
        {"PB004"},
    ),
    "parameter entity": (lambda: b'<!DOCTYPE x [<!ENTITY % a "b"> %a;]>' + wrap(b""), {"PB004"}),
    "long prolog": (lambda: b"<!--" + b"<" * (64 * MIB) + b"-->" + entities(5), {"PB002"}),
    "many comments in the prolog": (lambda: b"<!---->" * (4 * MIB) + entities(5), {"PB002"}),
    "100,000 deep": (lambda: wrap(b"<body>" * 100_000 + b"</body>" * 100_000), {"PB002"}),
    "100,000 deep and unclosed": (lambda: b"<x_xy><worldbody>" + b"<body>" * 100_000, {"PB002"}),
    "100,000 deep and unknown": (
        lambda: b"<x_xy>" + b"<foo>" * 100_000 + b"</foo>" * 100_000,
        {"PB002", "PB011"},
    ),
    "9,000 deep and unclosed": (lambda: b"<x_xy><worldbody>" + b"<body>" * 9_000, {"PB006"}),
    "200 MB attribute": (lambda: wrap(b'<body name="' + b"a" * (200 * MIB) + b'"/>'), {"PB002"}),
    "7 MB attribute": (lambda: wrap(b'<body name="' + b"a" * (7 * MIB) + b'" joint="q"/>'), {"PB018"}),
    "7 MB of numbers": (
        lambda: rx(b'damping="' + b"1 " * (3 * MIB) + b'"'),
        {"PB024"},
    ),
    "7 MB number": (
        lambda: rx(b'damping="' + b"1" * (7 * MIB) + b'"'),
        {"PB020"},
    ),
    "7 MB of dots": (
        lambda: rx(b'damping="' + b"." * (7 * MIB) + b'"'),
        {"PB016"},
    ),
    "7 MB tag": (lambda: b"<x_xy><" + b"a" * (7 * MIB) + b"/></x_xy>", {"PB011", "PB015"}),
    "7 MB attribute name": (lambda: wrap(b"<body " + b"a" * (7 * MIB) + b'="1"/>'), {"PB012", "PB021"}),
    "7 MB joint": (lambda: wrap(b'<body name="a" joint="' + b"r" * (7 * MIB) + b'"/>'), {"PB018"}),
    "7 MB text": (lambda: wrap(b"x" * (7 * MIB)), {"PB013", "PB015"}),
    "7 MB comment, unclosed": (lambda: wrap(b"<!--" + b"-" * (7 * MIB)), {"PB005"}),
    "7 MB of ampersands": (lambda: wrap(b"&" * (7 * MIB)), {"PB009", "PB091"}),
    "half a million attributes": (
        lambda: wrap(tag(unknown(550_000))),
        {"PB002"},
    ),
    "million unknown elements": (lambda: wrap(b"<foo/>" * 1_000_000), {"PB009", "PB011"}),
    "million bad elements": (lambda: wrap(b"<geom mass='x'/>" * 1_000_000), {"PB009", "PB016"}),
    "million equal names": (lambda: wrap(b'<body name="a" joint="rx"/>' * 200_000), {"PB009", "PB031"}),
    "200 MB of elements": (lambda: wrap(b"<geom/>" * (28 * MIB)), {"PB002"}),
    "300 MB": (lambda: wrap(b" " * (300 * MIB)), {"PB002"}),
    "7 MB, then findings": (
        lambda: wrap(
            b'<body name="\xc3\xa9'
            + b"a" * (7 * MIB)
            + b'" '
            + b"".join(b'a%d="" ' % i for i in range(2000))
            + b"/>"
        ),
        {"PB009", "PB012"},
    ),
    "million lines": (lambda: wrap(b"\n\r" * (3 * MIB) + b"<foo/>" * 2000), {"PB009", "PB011"}),
    "one long line of findings": (
        lambda: wrap(b'<body name="\xc3\xa9" jiont="rx"/>' * 300_000),
        {"PB009", "PB012"},
    ),
    "mismatched tags": (lambda: b"<x_xy>" + b"<a>\n</b>\n" * 500_000, {"PB006", "PB011"}),
    "untidy and unclosed": (lambda: wrap(b"<body>\n" * 9_000 + b"</body>\n" * 8_999), {"PB006"}),
    "not utf-8": (lambda: wrap(b"\xff" * MIB), {"PB005"}),
    "utf-7": (lambda: b'<?xml version="1.0" encoding="utf-7"?>' + wrap(b""), {"PB003"}),
    "codec of bytes": (lambda: b'<?xml version="1.0" encoding="zlib"?>' + wrap(b""), {"PB003"}),
    "codec with side effects": (lambda: b'<?xml version="1.0" encoding="idna"?>' + wrap(b""), {"PB003"}),
    "nul bytes": (lambda: b"\0" * MIB, {"PB005"}),
    "random": (lambda: os.urandom(MIB), {"PB005", "PB003"}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str, tmp_path: Path) -> None:
    make, codes = HOSTILE[name]
    path = tmp_path / "hostile.xml"
    path.write_bytes(make())
    result = run(path)
    path.unlink()
    found = result["found"]
    assert isinstance(found, list)
    got = {d["code"] for d in found if d["severity"] == "error"}
    assert got
    assert got <= codes, found[:3]
    assert all(d["line"] >= 1 for d in found)
    assert len(json.dumps(found)) < 4 << 20
    assert result["resident"] < limits.RESIDENT, result["resident"]  # type: ignore[operator]


def test_a_gigabyte_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "sparse.xml"
    with path.open("wb") as file:
        file.write(b'<x_xy model="')
        file.truncate(1 << 30)
    result = run(path)
    assert [d["code"] for d in result["found"]] == ["PB002"]  # type: ignore[attr-defined]
    assert result["resident"] < limits.RESIDENT  # type: ignore[operator]


def test_the_command_exits_with_1(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    path.write_bytes(entities(10))
    command = [sys.executable, "-m", "polybody", "check", path]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert b":1:1: PB004 error" in done.stdout
