"""What Drake reads in versions after 1.51: distance constraints and axes of moving surfaces.

Drake documents the force of a distance constraint of finite stiffness, which is that of its spring and damper
between two points. So it is compared with that element, in Drake 1.51.
"""

from __future__ import annotations

from pathlib import Path

import polybody as pb
import pytest
from polybody.lowering import lowered

from tests.differential import drake
from tests.differential.report import summary
from tests.differential.sdf_models import SPRING, A, B, joint, model
from tests.lowering.urdf.robots import joint as hinge
from tests.lowering.urdf.robots import link, robot
from tests.oracles import drake_plant

ROBOT_SPRING = (
    "<drake:linear_spring_damper>"
    '<drake:linear_spring_damper_body_A name="a"/><drake:linear_spring_damper_body_B name="b"/>'
    '<drake:linear_spring_damper_p_AP value=".1 .2 .3"/><drake:linear_spring_damper_p_BQ value=".9 -.4 .2"/>'
    '<drake:linear_spring_damper_free_length value=".4"/><drake:linear_spring_damper_stiffness value="7"/>'
    '<drake:linear_spring_damper_damping value=".5"/></drake:linear_spring_damper>'
)
SPRINGS = {
    "sdf": model(A + B + joint("revolute", "a", "b") + "\n" + SPRING),
    "urdf": robot(link("a"), link("b"), hinge("j", "continuous", "a", "b"), ROBOT_SPRING),
}


def rod(text: str) -> str:
    """A document with a distance constraint in place of its spring and damper."""
    return text.replace("_free_length", "_distance").replace("linear_spring_damper", "distance_constraint")


@pytest.mark.parametrize("ending", SPRINGS)
def test_a_distance_constraint_is_drakes_spring_and_damper(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{ending}"
    path.write_text(SPRINGS[ending])
    answer = drake_plant.ask(path)
    path.write_text(rod(SPRINGS[ending]))
    found = drake.compare(path, answer)
    assert "acceleration" in found.errors, (found.refused, found.skipped)
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []


@pytest.mark.parametrize("ending", SPRINGS)
def test_a_rigid_rod_is_refused_at_its_line(ending: str) -> None:
    text = rod(SPRINGS[ending])
    for old in ("stiffness>7<", 'stiffness value="7"'):
        text = text.replace(old, old.replace("7", "INF"))
    with pytest.raises(pb.ValidationError) as caught:
        pb.load(f"model.{ending}", text=text)
    (error,) = [each for each in caught.value.diagnostics if each.severity == "error"]
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "distance_constraint" in each)
    assert (error.code, error.line) == ("PB063", line)
    assert "rigid rod" in error.message


FAULTS = (
    ("_stiffness>7<", "_stiffness>0<", "PB019"),
    ("_distance>.4<", "_distance>0<", "PB019"),
    ("_damping>.3<", "_damping>-1<", "PB019"),
    ("body_A>a<", "body_A>z<", "PB032"),
    ("body_A>a<", "body_A>b<", "PB045"),
)


@pytest.mark.parametrize(("old", "new", "code"), FAULTS)
def test_faults_of_distance_constraints_are_errors(old: str, new: str, code: str) -> None:
    text = rod(SPRINGS["sdf"])
    assert old in text
    found = pb.check("m.sdf", text=text.replace(old, new))
    assert (code, "error") in {(each.code, each.severity) for each in found}


def test_what_drake_refuses_yet_is_a_warning() -> None:
    axis = "<drake:surface_velocity_axis>0 1 0</drake:surface_velocity_axis>"
    moving = model(A.replace("</link>", axis + "</link>"), more='namespace="n"', version="1.12")
    for text, messages in (
        (rod(SPRINGS["sdf"]), ["spring and damper"]),
        (moving, ["surfaces do not move", "concerns only topics"]),
    ):
        found = [each for each in pb.check("m.sdf", text=text, policy="warn") if each.code == "PB088"]
        assert all(each.severity == "warning" for each in found)
        assert sorted(each.message for each in found) == sorted(
            next(each.message for each in found if part in each.message) for part in messages
        )


def test_the_axis_of_a_moving_surface_is_listed_as_not_simulated() -> None:
    text = robot(link("a", '<drake:surface_velocity_axis axis="0 1 0"/>'))
    found = lowered(pb.read("r.urdf", text=text)).findings
    (told,) = [each for each in found if each.code == "PB061"]
    assert "the speed of the surface is an input" in told.message
