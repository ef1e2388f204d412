"""Edits of documents that include files: what the files refer to keeps its name, and theirs are taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polybody as pb
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
PARTS = {
    "act.xml": '<mujocoinclude><actuator><motor joint="j"/></actuator></mujocoinclude>',
    "key.xml": '<mujocoinclude><keyframe><key qpos="1 2"/></keyframe></mujocoinclude>',
    "look.xml": '<mujocoinclude><default><default class="c"/></default><asset><material name="red"/></asset>'
    "</mujocoinclude>",
    "arm.xml": '<mujocoinclude><body name="arm" childclass="own"><joint name="k"/>'
    '<geom size=".1" material="grey"/></body></mujocoinclude>',
    "m.xml": '<mujoco><include file="look.xml"/><include file="act.xml"/><include file="key.xml"/>'
    '<default><default class="own"><geom density="5"/></default></default>'
    '<asset><material name="grey"/></asset>'
    '<worldbody><body name="b"><joint name="j"/><geom name="g" size=".1" material="red" class="c"/></body>'
    '<body name="free"><geom size=".1"/></body><include file="arm.xml"/></worldbody></mujoco>',
}


@pytest.fixture
def divided(tmp_path: Path) -> Any:
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text)
    document = pb.read(tmp_path / "m.xml")
    assert pb.validate(document) == []
    return document


@pytest.mark.parametrize(("tag", "name"), [("joint", "j"), ("material", "grey"), ("default", None)])
def test_names_to_which_an_included_file_refers(divided: Any, tag: str, name: str | None) -> None:
    before = pb.write(divided)
    node = divided.find_all(tag)[-1] if name is None else divided.find(tag, name)
    with pytest.raises(ValueError, match=r"an included file, .* refers to it: `\w+` of <\w+> at .*\.xml:1:"):
        pb.rename(divided, node, "another")
    with pytest.raises(ValueError, match=r"an error|included file"):
        pb.delete(divided, node)
    with pytest.raises(ValueError, match=r"an included file, .* refers to it"):
        pb.rename(divided, prefix="left_")
    assert pb.write(divided) == before


def test_names_of_included_files(divided: Any) -> None:
    for tag, name, other in (("body", "free", "arm"), ("joint", "j", "k"), ("material", "grey", "red")):
        with pytest.raises(ValueError, match=f"there is another <{tag}> named '{other}' at .*xml:1:"):
            pb.rename(divided, divided.find(tag, name), other)
    assert pb.rename(divided, divided.find("body", "free"), "mast") == 0
    assert pb.validate(divided) == []


def test_a_prefix_leaves_references_to_included_files(tmp_path: Path) -> None:
    (tmp_path / "look.xml").write_text(PARTS["look.xml"])
    (tmp_path / "m.xml").write_text(
        '<mujoco><include file="look.xml"/><worldbody><body name="b">'
        '<geom size=".1" material="red" class="c"/></body>'
        '<replicate count="2"><site name="s"/></replicate></worldbody></mujoco>'
    )
    document: Any = pb.read(tmp_path / "m.xml")
    pb.rename(document, prefix="left_")
    assert (document.find("geom").material, document.find("geom").class_) == ("red", "c")
    assert pb.validate(document) == []


def test_attaching_to_a_document_with_included_files(divided: Any) -> None:
    before = pb.write(divided)
    arm = pb.read(
        "a.xml",
        text='<mujoco><worldbody><body name="arm"><joint/><geom size=".1"/></body></worldbody></mujoco>',
    )
    with pytest.raises(ValueError, match="names exist in both documents: body `arm`"):
        pb.attach(divided, arm, divided.find("body", "free"))
    with pytest.raises(ValueError, match=r"`qpos` has 2 numbers; the model needs 3 \(PB024 at .*key\.xml"):
        pb.attach(divided, arm, divided.find("body", "free"), prefix="left_")
    assert pb.write(divided) == before
