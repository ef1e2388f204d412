"""XSD on one side, the schema model on the other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from polybody.codegen.context.words import facts
from polybody.codegen.generate import generate_package
from polybody.codegen.schema import Kind, SchemaError, load
from polybody.codegen.schema.model import Attribute, Primitive
from polybody.codegen.schema.types import UNBOUNDED, Form

from .schemas import attribute, load_schema, write_schema


def only_attribute(tmp_path: Path, declaration: str) -> Attribute:
    (found,) = load_schema(tmp_path, attribute(declaration)).elements[0].attributes
    return found


REAL = Form(Kind.REAL)
INT = Form(Kind.INT, minimum=-(2.0**31), maximum=2.0**31 - 1, implied=(True, True))
LIST = (
    "<xs:simpleType><xs:restriction><xs:simpleType><xs:list itemType='{}'/></xs:simpleType>"
    "{}</xs:restriction></xs:simpleType>"
)
FINITE = "<xs:pattern value='[^NI]*'/>"


@pytest.mark.parametrize(
    ("content", "forms"),
    [
        ("type='xs:string'/>", (Form(Kind.STRING),)),
        ("type='xs:double'/>", (REAL,)),
        ("type='xs:int'/>", (INT,)),
        ("type='xs:boolean'/>", (Form(Kind.BOOL),)),
        ("><xs:simpleType><xs:list itemType='xs:double'/></xs:simpleType></xs:attribute>",
         (Form(Kind.REAL, scalar=False, low=0, high=UNBOUNDED),)),
        (">" + LIST.format("xs:double", "<xs:length value='3'/>") + "</xs:attribute>",
         (Form(Kind.REAL, scalar=False, low=3, high=3),)),
        (">" + LIST.format("xs:int", "<xs:minLength value='1'/><xs:maxLength value='4'/>")
         + "</xs:attribute>", (replace(INT, scalar=False, low=1, high=4),)),
        ("><xs:simpleType><xs:restriction base='xs:double'><xs:minExclusive value='0'/></xs:restriction>"
         "</xs:simpleType></xs:attribute>", (Form(Kind.REAL, minimum=0.0, open=True),)),
        (f"><xs:simpleType><xs:restriction base='xs:double'>{FINITE}<xs:minInclusive value='-1'/>"
         "<xs:maxInclusive value='2'/></xs:restriction></xs:simpleType></xs:attribute>",
         (Form(Kind.REAL, minimum=-1.0, maximum=2.0, finite=True),)),
        ("><xs:simpleType><xs:restriction base='xs:double'><xs:minInclusive value='-1.7976931348623157E308'/>"
         "<xs:maxInclusive value='1.7976931348623157E308'/></xs:restriction></xs:simpleType></xs:attribute>",
         (Form(Kind.REAL, finite=True),)),
        ("><xs:simpleType><xs:restriction base='xs:string'><xs:pattern value='a+'/></xs:restriction>"
         "</xs:simpleType></xs:attribute>", (Form(Kind.STRING, pattern="a+"),)),
        ("><xs:simpleType><xs:union memberTypes='xs:double xs:string'/></xs:simpleType></xs:attribute>",
         (REAL, Form(Kind.STRING))),
    ],
)  # fmt: skip
def test_lexical_forms(tmp_path: Path, content: str, forms: tuple[Form, ...]) -> None:
    assert only_attribute(tmp_path, f"<xs:attribute name='a' {content}").forms == forms


def test_a_value_has_its_default_its_place_and_the_documentation_of_its_type(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:simpleType name="length" pb:unit="m">
          <xs:annotation><xs:documentation>A
             length.</xs:documentation></xs:annotation><xs:restriction base="xs:double"/></xs:simpleType>
        <xs:element name="root"><xs:complexType>
          <xs:attribute name="a" type="length" default="1.5"/>
          <xs:attribute name="b" type="length" use="required" pb:unit="mm">
            <xs:annotation><xs:documentation>Its own.</xs:documentation></xs:annotation></xs:attribute>
        </xs:complexType></xs:element>""",
    )
    a, b = schema.elements[0].attributes
    assert (a.default, a.required, a.doc, a.meaning.unit, a.place.line) == ("1.5", False, "A length.", "m", 6)
    assert (b.default, b.required, b.doc, b.meaning.unit, b.place.line) == (None, True, "Its own.", "mm", 7)
    assert a.type is b.type


