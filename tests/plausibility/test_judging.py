"""`check` finds what `load`, `info` and the first step refuse or warn of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.document.sources import Limits

from tests.waiting import PATIENCE

from .test_rules import ELBOW, SOLID, codes, inertial, mjcf, said, urdf

MUSCLE = '<actuator><muscle name="m" joint="elbow"/></actuator>'


def test_a_massless_moving_leaf() -> None:
    mount = '<joint name="mount" type="fixed"><parent link="b"/><child link="lidar"/></joint></robot>'
    text = urdf(SOLID, "").replace("</robot>", f'<link name="lidar"/>{mount}')
    (found,) = said(text)
    assert (found.code, found.line, found.about) == ("PB052", 3, "link `b`")
    assert str(found).count("give it mass and inertia, or make the joint fixed") == 1  # URDF has no armature
    assert "joint `ab`" in found.message
    model = pb.load("robot.urdf", text=text)
    with pytest.raises(pb.ModelError, match="singular"):
        pb.step(model, pb.Data(model))


def test_a_point_mass_that_rotates_about_itself() -> None:
    text = urdf(SOLID, inertial(1, 0.0))
    assert codes(text) == ["PB062"]


def test_a_length_range_that_is_not_found() -> None:
    text = mjcf(ELBOW.format(""), MUSCLE)
    (found,) = said(text)
    assert (found.code, found.line) == ("PB063", 3)
    with pytest.raises(pb.ValidationError) as refused:
        pb.load("m.xml", text=text)
    assert [each.message for each in refused.value.diagnostics] == [found.message]


def loop() -> str:
    close = '<joint name="ac" type="continuous"><parent link="a"/><child link="c"/></joint></robot>'
    return urdf(SOLID, SOLID, SOLID).replace("</robot>", close)


@pytest.mark.parametrize("policy", ["strict", "warn", "lenient"])
def test_a_loop_has_one_verdict(policy: Any) -> None:
    found = pb.check("robot.urdf", policy, text=loop())
    refused = any(each.severity == "error" for each in found)
    assert refused == (policy != "lenient")
    if refused:
        with pytest.raises(pb.ValidationError):
            pb.load("robot.urdf", policy=policy, text=loop())
    else:
        with pytest.warns(pb.ModelWarning):
            pb.load("robot.urdf", policy=policy, text=loop())


def test_a_part_that_is_not_simulated() -> None:
    text = mjcf(ELBOW.format(""), '<compiler><lengthrange mode="none"/></compiler>', MUSCLE)
    (found,) = said(text)
    assert (found.code, found.line) == ("PB121", 4)


@pytest.mark.parametrize(
    ("content", "judged"),
    [
        ('<geom size="0.1"/>' * 98, True),
        ('<geom size="0.1"/>' * 99, False),
        ('<replicate count="50" offset="1 0 0"><geom size="0.1"/></replicate>', True),
        ('<replicate count="200" offset="1 0 0"><geom size="0.1"/></replicate>', False),
    ],
)
def test_large_models_are_not_judged(content: str, judged: bool) -> None:
    text = f"<mujoco><worldbody>{content}</worldbody></mujoco>"
    found = pb.check("m.xml", text=text, limits=Limits(judged=100))
    assert [each.code for each in found] == ([] if judged else ["PB122"])


def test_what_the_document_shows_already_is_not_said_twice() -> None:
    text = urdf(
        SOLID, SOLID, kind="revolute", joints='<limit lower="-90" upper="90" effort="0" velocity="1"/>'
    )
    every = [(each.code, each.line, each.column) for each in pb.check("robot.urdf", text=text)]
    assert len(set(every)) == len(every)
    assert {code for code, _, _ in every} == {"PB065", "PB066"}


def test_without_a_model_only_the_document_is_judged(tmp_path: Path) -> None:
    text = urdf(SOLID, "")
    assert pb.check("robot.urdf", text=text, model=False) == []
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    for options, expected in (((), "PB052"), (("--no-model",), "no findings")):
        command = [sys.executable, "-m", "polybody", "check", *options, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout


def test_a_document_that_is_refused_only_when_strict_is_judged() -> None:
    text = urdf(SOLID, "").replace('<robot name="r">', '<robot name="r">\nstray')
    found = {each.code: each.severity for each in pb.check("robot.urdf", text=text)}
    assert found == {"PB013": "error", "PB052": "warning"}


def test_a_part_of_a_model_is_not_judged() -> None:
    part = '<mujocoinclude><body><joint/><geom size="1" mass="0"/></body></mujocoinclude>'
    for text in (part, "<mujoco><asset/></mujoco>"):
        assert codes(text) == []


def test_a_comment_about_a_model_is_never_without_effect(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text("<!-- polybody: ignore PB110, PB118 -->\n" + urdf(SOLID))
    command = [sys.executable, "-m", "polybody", "check", "--no-model", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "no findings" in done.stdout


def test_more_shapes_at_one_place_than_a_check_compares() -> None:
    balls = '<body name="{}"><freejoint/><geom size=".1"/></body>'
    few, many = (mjcf("".join(balls.format(each) for each in range(count))) for count in (20, 1100))
    assert codes(few) == ["PB118"]
    assert codes(many) == ["PB122"]


def test_images_are_found_but_not_decoded(tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde"
    (tmp_path / "a.png").write_bytes(png)  # it ends before its pixels
    texture = '<asset><texture type="2d" name="a" file="{}"/></asset>'
    file = tmp_path / "model.xml"
    for name, expected in (("a.png", False), ("b.png", True)):
        file.write_text(mjcf('<geom size="1"/>', texture.format(name)))
        assert any(each.severity == "error" for each in pb.check(file)) == expected
    file.write_text(mjcf('<geom size="1"/>', texture.format("a.png")))
    with pytest.raises(pb.ValidationError):
        pb.load(file)


PACKAGED = "<geometry><mesh filename='package://none/{}.stl'/></geometry>"


def test_an_unknown_package_is_reported_once() -> None:
    """Also if the document and its Model come upon different references first."""
    link = f"<visual>{PACKAGED.format('a')}</visual><collision>{PACKAGED.format('b')}</collision>"
    text = urdf(SOLID, link + inertial(1, 1))
    (found,) = (each for each in pb.check("robot.urdf", text=text) if each.code == "PB037")
    assert "`none` is not known, so the files of 2 elements" in found.message


def test_the_hint_about_a_floating_base_names_what_takes_the_option() -> None:
    (found,) = (each for each in said('<robot name="r"><link name="a"/></robot>') if each.code == "PB052")
    assert "`load`" in str(found.suggestion)
    assert "`info`" in str(found.suggestion)


@pytest.mark.parametrize("name", ["a", "a&amp;b"])
@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_the_hint_about_overlaps_can_be_pasted(form: str, declared: bool, name: str) -> None:
    space = ' xmlns:drake="http://drake.mit.edu"' if declared else ""
    solid = (
        '<link name="{}"><inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" '
        'iyz="0"/></inertial><collision><geometry><sphere radius=".1"/></geometry></collision></link>'
    )
    text = (
        f'<robot name="r"{space}>{solid.format("w")}{solid.format(name)}{solid.format("c")}'
        '<joint name="j" type="continuous"><parent link="w"/><child link="{0}"/><origin xyz="1 0 0"/></joint>'
        '<joint name="k" type="continuous"><parent link="w"/><child link="c"/><origin xyz="1 0 .1"/></joint>'
        "</robot>"
    ).replace("{0}", name)
    if form == "sdf":
        body = (
            '<link name="{}"><pose>{}</pose><inertial><mass>1</mass></inertial><collision name="c"><geometry>'
            "<sphere><radius>.1</radius></sphere></geometry></collision></link>"
        )
        bodies = body.format(name, "0 0 0 0 0 0") + body.format("c", "0 0 .1 0 0 0")
        text = f'<sdf version="1.9"{space}><model name="m">{bodies}</model></sdf>'
    found = said(text)
    (overlap,) = (each for each in found if each.code == "PB118")
    snippet = str(overlap.suggestion).partition("contact: ")[2]
    assert ("xmlns" in snippet) != declared
    end = "</robot>" if form == "urdf" else "</model>"
    after = said(text.replace(end, snippet + end))
    assert [each.code for each in after] == [each.code for each in found if each.code != "PB118"]
