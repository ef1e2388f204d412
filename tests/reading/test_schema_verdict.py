"""The reader and an independent XSD 1.1 validator agree on corrupted documents, given the same schema."""

from __future__ import annotations

import random
from pathlib import Path
from xml.etree import ElementTree

import polybody as pb
import pytest
import xmlschema
from polybody import schemas

from .faults import FAULTS
from .test_faults import BASES

assert schemas.__file__ is not None
SCHEMA = Path(schemas.__file__).parent / "x_xy.xsd"
ROUNDS = 2
# Codes of the schema's XSD part; all others come from its pb: rules or from the format's own module.
BY_XSD = {f"PB{number:03}" for number in (8, 26, *range(11, 21))}


LAX = {
    "no-break space": "the validator separates by any white space of Unicode, XML by four characters",
}
"""Cases where the validator is laxer than XML Schema, with the reason; an outdated reason fails the test."""


@pytest.fixture(scope="module")
def schema() -> xmlschema.XMLSchema11:
    return xmlschema.XMLSchema11(str(SCHEMA))


def by_reader(text: str) -> bool:
    """Whether the reader finds nothing that the XSD part of the schema forbids."""
    found = pb.check("a.xml", text=text)
    missing = any(d.code == "PB021" and "pos_marker" in d.message for d in found)
    return not missing and not any(d.code in BY_XSD for d in found)


def documents() -> list[tuple[str, str]]:
    made = []
    for number, (name, text) in enumerate(sorted(BASES.items())):
        made.append((name, text))
        for fault, put in FAULTS.items():
            for k in range(ROUNDS):
                spoilt = put(text, random.Random(7 * number + k))
                if spoilt is not None:
                    made.append((f"{fault} in {name}", spoilt[0]))
    return made


def test_verdicts(schema: xmlschema.XMLSchema11) -> None:
    valid = invalid = 0
    differing = set()
    for name, text in documents():
        try:
            tree = ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError):
            continue
        verdict = schema.is_valid(tree)
        valid, invalid = valid + verdict, invalid + (not verdict)
        if by_reader(text) != verdict:
            differing.add(name.split(" in ")[0])
    assert differing == set(LAX)
    assert valid > 50
    assert invalid > 500
