"""Known faults of Drake 1.51: those that are not reproduced are excluded from comparisons by name, the others
agree.

A small file shows each, so that a test fails with a newer Drake without the fault.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.lowering import lowered
from polybody.rotations.arrays import matrix

from tests.differential import drake
from tests.differential.report import summary
from tests.differential.sdf_models import ROBOT, A, B, joint, link, model, nested
from tests.differential.urdf_models import AB, GEARS, bushing, hinge, numbered
from tests.lowering.urdf.robots import motor, robot
from tests.oracles import drake_plant

pytestmark = pytest.mark.filterwarnings("ignore::polybody.errors.ModelWarning")
WRONG = {
    "a_number_in_part.urdf": (numbered("1,5"), "PB016", set()),
    "a_negative_rotor_inertia.urdf": (
        robot(hinge(), motor("j", inside='<drake:rotor_inertia value="-1"/>')),
        "PB063",
        set(),
    ),
    "a_quaternion_of_another_length.sdf": (
        model('<link name="a"><pose rotation_format="quat_xyzw">1 2 3 0 0 .5 .5</pose></link>'),
        "",
        {"frames"},
    ),
    "a_frame_on_a_joint.sdf": (
        model(A + B + joint("revolute", "a", "b") + '<frame name="f" attached_to="j"/>'),
        "",
        {"frames"},
    ),
    "a_zero_axis.dmd.yaml": (
        "directives:\n- add_frame: {name: f, X_PF: {base_frame: world, rotation: "
        "!AngleAxis {angle_deg: 10, axis: [0, 0, 0]}}}\n",
        "PB046",
        set(),
    ),
}
"""By the end of a file's name, as in `drake.FAULTS`: its text, and the code of our rejection or what
differs.
"""


def test_the_faults_are_those_that_comparisons_leave_out() -> None:
    assert WRONG.keys() == drake.FAULTS.keys()


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_is_left_out_by_name_and_differs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, code, differs = WRONG[name]
    path = tmp_path / name
    path.write_text(written)
    answer = drake_plant.ask(path)
    assert drake.compare(path, answer).skipped == f"a fault of Drake: {drake.FAULTS[name]}"
    monkeypatch.setattr(drake, "FAULTS", {})
    found = drake.compare(path, answer)
    assert found.refused.partition(":")[0] == code
    report = summary([found], drake.TOLERANCES)
    assert {row["quantity"] for row in report["quantities"] if row["failures"]} == differs


def test_drake_turns_about_no_axis_by_what_is_no_rotation(tmp_path: Path) -> None:
    path = tmp_path / "a_zero_axis.dmd.yaml"
    path.write_text(WRONG[path.name][0])
    turn = drake_plant.ask(path).frames["WorldModelInstance::f"][:3, :3]
    np.testing.assert_allclose(turn, np.cos(np.radians(10)) * np.eye(3), atol=1e-15)


def test_a_quaternion_of_another_length_leaves_the_models_frame_where_its_pose_says() -> None:
    found = lowered(
        pb.read("m.sdf", text=WRONG["a_quaternion_of_another_length.sdf"][0], policy="warn")
    ).model
    data = pb.Data(found)
    pb.forward(found, data)
    row = found.names["site"].index("__model__")
    np.testing.assert_allclose(data.site_xpos[row], 0, atol=1e-15)
    np.testing.assert_allclose(
        data.xmat[1].reshape(3, 3), matrix([np.sqrt(0.5), 0, 0, np.sqrt(0.5)]), atol=1e-15
    )


def test_a_robot_that_is_merged_splits_its_model_where_drake_renames(tmp_path: Path) -> None:
    """So comparisons disable renaming; Drake then has one model, as we have."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    (tmp_path / "robot.urdf").write_text(ROBOT)
    path = tmp_path / "model.sdf"
    include = '<include merge="true"><uri>package://parts/robot.urdf</uri></include>'
    path.write_text(model(link("c") + include))
    packages = {"parts": str(tmp_path)}
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    parser.package_map().Add("parts", str(tmp_path))
    parser.AddModels(str(path))
    assert plant.HasModelInstanceNamed("m_1")
    answer = drake_plant.ask(path, packages=packages)
    assert "m_1" not in answer.instances
    report = summary([drake.compare(path, answer, packages)], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []


REPRODUCED = {
    "impossible inertia becomes a ball of water.sdf": model(
        '<link name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz></inertia>'
        "</inertial></link>"
    ),
    "of two motors the last one's inertia counts.urdf": robot(
        hinge(), motor("j", "one", GEARS), motor("j", "two")
    ),
    "a bushing's middle frame turns half as fast.urdf": robot(AB, bushing()),
    "static does not reach nested models.sdf": model("<static>true</static>" + A + nested()),
    "the standard's mimic is ignored.sdf": model(
        A
        + B
        + joint("revolute", "a", "b")
        + link("c")
        + joint("revolute", "b", "c", "k", more='<mimic joint="j"><multiplier>2</multiplier></mimic>'),
        version="1.11",
    ),
}


@pytest.mark.parametrize("name", REPRODUCED)
def test_a_fault_that_is_reproduced_agrees(name: str, tmp_path: Path) -> None:
    path = tmp_path / name.replace(" ", "_").replace("'", "")
    path.write_text(REPRODUCED[name])
    found = drake.compare(path, drake_plant.ask(path))
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert "acceleration" in found.errors


def test_the_middle_frame_of_a_bushing_would_turn_by_the_derivative_of_its_angle() -> None:
    """That derivative, by finite differences, is not half of the angular velocity: the comparison
    distinguishes them.

    The middle frame is A turned by half the angle-axis of the rotation of C in A, which turns by `spin`.
    """
    turn = np.array([0.9, -0.7, 0.4])
    spin = np.array([0.3, 0.5, -0.8])
    step = 1e-6

    def rotation(vector: np.ndarray) -> np.ndarray:
        angle = np.linalg.norm(vector)
        cross = np.cross(np.eye(3), vector / angle)
        return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross

    def vector(turned: np.ndarray) -> np.ndarray:
        angle = np.arccos((np.trace(turned) - 1) / 2)
        skew = turned - turned.T
        return angle / (2 * np.sin(angle)) * np.array([skew[2, 1], skew[0, 2], skew[1, 0]])

    ahead, behind = (rotation(vector(rotation(sign * step * spin) @ rotation(turn)) / 2) for sign in (1, -1))
    change = (ahead - behind) / (2 * step) @ rotation(turn / 2).T
    exact = np.array([change[2, 1], change[0, 2], change[1, 0]])
    assert np.abs(exact - spin / 2).max() > 0.02 * np.abs(spin).max()
