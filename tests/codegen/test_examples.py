"""The examples of the reference: each element of each format has one, with the properties described on its
page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mujoco
import polybody as pb
import pytest
from polybody.codegen.examples import Example, examples
from polybody.codegen.schema import Schema
from polybody.codegen.schema.places import first_paths

from tests.amounts import some

from .schemas import FORMATS, attribute, load_schema, schema_of

NOT_SUPPORTED, REFUSED_BY_ENGINE = "PB054", "PB083"


def findings(example: Example, folder: Path, name: str) -> list[pb.Diagnostic]:
    """The findings about an example under ``strict``, with the files that it refers to, which are empty."""
    return pb.check(written(example, folder), format=name, model=False)


def written(example: Example, folder: Path, ending: str = "xml") -> Path:
    """The example as a file, with the files that it refers to."""
    for file, text in example.files.items():
        (folder / file).write_text(text or "", encoding="utf-8")
    document = folder / f"example.{ending}"
    document.write_text(example.document, encoding="utf-8")
    return document


def mujoco_loads(document: Path) -> bool:
    try:
        mujoco.MjModel.from_xml_path(str(document))
    except ValueError:
        return False
    return True


def drake_loads(document: Path) -> bool:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.001)
    try:
        Parser(plant).AddModels(str(document))
    except RuntimeError:
        return False
    return True


STATES = tuple(f"Former{part}State" for part in ("Model", "Link", "Collision", "Joint", "Light"))
REFUSED = ("Axis/initial_position", "Axis2/initial_position", "FormerFrame", *STATES)
"""Elements of the format that its engine rejects, with all that is in them."""


@pytest.mark.parametrize("name", FORMATS)
def test_every_element_has_an_example_that_the_reader_accepts(name: str, tmp_path: Path) -> None:
    schema = schema_of(name)
    keys = [element.key for element in schema.elements]
    leaves = [f"{e.key}/{value.name}" for e in schema.elements for value in e.attributes if value.leaf]
    found = list(examples(schema))
    assert sorted(example.key for example in found) == sorted(keys + leaves)
    for example in found:
        errors = [finding for finding in findings(example, tmp_path, name) if finding.severity == "error"]
        if example.refused:
            codes = [finding.code for finding in errors]
            assert codes in ([NOT_SUPPORTED], [NOT_SUPPORTED, REFUSED_BY_ENGINE]), example.document
            assert example.refused in errors[0].message
        elif example.key.startswith(REFUSED):
            assert [finding.code for finding in errors] == [REFUSED_BY_ENGINE], example.document
        else:
            assert errors == [], example.document


ENGINES = {"mjcf": (mujoco_loads, "xml"), "urdf": (drake_loads, "urdf"), "sdf": (drake_loads, "sdf")}
"""The loader of a format's files, and their suffix."""
CRASHES = "SensorPlugin"
"""MuJoCo has one plugin for sensors, and crashes if it is not configured."""
NEWER = {
    "sdf": (
        *("drake:DistanceConstraint", "Link/drake:surface_velocity_axis"),
        *("Include/namespace", "WorldInclude/namespace"),
    )
}
"""What readers newer than the engine know: it refuses them, and we warn."""


@pytest.mark.parametrize("name", ENGINES)
def test_the_engine_of_the_format_loads_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # Drake looks for included files there
    schema = schema_of(name)
    paths = paths_of(schema)
    others = tuple(of_other_versions(schema, paths))
    loads, ending = ENGINES[name]
    newer = NEWER.get(name, ())
    refused = [
        example.key
        for example in some(examples(schema), 100)
        if not example.refused and not paths[example.key].startswith(others) and example.key != CRASHES
        if loads(written(example, tmp_path, ending)) == (bool(newer) and example.key.startswith(newer))
    ]
    assert refused == []


def paths_of(schema: Schema) -> dict[str, str]:
    """The paths of the elements that examples show, by key."""
    paths = first_paths(schema)
    leaves = {
        f"{element.key}/{value.name}": f"{paths[element.key]}/{value.name}"
        for element in schema.elements
        for value in element.attributes
        if value.leaf
    }
    return paths | leaves


