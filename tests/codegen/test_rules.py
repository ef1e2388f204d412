"""Kinds of rules: how they are stated, and that the notation's page shows each of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree
from polybody.codegen.schema import SCHEMAS, SchemaError
from polybody.codegen.schema.model import Place
from polybody.codegen.schema.rules import KINDS, Condition, Rule

from .schemas import attribute, load_schema

RULES = "<xs:annotation><xs:appinfo><pb:rules>\n{}\n</pb:rules></xs:appinfo></xs:annotation>"
STATED = re.compile(r"`<pb:(\w+) ([^`]*)/>`")


def rules_of_the_page() -> list[Rule]:
    """The rules in the table of the notation's page."""
    page = (SCHEMAS / "README.md").read_text(encoding="utf-8")
    rows = [(kind, etree.fromstring(f"<a {text}/>").attrib) for kind, text in STATED.findall(page)]
    return [KINDS[kind].parsed(attributes, "", Place(Path("README.md"))) for kind, attributes in rows]


def test_the_notation_shows_every_kind_as_it_is_stated() -> None:
    assert sorted(rule.kind() for rule in rules_of_the_page()) == sorted(KINDS)


def test_a_rule_is_written_as_it_was_stated() -> None:
    for rule in rules_of_the_page():
        written = etree.fromstring(f"<{str(rule).removeprefix('pb:')}/>")
        assert KINDS[rule.kind()].parsed(written.attrib, "", rule.place) == rule


def test_every_kind_has_a_sentence() -> None:
    for rule in rules_of_the_page():
        assert re.fullmatch(r"[A-Z`].*\.", rule.sentence()), rule
        assert all(name in rule.sentence() for name in rule.subjects), rule


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('<pb:exclusive names="a b" when="a"/>', 'pb:exclusive has no "when", but names, written'),
        ("<pb:exclusive/>", 'pb:exclusive needs "names"'),
        ('<pb:exclusive names=" "/>', 'pb:exclusive names=" " is not at least one name'),
        ('<pb:exclusive names="a b" written="yes"/>', "is not true or false"),
        ('<pb:differ names="a b c"/>', "is not two names"),
        ('<pb:nonzero of="a b"/>', 'pb:nonzero of="a b" is not one word'),
        ('<pb:nonzero of="a" unless="=b"/>', "is not attribute=value|value"),
        ('<pb:required names="a" when="a" unless="a"/>', "pb:required takes one condition"),
        ('<pb:required names="a" severity="info"/>', "is not error or warning"),
        ('<pb:unitQuaternion of="a" tolerance="small"/>', "is not a number"),
        ('<pb:unitQuaternion of="a" tolerance="1" start="-1"/>', "is not a whole number"),
        ('<pb:unitQuaternion of="a" tolerance="1" order="xyz"/>', "is not wxyz or xyzw"),
        ('<pb:inOrder of="a"/>', 'pb:inOrder: "a" is no list of keywords'),
        ('<pb:newer names="b" since="two"/>', "is not a version such as 1.4"),
        ('<pb:default of="a" when="a" value="1 ..."/>', "can depend on the attribute of its pb:shape only"),
        ('<pb:graph of="body" edges="a" from="b" to="c"/>', 'nothing declares the namespace "body"'),
    ],
)
def test_a_rule_that_is_stated_wrongly_is_an_error_with_its_line(
    tmp_path: Path, rule: str, message: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        load_schema(tmp_path, attribute(RULES.format(rule) + '<xs:attribute name="a"/>'))
    assert message in str(caught.value)
    assert caught.value.place.line == 4


def test_conditions_are_parsed() -> None:
    rule = KINDS["required"].parsed({"names": "a", "unless": "k=b|c"}, "", Place(Path("x.xsd")))
    assert rule.conditions == {"unless": Condition("k", ("b", "c"))}
    assert str(rule) == 'pb:required names="a" unless="k=b|c"'