def test_uses_of_a_type_share_it(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:simpleType name="side">
          <xs:annotation><xs:documentation>A side.</xs:documentation></xs:annotation>
          <xs:restriction base="xs:int"><xs:enumeration value="2"/><xs:enumeration value="-1"/>
          </xs:restriction></xs:simpleType>
        <xs:simpleType name="word">
          <xs:restriction base="xs:token"><xs:enumeration value="x"/></xs:restriction></xs:simpleType>"""
        + attribute(
            '<xs:attribute name="a" type="side"/><xs:attribute name="b" type="side" pb:unit="m"/>'
            '<xs:attribute name="c" type="word"/><xs:attribute name="d" type="word"/>'
        ),
    )
    a, b, c, d = schema.elements[0].attributes
    assert a.type is b.type
    assert c.type is d.type
    assert (a.type.name, a.type.doc, c.type.name) == ("side", "A side.", "word")
    assert a.forms == (Form(Kind.INT, numbers=(2, -1)),)
    assert (a.meaning.unit, b.meaning.unit) == ("", "m")


@pytest.mark.parametrize(
    ("base", "facets", "said"),
    [
        ("xs:int", "", "Whole number."),
        ("xs:int", "<xs:minInclusive value='-1'/>", "Whole number from -1."),
        ("xs:int", "<xs:maxInclusive value='7'/>", "Whole number up to 7."),
        ("xs:unsignedInt", "", "Non-negative whole number."),
        ("xs:long", "<xs:minExclusive value='0'/>", "Whole number from 1."),
        ("xs:short", "", "Whole number from -32768 to 32767."),
        ("xs:int", "<xs:enumeration value='4'/><xs:enumeration value='1'/>", "4 or 1."),
        ("xs:double", "<xs:enumeration value='0.5'/>", "0.5."),
    ],
)
def test_bounds_of_machine_integers_are_not_mentioned(
    tmp_path: Path, base: str, facets: str, said: str
) -> None:
    restricted = f"<xs:simpleType><xs:restriction base='{base}'>{facets}</xs:restriction></xs:simpleType>"
    found = load_schema(tmp_path, attribute(f"<xs:attribute name='a'>{restricted}</xs:attribute>"))
    element = found.elements[0]
    assert facts(element, element.attributes[0], "") == said


def test_enumerations(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:simpleType name="motion" pb:quantities="dofs=nv"><xs:restriction base="xs:string">
          <xs:enumeration value="ball" pb:sequence="ball"/>
          <xs:enumeration value="2d" pb:sequence="slide:x hinge" pb:code="7">
            <xs:annotation><xs:documentation>Flat.</xs:documentation></xs:annotation></xs:enumeration>
          <xs:enumeration value="weld" pb:sequence="" pb:quantities="dofs=0" pb:member="FIXED"/>
        </xs:restriction></xs:simpleType>"""
        + attribute('<xs:attribute name="a" type="motion"/><xs:attribute name="b" type="motion"/>'),
    )
    (enum,) = schema.enums
    assert enum.name == "Motion"
    assert [form.enum for a in schema.elements[0].attributes for form in a.forms] == ["Motion", "Motion"]
    assert [member.name for member in enum.members] == ["BALL", "_2D", "FIXED"]
    assert [dict(member.quantities) for member in enum.members] == [{"dofs": 3}, {"dofs": 2}, {"dofs": 0}]
    flat = enum.members[1]
    assert (flat.value, flat.code, flat.doc, flat.place.line) == ("2d", 7, "Flat.", 4)
    assert flat.sequence == (Primitive("slide", "x"), Primitive("hinge"))