def of_other_versions(schema: Schema, paths: dict[str, str]) -> Iterator[str]:
    """The paths of elements and fields that not every version of the format has: engines know only some."""
    for element in schema.elements:
        for child in element.children:
            if child.since or child.until:
                yield f"{paths[element.key]}/{child.tag}"
        for value in element.attributes:
            if value.leaf and (value.since or value.until):
                yield f"{paths[element.key]}/{value.name}"


@pytest.mark.parametrize("name", FORMATS)
def test_an_example_shows_its_element_where_it_says(name: str) -> None:
    schema = schema_of(name)
    tags = {element.key: element.tag for element in schema.elements}
    for example in examples(schema):
        first, last = example.lines
        lines = example.document.splitlines()
        tag = tags.get(example.key, example.key.rpartition("/")[2])
        assert lines[first - 1].lstrip().startswith(f"<{tag}"), example
        assert lines[last - 1].endswith((f"</{tag}>", "/>")), example
        assert max(map(len, lines)) <= 120


def document(tmp_path: Path, body: str, key: str = "root") -> str:
    found = {example.key: example.document for example in examples(load_schema(tmp_path, body))}
    return found[key]


def test_what_is_needed_is_added_and_what_is_shown_is_furnished(tmp_path: Path) -> None:
    body = """
    <xs:element name="root"><xs:complexType><xs:all>
      <xs:element name="part" pb:example="../part ../part size"><xs:complexType>
        <xs:attribute name="name" type="xs:string" use="required" pb:sample="a; b"/>
        <xs:attribute name="size" type="xs:double" pb:unit="m"/>
      </xs:complexType></xs:element>
      <xs:element name="other" minOccurs="0"><xs:complexType>
        <xs:attribute name="x" type="xs:double" default="2"/>
        <xs:attribute name="y" type="xs:string"/>
      </xs:complexType></xs:element>
    </xs:all></xs:complexType></xs:element>"""
    body = body.replace('<xs:element name="part"', '<xs:element name="part" maxOccurs="unbounded"')
    parts = '  <part name="a" size="0.1"/>\n  <part name="b" size="0.1"/>\n'
    assert document(tmp_path, body) == f"<root>\n{parts}</root>\n"
    assert document(tmp_path, body, "root/other") == f'<root>\n{parts}  <other x="2"/>\n</root>\n'


def test_rules_are_obeyed(tmp_path: Path) -> None:
    body = """
    <xs:element name="root"><xs:complexType>
      <xs:annotation><xs:appinfo><pb:rules>
        <pb:required names="kind"/><pb:required names="low" when="kind=bounded"/>
        <pb:together names="low high"/>
        <pb:ascending low="low" high="high"/><pb:ignored names="leaf" when="kind=bounded"/>
      </pb:rules></xs:appinfo></xs:annotation>
      <xs:all><xs:element name="leaf" minOccurs="0"><xs:complexType/></xs:element></xs:all>
      <xs:attribute name="kind"><xs:simpleType><xs:restriction base="xs:token">
        <xs:enumeration value="bounded"/><xs:enumeration value="free"/>
        </xs:restriction></xs:simpleType></xs:attribute>
      <xs:attribute name="low" type="xs:double"/><xs:attribute name="high" type="xs:double"/>
    </xs:complexType></xs:element>"""
    assert document(tmp_path, body) == '<root kind="bounded" low="-1" high="1"/>\n'
    assert document(tmp_path, body, "root/leaf") == '<root kind="free">\n  <leaf/>\n</root>\n'


def test_names_are_declared_before_they_are_used(tmp_path: Path) -> None:
    body = """
    <xs:element name="root"><xs:complexType pb:ordered="true"><xs:all>
      <xs:element name="use" minOccurs="0"><xs:complexType>
        <xs:attribute name="of" type="xs:string" use="required" pb:refers="thing"/>
        </xs:complexType></xs:element>
      <xs:element name="thing" minOccurs="0"><xs:complexType>
        <xs:attribute name="name" type="xs:string" pb:declares="thing"/></xs:complexType></xs:element>
    </xs:all></xs:complexType></xs:element>"""
    assert (
        document(tmp_path, body, "root/use")
        == '<root>\n  <thing name="thing1"/>\n  <use of="thing1"/>\n</root>\n'
    )


def test_text_is_escaped(tmp_path: Path) -> None:
    body = attribute('<xs:attribute name="a" use="required" pb:sample=\'&lt;"&amp;\'/>')
    assert document(tmp_path, body) == "<root a='&lt;\"&amp;'/>\n"
