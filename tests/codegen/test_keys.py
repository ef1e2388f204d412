"""Keys and Python names are derived from the declarations of a schema, regardless of their order."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from polybody.codegen.generate import format_schemas
from polybody.codegen.schema import SCHEMAS, Schema, load

from .schemas import load_schema, write_schema

XS = "{http://www.w3.org/2001/XMLSchema}"
PARTICLES = tuple(XS + name for name in ("element", "all", "choice", "sequence", "group"))
ATTRIBUTES = (f"{XS}attribute", f"{XS}attributeGroup")
INCLUDES = (f"{XS}include", f"{XS}import")
COMPONENTS = (*PARTICLES, *ATTRIBUTES, f"{XS}complexType", f"{XS}simpleType")
SHIPPED = [*format_schemas(SCHEMAS), SCHEMAS / "model.xsd"]
RUSSIAN_DOLL = """
<xs:group name="Common"><xs:all>
  <xs:element name="price" minOccurs="0" type="xs:double"/></xs:all></xs:group>
<xs:complexType name="Common"><xs:all>
  <xs:element name="price" minOccurs="0" type="xs:string"/></xs:all></xs:complexType>
<xs:complexType name="Price"><xs:attribute name="a-b"/><xs:attribute name="a.b"/></xs:complexType>
<xs:complexType name="Item"><xs:sequence>
  <xs:element name="item" type="Item" minOccurs="0"/></xs:sequence></xs:complexType>
<xs:attributeGroup name="Kinds">
  <xs:attribute name="kind"><xs:simpleType><xs:restriction base="xs:token">
    <xs:enumeration value="a b"/><xs:enumeration value="a_b"/></xs:restriction></xs:simpleType></xs:attribute>
</xs:attributeGroup>
<xs:element name="shop"><xs:complexType><xs:all>
  <xs:element name="first" minOccurs="0"><xs:complexType>
    <xs:group ref="Common"/><xs:attributeGroup ref="Kinds"/></xs:complexType></xs:element>
  <xs:element name="second" minOccurs="0"><xs:complexType><xs:all>
    <xs:element name="first" minOccurs="0"><xs:complexType>
      <xs:attribute name="kind"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="c"/>
        </xs:restriction></xs:simpleType></xs:attribute></xs:complexType></xs:element>
    </xs:all></xs:complexType></xs:element>
  <xs:element name="third" type="Common" minOccurs="0"/>
  <xs:element name="fourth" type="Price" minOccurs="0"/>
  <xs:element name="fifth" type="Price" minOccurs="0"/>
  <xs:element name="item" type="Item" minOccurs="0"/>
  <xs:element name="price" type="xs:string" minOccurs="0"/></xs:all></xs:complexType></xs:element>
"""
"""Nested declarations, types of several tags, and conflicting names."""


def names(schema: Schema) -> dict[str, Any]:
    """All names visible to users of generated code."""
    elements = {
        element.key: (
            element.tag,
            element.cls,
            {child.tag: (child.element, child.field) for child in element.children},
            {(value.leaf, value.name): value.field for value in element.values},
        )
        for element in schema.elements
    }
    assert len(elements) == len(schema.elements)
    enums = {enum.name: {member.value: member.name for member in enum.members} for enum in schema.enums}
    kinds = {
        (element.key, value.leaf, value.name): [form.enum for form in value.forms]
        for element in schema.elements
        for value in element.values
    }
    return {"elements": elements, "enums": enums, "kinds": kinds, "roots": set(schema.roots)}


def shuffle(path: Path, chance: random.Random) -> None:
    """Shuffle the declarations of a schema where XSD permits it."""
    tree = etree.parse(path)
    for node in tree.iter(f"{XS}schema", *PARTICLES, f"{XS}complexType", f"{XS}extension", *ATTRIBUTES):
        whole = node.tag == f"{XS}schema"
        for kinds in (INCLUDES, COMPONENTS) if whole else (PARTICLES, ATTRIBUTES):
            places = [number for number, child in enumerate(node) if child.tag in kinds]
            order = [node[number] for number in places]
            chance.shuffle(order)
            marks = [etree.SubElement(node, "mark") for _ in places]
            for mark, number in zip(marks, places, strict=True):
                node.replace(node[number], mark)
            for mark, child in zip(marks, order, strict=True):
                node.replace(mark, child)
    tree.write(path, encoding="utf-8")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_reordering_a_schema_renames_nothing(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    shutil.copytree(SCHEMAS, folder)
    before = load(path)
    for other in sorted(folder.rglob("*.xsd")):
        if other.name not in ("annotations.xsd", "physics.xsd", "contract.xsd"):
            for seed in range(3):  # a short one may be unchanged
                shuffle(other, random.Random(f"{other.name} {seed}"))
    after = load(folder / path.name)
    assert [element.key for element in after.elements] != [element.key for element in before.elements]
    assert names(after) == names(before)


@pytest.mark.parametrize("seed", range(8))
def test_reordering_declarations_without_names_renames_nothing(seed: int, tmp_path: Path) -> None:
    before = names(load_schema(tmp_path, RUSSIAN_DOLL))
    path = write_schema(tmp_path, RUSSIAN_DOLL, name="other.xsd")
    shuffle(path, random.Random(seed))
    assert names(load(path)) == before


def test_keys_say_what_declares_an_element(tmp_path: Path) -> None:
    schema = load_schema(tmp_path, RUSSIAN_DOLL)
    assert {element.key: element.cls for element in schema.elements} == {
        "shop": "Shop",
        "shop/first": "First",
        "group::Common/price": "Price",
        "shop/second": "Second",
        "shop/second/first": "SecondFirst",
        "Common": "Common",
        "type::Common/price": "CommonPrice",
        "Price(fourth)": "Fourth",
        "Price(fifth)": "Fifth",
        "Item": "Item",
        "shop/price": "ShopPrice",
    }
    assert [enum.name for enum in schema.enums] == ["KindsKind", "FirstKind"]


def test_types_of_different_namespaces_are_distinct() -> None:
    keys = {element.key for element in load(SCHEMAS / "urdf.xsd").elements}
    assert {"Joint", "DrakeJoint", "drake:Flag(drake:rigid_hydroelastic)", "drake:ellipsoid"} <= keys
