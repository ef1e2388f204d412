"""Differences as lines for a schema, from a small schema and what a release says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from codegen.releases.comparison import compare
from codegen.releases.described import ANY, TRUTH, Attribute, Description, Element, Rule
from codegen.releases.lines import Lines
from codegen.releases.ours import described
from codegen.schema import load
from tests.codegen.schemas import write_schema

HEAD = (
    ' pb:format="robot" pb:version="1.0" pb:status="parsed" pb:reason="a test" elementFormDefault="qualified"'
)
DOC = "<xs:annotation><xs:documentation>D.</xs:documentation></xs:annotation>"
BODY = f"""<xs:annotation><xs:documentation>Robots.</xs:documentation></xs:annotation>
<xs:simpleType name="real"><xs:restriction base="xs:double"/></xs:simpleType>
<xs:simpleType name="Name"><xs:restriction base="xs:string">
  <xs:minLength value="1"/></xs:restriction></xs:simpleType>
<xs:simpleType name="bool"><xs:restriction base="xs:boolean">
  <xs:pattern value="true|false"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Reals"><xs:list itemType="real"/></xs:simpleType>
<xs:simpleType name="Reals3"><xs:restriction base="Reals">
  <xs:length value="3"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Shape"><xs:restriction base="xs:token">
  <xs:enumeration value="ball">{DOC}</xs:enumeration>
  <xs:enumeration value="box">{DOC}</xs:enumeration>
</xs:restriction></xs:simpleType>
<xs:attributeGroup name="Common">
  <xs:attribute name="name" type="Name" pb:declares="part">{DOC}</xs:attribute>
  <xs:attribute name="mass" type="real" default="1">{DOC}</xs:attribute>
</xs:attributeGroup>
<xs:element name="robot" type="Robot"/>
<xs:complexType name="Robot">{DOC}
  <xs:all>
    <xs:element name="body" type="Body" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="wheel" type="Wheel" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="tyre" type="Wheel" minOccurs="0" maxOccurs="unbounded"/>
  </xs:all>
  <xs:attribute name="model" type="xs:string">{DOC}</xs:attribute>
  <xs:attribute name="on" type="bool" default="true">{DOC}</xs:attribute>
</xs:complexType>
<xs:complexType name="Body">{DOC}
  <xs:attributeGroup ref="Common"/>
  <xs:attribute name="shape" type="Shape" default="ball">{DOC}</xs:attribute>
  <xs:attribute name="pos" type="Reals3" default="0 0 0">{DOC}</xs:attribute>
