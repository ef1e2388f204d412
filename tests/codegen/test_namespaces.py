"""Documents of schemas with namespaces, content models and identity constraints: the generated package reads,
checks and writes them in agreement with lxml's XMLSchema.
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

LAB = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:lab" xmlns:l="urn:lab"
  xmlns:u="urn:units" elementFormDefault="qualified">
<xs:import namespace="urn:units" schemaLocation="units.xsd"/>
<xs:complexType name="Part"><xs:sequence>
  <xs:element name="mass" type="xs:double"/>
  <xs:element name="note" type="xs:string" minOccurs="0" maxOccurs="2"/>
  <xs:choice><xs:element name="ball" type="xs:double"/><xs:element name="box" type="xs:string"/></xs:choice>
  <xs:element ref="u:unit" minOccurs="0"/>
  <xs:any namespace="urn:q" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
</xs:sequence>
<xs:attribute name="name" type="xs:string" use="required"/>
<xs:attribute name="kind" type="xs:string" form="qualified"/>
<xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
<xs:element name="lab"><xs:complexType><xs:sequence>
  <xs:element name="part" type="l:Part" maxOccurs="unbounded"/>
  <xs:sequence minOccurs="0" maxOccurs="unbounded">
    <xs:element name="from" type="xs:string"/><xs:element name="to" type="xs:string"/></xs:sequence>
</xs:sequence></xs:complexType>
<xs:key name="partKey"><xs:selector xpath="l:part"/><xs:field xpath="@name"/></xs:key>
<xs:unique name="kinds"><xs:selector xpath=".//l:part"/><xs:field xpath="@l:kind"/></xs:unique>
<xs:keyref name="ends" refer="l:partKey"><xs:selector xpath="l:from|l:to"/><xs:field xpath="."/></xs:keyref>
</xs:element></xs:schema>"""
UNITS = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:units">
<xs:element name="unit"><xs:complexType><xs:simpleContent><xs:extension base="xs:string">
<xs:attribute name="si" type="xs:boolean"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
</xs:schema>"""
TEXT = """<x:lab xmlns:x="urn:lab" xmlns:q="urn:q">
  <!-- two parts -->
  <x:part name="a" x:kind="k" q:more="1">
    <x:mass>1</x:mass>
    <x:box>b</x:box>
    <unit xmlns="urn:units" si="true">kg</unit>
    <q:z><q:y q:w="1"/></q:z>
  </x:part>
  <x:part name="b">
    <x:mass>2</x:mass>
    <x:ball>3</x:ball>
  </x:part>
  <x:from>a</x:from>
  <x:to>b</x:to>
</x:lab>
"""


class Made:
    """A package, and lxml's view of its schema."""

    def __init__(self, folder: Path, name: str, schema: str, **others: str) -> None:
        path = folder / f"{name}.xsd"
        path.write_text(schema, encoding="utf-8")
        for other, text in others.items():
            (folder / f"{other}.xsd").write_text(text, encoding="utf-8")
        assert run(path, folder / f"{name}_package") == 0
        sys.path.insert(0, str(folder))
        try:
            self.package: Any = importlib.import_module(f"{name}_package")
        finally:
            sys.path.remove(str(folder))
        self.schema = etree.XMLSchema(etree.parse(str(path)))

    def valid(self, text: str) -> bool:
        return bool(self.schema.validate(etree.fromstring(text.encode())))

    def codes(self, text: str) -> list[str]:
        found = pb.check("a.xml", text=text, format=self.package.FORMAT)
        return [finding.code for finding in found if finding.severity == "error"]

    def findings(self, text: str) -> list[str]:
        return [f"{f.line} {f.message}" for f in pb.check("a.xml", text=text, format=self.package.FORMAT)]

    def read(self, text: str) -> Any:
        return pb.read("a.xml", text=text, format=self.package.FORMAT)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("lab"), "lab", LAB, units=UNITS)


def test_nothing_of_such_a_schema_is_left_out(lab: Made) -> None:
    assert lab.package.FORMAT.unread == ()


