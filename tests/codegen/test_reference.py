"""The reference pages: complete, and without accidental markup."""

from __future__ import annotations

import re
from pathlib import Path

from polybody.codegen.context.reference import format_page, model_page
from polybody.codegen.markdown import code, text
from polybody.codegen.schema import SCHEMAS, load, tables

from .schemas import attribute, load_schema


def cells(page: str) -> list[list[str]]:
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_a_format_has_every_attribute_and_keyword_on_its_page() -> None:
    schema = load(SCHEMAS / "x_xy.xsd")
    page = format_page(schema)
    for element in schema.elements:
        section = page.partition(f"## `<{element.tag}>` (`{element.key}`)\n")[2].partition("\n## ")[0]
        assert text(element.doc) in section
        names = [row[0] for row in cells(section)[1:]]
        assert names == [f"`{value.name}`" for value in element.attributes]
        assert section.count("\n- ") == len(element.children) + len(element.rules)
    for enum in schema.enums:
        section = page.partition(f"## Keywords of `{enum.name}`\n")[2].partition("\n## ")[0]
        assert [row[0] for row in cells(section)[1:]] == [f"`{member.value}`" for member in enum.members]


def test_the_model_has_every_column_on_its_page() -> None:
    schema = load(SCHEMAS / "model.xsd")
    found = [row[0] for row in cells(model_page(schema)) if row[0] != "column"]
    assert found == [f"`{column.name}`" for column in tables(schema)]


def test_every_row_has_as_many_cells_as_its_head() -> None:
    for page in (format_page(load(SCHEMAS / "x_xy.xsd")), model_page(load(SCHEMAS / "model.xsd"))):
        for block in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
            counts = {len(re.split(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(counts) == 1, block
            assert "('" not in block


def test_text_is_never_markup(tmp_path: Path) -> None:
    assert text("a <b> | *c* _d_ `x|_y`\n\n# e") == "a &lt;b&gt; \\| \\*c\\* \\_d\\_ `x|_y` # e"
    assert code("a`b|c\nd") == "`a b\\|c d`"
    schema = load_schema(
        tmp_path,
        attribute(
            '<xs:attribute name="a" default="x | y"><xs:annotation><xs:documentation>'
            "&lt;script> | [x](y)</xs:documentation></xs:annotation></xs:attribute>"
        ),
    )
    page = format_page(schema)
    assert "<script>" not in page
    assert "[x](y)" not in page.replace("\\[x](y)", "")
    assert [len(row) for row in cells(page)] == [4, 4]


def test_what_later_versions_have_is_said_of_one_and_of_several(tmp_path: Path) -> None:
    rules = '<pb:newer names="late" since="2.0"/><pb:newer names="later latest" since="3.1"/>'
    about = f"<xs:annotation><xs:appinfo><pb:rules>{rules}</pb:rules></xs:appinfo></xs:annotation>"
    page = format_page(load_schema(tmp_path, attribute(f'{about}<xs:attribute name="a"/>')))
    assert "- `late` is new in version 2.0 of the format, and an error here." in page
    assert "- `later`, `latest` are new in version 3.1 of the format, and errors here." in page
