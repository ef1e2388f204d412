"""The site built by `make docs`: complete, without a warning, with everything that it should contain."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polybody as pb
import pytest
from polybody.codegen.context.pages import address, anchor
from polybody.diagnostics.catalogue import CATALOGUE

from tests.codegen.schemas import FORMATS, schema_of
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]


ENTRY = re.compile(r"    \*{0,2}[\w.]+(, \*{0,2}[\w.]+)*: ")
"""An entry of a section of a docstring, such as a parameter."""


def public() -> Iterator[tuple[str, str]]:
    """The docstrings of the public names, including the methods of classes, by name."""
    for name in pb.__all__:
        thing = getattr(pb, name)
        yield name, inspect.getdoc(thing) or ""
        members = vars(thing).items() if isinstance(thing, type) else ()
        for member, value in members:
            if not member.startswith("_") and callable(getattr(thing, member)):
                yield f"{name}.{member}", inspect.getdoc(value) or ""


def test_what_continues_an_entry_of_a_docstring_is_indented() -> None:
    """Otherwise Napoleon parses it as one more parameter."""
    wrong = []
    for name, text in public():
        for section in re.findall(r"^(?:Args|Raises):\n((?:    .*\n?)+)", text, re.MULTILINE):
            lines = [line for line in section.splitlines() if not line.startswith(" " * 8)]
            wrong += [(name, line) for line in lines if not ENTRY.match(line)]
    assert wrong == []


def test_properties_are_described_without_a_colon_in_the_first_line() -> None:
    """Otherwise Napoleon parses the text before the colon as the type."""
    wrong = []
    for name in pb.__all__:
        thing = getattr(pb, name)
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            head = (inspect.getdoc(value) or "").partition("\n")[0] if isinstance(value, property) else ""
            wrong += [f"{name}.{member}: {head}"] if re.search(r":\s", head) else []
    assert wrong == []


def run(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONWARNINGS": "default"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stderr


@pytest.mark.long
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    source, pages = tmp_path / "source", tmp_path / "html"
    run("tools/docs.py", source)
    run(
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-j",
        "2",
        "-c",
        "docs",
        "-d",
        tmp_path / "trees",
        source,
        pages,
    )
    for name in FORMATS:
        folder = pages / "reference" / name
        overview = ("read",) if name == "srdf" else ("read", "simulated", "how exactly", "how fast")
        for row in overview:  # at the top
            assert f"<td><p>{row}</p></td>" in (folder / "index.html").read_text(encoding="utf-8")
        for element in schema_of(name).elements:
            text = (folder / f"{address(element.key)}.html").read_text(encoding="utf-8")
            assert 'class="highlight-xml' in text
            for value in element.attributes:
                assert not value.leaf or f'id="{anchor(value.name)}"' in text, (element.key, value.name)
    for code in CATALOGUE:
        assert code in (pages / "reference/diagnostics" / f"{code}.html").read_text(encoding="utf-8")
    guides = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert guides == {path.stem for path in (pages / "docs").glob("*.html")}
    face = (pages / "api.html").read_text(encoding="utf-8")
    assert all(f'id="polybody.{name}"' in face for name in pb.__all__)
    found = re.fullmatch(r"Search\.setIndex\((.*)\)", (pages / "searchindex.js").read_text(encoding="utf-8"))
    assert found is not None
    titles = json.loads(found[1])["titles"]
    assert any("mujoco/worldbody/body/geom" in title for title in titles)