def test_a_document_is_read_whatever_prefixes_it_uses(lab: Made) -> None:
    assert lab.valid(TEXT)
    document = lab.read(TEXT)
    part = document.part[0]
    assert (part.name, part.kind, part.mass.text, part.u_unit.si) == ("a", "k", 1.0, True)
    assert part.attributes["q:more"] == "1"
    assert part.elements[0].tag == "q:z"
    other = TEXT.replace("x:", "lab:").replace("xmlns:x=", "xmlns:lab=")
    assert lab.read(other) == document
    plain = TEXT.replace("<x:", "<").replace("</x:", "</").replace('xmlns:x="urn:lab"', 'xmlns="urn:lab"')
    plain = plain.replace("<part name", '<part xmlns:x="urn:lab" name')
    assert lab.valid(plain)
    assert lab.read(plain) == document


def test_a_canonical_document_declares_its_namespaces_and_is_valid(lab: Made) -> None:
    document = lab.read(TEXT)
    written = pb.write(document, layout="canonical")
    assert written.startswith('<lab xmlns="urn:lab" xmlns:l="urn:lab" xmlns:u="urn:units">')
    assert lab.valid(written)
    assert lab.read(written) == document


def test_a_document_made_in_python_is_valid(lab: Made) -> None:
    p = lab.package
    document = p.Lab(part=[p.Part(name="a", kind="k", mass=p.Mass(text=1.0), ball=p.Ball(text=2.0))])
    document.from_.append(p.From(text="a"))
    document.to.append(p.To(text="a"))
    assert pb.validate(document) == []
    assert lab.valid(pb.write(document))


def test_edits_keep_the_prefixes_of_the_document(lab: Made) -> None:
    p, document = lab.package, lab.read(TEXT)
    assert pb.write(document) == TEXT
    first, second = document.part
    first.kind = "other"
    second.kind = "new"
    second.note = [p.Note(text="n")]
    second.u_unit = p.UUnit(text="g")
    document.part.append(p.Part(name="c", mass=p.Mass(text=1.0), box=p.Box(text="d")))
    document.to[0].text = "c"
    text = pb.write(document)
    assert lab.valid(text), text
    assert lab.read(text) == document
    for line in (
        '  <x:part name="a" x:kind="other" q:more="1">',
        '  <x:part name="b" x:kind="new">',
        "    <x:note>n</x:note>",
        '    <u:unit xmlns:u="urn:units">g</u:unit>',
        '  <x:part name="c">',
        "  <x:to>c</x:to>",
    ):
        assert line in text.splitlines(), text
    assert "<!-- two parts -->" in text
    document.part.pop()
    assert [f.code for f in pb.validate(document)] == ["PB032"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<x:mass>1</x:mass>", "", "5 <box> is out of place in <part>; expected <mass>"),
        ("<x:to>b</x:to>", "", "1 <lab> needs <to> after <from>"),
        ("<x:ball>3</x:ball>", "", "9 <part> needs <note>, <ball> or <box> after <mass>"),
        (">b</x:to>", ">c</x:to>", "14 `c` refers to no partKey"),
        ('name="b"', 'name="b" x:kind="k"', "9 `k` occurs twice; xs:unique kinds requires unique values"),
        ("x:box", "box", "5 <box> in <part> is in no namespace, but this element is in the namespace"),
        ('x:kind="k"', 'kind="k"', "3 attribute `kind` of no namespace is not allowed on <part>"),
        ('name="b"', 'x:name="b"', "9 attribute `name` of the namespace `urn:lab` is not allowed on <part>"),
        ('="urn:lab"', '="urn:lob"', "1 the root <lab> is in the namespace `urn:lob`"),
        ("q:z", "x:z", "7 unknown element <z> in <part>"),
        ('"urn:units"', '"urn:other"', "6 unknown element <unit> in <part>"),
    ],
)  # fmt: skip
def test_what_is_not_valid_is_found_at_its_line(lab: Made, old: str, new: str, said: str) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    assert not lab.valid(text)
    found = lab.findings(text)
    assert found, text
    assert found[0].startswith(said), found