def test_children_and_keys(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:complexType name="Part"><xs:choice minOccurs="0" maxOccurs="unbounded">
             <xs:element name="part" type="Part"/><xs:element name="leaf" type="xs:double"/>
           </xs:choice></xs:complexType>
           <xs:complexType name="Leaf"/>
           <xs:element name="root"><xs:complexType><xs:all>
             <xs:element name="part" type="Part" maxOccurs="3"/>
             <xs:element name="leaf" type="Leaf" minOccurs="0"/></xs:all></xs:complexType></xs:element>""",
    )
    keys = {element.key: element for element in schema.elements}
    assert list(keys) == ["root", "Part", "Part/leaf", "Leaf"]
    assert [(c.tag, c.element, c.low, c.high) for c in keys["root"].children] == [
        ("part", "Part", 1, 3),
        ("leaf", "Leaf", 0, 1),
    ]
    assert [(c.tag, c.element, c.low, c.high) for c in keys["Part"].children] == [
        ("part", "Part", 0, UNBOUNDED),
        ("leaf", "Part/leaf", 0, UNBOUNDED),
    ]
    text = keys["Part/leaf"].text
    assert text is not None
    assert text.forms == (REAL,)
    assert [element.cls for element in schema.elements] == ["Root", "Part", "PartLeaf", "Leaf"]


def test_references_to_global_declarations(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:element name="item">
             <xs:annotation><xs:documentation>An item.</xs:documentation></xs:annotation>
             <xs:complexType><xs:sequence>
               <xs:element ref="item" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
           <xs:element name="root"><xs:complexType><xs:sequence>
             <xs:element ref="item" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>""",
    )
    assert schema.roots == ("root",)
    assert [element.key for element in schema.elements] == ["root", "item"]
    assert schema.element("item").doc == "An item."
    assert schema.element("item").children[0].element == "item"


def test_what_the_tables_cannot_express_is_reported(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:element name="root"><xs:complexType mixed="true"><xs:sequence>
          <xs:element name="a" type="xs:QName" fixed="x"/>
          <xs:element name="b" type="xs:string" nillable="true"/></xs:sequence>
          <xs:anyAttribute/>
          <xs:assert test="true()"/></xs:complexType>
          </xs:element>""",
    )
    told = {note.partition(": ")[0]: note.partition(": ")[2] for note in schema.unread}
    assert told["small.xsd:6"].startswith("`root`: xs:assert is not enforced")
    assert told["small.xsd:3"] == "`a`: a fixed NaN or name with a prefix is not enforced"
    assert told["small.xsd:4"] == "`b`: xsi:nil is not read"
    messages = {note.partition(": ")[2] for note in schema.unread}
    assert "`root`: xs:anyAttribute lets nothing through" in messages
    text = schema.element("root").text
    assert text is not None
    assert (text.required, text.forms[0].collapsed) == (False, True)


def test_extensions_keep_their_lines(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:complexType name="Base"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence>
             <xs:attribute name="x" type="xs:int"/></xs:complexType>
           <xs:element name="root"><xs:complexType><xs:complexContent><xs:extension base="Base">
             <xs:sequence>
               <xs:element name="b" type="xs:int"/></xs:sequence>
             <xs:attribute name="y" type="xs:int"/></xs:extension></xs:complexContent></xs:complexType>
           </xs:element>""",
    )
    root = schema.elements[0]
    assert [(child.tag, child.place.line) for child in root.children] == [("a", 2), ("b", 6)]
    assert [(a.name, a.place.line) for a in root.attributes] == [("x", 3), ("y", 7)]


def test_included_files_keep_their_own_lines(tmp_path: Path) -> None:
    write_schema(
        tmp_path,
        """

        <xs:simpleType name="length" pb:unit="m"><xs:restriction base="xs:double"/></xs:simpleType>
        <xs:attributeGroup name="sized">
          <xs:attribute name="size" type="length"/></xs:attributeGroup>""",
        name="types.xsd",
    )
    declaration = '<xs:attributeGroup ref="sized"/>'
    schema = load_schema(tmp_path, '<xs:include schemaLocation="types.xsd"/>' + attribute(declaration))
    (size,) = schema.elements[0].attributes
    assert (size.meaning.unit, size.place.path.name, size.place.line) == ("m", "types.xsd", 6)
    types = tmp_path / "types.xsd"
    types.write_text(types.read_text().replace("pb:unit", "pb:unti"))
    with pytest.raises(SchemaError, match=r"types.xsd:4: pb:unti is not known"):
        load(tmp_path / "small.xsd")