</xs:complexType>
<xs:complexType name="Wheel">{DOC}<xs:attributeGroup ref="Common"/></xs:complexType>
"""
NAME = Attribute("string", low=1, high=1)
MASS = Attribute("real", default="1", low=1, high=1)
ROBOT = {"model": NAME, "on": Attribute("keyword", TRUTH, "true", False, 1, 1)}
SHAPE = Attribute("keyword", ("ball", "box"), "ball")
BODY_3 = {
    "name": NAME,
    "mass": MASS,
    "shape": SHAPE,
    "pos": Attribute("real", default="0 0 0", low=3, high=3),
}
PLAIN: Description = {
    ("robot",): Element(ROBOT, low=1, high=1),
    ("robot", "body"): Element(BODY_3, low=0, high=ANY),
    ("robot", "wheel"): Element({"name": NAME, "mass": MASS}, low=0, high=ANY),
    ("robot", "tyre"): Element({"name": NAME, "mass": MASS}, low=0, high=ANY),
}


def _lines(
    folder: Path, theirs: Description, until: str = "1.1", body: str = BODY, head: str = HEAD
) -> list[str]:
    schema = load(write_schema(folder, body, head))
    ours = described(schema)
    found = Lines(schema, ours, theirs, "1.2", until).of(list(compare(ours, theirs)))
    return [line.replace(f"{folder.name}/", "") for line in found]


def _with(tags: Iterable[str], **attributes: Attribute) -> Description:
    """What the schema has, and attributes of some elements."""
    more = {tag: {**PLAIN["robot", tag].attributes, **attributes} for tag in tags}
    return PLAIN | {("robot", tag): Element(each, low=0, high=ANY) for tag, each in more.items()}


def test_a_release_that_is_the_same_needs_no_lines(tmp_path: Path) -> None:
    assert _lines(tmp_path, PLAIN) == []


def test_a_line_of_all_that_use_a_group_is_its(tmp_path: Path) -> None:
    delay = Attribute("real", default="0", low=1, high=1)
    found = _lines(tmp_path, _with(("body", "wheel", "tyre"), delay=delay))
    assert found == [
        "Common (group of Body Wheel, small.xsd:15)",
        '  <xs:attribute name="delay" type="real" default="0" pb:since="1.2"/>',
    ]


def test_a_line_of_all_elements_of_a_type_is_its(tmp_path: Path) -> None:
    delay = Attribute("real", required=True, low=1, high=1)
    line = '  <xs:attribute name="delay" type="real" use="required" pb:since="1.2"/>'
    assert _lines(tmp_path, _with(("wheel", "tyre"), delay=delay)) == ["Wheel (small.xsd:34)", line]
    assert _lines(tmp_path, _with(("tyre",), delay=delay)) == ["Wheel(tyre) (small.xsd:34)", line]
    assert _lines(tmp_path, _with(("tyre", "body"), delay=delay)) == [
        *("Body (small.xsd:29); Wheel(tyre) (small.xsd:34)", line)
    ]


def test_what_is_gone_or_otherwise(tmp_path: Path) -> None:
    mass = Attribute("real", default="2", required=True, low=1, high=1)
    pos = Attribute("real", low=1, high=5)
    body = {"mass": mass, "shape": Attribute("keyword", ("box", "cone"), "box"), "pos": pos}
    wheel = {"name": NAME, "mass": mass}
    theirs = {
        ("robot",): Element({"on": Attribute("keyword", ("no", "yes"), "yes")}),
        ("robot", "body"): Element(body, low=0, high=ANY),
        ("robot", "wheel"): Element(wheel, low=1, high=ANY),
    }
    assert _lines(tmp_path, theirs) == [
        "Robot (small.xsd:20)",
        '  <xs:attribute name="on" type="On" default="yes" pb:since="1.2"/>'
        ' <!-- until 1.1: type="bool", default="true" -->',
        '  <xs:attribute name="model" type="xs:string" pb:until="1.1"/>',
        '  <xs:element name="wheel" type="Wheel" maxOccurs="unbounded" pb:since="1.2"/>',
        '  <xs:element name="tyre" type="Wheel" minOccurs="0" maxOccurs="unbounded" pb:until="1.1"/>',
        "Body (small.xsd:29); Wheel(wheel) (small.xsd:34)",
        '  <xs:attribute name="mass" type="real" default="2" use="required" pb:since="1.2"/>'
        ' <!-- until 1.1: default="1", optional -->',
        "Shape (small.xsd:11)",
        '  <xs:enumeration value="cone" pb:since="1.2"/>',
        '  <xs:enumeration value="ball" pb:until="1.1"/> <!-- not named for shape of <body> -->',
        "Body (small.xsd:29)",
        '  <xs:attribute name="shape" type="Shape" default="box" pb:since="1.2"/>'
        ' <!-- until 1.1: default="ball" -->',
        '  <xs:attribute name="pos" type="Reals1to5" default="0 0 0" pb:since="1.2"/>'
        ' <!-- until 1.1: type="Reals3" -->',
        '  <xs:attribute name="name" type="Name" pb:until="1.1"/>',
        "new simple types",
        '  <xs:simpleType name="On"><xs:restriction base="xs:token">\n'
        '    <xs:enumeration value="no"/>\n    <xs:enumeration value="yes"/>\n'
        "  </xs:restriction></xs:simpleType>",
        '  <xs:simpleType name="Reals1to5"><xs:restriction base="Reals">'
        '<xs:minLength value="1"/><xs:maxLength value="5"/></xs:restriction></xs:simpleType>',
    ]


def test_a_keyword_of_another_attribute_of_the_type_is_not_gone(tmp_path: Path) -> None:
    mass = '  <xs:attribute name="mass" type="real" default="1">'
    both = f'  <xs:attribute name="form" type="Shape" default="box">{DOC}</xs:attribute>'
    found = _lines(
        tmp_path,
        _with(
            ("body",),
            form=Attribute("keyword", ("ball", "box"), "box"),
            shape=Attribute("keyword", ("box",), "ball"),
        ),
        body=BODY.replace(mass, both + mass),
    )
    remedy = "it has another type, or a row of codegen/releases/accepted.py"
    assert f'  <!-- "ball" is not named for shape of <body>: {remedy} -->' in found


def test_a_field_that_occurs_otherwise(tmp_path: Path) -> None:
    field = f'<xs:element name="drag" type="real" minOccurs="0" pb:default="0">{DOC}</xs:element>'
    start = f'<xs:complexType name="Wheel">{DOC}'
    body = BODY.replace(start, f"{start}<xs:all>{field}</xs:all>")
    drag = Element({}, text=Attribute("real", default="0", low=1, high=1), low=1, high=1)
    fields = {("robot", tag, "drag"): drag for tag in ("wheel", "tyre")}
    assert _lines(tmp_path, PLAIN | fields, body=body, head=HEAD + ' pb:leaves="fields"') == [
        "Wheel (small.xsd:34)",
        '  <xs:element name="drag" type="real" pb:default="0" pb:since="1.2"/>',
    ]


def test_without_a_release_before(tmp_path: Path) -> None:
    theirs = PLAIN | {("robot",): Element({"on": Attribute("keyword", TRUTH, "false")}, low=1, high=1)}
    found = _lines(tmp_path, theirs, until="")
    assert found[1].endswith('pb:since="1.2"/> <!-- before: default="true" -->')
    assert found[2].endswith('pb:until="?"/>')


def test_what_is_not_described_says_so(tmp_path: Path) -> None:
    found = _lines(tmp_path, _with(("body",), delay=Attribute()))
    line = '  <xs:attribute name="delay" pb:since="1.2"/> <!-- type and default are not described -->'
    assert found == ["Body (small.xsd:29)", line]


def test_types_of_new_attributes(tmp_path: Path) -> None:
    """That of an attribute of the same name, of the same values, or a new one, which is named."""
    said = {
        "id": Attribute("string", low=1, high=1, declares="part"),
        "of": Attribute("string", low=1, high=1, refers="part"),
        "size": Attribute("real", low=3, high=3),
        "data": Attribute("real", low=0, high=ANY, default="0 ... 0"),
        "fast": Attribute("keyword", TRUTH),
        "forms": Attribute("keyword", ("ball", "box"), low=1, high=ANY),
        "type": Attribute("keyword", ("a", "b")),
        "turn": Attribute("int", low=2, high=2),
    }
    found = _lines(tmp_path, _with(("body",), **said))
    assert [
        line.removeprefix("  <xs:attribute name=").removesuffix(' pb:since="1.2"/>') for line in found[1:9]
    ] == [
        '"id" type="Name" pb:declares="part"',
        '"of" type="xs:string" pb:refers="part"',
        '"size" type="Reals3"',
        '"data" type="Reals" pb:default="0 ..."',
        '"fast" type="bool"',
        '"forms" type="Shapes"',
        '"type" type="BodyType"',
        '"turn" type="Ints2"',
    ]
    assert found[9] == "new simple types"
    assert found[10] == '  <xs:simpleType name="Shapes"><xs:list itemType="Shape"/></xs:simpleType>'
    assert [line.split('"')[1] for line in found[10:]] == ["Shapes", "BodyType", "Ints", "Ints2"]


def test_what_the_schema_knows_as_newer_has_that_release(tmp_path: Path) -> None:
    newer = '<pb:newer names="early arm" since="1.1"/><pb:newer names="late" since="1.3"/>'
    rules = f"<xs:appinfo><pb:rules>{newer}</pb:rules></xs:appinfo></xs:annotation>"
    robot = '<xs:complexType name="Robot">'
    body = BODY.replace(f"{robot}{DOC}", f"{robot}{DOC.replace('</xs:annotation>', rules)}")
    theirs = PLAIN | {
        ("robot",): Element({**ROBOT, "early": NAME, "late": NAME, "new": NAME}, low=1, high=1),
        ("robot", "arm"): Element({"name": NAME, "mass": MASS}, low=0, high=1),
    }
    assert _lines(tmp_path, theirs, body=body)[1:] == [
        '  <xs:attribute name="early" type="xs:string" pb:since="1.1"/>',
        '  <xs:attribute name="late" type="xs:string" pb:since="1.2"/>',
        '  <xs:attribute name="new" type="xs:string" pb:since="1.2"/>',
        '  <xs:element name="arm" type="Wheel" minOccurs="0" pb:since="1.1"/>',
    ]


def test_rules_are_lines(tmp_path: Path) -> None:
    rules = (
        *(Rule("exclusive", ("mass", "pos")), Rule("requires", ("pos", "shape"))),
        Rule("anyOf", ("mass", "pos")),
    )
    theirs = PLAIN | {("robot", "body"): Element(BODY_3, low=0, high=ANY, rules=rules)}
    assert _lines(tmp_path, theirs) == [
        "Body (small.xsd:29)",
        '  <pb:exclusive names="mass pos" written="true" since="1.2"/>',
        '  <pb:requires of="pos" names="shape" since="1.2"/>',
        '  <pb:anyOf names="mass pos" since="1.2"/>',
    ]


def test_new_elements(tmp_path: Path) -> None:
    """With a type of ours that has their attributes, also new ones, or a new type, with groups of ours."""
    delay = Attribute("real", low=1, high=1)
    common = {"name": NAME, "mass": MASS, "delay": delay}
    rules = tuple(Rule("exclusive", pair) for pair in (("a", "b"), ("a", "c"), ("b", "c")))
    new = {
        ("robot", "rim"): Element(common, low=0, high=1, kind="rim"),
        ("robot", "fork"): Element({**common, "a": NAME, "b": NAME, "c": NAME}, rules=rules, kind="fork"),
        ("robot", "fork", "length"): Element(text=Attribute("real", (), "3", None, 1, 1), low=0, high=1),
        ("robot", "fork", "spoke"): Element(
            {"of": NAME}, Attribute("real", (), "4", None, 3, 3), 1, 1, kind="spoke"
        ),
        ("robot", "fork", "end"): Element(BODY_3, low=0, high=1, kind="body"),
        ("robot", "spoke"): Element({"of": NAME}, Attribute("real", low=3, high=3), 0, 1, kind="spoke"),
    }
    theirs = {**_with(("body", "wheel", "tyre"), delay=delay), **new}
    body = theirs["robot", "body"]
    theirs["robot", "body"] = Element(body.attributes, low=0, high=ANY, kind="body")
    found = _lines(tmp_path, theirs)
    assert found[2:] == [
        "Robot (small.xsd:20)",
        '  <xs:element name="rim" type="Wheel" minOccurs="0" pb:since="1.2"/>',
        '  <xs:element name="fork" type="Fork" minOccurs="0" pb:since="1.2"/>',
        '  <xs:element name="spoke" type="Spoke" minOccurs="0" pb:since="1.2"/>',
        "new type Fork, of robot/fork",
        '  <xs:complexType name="Fork">',
        "    <xs:annotation><xs:appinfo><pb:rules>",
        '      <pb:exclusive names="a b c" written="true"/>',
        "    </pb:rules></xs:appinfo></xs:annotation>",
        "    <xs:all>",
        '      <xs:element name="length" type="real" minOccurs="0" pb:default="3"/>',
        '      <xs:element name="spoke" type="Spoke" pb:default="4"/>',
        '      <xs:element name="end" type="Body" minOccurs="0"/>',
        "    </xs:all>",
        '    <xs:attributeGroup ref="Common"/> <!-- delay mass name -->',
        '    <xs:attribute name="a" type="xs:string"/>',
        '    <xs:attribute name="b" type="xs:string"/>',
        '    <xs:attribute name="c" type="xs:string"/>',
        "  </xs:complexType>",
        "new type Spoke, of robot/fork/spoke",
        '  <xs:complexType name="Spoke">',
        '    <xs:simpleContent><xs:extension base="Reals3">',
        '    <xs:attribute name="of" type="xs:string"/>',
        "    </xs:extension></xs:simpleContent>",
        "  </xs:complexType>",
    ]


def test_what_is_new_can_be_pasted(tmp_path: Path) -> None:
    """The schema with the lines for a group, an element and its type has what the release says."""
    delay = Attribute("real", default="0", low=1, high=1)
    attributes = {"name": NAME, "mass": MASS, "delay": delay, "kind": Attribute("keyword", ("a", "b"))}
    arm = Element(attributes, low=0, high=1)
    theirs = {**_with(("body", "wheel", "tyre"), delay=delay), ("robot", "arm"): arm}
    found = [_documented(line) for line in _lines(tmp_path, theirs)]
    element = next(line for line in found if 'name="arm"' in line)
    type_, end = found.index('  <xs:complexType name="Arm">'), found.index("  </xs:complexType>")
    group = '<xs:attributeGroup name="Common">'
    pasted = BODY.replace(group, f"{group}{found[1]}").replace("</xs:all>", f"{element}</xs:all>")
    pasted += "\n".join([f"{found[type_]}{DOC}", *found[type_ + 1 : end + 1], *found[end + 2 :]])
    schema = load(write_schema(tmp_path, pasted, HEAD))
    assert list(compare(described(schema, "1.2"), theirs)) == []
    before = described(schema, "1.1")
    assert [str(row) for row in compare(before, theirs)] == [
        *("robot/body/@delay", "robot/wheel/@delay", "robot/tyre/@delay", "robot/arm")
    ]


def _documented(line: str) -> str:
    """A line with a text for each attribute and keyword, as schemas must have."""
    return re.sub(r"<(xs:attribute|xs:enumeration) ([^>]*)/>", rf"<\1 \2>{DOC}</\1>", line)
