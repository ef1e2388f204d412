"""An editor's language server with our schemas: its answers are still those that were recorded.

The server is named by POLYBODY_XML_SERVER, see `client`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree
from polybody.cli.editor import schemas_folder
from polybody.generated.formats import ROOTS

from tests.codegen.test_editor import BASES, tree_of

from .client import command, talking_to
from .documents import DOCUMENTS
from .transcript import BLOCK, KEPT, PAGE, record, shown

SAID = json.loads(KEPT.read_text(encoding="utf-8"))
served = pytest.mark.skipif(not command(), reason="no language server is named")
FAULTS = {
    "x_xy": (b'damping="1 2 3"', b'damping="1 two 3"'),
    "urdf": (b'xyz="0 0 1"', b'xyz="0 0"'),
    "skel": (b"0 0 -9.81", b"0 0"),
    "mjcf": (b"freejoint", b"freejoin"),
    "openrave": (b"<diffusecolor>1 0 0<", b"<diffusecolor>1 0<"),
}


UNRECORDED = {"srdf"}
"""Formats without a document here: their schemas are made and found as those of the others are."""


def test_every_format_has_answers() -> None:
    assert DOCUMENTS.keys() | UNRECORDED == ROOTS.keys()
    assert SAID.keys() == DOCUMENTS.keys()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_fault_was_found_and_the_rest_offered(name: str) -> None:
    document, said = DOCUMENTS[name], SAID[name]
    assert document.fault_line + 1 in [found["line"] for found in said["diagnostics"]]
    assert set(document.offered) <= {item["label"] for item in said["completion"]}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_was_offered_is_in_the_schema(name: str) -> None:
    schema = (schemas_folder() / f"{name}.xsd").read_text(encoding="utf-8")
    for item in SAID[name]["completion"]:
        named = f'name="{item["label"]}"', f'<xs:enumeration value="{item["label"]}"'
        assert any(words in schema for words in named), item["label"]


def test_the_page_shows_it() -> None:
    page = PAGE.read_text(encoding="utf-8")
    block = BLOCK.search(page)
    assert block is not None
    assert block[0] == shown(SAID)
    picture = (PAGE.parent / "completion.svg").read_text(encoding="utf-8")
    assert "completion.svg" in page
    assert all(item["label"] in picture for item in SAID["urdf"]["completion"])


@served
def test_a_server_says_it_again(tmp_path: Path) -> None:
    assert record(command(), tmp_path) == SAID


@served
def test_a_server_finds_nothing_in_what_is_right(tmp_path: Path) -> None:
    with talking_to(command(), tmp_path) as client:
        for name, text in BASES.items():
            right, wrong = tmp_path / f"right.{name}", tmp_path / f"wrong.{name}"
            before, after = FAULTS[name]
            assert client.diagnostics(right, etree.tostring(tree_of(name, text), encoding="unicode")) == []
            spoilt = etree.tostring(tree_of(name, text.replace(before, after)), encoding="unicode")
            assert client.diagnostics(wrong, spoilt) != []