@pytest.mark.parametrize(
    ("kind", "facets", "bounds"),
    [
        ("double", "<xs:minExclusive value='0'/><xs:maxInclusive value='1'/>", (5e-324, 1.0)),
        ("double", "<xs:minInclusive value='0'/><xs:maxExclusive value='1'/>", (0.0, 1 - 2**-53)),
        ("int", "<xs:minExclusive value='0'/><xs:maxExclusive value='10'/>", (1.0, 9.0)),
    ],
)
def test_bounds_of_two_kinds_become_inclusive(
    tmp_path: Path, kind: str, facets: str, bounds: tuple[float, float]
) -> None:
    text = f"<xs:simpleType><xs:restriction base='xs:{kind}'>{facets}</xs:restriction></xs:simpleType>"
    (form,) = only_attribute(tmp_path, f"<xs:attribute name='a'>{text}</xs:attribute>").forms
    assert (form.minimum, form.maximum, form.open) == (*bounds, False)


def test_a_root_can_be_chosen(tmp_path: Path) -> None:
    text = '<xs:element name="one" type="xs:int"/><xs:element name="two" type="xs:int"/>'
    path = write_schema(tmp_path, text)
    assert load(path).roots == ("one", "two")
    assert load(path, root="two").roots == ("two",)
    with pytest.raises(SchemaError, match="no global xs:element three; expected one of one, two"):
        load(path, root="three")
    with pytest.raises(SchemaError, match="several elements could be the root: one, two; choose with --root"):
        generate_package(path)


def test_nothing_is_fetched(tmp_path: Path) -> None:
    text = '<xs:import namespace="urn:x" schemaLocation="http://127.0.0.1:9/x.xsd"/>'
    (note,) = load_schema(tmp_path, text + attribute('<xs:attribute name="a"/>')).unread
    assert "block access to remote resource http://127.0.0.1:9/x.xsd" in note


def test_built_in_types_that_are_read_more_widely_are_reported(tmp_path: Path) -> None:
    """Once, with the line and the name of the first use; a type of the schema has its own."""
    kinds = ("decimal", "date", "ID", "token", "string", "anyURI", "QName")
    text = "\n".join(f'<xs:attribute name="{kind}s" type="xs:{kind}"/>' for kind in kinds)
    again = '\n<xs:attribute name="again" type="xs:decimal"/>\n<xs:attribute name="part" type="share"/>'
    share = '\n<xs:simpleType name="share"><xs:restriction base="xs:decimal"/></xs:simpleType>'
    notes = load_schema(tmp_path, attribute(text + again) + share).unread
    lines = [note.removeprefix("small.xsd:").partition(": ") for note in notes]
    decimal = "xs:decimal is read as xs:double, exponents included"
    assert {(int(line), said) for line, _, said in lines} == {
        (3, f"`decimals`: {decimal}"),
        (9, "`QNames`: xs:QName: that the document declares the prefix is not checked"),
        (13, f"`share`: {decimal}"),
    }


def test_enumerations_of_one_name_stay_apart(tmp_path: Path) -> None:
    words = "<xs:simpleType{}><xs:restriction base='xs:string'><xs:enumeration value='{}'/></xs:restriction>"
    named = words.format(" name='root_kind'", "a") + "</xs:simpleType>"
    anonymous = words.format("", "b") + "</xs:simpleType>"
    text = f"<xs:attribute name='kind'>{anonymous}</xs:attribute><xs:attribute name='c' type='root_kind'/>"
    schema = load_schema(tmp_path, named + attribute(text))
    first, second = (a.forms[0].enum for a in schema.elements[0].attributes)
    assert {first, second} == {"RootKind", "RootKindType"}
    assert [schema.enum(name).members[0].value for name in (first, second)] == ["b", "a"]
