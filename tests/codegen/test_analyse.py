"""The passes: names in a schema must exist, everything has a status, Python names are plain and unique."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import pytest
from polybody.base import Released
from polybody.codegen.generate import generate_package
from polybody.codegen.schema import SCHEMAS, SchemaError, load, physics, tables
from polybody.codegen.schema.naming import RESERVED_FIELDS, camel, constant, identifier
from polybody.codegen.schema.slots import Slot, slot

from .schemas import attribute, load_schema, write_schema

ENUM = """<xs:simpleType name="kind"><xs:restriction base="xs:string">
<xs:enumeration value="box" pb:quantities="extent=3"/><xs:enumeration value="ball"/>
</xs:restriction></xs:simpleType>"""
RULES = "<xs:annotation><xs:appinfo><pb:rules>{}</pb:rules></xs:appinfo></xs:annotation>"


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ('<xs:attribute name="a" type="xs:int"/>', 3, '"a" has no pb:status'),
        ('<xs:attribute name="a" type="xs:int" pb:status="parsed"/>', 3, "without a pb:reason"),
    ],
)
def test_a_format_states_the_status_of_everything(tmp_path: Path, body: str, line: int, message: str) -> None:
    text = attribute(body).replace("<xs:complexType>", '<xs:complexType pb:status="simulated">')
    with pytest.raises(SchemaError, match=message) as caught:
        load_schema(tmp_path, text, ' pb:format="small"')
    assert caught.value.place.line == line
    with pytest.raises(SchemaError, match="<root> has no pb:status"):
        load_schema(tmp_path, '<xs:element name="root"><xs:complexType/></xs:element>', ' pb:format="small"')


@pytest.mark.parametrize(
    ("root", "value", "message"),
    [
        ("", "A value.", "small.xsd:2: <root> has no text; write an xs:documentation"),
        ("A root.", "", 'small.xsd:3: "a" has no text'),
    ],
)
def test_everything_in_a_format_has_a_text(tmp_path: Path, root: str, value: str, message: str) -> None:
    """That of a type from which the value's type is derived is not enough."""
    said = "<xs:annotation><xs:documentation>{}</xs:documentation></xs:annotation>"
    kinds = (
        f'<xs:simpleType name="real">{said.format("A number.")}'
        '<xs:restriction base="xs:double"/></xs:simpleType>'
        '<xs:simpleType name="length"><xs:restriction base="real"/></xs:simpleType>'
    )
    text = (
        f'<xs:element name="root" pb:status="simulated"><xs:complexType>{said.format(root)}\n'
        f'<xs:attribute name="a" type="length" pb:status="simulated">{said.format(value)}</xs:attribute>'
        f"</xs:complexType></xs:element>{kinds}"
    )
    with pytest.raises(SchemaError, match=re.escape(message)):
        load_schema(tmp_path, text, ' pb:format="small"')
    written = text.replace(said.format(""), said.format("What it is."))
    load_schema(tmp_path, written, ' pb:format="small"')


def test_a_format_says_nothing_that_would_go_unread(tmp_path: Path) -> None:
    text = attribute('<xs:assert test="true()"/>').replace("<xs:element", '<xs:element pb:status="simulated"')
    with pytest.raises(SchemaError, match="xs:assert is not enforced"):
        load_schema(tmp_path, text, ' pb:format="small"')


