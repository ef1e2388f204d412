"""Schemas of formats that compare names case-insensitively, and whose documents have several possible
roots.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from lxml import etree
from polybody.codegen.command import run
from polybody.codegen.schema import SchemaError

from .schemas import load_schema, write_schema

KITCHEN = """
<xs:element name="kitchen" type="Kitchen" pb:root="true"/>
<xs:element name="drawer" type="Drawer" pb:root="true"/>
<xs:complexType name="Kitchen"><xs:all>
  <xs:element ref="drawer" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="label" type="Label" minOccurs="0"/>
  <xs:element name="Recipe" minOccurs="0">
    <xs:complexType>
      <xs:sequence><xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
      <xs:anyAttribute processContents="skip"/></xs:complexType></xs:element></xs:all></xs:complexType>
<xs:complexType name="Label" mixed="true"><xs:sequence>
  <xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded" pb:when="open"/></xs:sequence>
  <xs:attribute name="open" type="xs:boolean"/></xs:complexType>
<xs:complexType name="Drawer"><xs:all>
  <xs:element name="spoon" type="xs:double" minOccurs="0" maxOccurs="unbounded"/></xs:all>
  <xs:attribute name="Colour"><xs:simpleType><xs:restriction base="xs:string">
    <xs:enumeration value="Red"/><xs:enumeration value="blue"/></xs:restriction></xs:simpleType>
  </xs:attribute>
  <xs:attribute name="locked" type="xs:boolean"/>
</xs:complexType>"""
PLAIN = """<kitchen>
  <drawer Colour="Red" locked="true">
    <spoon>1</spoon>
  </drawer>
  <Recipe mild="Yes"><salt Grains="3"/></Recipe>
</kitchen>"""
LOUD = """<KITCHEN>
  <Drawer cOLOUR="rEd" LOCKED="True">
    <SPOON>1</SPOON>
  </Drawer>
  <recipe MILD="Yes"><Salt grains="3"/></recipe>
</KITCHEN>"""


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("kitchen")
    path = write_schema(folder, KITCHEN, ' pb:case="fold"', "kitchen.xsd")
    assert run(path, folder / "folded_kitchen") == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module("folded_kitchen").FORMAT


def read(text: str, form: Any) -> Any:
    return pb.read("k.xml", text=text, format=form)


def codes(text: str, form: Any) -> list[str]:
    return [finding.code for finding in pb.check("k.xml", text=text, format=form)]


def test_case_does_not_count(form: Any) -> None:
    plain, loud = read(PLAIN, form), read(LOUD, form)
    assert plain == loud
    (drawer,) = loud.drawer
    assert (drawer.Colour.value, drawer.locked) == ("Red", True)
    assert drawer.attribute_span("Colour").column == 11
    (salt,) = loud.Recipe.elements
    assert (salt.tag, salt.attributes, loud.Recipe.attributes) == ("salt", {"grains": "3"}, {"mild": "Yes"})


def test_what_is_written_has_one_spelling(form: Any) -> None:
    text = pb.write(read(LOUD, form), layout="canonical")
    assert etree.fromstring(text).xpath("name(*[1]/@Colour)") == "Colour"
    assert read(text, form) == read(LOUD, form)


def test_documents_begin_in_several_ways(form: Any) -> None:
    drawer = read("<DRAWER colour='blue'/>", form)
    assert type(drawer).__name__ == "Drawer"
    (found,) = pb.check("k.xml", text="<drawr/>", format=form)
    assert found.code == "PB008"
    assert "<kitchen> or <drawer>" in found.message
    assert found.suggestion == "did you mean `drawer`?"
    assert codes("<spoon/>", form) == ["PB008"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOUD.replace('LOCKED="True"', 'locked="1" Locked="1"'), ["PB025"]),
        (LOUD.replace("rEd", "rEdd"), ["PB018"]),
        (LOUD.replace("True", "Tru"), ["PB016"]),
        (LOUD.replace("SPOON", "SPON"), ["PB011"]),
        (LOUD.replace("LOCKED", "LOCKD"), ["PB012"]),
        (LOUD.replace("</SPOON>", "</spoon>"), ["PB006"]),
        (LOUD.replace("    <SPOON>1</SPOON>", "    <SPOON>1\n    <SPOON>2</SPOON>"), ["PB006"]),
        ("<KITCHEN><SPOON/></KITCHEN>", ["PB011"]),
    ],
)
def test_findings(form: Any, text: str, expected: list[str]) -> None:
    assert codes(text, form) == expected


def test_a_misplaced_element_is_reported_at_its_position(form: Any) -> None:
    (found,) = pb.check("k.xml", text="<KITCHEN><SPOON/></KITCHEN>", format=form)
    assert found.suggestion == "it is allowed in <drawer>"


def test_an_attribute_decides_which_elements_are_allowed(form: Any) -> None:
    label = "<label OPEN='1'>a <B c='1'/>\n  b\t</label>"
    found = read(f"<kitchen>{label}</kitchen>", form)
    assert (found.label.text, found.label.elements[0].tag) == ("a b", "b")
    assert read(pb.write(found), form) == found
    assert codes(f"<kitchen>{label.replace('OPEN', 'opn')}</kitchen>", form) == ["PB012", "PB011"]
    assert codes("<kitchen><label><B/></label></kitchen>", form) == ["PB011"]


def test_names_differ_in_more_than_their_case(tmp_path: Path) -> None:
    body = """<xs:element name="root"><xs:complexType>
      <xs:attribute name="size" type="xs:double"/>
      <xs:attribute name="Size" type="xs:double"/></xs:complexType></xs:element>"""
    with pytest.raises(SchemaError, match=r'small\.xsd:4: "Size" and "size" are one name'):
        load_schema(tmp_path, body, ' pb:case="fold"')
    load_schema(tmp_path, body)


def test_roots_are_those_that_are_marked(tmp_path: Path) -> None:
    assert load_schema(tmp_path, KITCHEN).roots == ("Kitchen", "Drawer")