def test_an_undeclared_prefix_is_an_error(lab: Made) -> None:
    assert lab.codes(TEXT.replace("x:from", "w:from")) == ["PB001"]


def test_duplicate_keys_are_found_with_both_places(lab: Made) -> None:
    found = lab.findings(TEXT.replace('name="b"', 'name="a"').replace(">b<", ">a<"))
    assert found == ["9 `a` occurs twice; key partKey requires unique values; the first is at line 3"]


LOCAL = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:local"
  xmlns="urn:local">
<xs:complexType name="Point"><xs:attribute name="x" type="xs:double"/></xs:complexType>
<xs:element name="path"><xs:complexType><xs:sequence>
<xs:element name="point" type="Point" maxOccurs="3"/><xs:element ref="end"/></xs:sequence></xs:complexType>
</xs:element><xs:element name="end" type="Point"/></xs:schema>"""


def test_local_elements_that_are_in_no_namespace(tmp_path: Path) -> None:
    made = Made(tmp_path, "local", LOCAL)
    p = made.package
    document = p.Path(point=[p.Point(x=1.0)], end=p.End(x=2.0))
    text = pb.write(document)
    assert made.valid(text), text
    assert made.read(text) == document
    mixed = '<path xmlns="urn:local"><point xmlns="" x="1"/><end x="2"/></path>'
    assert made.valid(mixed)
    again = made.read(mixed)
    assert again == document
    again.point.append(p.Point(x=3.0))
    edited = pb.write(again)
    assert made.valid(edited), edited
    assert edited.count('xmlns=""') == 2
    assert made.codes('<path xmlns="urn:local"><point x="1"/><end x="2"/></path>') == ["PB011"]


TREE = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:complexType name="Room"><xs:choice minOccurs="0" maxOccurs="unbounded">
  <xs:element name="room" type="Room"><xs:unique name="doors"><xs:selector xpath="door"/>
    <xs:field xpath="@to"/><xs:field xpath="@level"/></xs:unique></xs:element>
  <xs:element name="door"><xs:complexType><xs:attribute name="to" type="xs:string"/>
    <xs:attribute name="level" type="xs:int" default="0"/></xs:complexType></xs:element></xs:choice>
  <xs:attribute name="name" type="xs:string"/></xs:complexType>
<xs:element name="house"><xs:complexType><xs:sequence><xs:element name="room" type="Room"
  maxOccurs="unbounded"/></xs:sequence></xs:complexType>
  <xs:key name="rooms"><xs:selector xpath=".//room"/><xs:field xpath="@name"/></xs:key>
  <xs:keyref name="ways" refer="rooms"><xs:selector xpath=".//door"/><xs:field xpath="@to"/></xs:keyref>
</xs:element></xs:schema>"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("tree"), "tree", TREE)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('<house><room name="a"><door to="b"/></room><room name="b"/></house>', []),
        ('<house><room name="a"><room name="b"><door to="a"/><door/></room></room></house>', []),
        ('<house><room name="a"><room><door to="a"/></room></room></house>', ["PB021"]),
        ('<house><room name="a"><room name="a"/></room></house>', ["PB031"]),
        ('<house><room name="a"><door to="c"/></room></house>', ["PB032"]),
    ],
)
def test_keys_within_a_tree(tree: Made, text: str, codes: list[str]) -> None:
    assert tree.codes(text) == codes
    assert tree.valid(text) is not bool(codes)


def test_a_default_counts_as_a_value_of_a_key(tree: Made) -> None:
    inside = '<house><room name="a"><room name="b"><door to="a" level="0"/>{}</room></room></house>'
    assert tree.codes(inside.format('<door to="a" level="1"/>')) == []
    assert tree.codes(inside.format('<door to="a"/>')) == ["PB031"]


def test_nested_elements_with_constraints_are_checked_in_bounded_time(tree: Made) -> None:
    """Each of many nested rooms has its own constraint, and the outermost one searches all of them."""
    rooms = "".join(f'<room name="{number}">' for number in range(1500))
    text = f"<house>{rooms}{'</room>' * 1500}</house>"
    assert tree.codes(text) == []


# --- names in values ------------------------------------------------------------------------------------

NAMES = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" xmlns:t="urn:t"
  elementFormDefault="qualified">
<xs:simpleType name="Names"><xs:list itemType="xs:QName"/></xs:simpleType>
<xs:element name="r"><xs:complexType><xs:sequence>
  <xs:element name="e" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
    <xs:element name="q" type="xs:QName" minOccurs="0"/></xs:sequence>
    <xs:attribute name="ref" type="xs:QName"/><xs:attribute name="refs" type="t:Names"/>
    <xs:attribute name="own" type="xs:string" form="qualified"/>
  </xs:complexType></xs:element>
</xs:sequence></xs:complexType></xs:element></xs:schema>"""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("names"), "names", NAMES)