@pytest.mark.parametrize(
    ("declarations", "line", "message"),
    [
        (RULES.format('<pb:exclusive names="a c"/>') + '<xs:attribute name="a"/>', 3, 'has no "c"'),
        (RULES.format('<pb:required names="a" unless="b=box"/>') + '<xs:attribute name="a"/>', 3,
         '"b" is not an attribute'),
        (RULES.format('<pb:required names="a" unless="k=cone"/>')
         + '<xs:attribute name="a"/><xs:attribute name="k" type="kind"/>', 3, '"cone" is no keyword of "k"'),
        (RULES.format('<pb:required names="a" unless="a=cone"/>')
         + '<xs:attribute name="a" type="xs:int"/>', 3, '"a" has no keywords'),
        ('<xs:attribute name="a" pb:aliasOf="b"/>', 3, 'pb:aliasOf="b"'),
        ('<xs:attribute name="a" pb:refers="bodies"/>', 3, "which nothing declares"),
        ('<xs:attribute name="a" pb:shape="extent(b)"/>', 3, '"b" is not an attribute of <root>'),
        ('<xs:attribute name="a" pb:shape="extent(k)"/>\n<xs:attribute name="k" type="kind"/>', 6,
         '"ball" gives no extent'),
    ],
)  # fmt: skip
def test_names_in_rules_exist(tmp_path: Path, declarations: str, line: int, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        load_schema(tmp_path, attribute(declarations) + ENUM)
    assert message in str(caught.value)
    assert caught.value.place.line == line


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ('pb:sequence="ball gearbox"', 'names "gearbox"; physics.xml has free, ball'),
        ('pb:quantities="n=nq"', "needs a pb:sequence"),
    ],
)
def test_sequences_are_made_of_primitives(tmp_path: Path, annotations: str, message: str) -> None:
    text = ENUM.replace('value="ball"', f'value="ball" {annotations}')
    with pytest.raises(SchemaError, match=message) as caught:
        load_schema(tmp_path, text + attribute('<xs:attribute name="k" type="kind"/>'))
    assert caught.value.place.line == 3


def test_aliases_are_spellings_of_their_attribute(tmp_path: Path) -> None:
    text = '<xs:attribute name="name" pb:aliasOf="model"/><xs:attribute name="model" pb:mistaken="title"/>'
    (model,) = load_schema(tmp_path, attribute(text)).elements[0].attributes
    assert (model.name, model.aliases, model.mistaken) == ("model", ("name",), ("title",))


def test_wrong_spellings_are_of_children_that_are_fields(tmp_path: Path) -> None:
    child = '<xs:all>\n<xs:element name="rate" type="xs:double" minOccurs="0" pb:mistaken="hertz"/></xs:all>'
    (rate,) = load_schema(tmp_path, attribute(child), ' pb:leaves="fields"').elements[0].attributes
    assert (rate.name, rate.mistaken) == ("rate", ("hertz",))
    with pytest.raises(SchemaError, match="<rate> is no field") as caught:
        load_schema(tmp_path, attribute(child))
    assert caught.value.place.line == 4


def test_fields_avoid_keywords_and_attributes_of_nodes(tmp_path: Path) -> None:
    text = "".join(f'<xs:attribute name="{name}"/>' for name in ("class", "span", "a-b", "a_b", "children"))
    attributes = load_schema(tmp_path, attribute(text)).elements[0].attributes
    assert [a.field for a in attributes] == ["class_", "span_", "a_b", "a_b_", "children_"]


def test_reserved_fields_are_what_a_node_has() -> None:
    public = {name for name in dir(Released) if not name.startswith("_")}
    assert public == RESERVED_FIELDS


@pytest.mark.parametrize("text", ["", "é", "a b", "3d", 'x"""', "class", "-", "日本", "_", "a\nb", "None"])
def test_names_are_always_plain_identifiers(text: str) -> None:
    for name in (identifier(text), camel(text), constant(text)):
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)


def test_class_names_are_free_and_short(tmp_path: Path) -> None:
    schema = load_schema(
        tmp_path,
        """<xs:element name="root"><xs:complexType><xs:all>
        <xs:element name="a"><xs:complexType><xs:all>
          <xs:element name="b"><xs:complexType/></xs:element></xs:all></xs:complexType></xs:element>
        <xs:element name="b"><xs:complexType><xs:attribute name="x"/></xs:complexType></xs:element>
        <xs:element name="node"><xs:complexType/></xs:element></xs:all></xs:complexType></xs:element>""",
    )
    assert [element.cls for element in schema.elements] == ["Root", "A", "AB", "B", "RootNode"]


