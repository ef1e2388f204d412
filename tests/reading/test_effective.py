"""Effective values: the resolver and its compiled counterpart, which validation uses, agree."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.base import Node
from polybody.codegen.examples import examples
from polybody.diagnostics.catalogue import CATALOGUE
from polybody.document.includes import expand
from polybody.document.parser.tables import table_of
from polybody.document.registry import format_of
from polybody.validation.checker import Rules

from tests.codegen.schemas import schema_of

ROOT = Path(__file__).resolve().parents[2]
FILLED = ("x_xy", "mjcf", "skel", "openrave")
"""Formats with defaults elements, or with defaults that depend on other values."""
CLASSES = """<mujoco><default><geom euler="0 0 90" rgba="1 0 0 1"/><site size=".1"/>
<default class="a"><geom axisangle="1 0 0 30" type="box"/><joint type="slide" range="0 1"/>
<default class="b"><geom size=".1 .2 .3"/></default></default></default>
<worldbody><geom size="1"/><geom size="1" axisangle="0 0 1 10"/><geom class="a" size="1 1 1"/>
<geom class="b"/><geom class="b" quat="1 0 0 0"/><geom class="b" euler="1 2 3"/>
<body childclass="a"><joint/><joint class="b" type="hinge"/><geom size="1 1 1" zaxis="0 1 0"/>
<frame childclass="b"><geom/><site/></frame></body></worldbody></mujoco>"""


def compare(document: Node) -> int:
    """Query both about every attribute of every element; returns the number of values."""
    form = format_of(document)
    root, _ = expand(document, form)
    rules = Rules(table_of(form), root, tuple(form.elements))
    resolved = pb.resolve(root)
    fillers = {default.source for default in form.defaults}
    count = 0
    for key, row in form.elements.items():
        for node in () if key in fillers else rules.nodes[key]:
            for attribute in row.attributes:
                ours: Any = rules.value(node, row, attribute.name)
                assert ours == resolved.get(node, attribute.name), (node.place, row.tag, attribute.name)
                count += 1
    return count


def read(text: str) -> Node | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        try:
            document: Node = pb.read("m.xml", text=text, policy="lenient")
        except pb.ValidationError:
            return None
    return document


def test_classes_and_what_hides_what() -> None:
    document = read(CLASSES)
    assert document is not None
    assert compare(document) > 200
    rules = Rules(table_of(format_of(document)), document, ("Geom",))
    row = format_of(document).elements["Geom"]
    angles = [
        "".join(
            name[0] for name in ("euler", "axisangle", "zaxis") if rules.value(geom, row, name) is not None
        )
        for geom in rules.nodes["Geom"]
    ]
    assert angles == ["e", "a", "a", "a", "a", "e", "z", "a"]


@pytest.mark.parametrize("name", FILLED)
def test_every_element_of_a_format(name: str) -> None:
    found = [read(example.document) for example in examples(schema_of(name))]
    assert sum(compare(document) for document in found if document is not None) > 100


def test_examples_and_samples() -> None:
    paths = [*(ROOT / "examples").glob("*.xml"), *(ROOT / "tests" / "samples").glob("*.*")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    texts += [code.good for code in CATALOGUE.values() if code.good is not None]
    found = [read(text) for text in texts]
    assert sum(compare(document) for document in found if document is not None) > 1000


def test_findings_go_by_values_that_are_in_effect() -> None:
    """`euler` of a class does not affect a geom that gives its orientation otherwise."""
    head = '<geom euler="0 0 90"/><default class="a"><geom size="1 1 1" type="box"/></default>'
    body = '<worldbody><geom class="a" axisangle="0 0 1 3"/></worldbody>'
    text = f"<mujoco><default>{head}</default>{body}</mujoco>"
    assert [str(each) for each in pb.check("m.xml", text=text)] == []
