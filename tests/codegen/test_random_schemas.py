"""Random schemas: the reader of the generated package and lxml agree on documents, valid and mutated, and
documents written by the package are valid.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from lxml import etree
from polybody.codegen.command import run

from tests.amounts import amount

from .mutations import Mutator
from .random_schemas import OTHER, OWN, Drawn

SEEDS = range(amount(40, 12))
MUTATED = 12
"""Number of mutated documents per schema."""
LARGEST = 20_000
"""Maximum number of characters of a document; a random content model can produce very long ones."""


class Names(Mutator):
    """Mutates tags, order and namespaces, but no values: types are tested elsewhere."""

    def __init__(self, base: bytes, seed: int) -> None:
        super().__init__(base, seed)
        self.mutations = (self.rename, self.copy_here, self.remove, self.shuffle, self.move, self.other_id)

    def move(self, node: Any) -> None:
        """Move an element to another namespace."""
        local = etree.QName(node).localname
        space = self.draw.choice((OWN, OTHER, ""))
        node.tag = f"{{{space}}}{local}" if space else local

    def other_id(self, node: Any) -> None:
        for name in node.attrib:
            if etree.QName(name).localname in ("id", "ref"):
                node.set(name, f"i{self.draw.randint(1, 6)}")


def package(folder: Path, seed: int, schema: str) -> Any:
    path = folder / f"drawn{seed}.xsd"
    path.write_text(schema, encoding="utf-8")
    assert run(path, folder / f"drawn_{seed}") == 0
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(f"drawn_{seed}")
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reader_agrees_with_lxml(tmp_path: Path, seed: int) -> None:
    drawn = Drawn(seed)
    text = drawn.schema()
    try:
        xsd = etree.XMLSchema(etree.fromstring(text.encode()))
    except etree.XMLSchemaParseError:
        pytest.fail(f"a schema that is none: {text}")
    made = package(tmp_path, seed, text)
    assert made.FORMAT.unread == ()
    verdicts = [0, 0]
    for number in range(4):
        document = drawn.document()
        if len(document) > LARGEST:
            continue
        verdicts[compare(made, xsd, document)] += 1
        mutator = Names(document.encode(), 100 * seed + number)
        for _ in range(MUTATED):
            verdicts[compare(made, xsd, mutator.document().decode())] += 1
    assert min(verdicts) > 0 or sum(verdicts) < 10, verdicts


def compare(made: Any, xsd: Any, text: str) -> bool:
    """Whether a document is valid, after checking that both sides agree and that a valid document is written
    as one.
    """
    valid = bool(xsd.validate(etree.fromstring(text.encode())))
    found = [f for f in pb.check("a.xml", text=text, format=made.FORMAT) if f.severity == "error"]
    assert valid is not bool(found), (text, list(map(str, found)), xsd.error_log)
    if valid:
        document = pb.read("a.xml", text=text, format=made.FORMAT)
        assert pb.validate(document) == []
        written = pb.write(document, layout="canonical")
        assert xsd.validate(etree.fromstring(written.encode())), (text, written, xsd.error_log)
        assert pb.read("b.xml", text=written, format=made.FORMAT) == document
        assert pb.write(document) == text
    return valid


@pytest.mark.parametrize("seed", SEEDS)
def test_edited_documents_are_valid(tmp_path: Path, seed: int) -> None:
    """Elements are added where they may not be allowed: the text is valid if the document in memory is."""
    drawn = Drawn(seed)
    text = drawn.schema()
    xsd = etree.XMLSchema(etree.fromstring(text.encode()))
    made = package(tmp_path, seed, text)
    draw = drawn.draw
    for _ in range(6):
        text = drawn.document()
        if len(text) > LARGEST or not xsd.validate(etree.fromstring(text.encode())):
            continue
        document = pb.read("a.xml", text=text, format=made.FORMAT)
        for node in draw.sample(list(document.walk()), 1):
            for child in list(node.children)[:2]:
                node.children.append(type(child)())
            node.ref = None
            node.id = draw.choice((None, "other"))
        findings = pb.validate(document)
        for layout in ("kept", "canonical"):
            written = pb.write(document, layout=layout)
            valid = bool(xsd.validate(etree.fromstring(written.encode())))
            assert valid is not bool(findings), (written, findings, xsd.error_log)
