"""Schemas as written by users: namespaces, imports, substitution groups, mixed content and the like."""

from __future__ import annotations

import importlib
from itertools import count
from pathlib import Path
from types import ModuleType

import polybody as pb
import pytest
import xmlschema
from polybody.codegen.command import run

XS = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"'
NUMBER = count()


class Maker:
    """Writes schemas into a folder and imports the packages generated from them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder, self.capsys = folder, capsys
        patch.syspath_prepend(str(folder))

    def write(self, name: str, body: str, more: str = "") -> Path:
        path = self.folder / name
        path.write_text(f"{XS}{more}>\n{body}\n</xs:schema>\n", encoding="utf-8")
        return path

    def make(self, path: Path, root: str = "") -> ModuleType:
        package = f"foreign_{next(NUMBER)}"
        assert run(path, self.folder / package, root=root) == 0
        return importlib.import_module(package)

    def refused(self, path: Path) -> str:
        assert run(path, self.folder / "none") == 2
        return self.capsys.readouterr().err


@pytest.fixture
def maker(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Maker:
    return Maker(tmp_path, capsys, monkeypatch)


def found(made: ModuleType, text: str) -> list[str]:
    """Codes of the findings about a document; a document without findings is read, written and read again."""
    codes = [each.code for each in pb.check("a.xml", text=text, format=made.FORMAT)]
    if not codes:
        document = pb.read("a.xml", text=text, format=made.FORMAT)
        assert pb.read("a.xml", text=pb.write(document), format=made.FORMAT) == document
    return codes


SHAPES = """<xs:element name="shape" type="Shape" abstract="true"/>
<xs:complexType name="Shape"><xs:attribute name="name" type="xs:string"/></xs:complexType>
<xs:complexType name="Ball">
  <xs:complexContent><xs:extension base="Shape">
  <xs:attribute name="radius" type="xs:double" use="required"/></xs:extension></xs:complexContent>
  </xs:complexType>