def meant(text: str) -> list[tuple[str, str]]:
    """The namespaces and the local parts of the names in the values of a document."""
    found = []
    for node in etree.fromstring(text.encode()).iter():
        words = " ".join([node.get("ref", ""), node.get("refs", ""), (node.text or "").strip()]).split()
        parts = [word.rpartition(":") for word in words]
        found += [(node.nsmap.get(prefix or None, ""), local) for prefix, _, local in parts]
    return found


OTHERS = (
    '<r xmlns="urn:t" xmlns:k="urn:other">\n</r>',
    '<k:r xmlns:k="urn:t">\n</k:r>',
    '<k:r xmlns:k="urn:t" xmlns="urn:other" xmlns:t="urn:another">\n</k:r>',
)


@pytest.mark.parametrize(
    "text",
    [
        '<x:r xmlns:x="urn:t" xmlns:k="urn:k"><x:e ref="k:a" refs="x:a k:b"><x:q>x:z</x:q></x:e></x:r>',
        '<r xmlns="urn:t"><e xmlns:k="urn:k" ref="k:a"/><e xmlns:k="urn:l" ref="k:a"/></r>',
        '<x:r xmlns:x="urn:t" xmlns:t="urn:k"><x:e refs="t:a t:b"/><x:e ref="x:a"/></x:r>',
        '<x:r xmlns:x="urn:t"><x:e xmlns:k="urn:&amp;" x:own="k:a"><x:q> k:a </x:q></x:e></x:r>',
        # without a prefix: in the format's namespace, in another one, in none
        '<r xmlns="urn:t"><e ref="a" refs="a b"><q>z</q></e></r>',
        '<x:r xmlns:x="urn:t" xmlns="urn:k"><x:e ref="a" refs="a x:b"><x:q>z</x:q></x:e></x:r>',
        '<x:r xmlns:x="urn:t"><x:e ref="a" refs="a x:b"><x:q> z </x:q></x:e></x:r>',
        # prefixes that the start tag needs where it is written: k in one document, t in new ones
        '<r xmlns="urn:t" xmlns:t="urn:k"><e xmlns:x="urn:t" x:own="t:a" ref="t:a" refs="t:a x:b"/></r>',
        '<x:r xmlns:x="urn:t" xmlns:k="urn:k"><x:e x:own="b" ref="k:a" refs="k:a a"/></x:r>',
    ],
)
def test_prefixes_of_values_are_declared(names: Made, text: str) -> None:
    assert names.valid(text)
    document = names.read(text)
    assert pb.write(document) == text
    moved = names.package.R(e=document.e)
    for other in OTHERS:
        document = names.read(other)
        document.e = names.read(text).e
        written = pb.write(document)
        assert names.valid(written)
        assert meant(written) == meant(text), written
    for written in (pb.write(names.read(text), layout="canonical"), pb.write(moved)):
        assert names.valid(written)
        assert meant(written) == meant(text), written


def test_prefixes_that_no_document_declares_are_written_as_they_are(names: Made) -> None:
    document = names.package.R(e=[names.package.E(ref="k:a")])
    assert pb.write(document) == '<r xmlns="urn:t">\n  <e ref="k:a"/>\n</r>\n'
