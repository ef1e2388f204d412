"""Bases that no joint connects to the world: they float, or ``base="fixed"`` welds them to the world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.generated.model import JointType

from tests.lowering.urdf.robots import SOLID, joint, link, made, robot

TURN = '<axis xyz="0 1 0"/>'
ARM = (link("base", ""), link("upper"), joint("shoulder", "continuous", "base", "upper", TURN))
POSE = "<pose>1 2 3 0 0 0.5</pose>"
TWO = (
    '<sdf version="1.9"><world name="w">'
    + "".join(f'<model name="{name}">{POSE}<link name="base"/></model>' for name in "ab")
    + "</world></sdf>"
)


def weightless(result: Any) -> list[Any]:
    return [finding for finding in result.findings if finding.code == "PB052"]


def test_a_massless_base_is_a_warning_that_says_how_to_fix_it() -> None:
    result = made(*ARM)
    (found,) = weightless(result)
    assert (found.severity, found.line) == ("warning", 2)
    assert "link `base` floats and has no mass" in found.message
    assert 'base="fixed"' in str(found)
    with pytest.raises(pb.ModelError, match=r"body 1 'base' \(robot.urdf:2:1\)"):
        pb.step(result.model, pb.Data(result.model))


def test_a_base_that_is_fixed_is_part_of_the_world() -> None:
    free, fixed = made(*ARM), made(*ARM, base="fixed")
    assert not weightless(fixed)
    assert free.model.jnt_type.tolist() == [JointType.free, JointType.hinge]
    assert fixed.model.jnt_type.tolist() == [JointType.hinge]
    assert (fixed.model.body_weldid[1], list(fixed.native.q_slices)) == (0, ["shoulder"])
    anchored = made(link("world", ""), *ARM, joint("anchor", "fixed", "world", "base"))
    data, other = pb.Data(fixed.model), pb.Data(anchored.model)
    data.qpos[0] = other.qpos[0] = 0.7
    pb.step(fixed.model, data, 100)
    pb.step(anchored.model, other, 100)
    assert data.qpos[0] == other.qpos[0] != 0.7


@pytest.mark.parametrize(
    "parts",
    [
        (link("base"), *ARM[1:]),
        (*ARM[:1], link("trunk"), joint("lump", "fixed", "base", "trunk"), *ARM[1:]),
        (*ARM, link("other"), joint("hip", "continuous", "base", "other", '<axis xyz="1 0 0"/>')),
    ],
    ids=("mass", "mass that is welded to it", "two axes"),
)
def test_a_base_whose_motion_forces_determine_is_no_finding(parts: tuple[str, ...]) -> None:
    result = made(*parts)
    assert not weightless(result)
    data = pb.Data(result.model)
    pb.step(result.model, data, 10)
    assert np.isfinite(data.qpos).all()


def test_the_child_of_a_floating_joint_is_free_all_the_same() -> None:
    parts = (link("base"), link("ball"), joint("loose", "floating", "base", "ball"))
    model = made(*parts, base="fixed").model
    assert model.jnt_type.tolist() == [JointType.free]
    assert model.names["body"][model.jnt_bodyid[0]] == "ball"


def test_bases_of_sdformat_are_fixed_where_they_start(tmp_path: Path) -> None:
    path = tmp_path / "two.sdf"
    path.write_text(TWO)
    assert pb.load(path).nv == 12
    model = pb.load(path, base="fixed")
    assert model.nv == 0
    assert model.body_pos[1:].tolist() == [[1, 2, 3]] * 2
    assert model.body_quat[1] == pytest.approx([np.cos(0.25), 0, 0, np.sin(0.25)])


def test_bases_of_directives_are_fixed_where_they_start(tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name>here</name></package>")
    (tmp_path / "arm.urdf").write_text(robot(link("base", SOLID), *ARM[1:]))
    scene = tmp_path / "scene.dmd.yaml"
    scene.write_text(
        "directives:\n- add_model:\n    file: package://here/arm.urdf\n    name: arm\n"
        "    default_free_body_pose:\n      base: {translation: [0, 0, 2]}\n"
    )
    model = pb.load(scene, base="fixed", packages={"here": tmp_path})
    assert (model.nv, model.body_pos[1].tolist()) == (1, [0, 0, 2])


@pytest.mark.parametrize("option", ["base", "meaning"])
def test_other_words_are_refused(option: str) -> None:
    with pytest.raises(ValueError, match=f"the {option} must be"):
        made(*ARM, **{option: "loose"})


def test_the_warning_of_a_call_says_which_command_lists_what(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(robot(*ARM))
    with pytest.warns(pb.ModelWarning, match=r"1 warning; `polybody info .*arm.urdf` lists it"):
        pb.load(path)
    slip = '<joint name="j" type="revolute"><limit effort="0" velocity="1"/>'
    path.write_text(robot(*ARM).replace('<joint name="shoulder" type="continuous">', slip))
    with pytest.warns(pb.ModelWarning, match=r"2 warnings; `polybody check` and `polybody info` list them"):
        pb.load(path)
    shown = CliRunner().invoke(app, ["info", str(path)]).output
    assert "1 warning; `polybody check " in shown
    assert "polybody info" not in shown


def test_the_command_line_fixes_bases(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(robot(*ARM))
    ask = CliRunner().invoke
    floating = ask(app, ["sim", str(path), "--steps", "5"])
    assert floating.exit_code != 0
    assert "mass matrix is singular" in floating.output
    assert ask(app, ["sim", str(path), "--steps", "5", "--base", "fixed"]).exit_code == 0
    assert "base  welded" in ask(app, ["info", str(path), "--base", "fixed"]).output
    path.write_text("<mujoco/>")
    refused = ask(app, ["info", str(path), "--base", "fixed"])
    assert (refused.exit_code, "--base: this option does not apply" in refused.output) == (2, True)