<xs:element name="ball" type="Ball" substitutionGroup="shape"/>
<xs:element name="egg" type="Ball" substitutionGroup="ball"/>
<xs:element name="scene"><xs:complexType><xs:sequence>
  <xs:element ref="shape" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>"""


def test_members_of_a_substitution_group_replace_its_head(maker: Maker) -> None:
    made = maker.make(maker.write("scene.xsd", SHAPES))
    assert found(made, '<scene><ball radius="1"/><egg name="e" radius="2"/><ball radius="3"/></scene>') == []
    assert found(made, "<scene><ball/></scene>") == ["PB021"]
    assert found(made, "<scene><shape/></scene>") == ["PB011"]  # an abstract element is not allowed


def test_names_of_other_namespaces_have_a_prefix_of_whoever_declares_one(maker: Maker) -> None:
    """The document's own schema does not declare a prefix for names that an imported one uses from a
    third.
    """
    maker.write(
        "third.xsd",
        '<xs:attribute name="kind" type="xs:int"/>',
        ' targetNamespace="urn:third" xmlns="urn:third"',
    )
    maker.write(
        "second.xsd",
        '<xs:import namespace="urn:third" schemaLocation="third.xsd"/>\n'
        '<xs:complexType name="Part"><xs:attribute ref="t:kind"/></xs:complexType>',
        ' targetNamespace="urn:second" xmlns:t="urn:third"',
    )
    body = (
        '<xs:import namespace="urn:second" schemaLocation="second.xsd"/>\n'
        '<xs:element name="robot"><xs:complexType><xs:sequence><xs:element name="part" type="s:Part"/>'
        "</xs:sequence></xs:complexType></xs:element>"
    )
    made = maker.make(maker.write("first.xsd", body, ' xmlns:s="urn:second"'))
    assert found(made, '<robot xmlns:t="urn:third"><part t:kind="1"/></robot>') == []
    assert found(made, '<robot xmlns:t="urn:third"><part t:kind="x"/></robot>') == ["PB016"]
    unnamed = (maker.folder / "second.xsd").read_text().replace('xmlns:t="urn:third"', "")
    unnamed = unnamed.replace('ref="t:kind"', 'ref="t:kind" xmlns:t="urn:third"')
    (maker.folder / "second.xsd").write_text(unnamed)
    made = maker.make(maker.folder / "first.xsd")  # what is declared at the use serves as well
    assert made.FORMAT.prefixes == {"t": "urn:third"}


def test_prefixes_are_made_up_where_no_schema_declares_one(maker: Maker) -> None:
    maker.write("inner.xsd", '<xs:attribute name="kind" type="xs:int"/>', ' targetNamespace="urn:inner"')
    maker.write(
        "part.xsd",
        '<xs:import namespace="urn:inner" schemaLocation="inner.xsd"/>\n<xs:element name="part">'
        '<xs:complexType><xs:attribute ref="kind"/></xs:complexType></xs:element>',
        ' targetNamespace="urn:part" xmlns="urn:inner" elementFormDefault="qualified"',
    )
    body = (
        '<xs:import namespace="urn:part" schemaLocation="part.xsd"/>\n<xs:element name="robot">'
        '<xs:complexType><xs:sequence><xs:element ref="part"/></xs:sequence></xs:complexType></xs:element>'
    )
    made = maker.make(maker.write("whole.xsd", body, ' xmlns="urn:part" xmlns:ns1="urn:elsewhere"'))
    assert made.FORMAT.prefixes == {"ns2": "urn:part", "ns3": "urn:inner"}
    text = '<robot><p:part xmlns:p="urn:part" xmlns:i="urn:inner" i:kind="{}"/></robot>'
    assert found(made, text.format(1)) == []
    assert found(made, text.format("x")) == ["PB016"]
    document = made.Robot(ns2_part=made.Ns2Part(ns3_kind=2))
    assert pb.validate(document) == []
    assert '<ns2:part ns3:kind="2"/>' in pb.write(document)


@pytest.mark.parametrize("change", ["redefine", "override"])
def test_types_that_are_defined_again(maker: Maker, change: str) -> None:
    mass = '<xs:attribute name="mass" type="xs:double"/>'
    maker.write("base.xsd", f'<xs:complexType name="Part">{mass}</xs:complexType>')
    colour = '<xs:attribute name="colour" type="xs:string"/>'
    if change == "redefine":
        colour = f'<xs:complexContent><xs:extension base="Part">{colour}</xs:extension></xs:complexContent>'
    body = (
        f'<xs:{change} schemaLocation="base.xsd"><xs:complexType name="Part">{colour}</xs:complexType>'
        f'</xs:{change}><xs:element name="part" type="Part"/>'
    )
    made = maker.make(maker.write("new.xsd", body))
    assert found(made, '<part colour="red"/>') == []
    assert found(made, '<part mass="1"/>') == ([] if change == "redefine" else ["PB012"])


ANY = """<xs:complexType name="Any"><xs:sequence><xs:any processContents="lax"/></xs:sequence>
<xs:anyAttribute processContents="lax"/></xs:complexType>
<xs:element name="any" type="Any"/>"""
BOX = """<xs:element name="box"><xs:complexType><xs:all>
<xs:element ref="any"/></xs:all></xs:complexType></xs:element>"""


def test_what_takes_anything_is_kept_and_is_no_root(maker: Maker) -> None:
    said = maker.refused(maker.write("any.xsd", ANY))
    assert "any.xsd:4: anything may occur in the root <any>" in said
    made = maker.make(maker.write("box.xsd", f"{ANY}\n{BOX}"))
    assert found(made, '<box><any x="1"><b>c</b></any></box>') == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<xs:element name="a" type="none"/>', "small.xsd:2: not a valid XSD 1.1 schema: unknown type"),
        ('<xs:complexType name="A"/>', "small.xsd:1: no global xs:element; declare the root"),
        ('<xs:element name="a"/>\n<xs:element name="b"/>', "could be the root: a, b; choose with --root"),
        ('<xs:import namespace="u" schemaLocation="no.xsd"/><xs:element name="a" type="u:A" xmlns:u="u"/>',
         "not a valid XSD 1.1 schema"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used_is_refused_with_its_line(maker: Maker, body: str, said: str) -> None:
    assert said in maker.refused(maker.write("small.xsd", body))


def test_xhtml(maker: Maker) -> None:
    """A large external schema: groups, mixed content, attributes with the prefix `xml`."""
    folder = Path(xmlschema.__file__).parent / "schemas"
    made = maker.make(folder / "XHTML" / "xhtml1-strict.xsd", root="html")
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>t</title></head>'
        '<body><p class="c">some <b>bold</b> words</p></body></html>'
    )
    assert found(made, page) == []
    (wrong,) = pb.check("a.html", text=page.replace("class", "klass"), format=made.FORMAT)
    assert (wrong.code, wrong.suggestion) == ("PB012", "did you mean `class`?")
