"""Findings about documents in memory are those about their texts."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody import mjcf, x_xy
from polybody.base import Untyped
from polybody.diagnostics.diagnostic import POLICIES
from polybody.document.registry import format_of
from polybody.document.sources import LIMITS

from tests.amounts import amount

from .in_memory import (
    Spoiler,
    bases,
    found_in_place,
    found_in_text,
    in_memory,
    unplaced,
    with_places,
    without_places,
)  # fmt: skip

FORMATS = ("x_xy", "mjcf", "skel", "urdf", "sdf", "openrave")
ARM = """<x_xy model="arm">
  <worldbody>
    <body name="upper" joint="rx">
      <geom type="sphere" mass="1" dim="0.1"/>
      <body name="lower" joint="ry" pos="0 0 1"><geom type="sphere" mass="1" dim="0.1"/></body>
    </body>
  </worldbody>
</x_xy>
"""


@pytest.mark.parametrize("name", FORMATS)
def test_the_findings_in_place_are_those_of_the_text(name: str) -> None:
    for number, base in enumerate(bases(name)):
        for seed in range(number * 1000, number * 1000 + amount(100, 3)):
            document = copy.deepcopy(base)
            spoiler = Spoiler(format_of(base), seed)
            spoiler.spoil(document, seed % 4)
            policy = POLICIES[seed % 3]
            expected = found_in_text(document, policy)
            assert without_places(found_in_place(document, policy)) == without_places(expected), seed
            assert with_places(found_in_place(unplaced(document), policy)) == with_places(expected), seed


def test_the_document_stays_as_it_is() -> None:
    document = in_memory(ARM)
    upper = document.worldbody.body[0]
    upper.pos, upper.damping = [1, 2, 3], (-1.0,)
    document.worldbody.body.append(x_xy.Body(name="upper", joint=x_xy.Joint.RX))
    before = copy.deepcopy(document)
    assert {d.code for d in pb.validate(document)} == {"PB019", "PB031", "PB052"}
    assert document == before
    assert document.worldbody.body[1].span is None
    assert upper.pos == [1, 2, 3]
    assert type(upper.pos) is list


def test_what_was_read_has_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    document = pb.read(path)
    lower = document.worldbody.body[0].body[0]
    lower.name = "upper"
    lower.geom[0].mass = -1.0
    lower.pos = (0.0, 0.0)
    found = [(d.path, d.line, d.column, d.code) for d in pb.validate(document)]
    assert found == [
        (str(path), 5, 13, "PB031"), (str(path), 5, 37, "PB017"),
        (str(path), 5, 69, "PB019"),
    ]  # fmt: skip


def test_what_was_made_has_its_place_in_the_text() -> None:
    document = in_memory(ARM)
    document.worldbody.body[0].geom.append(x_xy.Geom(type=x_xy.GeomType.BOX, mass=1.0, dim=(1.0,)))
    (found,) = pb.validate(document)
    assert (found.path, found.line, found.xpath) == ("<document>", 5, "/x_xy/worldbody/body[1]/geom[2]/@dim")
    assert pb.write(document).splitlines()[4].lstrip().startswith('<geom mass="1" type="box"')


def test_an_element_at_two_places_is_two() -> None:
    document = in_memory(ARM)
    document.worldbody.body.append(document.worldbody.body[0].body[0])
    found = pb.validate(document)
    assert found == found_in_text(document, "strict")
    assert [d.code for d in found] == ["PB031"]
    document.worldbody.body[1:] = []
    document.worldbody.body[0].geom *= 2
    assert pb.validate(document) == []
    twice = pb.lower(document)
    assert twice.body("upper").mass == 2.0


def test_an_element_in_itself_is_refused() -> None:
    document = in_memory(ARM)
    upper = document.worldbody.body[0]
    upper.body[0].body.append(upper)
    for refused in (pb.validate, pb.lower, pb.write):
        with pytest.raises(
            ValueError, match="deeper than 10,000, which no reader accepts, or contained in themselves"
        ):
            refused(document)


def test_more_than_can_be_read_is_reported() -> None:
    document = in_memory(ARM)
    body = document.worldbody.body[0]
    for _ in range(LIMITS.depth):
        body.body.append(x_xy.Body(joint=x_xy.Joint.FROZEN))
        body = body.body[-1]
    (found,) = pb.validate(document)
    assert (found.code, found.message[:36]) == ("PB002", "elements nested deeper than 10,000, ")


def test_more_elements_than_can_be_read_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from polybody.validation import in_memory as module

    monkeypatch.setattr(module, "LIMITS", LIMITS.__class__(elements=5))
    (found,) = pb.validate(in_memory(ARM))
    assert (found.code, found.line) == ("PB002", 5)
    assert found.message.startswith("more than 5 elements")


def test_elements_of_other_classes_are_what_their_text_is() -> None:
    document = in_memory(ARM)
    document.worldbody.body[0].geom.append(x_xy.DefaultsGeom(type=x_xy.GeomType.SPHERE, mass=1.0, dim=(1.0,)))
    assert pb.validate(document) == []
    assert pb.lower(document).body("upper").mass == 2.0

    class Other(x_xy.Geom):
        """A class defined by the user."""

    document.worldbody.body[0].geom.append(Other())
    with pytest.raises(TypeError, match="a Other is not an element of x_xy"):
        pb.validate(document)


def test_elements_that_no_schema_describes_are_what_their_text_is() -> None:
    document = in_memory('<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>')
    link = document.model.link[0]
    link.children.append(Untyped(tag="gravity", text="perhaps"))
    found = pb.validate(document)
    assert [d.code for d in found] == ["PB016"]
    assert found == found_in_text(document, "strict")
    link.children[0] = Untyped(tag="vendor:part", attributes={"any": "thing"}, text="at all")
    assert pb.validate(document) == []


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    part = '<mujoco><body name="b"><geom size="1"/><geom name="g" size="-1"/></body></mujoco>'
    (tmp_path / "part.xml").write_text(part, encoding="utf-8")
    path = tmp_path / "whole.xml"
    path.write_text(
        '<mujoco><worldbody>\n<include file="part.xml"/>\n</worldbody></mujoco>', encoding="utf-8"
    )
    return path


def test_the_content_of_files_is_checked(parts: Path) -> None:
    document = pb.read(parts, policy="lenient")
    assert pb.validate(document, "lenient") == pb.check(parts, "lenient")
    document.worldbody.include[0].content.body[0].geom[0].type = "ball"
    document.worldbody.include[0].content.body[0].name = "world"
    (wrong,) = [d for d in pb.validate(document) if "ball" in d.message]
    assert wrong.code == "PB018"
    document.worldbody.include[0].content.body[0].geom[0].type = mjcf.GeomType.BOX
    found = pb.validate(document)
    assert {(Path(d.path).name, d.code) for d in found} >= {("part.xml", "PB019"), ("part.xml", "PB024")}


def test_files_that_were_not_read_are(parts: Path) -> None:
    document = pb.read(parts, policy="lenient")
    document.worldbody.include.append(mjcf.Include(file="missing.xml"))
    missing = [d for d in pb.validate(document) if d.code == "PB001"]
    assert [Path(d.path) for d in missing] == [parts.with_name("<document>")]
    (parts.parent / "missing.xml").write_text('<mujoco><body name="b"/></mujoco>', encoding="utf-8")
    assert {"PB031"} <= {d.code for d in pb.validate(document)}


# --- lowering ----------------------------------------------------------------------------------------------


def rule_checks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Records the documents whose rules are checked from now on."""
    from polybody.validation.rule_check import check_rules

    checked: list[Any] = []

    def note(root: Any, *arguments: Any) -> None:
        checked.append(root)
        check_rules(root, *arguments)

    for name in ("reading", "validation.in_memory"):
        monkeypatch.setattr(sys.modules[f"polybody.{name}"], "check_rules", note)
    return checked


