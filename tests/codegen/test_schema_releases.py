"""What a schema says of releases is checked when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from polybody.codegen.schema import SchemaError

from tests.codegen.schemas import attribute, load_schema

DATED = '<xs:attribute name="a"/><xs:attribute name="b" %s/>'


def attributes(releases: str) -> str:
    return f' pb:version="1.0" pb:releases="{releases}"'


@pytest.mark.parametrize(
    ("releases", "dates", "message"),
    [
        ("1.0 1.0 2.0", "", "every release once, the oldest first"),
        ("1.0 10.0 2.0", "", "every release once, the oldest first"),
        ("0.9 1.0", "", "the first of pb:releases must be pb:version, 1.0"),
        ("1.0 b", "", "pattern"),
        ("1.0 2.0", 'pb:since="3.0"', 'pb:since="3.0" is none of pb:releases after the first'),
        ("1.0 2.0", 'pb:since="1.0"', 'pb:since="1.0" is none of pb:releases after the first'),
        ("1.0 2.0", 'pb:until="3.0"', 'pb:until="3.0" is none of pb:releases'),
        ("1.0 1.5 2.0", 'pb:since="2.0" pb:until="1.5"', 'no release has it: pb:since="2.0" pb:until="1.5"'),
    ],
)
def test_faults(releases: str, dates: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=message):
        load_schema(tmp_path, attribute(DATED % dates), attributes(releases))


def test_releases_are_those_that_are_listed(tmp_path: Path) -> None:
    schema = load_schema(tmp_path, attribute(DATED % 'pb:since="2.0"'), attributes("1.0 2.0 10.0"))
    assert schema.releases == ("1.0", "2.0", "10.0")
    assert [each.since for each in schema.elements[0].attributes] == ["", "2.0"]
