"""Words of a document are data: no tag, name or value calls any of our methods, whatever it is."""

from __future__ import annotations

import random
import re
from functools import cache

import polybody as pb
import pytest
from lxml import etree
from polybody.codegen.examples import Example, examples
from polybody.codegen.generate import format_schemas
from polybody.codegen.schema import SCHEMAS, load, physics
from polybody.document.registry import format_named

FORMATS = [path.stem for path in format_schemas(SCHEMAS)]
OURS = (
    *("__init__", "_init__", "_init_", "__class__", "__dict__", "__getattr__", "__slots__", "__reduce__"),
    *("_children", "_kinds", "_source", "children", "elements", "attributes", "content", "text", "tail"),
    *("tag", "TAG", "FIELDS", "CHILDREN", "walk", "span", "self", "cls", "check", "add", "refer", "declare"),
    *("prefix", "whole", "rings", "told", "None", "mro", "_missing_", "_value_", "name", "value"),
)
"""Names of methods and fields, and names that become one with an underscore before or after them."""


@cache
def documents(name: str) -> list[Example]:
    schema = load(SCHEMAS / f"{name}.xsd", physics(SCHEMAS / "physics.xml"))
    return list(examples(schema))


@cache
def tags(name: str) -> list[str]:
    rows = format_named(name).elements.values()
    return sorted({row.tag for row in rows if re.fullmatch(r"\w+", row.tag)})


def element_of(example: Example) -> tuple[etree._Element, etree._Element]:
    """The root of an example, and the element that it demonstrates."""
    root = etree.fromstring(example.document.encode())
    return root, next(each for each in root.iter() if (each.sourceline or 0) >= example.lines[0])


@pytest.mark.parametrize("name", FORMATS)
def test_any_tag_in_an_element(name: str) -> None:
    chance = random.Random(1)
    for example in documents(name):
        root, element = element_of(example)
        for tag in (*chance.sample(OURS, 8), *chance.sample(tags(name), min(8, len(tags(name))))):
            etree.SubElement(etree.SubElement(element, tag), chance.choice(OURS)).text = tag
        found = pb.check("hostile.xml", "lenient", text=etree.tostring(root), format=name)
        assert all(finding.line for finding in found), example.key


@pytest.mark.parametrize("name", FORMATS)
def test_whatever_attributes_and_values_an_element_has(name: str) -> None:
    chance = random.Random(2)
    for example in documents(name):
        for names in (False, True):
            root, _ = element_of(example)
            for element in root.iter():
                for attribute in element.attrib:
                    if attribute != "version":
                        element.set(attribute, chance.choice(OURS))
                if element.text and element.text.strip():
                    element.text = chance.choice(OURS)
                for word in chance.sample(OURS, 6) if names else ():
                    element.set(word, "1")
            found = pb.check("hostile.xml", "lenient", text=etree.tostring(root), format=name)
            assert all(finding.line for finding in found), example.key


@pytest.mark.parametrize("word", ["_init__", "init", "_body", "check", "add", "refer"])
def test_no_element_is_looked_at_by_a_method_of_its_name(word: str) -> None:
    """The name of a plugin's element does not affect the findings about other elements."""
    hand = "<manipulator name='h'><base>l</base><effector>m</effector></manipulator>"
    text = f"<robot type='custom'><{word}>l</{word}>{hand}</robot>"
    assert [finding.code for finding in pb.check("k.xml", text=text, format="openrave")] == ["PB032"] * 2
