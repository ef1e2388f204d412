"""Only annotations declared in annotations.xsd are allowed, and only at the declared places."""

from __future__ import annotations

from pathlib import Path

import pytest
from polybody.codegen.generate import generate_package
from polybody.codegen.schema import SCHEMAS, SchemaError, load, tables
from polybody.codegen.schema.annotations import PB, Vocabulary, vocabulary
from polybody.codegen.schema.model import Status
from polybody.codegen.schema.source import parse

from .schemas import attribute, load_schema

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
RULES = "<xs:annotation><xs:appinfo><pb:rules>\n{}\n</pb:rules></xs:appinfo></xs:annotation>"


@pytest.mark.parametrize("path", sorted(SCHEMAS.rglob("*.xsd")), ids=lambda path: path.name)
def test_shipped_schemas_use_the_vocabulary_only(path: Path) -> None:
    if path.name != "annotations.xsd":
        vocabulary().check(parse(path).getroot(), path)


WHOLES = [path for path in sorted(SCHEMAS.glob("*.xsd")) if path.with_suffix("").is_dir()]
"""Schemas with parts in a folder of the same name."""


@pytest.mark.parametrize("whole", WHOLES, ids=lambda path: path.name)
def test_a_folder_of_parts_holds_what_its_whole_includes(whole: Path) -> None:
    parts = {path.relative_to(SCHEMAS).as_posix() for path in whole.with_suffix("").rglob("*.xsd")}
    assert parts <= set(load(whole).files)


@pytest.mark.parametrize(
    ("declaration", "line", "message"),
    [
        ('<xs:attribute name="a" type="xs:int" pb:unitt="m"/>', 3, "did you mean pb:unit?"),
        ('<xs:attribute name="a" type="xs:int" pb:zzz="m"/>', 3, "annotations.xsd lists what there is"),
        ('<xs:attribute name="a" type="xs:int" pb:sequence="ball"/>', 3, "it belongs on xs:enumeration"),
        ('\n<xs:attribute name="a" type="xs:int" pb:status="maybe"/>', 4, 'pb:status="maybe"'),
        ('<xs:attribute name="a" type="xs:int" pb:kind=""/>', 3, 'pb:kind=""'),
        ('<xs:attribute name="a" type="xs:int" pb:shape="1..dof(b)"/>', 3, "after a factor"),
        (RULES.format('<pb:exclusiv names="a b"/>'), 4, "did you mean pb:exclusive?"),
        (RULES.format('<pb:exclusive name="a b"/>'), 4, "name"),
        (RULES.format("<pb:exclusive/>"), 4, "names"),
        ('<xs:annotation><xs:appinfo><pb:rule/></xs:appinfo></xs:annotation>', 3, "allowed in pb:about"),
        ("<xs:annotation><xs:documentation><pb:rules/></xs:documentation></xs:annotation>", 3, "xs:appinfo"),
    ],
)  # fmt: skip
def test_anything_else_is_an_error_with_its_line(
    tmp_path: Path, declaration: str, line: int, message: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        load_schema(tmp_path, attribute(declaration))
    assert f"small.xsd:{line}: " in str(caught.value)
    assert message in str(caught.value)


def test_every_word_is_documented_in_the_notation() -> None:
    page = (SCHEMAS / "README.md").read_text(encoding="utf-8")
    words = Vocabulary(SCHEMAS / "annotations.xsd").words()
    assert len(words) > 50
    assert [word for word in words if f"`{word}`" not in page and f"`{word}=" not in page
            and f"<pb:{word} " not in page] == []  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<xs:schema", 1, "not well-formed"),
        ("<schema/>", 1, "not xs:schema"),
        (f"<xs:schema {XS}>\n<xs:element/></xs:schema>", 2, "not a valid"),
        (f"<xs:schema {XS}/>", 1, "declare the root"),
        (f'<!DOCTYPE x [<!ENTITY e "x">]>\n<xs:schema {XS}>&e;</xs:schema>', 1, "no document type"),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_an_error_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "bad.xsd"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        load(path)
    assert f"bad.xsd:{line}: " in str(caught.value)
    assert message in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="cannot be read"):
        load(tmp_path / "none.xsd")


def test_a_schema_with_every_word_loads() -> None:
    path = Path(__file__).with_name("sampler.xsd")
    root = parse(path).getroot()
    used = {name.removeprefix(PB) for node in root.iter() for name in (node.tag, *node.attrib) if PB in name}
    # The sampler's documents state their version, so that it has no releases.
    assert set(vocabulary().words()) - {"releases"} <= used, "say every word in the sampler"
    schema = load(path)
    elements = {element.tag: element for element in schema.elements}
    assert (schema.fold_case, schema.marked_roots, schema.version) == (True, True, "1.9")
    assert elements["root"].ordered
    assert (elements["frame"].wild, elements["joint"].wild) == (True, False)
    assert (schema.every_path, schema.notes[0].on, schema.templates[0][0]) == (
        True, ("joint/@low", "joint/@high"), "xacro",
    )  # fmt: skip
    assert [(rule.from_, rule.to) for rule in elements["root"].rules] == [("@parent", "@name")]
    assert (elements["frame"].wraps, elements["include"].include) == (True, "splice")
    assert elements["default"].fills == ("Joint",)
    assert [a.meaning.defaultsClass for a in elements["frame"].attributes] == ["below", "own"]
    joint = {attribute.name: attribute for attribute in elements["joint"].attributes}
    assert (joint["name"].aliases, joint["high"].meaning.unitBy) == (("title",), "kind")
    assert (elements["joint"].example, joint["damping"].meaning.sample) == (("damping", "../joint"), "0.1")
    assert joint["user"].status == Status("unsupported", "a trial")
    assert {rule.kind() for rule in elements["joint"].rules} <= set(vocabulary().words())
    assert [column.name for column in tables(schema)] == ["jnt_type", "jnt_bodyid", "jnt_bodynum", "jnt_axis"]
    assert [column.read for column in tables(schema)] == [(), ("constraints", "collision"), (), ()]
    assert [(c.kept, c.signals) for c in tables(schema)][1:3] == [(False, ()), (True, ("body",))]
    assert generate_package(path)
