"""The reference as a site: a schema's data about an element are on its page, and links lead to pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from polybody.codegen.context.pages import address, anchor, format_site
from polybody.codegen.examples import examples
from polybody.codegen.markdown import text
from polybody.codegen.schema import Schema

from .schemas import FORMATS, attribute, load_schema, schema_of


@pytest.fixture(scope="module", params=FORMATS)
def site(request: pytest.FixtureRequest) -> tuple[Schema, dict[str, str]]:
    schema = schema_of(request.param)
    return schema, format_site(schema, request.param)


def test_every_element_and_field_is_described(site: tuple[Schema, dict[str, str]]) -> None:
    schema, pages = site
    shown = {example.key: example for example in examples(schema)}
    for element in schema.elements:
        page = pages[f"{address(element.key)}.md"]
        assert text(element.doc) in page
        assert shown[element.key].document in page
        for value in element.values:
            assert text(value.doc) in page
        for value in element.attributes:
            if value.leaf:
                section = page.partition(f"## `<{value.name}>`\n")[2].partition("\n## ")[0]
                assert shown[f"{element.key}/{value.name}"].document in section
                assert "- Value: " in section
        for child in element.children:
            assert f"[`<{child.tag}>`]({address(child.element)}.md)" in page
            assert f"]({address(element.key)}.md)" in pages[f"{address(child.element)}.md"]
        assert page.count("\n- ") >= len(element.rules)


def test_links_lead_to_pages_and_their_headings(site: tuple[Schema, dict[str, str]]) -> None:
    _, pages = site
    headings = {
        name: {anchor(line.lstrip("# ")) for line in page.splitlines() if line.startswith("#")}
        for name, page in pages.items()
    }
    assert len({name.casefold() for name in pages}) == len(pages)
    for page in pages.values():
        for name, _, place in re.findall(r"\]\(([\w.-]+\.md)(#([\w-]+))?\)", page):
            assert name in pages
            assert not place or place in headings[name], (name, place)


def test_code_in_headings_has_no_escapes(site: tuple[Schema, dict[str, str]]) -> None:
    """A backslash within code is shown."""
    for page in site[1].values():
        heading = next(line for line in page.splitlines() if line.startswith("# "))
        assert all("\\" not in code for code in re.findall(r"`([^`]*)`", heading)), heading


def test_the_version_of_the_format_is_named_if_it_has_one(site: tuple[Schema, dict[str, str]]) -> None:
    schema, pages = site
    sentence = f"This is version {schema.version} of the format."
    assert (sentence in pages["index.md"]) == bool(schema.version)


def test_the_index_lists_all_with_their_status(site: tuple[Schema, dict[str, str]]) -> None:
    schema, pages = site
    rows = [line for line in pages["index.md"].splitlines() if line.startswith("| [")]
    leaves = sum(value.leaf for element in schema.elements for value in element.attributes)
    assert len(rows) == len(schema.elements) + leaves
    words = ("Simulated", "Read and checked", "Not supported")
    assert all(row.split(" | ")[-1].startswith(words) for row in rows)


def test_what_is_written_in_a_schema_is_no_markup(tmp_path: Path) -> None:
    doc = "<xs:annotation><xs:documentation>&lt;b> [x](y) `c` | *d*</xs:documentation></xs:annotation>"
    schema = load_schema(tmp_path, attribute(f'<xs:attribute name="a">{doc}</xs:attribute>'))
    assert "&lt;b&gt; \\[x](y) `c` \\| \\*d\\*" in format_site(schema, "[t](u)")["root.md"]


def test_facts_of_a_value_are_documented(tmp_path: Path) -> None:
    body = """
    <xs:element name="root"><xs:complexType>
      <xs:annotation><xs:appinfo><pb:rules><pb:required names="size"/></pb:rules></xs:appinfo></xs:annotation>
      <xs:all><xs:element name="part" minOccurs="0" maxOccurs="3"><xs:complexType>
        <xs:attribute name="name" type="xs:string" pb:declares="part"/></xs:complexType></xs:element></xs:all>
      <xs:attribute name="size" pb:unit="m" pb:shape="3"><xs:simpleType><xs:restriction><xs:simpleType>
        <xs:list itemType="xs:double"/></xs:simpleType><xs:length value="3"/></xs:restriction></xs:simpleType>
        </xs:attribute>
      <xs:attribute name="kind"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="a"/>
        <xs:enumeration value="b"/></xs:restriction></xs:simpleType></xs:attribute>
      <xs:attribute name="of" type="xs:string" pb:refers="part" pb:since="1.2" pb:until="1.4"/>
    </xs:complexType></xs:element>"""
    pages = format_site(load_schema(tmp_path, body), "t")
    assert "| `size` | 3 numbers in m | required, here or by defaults |" in pages["root.md"]
    assert "| `kind` | `a`, `b` |" in pages["root.md"]
    facts = (
        "Refers to a [`part`](root.part.md) by its name. Since version 1.2 of the format. Up to version 1.4"
    )
    assert facts in pages["root.md"]
    assert "- [`root`](root.md) any number, at most 3" in pages["root.part.md"]