MODELS = {
    "x_xy": ARM,
    "mjcf": '<mujoco><worldbody><body name="b"><joint/><geom name="g" size="1"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize("name", MODELS)
def test_a_file_is_checked_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"{name}.xml"
    path.write_text(MODELS[name], encoding="utf-8")
    checked = rule_checks(monkeypatch)
    pb.load(path)
    assert len(checked) == 1
    document = pb.read(path)
    pb.lower(document)
    assert len(checked) == 3
    assert checked[1] is checked[2] is document


@pytest.mark.parametrize("name", MODELS)
def test_a_document_that_was_read_and_changed_is_checked(name: str) -> None:
    document = pb.read(f"{name}.xml", text=MODELS[name])
    document.worldbody.body[0].quat = (0.0, 0.0, 0.0, 0.0)
    with pytest.raises(pb.ValidationError) as error:
        pb.lower(document)
    assert [(d.path, d.code) for d in error.value.diagnostics if d.severity == "error"] == [
        (f"{name}.xml", "PB041")
    ]


def test_a_model_is_made_of_what_the_text_says() -> None:
    document = pb.read("a.xml", text=MODELS["mjcf"])
    document.worldbody.body[0].geom[0].size = [2]
    document.worldbody.body[0].pos = (1, 2, 3)
    model = pb.lower(document)
    assert model.geom("g").size[0] == 2.0
    assert model.body("b").pos.tolist() == [1.0, 2.0, 3.0]
