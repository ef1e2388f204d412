"""Model directives as text, in memory and as a format: written directives read back, with the same
findings.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.diagnostics import Findings
from polybody.document.directives import (
    AddCollisionFilterGroup,
    AddDirectives,
    AddFrame,
    AddModel,
    AddModelInstance,
    AddWeld,
    AngleAxis,
    Directives,
    Rpy,
    Transform,
)
from polybody.document.includes import Files
from polybody.document.notations import NOTATIONS
from polybody.document.sources import LIMITS, make_source

(NOTATION,) = NOTATIONS

NAMES = (
    "arm",
    "a::b",
    "on",
    "No",
    "1e3",
    "~",
    "a b",
    "x: y",
    "#x",
    "- x",
    "é",
    '"',
    "'",
    "\\",
    "{}",
    "*a",
    "&b",
    "!t",
)
FILES = ("package://p/a b.urdf", "model://m/x.sdf", "file:///x.xml")


def document(rng: np.random.Generator) -> Directives:
    """Random directives of every kind, with names that YAML would parse as other types."""

    def name() -> str:
        return str(rng.choice(NAMES))

    def three() -> tuple[float, float, float]:
        x, y, z = rng.normal(size=3) * 10.0 ** rng.integers(-9, 9)
        return float(x), float(y), float(z)

    def pose(base: bool) -> Transform:
        turns = (None, Rpy(deg=three()), AngleAxis(angle_deg=float(rng.normal()), axis=three()))
        turn = turns[rng.integers(3)]
        return Transform(base_frame=name() if base else None, translation=three(), rotation=turn)

    return Directives(
        directives=[
            AddModel(
                file=str(rng.choice(FILES)),
                name=name(),
                default_joint_positions={name(): three(), "single": (float(rng.normal()),)},
                default_free_body_pose={"": pose(False), name(): pose(True)},
            ),
            AddModelInstance(name=name()),
            AddFrame(name=name(), X_PF=pose(True)),
            AddWeld(parent=name(), child=name(), X_PC=pose(False)),
            AddWeld(parent=name(), child=name()),
            AddCollisionFilterGroup(
                name=name(), members=(name(), name()), ignored_collision_filter_groups=(name(),)
            ),
            AddDirectives(file="package://p/x.dmd.yaml", model_namespace=name()),
        ]
    )


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_again(seed: int) -> None:
    given = document(np.random.default_rng(seed))
    text = pb.write(given)
    findings = Findings("warn")
    source = make_source("x.dmd.yaml", text.encode(), LIMITS)
    read = NOTATION.read(source, findings, Files(source, LIMITS, reads=False), lambda other: None)
    assert findings.items == []
    assert read == given
    assert pb.write(read) == text


def test_no_directives() -> None:
    assert pb.write(Directives()) == "directives: []\n"
    assert pb.read("x.dmd.yaml", text="directives: []\n") == Directives()


@pytest.mark.parametrize(
    ("directive", "error"),
    [
        (AddModel(file="package://p/a.urdf", name="a\nb"), ValueError),
        (
            AddModel(file="package://p/a.urdf", name="a", default_joint_positions={"j": (math.nan,)}),
            ValueError,
        ),
        (AddModel(file="package://p/a.urdf", name=3), TypeError),  # type: ignore[arg-type]
        (AddWeld(parent="a", child="b", X_PC=Transform(rotation="x")), TypeError),  # type: ignore[arg-type]
        (Rpy(), TypeError),
    ],
)
def test_what_no_text_can_say(directive: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        pb.write(Directives(directives=[directive]))


def test_a_document_in_memory_is_judged_with_its_models(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    path = tmp_path / "scene.dmd.yaml"
    path.write_text("directives:\n- add_model: {file: package://parts/arm.urdf, name: x}\n")
    scene = pb.read(path, packages={"parts": tmp_path})
    assert pb.validate(scene, "warn") == []
    scene.directives.append(AddWeld(parent="world", child="x::a"))
    scene.directives.append(AddFrame(name="f", X_PF=Transform(base_frame="x::nose")))
    (finding,) = pb.validate(scene, "warn")
    assert (finding.code, finding.line) == ("PB032", 10)
    assert finding.xpath == "$.directives[2].add_frame.X_PF.base_frame"
    assert finding.about == "add_frame `f`"
    del scene.directives[-1]
    scene.directives[0].content.joint[0].child.link = "c"
    assert "PB032" in {each.code for each in pb.validate(scene, "warn")}


FAULTY = """directives:
- add_model: {file: package://p/arm.urdf, name: x, default_joint_positions: {"a b": [z], j: [z]}}
- add_weld: {parent: world, child: world, X_PC: {translation: &t [1, 2]}}
- add_frame: {name: f, X_PF: {base_frame: nowhere, translation: *t}}
- add_model_instance: {name: x}
- add_directives: {}
"""


def test_findings_say_where_they_are_and_what_they_are_about() -> None:
    found = {(each.code, each.xpath, each.about) for each in pb.check("x.dmd.yaml", text=FAULTY)}
    assert found == {
        ("PB037", "$.directives[0].add_model.file", "add_model `x`"),
        ("PB016", '$.directives[0].add_model.default_joint_positions["a b"][0]', "add_model `x`"),
        ("PB016", "$.directives[0].add_model.default_joint_positions.j[0]", "add_model `x`"),
        ("PB048", "$.directives[1].add_weld.child", "add_weld `world`"),
        ("PB017", "$.directives[1].add_weld.X_PC.translation", "add_weld `world`"),
        ("PB031", "$.directives[3].add_model_instance.name", "add_model_instance `x`"),
        ("PB021", "$.directives[4].add_directives", ""),
    }


def test_the_format_is_shown() -> None:
    run = CliRunner().invoke(app, ["schema", "directives", "--json"])
    shown = json.loads(run.stdout)
    assert shown["format"] == "directives"
    elements = {element["path"]: element for element in shown["elements"]}
    model = {row["name"]: row["required"] for row in elements["directives/add_model"]["attributes"]}
    assert model == {"file": True, "name": True}
    frame = elements["directives/add_frame/X_PF"]["attributes"]
    assert [(row["name"], row["size"], row["required"]) for row in frame] == [
        ("base_frame", None, True),
        ("translation", 3, False),
    ]
    page = CliRunner().invoke(app, ["schema", "directives"]).stdout
    assert "## `directives/add_weld/X_PC/rotation/!Rpy`" in page


def test_every_key_of_the_classes_is_shown() -> None:
    from dataclasses import fields

    from polybody.document.directives.description import KEYS, describe
    from polybody.document.directives.reader import OWN

    paths = {element["path"] for element in describe()["elements"]}
    for kind, keys in KEYS.items():
        wanted = {each.name for each in fields(kind) if each.name not in OWN}
        below = {path.split("/")[2] for path in paths if path.startswith(f"directives/{kind.KEY}/")}
        assert set(keys) | below == wanted, kind


ARM = (
    '<robot name="arm"><link name="base"/><link name="hand"/><joint name="elbow" type="fixed">'
    '<parent link="base"/><child link="hand"/></joint></robot>'
)


@pytest.mark.parametrize(
    ("child", "hint"),
    [
        ("arm::wrist", "valid here: `arm::base`, `arm::hand`"),
        ("wrist", "valid here: `base`, `hand`, `world`"),
        ("arm::hnd", "did you mean `arm::hand`?"),
        ("leg::foot", "valid here: `arm`"),
    ],
)
def test_unknown_frames_list_the_known_ones(child: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name>p</name></package>")
    (tmp_path / "arm.urdf").write_text(ARM)
    scene = tmp_path / "scene.dmd.yaml"
    scene.write_text(
        "directives:\n- add_model:\n    name: arm\n    file: package://p/arm.urdf\n"
        f"- add_weld:\n    parent: world\n    child: {child}\n"
    )
    (found,) = pb.check(scene)
    assert (found.code, found.suggestion) == ("PB032", hint)
    with pytest.raises(pb.ValidationError) as caught:
        pb.load(scene)
    assert caught.value.diagnostics[-1].suggestion == hint