def test_primitive_joints_have_the_codes_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    joints = {row.name: row.code for row in physics().joints}
    assert {
        name: int(getattr(mujoco.mjtJoint, f"mjJNT_{name.upper()}")) for name in joints if name != "screw"
    } == {name: code for name, code in joints.items() if name != "screw"}
    shapes = {row.name: row.code for row in physics().shapes}
    assert {name: int(getattr(mujoco.mjtGeom, f"mjGEOM_{name.upper()}")) for name in shapes} == shapes


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('code="1"', 'code="0"', 6, "duplicated"),
        ('nq="7"', 'nq="seven"', 5, "seven"),
        ('class="Ball"', 'class="ball"', 6, "ball"),
        ("<actuators/>", "", 3, "actuators"),
    ],
)
def test_a_faulty_row_of_the_vocabulary_is_an_error_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    text = (SCHEMAS / "physics.xml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "physics.xml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SchemaError, match=message) as caught:
        physics(path)
    assert line <= caught.value.place.line <= line + 25


COLUMNS = """<xs:simpleType name="nine" pb:shape="3 3" pb:value="Mat3"><xs:restriction>
<xs:simpleType><xs:list itemType="xs:double"/></xs:simpleType>
<xs:length value="9"/></xs:restriction></xs:simpleType>
<xs:element name="model"><xs:complexType><xs:sequence><xs:element name="body" maxOccurs="unbounded">
<xs:complexType pb:axis="body" pb:prefix="body_" pb:count="nbody">
<xs:attribute name="name" type="xs:string" pb:declares="body"/>
{}
</xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>"""


def test_columns_are_named_shaped_and_placed(tmp_path: Path) -> None:
    text = """<xs:attribute name="mat" type="nine" pb:role="derived"/>
<xs:attribute name="parentid" type="xs:int" pb:role="model" pb:index="body"/>
<xs:attribute name="adr" type="xs:long" pb:role="model"/>
<xs:attribute name="type" type="xs:string" pb:role="model" pb:kind="joint"/>"""
    mat, parent, address, kind = tables(load_schema(tmp_path, COLUMNS.format(text)))
    assert (mat.name, mat.axis, mat.shape, mat.value, mat.role, mat.owner) == (
        "body_mat", "body", (3, 3), "Mat3", "derived", "model")  # fmt: skip
    assert (parent.name, parent.index, parent.bits, parent.place.line) == ("body_parentid", "body", 32, 9)
    assert (address.bits, kind.vocabulary, kind.kind.value) == (64, "joint", "int")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<xs:attribute name="a" type="xs:int"/>', "has no pb:role"),
        (
            '<xs:attribute name="a" type="nine" pb:role="model" pb:shape="2 4"/>',
            "has 8 numbers, the list has 9",
        ),
        ('<xs:attribute name="a" type="nine" pb:role="model" pb:shape="1..9"/>', "is numbers"),
    ],
)
def test_a_column_that_does_not_fit_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        tables(load(write_schema(tmp_path, COLUMNS.format(text))))
    assert message in str(caught.value)
    assert caught.value.place.line == 8


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("pos", Slot("", "pos")),
        ("@pos", Slot("", "pos")),
        ("axis/@xyz", Slot("axis", "xyz")),
        ("mass/text()", Slot("mass", "")),
        ("text()", Slot("", "")),
    ],
)
def test_names_in_rules_are_parsed(name: str, parsed: Slot) -> None:
    assert slot(name) == parsed


A = '<xs:attribute name="a"/>'


@pytest.mark.parametrize(
    ("declarations", "line", "message"),
    [
        (RULES.format('<pb:together names="a a" severity="warning"/>') + A, 3, "severity"),
        (RULES.format('<pb:ignored names="a"/>') + A, 3, "pb:ignored"),
    ],
)  # fmt: skip
def test_what_the_tables_cannot_carry_is_refused_with_its_line(
    tmp_path: Path, declarations: str, line: int, message: str
) -> None:
    text = attribute(declarations)
    with pytest.raises(SchemaError) as caught:
        generate_package(write_schema(tmp_path, text))
    assert message in str(caught.value)
    assert caught.value.place.line == line
