"""Curvilinear joints: along a line or an arc they are Drake's; other paths are refused at their lines."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.lowering import lowered

from tests.differential import drake
from tests.differential.report import summary
from tests.differential.sdf_models import FRAMES, A, B, model
from tests.lowering.urdf.robots import joint as hinge
from tests.lowering.urdf.robots import link, motor, robot
from tests.oracles import drake_plant

LINE = "<drake:line_segment><drake:length>{}</drake:length></drake:line_segment>"
ARC = "<drake:circular_arc><drake:radius>{}</drake:radius><drake:angle>{}</drake:angle></drake:circular_arc>"
PLANE = (
    "<drake:initial_tangent><xyz>0 .3 .4</xyz></drake:initial_tangent>"
    "<drake:plane_normal><xyz>2 0 0</xyz></drake:plane_normal>"
)
PERIODIC = "<drake:is_periodic>true</drake:is_periodic>"
DAMPING = "<drake:damping>.7</drake:damping>"


def curved(curves: str, more: str = "") -> str:
    return model(
        A
        + B
        + FRAMES
        + '<drake:joint name="j" type="curvilinear"><drake:parent>f</drake:parent>'
        + "<drake:child>h</drake:child>"
        + f"{more}\n<drake:curves>{curves}</drake:curves></drake:joint>"
    )


PATHS = {
    "a line": curved(LINE.format(2)),
    "two lines in a plane": curved(LINE.format(2) + LINE.format(0.5), PLANE + DAMPING),
    "an arc": curved(ARC.format(0.5, 1.5), DAMPING),
    "a clockwise arc in a plane": curved(ARC.format(3, -0.5) + ARC.format(3, -0.7), PLANE + DAMPING),
    "a circle": curved(ARC.format(0.5, 6.283185307179586), PLANE + PERIODIC),
}


ROTOR = '<drake:rotor_inertia value=".3"/><drake:gear_ratio value="4"/><drake:controller_gains p="9" d="2"/>'


def as_urdf(curves: str, more: str = "", motor: str = "") -> str:
    own = f"{more}\n<drake:curves>{curves}</drake:curves>"
    place = 'xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"'
    return robot(link("a"), link("b"), hinge("j", "curvilinear", "a", "b", own, "drake:joint", place), motor)


U_LINE, U_ARC = '<drake:line_segment length="{}"/>', '<drake:circular_arc radius="{}" angle="{}"/>'
U_PLANE = '<drake:initial_tangent xyz="0 .3 .4"/><drake:plane_normal xyz="2 0 0"/><dynamics damping=".7"/>'
ROBOTS = {
    "a line": as_urdf(U_LINE.format(2)),
    "an arc": as_urdf(U_ARC.format(0.5, 1.5)),
    "a clockwise arc in a plane": as_urdf(U_ARC.format(3, -0.5) + U_ARC.format(3, -0.7), U_PLANE),
    "a circle": as_urdf(U_ARC.format(0.5, 6.283185307179586), '<drake:is_periodic value="true"/>'),
    "a driven arc": as_urdf(U_ARC.format(0.5, -1.5), motor=motor("j", inside=ROTOR)),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_path_of_one_curvature_is_drakes_in_urdf(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.urdf"
    path.write_text(ROBOTS[name])
    found = drake.compare(path, drake_plant.ask(path))
    assert {"names", "poses", "acceleration"} <= found.errors.keys(), (found.refused, found.skipped)
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []


@pytest.mark.parametrize("name", PATHS)
def test_a_path_of_one_curvature_is_drakes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(PATHS[name])
    found = drake.compare(path, drake_plant.ask(path))
    assert {"names", "poses", "acceleration"} <= found.errors.keys(), (found.refused, found.skipped)
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []


def test_its_limits_are_the_ends_of_the_path() -> None:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    for name, text in PATHS.items():
        plant = MultibodyPlant(0.0)
        Parser(plant).AddModelsFromString(text, "sdf")
        joint = plant.GetJointByName("j")
        theirs = np.concatenate((joint.position_lower_limits(), joint.position_upper_limits()))
        made = lowered(pb.read("m.sdf", text=text))
        (row,) = np.flatnonzero(made.model.jnt_type >= 2)
        assert bool(made.model.jnt_limited[row]) == np.isfinite(theirs).all(), name
        if np.isfinite(theirs).all():
            ends = [
                made.native.q(np.append(np.zeros(made.model.nq - 1), end))[-1]
                for end in made.model.jnt_range[row]
            ]
            assert np.allclose(sorted(ends), theirs, atol=1e-12), name


REFUSED = {
    "a line, then an arc": (curved(LINE.format(1) + ARC.format(1, 1)), "curvature of the path changes"),
    "a periodic line": (curved(LINE.format(1), PERIODIC), "not closed"),
    "a periodic arc": (curved(ARC.format(1, 1), PERIODIC), "not closed"),
    "a path without pieces": (curved(""), "no segments"),
    "a tangent out of the plane": (
        curved(LINE.format(1), PLANE.replace("2 0 0", "2 1 0")),
        "not perpendicular",
    ),
    "no tangent": (curved(LINE.format(1), PLANE.replace("0 .3 .4", "0 0 0")), "zero length"),
    "an arc without an angle": (curved(ARC.format(1, 0)), "angle of an arc is 0"),
    "a line, then an arc, of a robot": (
        as_urdf(U_LINE.format(1) + U_ARC.format(1, 1)),
        "curvature of the path changes",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_paths_are_refused_at_their_lines(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(pb.ValidationError) as caught:
        pb.load("m.urdf" if "<robot" in text else "m.sdf", text=text)
    (error,) = [each for each in caught.value.diagnostics if each.severity == "error"]
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "<drake:curves" in each)
    assert (error.code, error.line) == ("PB063", line)
    assert message in error.message


BOUNDS = {
    "a segment without length": LINE.format(0),
    "a negative segment": LINE.format(-1),
    "an arc without radius": ARC.format(0, 1),
    "a negative radius": ARC.format(-0.5, 1),
}


@pytest.mark.parametrize("policy", ["strict", "warn"])
@pytest.mark.parametrize("name", BOUNDS)
def test_sizes_that_drake_refuses_are_errors(name: str, policy: pb.Policy) -> None:
    for file, text in (("m.sdf", curved(BOUNDS[name])), ("m.urdf", as_urdf(_attributes(BOUNDS[name])))):
        errors = [each.code for each in pb.check(file, policy, text=text) if each.severity == "error"]
        assert errors == ["PB019"], file


def _attributes(curves: str) -> str:
    """Pieces of a path as URDF writes them."""
    values = re.findall(r">(-?[\d.]+)<", curves)
    return (U_LINE if len(values) == 1 else U_ARC).format(*values)


def test_what_names_a_joint_that_is_refused_is_no_error_of_its_own() -> None:
    text = as_urdf(U_LINE.format(1) + U_ARC.format(1, 1), motor=motor("j"))
    found = [each.code for each in pb.check("m.urdf", text=text) if each.severity == "error"]
    assert found == ["PB063"]
