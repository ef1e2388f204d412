"""Links, trees and names: what a document leaves undefined, and how it is resolved."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.generated.model import JointType

from .documents import errors, hinge, kinbody, low, near, poses, said


def test_a_dynamic_base_is_free_unless_it_is_asked_to_be_fixed(tmp_path: Path) -> None:
    text = kinbody(
        '<body name="a"><translation>1 2 3</translation><rotationaxis>0 0 1 90</rotationaxis></body>'
    )
    made = low(tmp_path, text)
    assert made.model.jnt_type.tolist() == [JointType.free]
    assert made.native.q_slices == {"a": slice(0, 7)}
    assert made.native.v_slices == {"a": slice(0, 6)}
    half = np.sqrt(0.5)
    np.testing.assert_allclose(made.native.q(made.model.qpos0), [half, 0, 0, half, 1, 2, 3])
    assert said(made, "`a` is dynamic and not attached to anything")
    assert low(tmp_path, text, base="fixed").model.nv == 0
    with pytest.raises(ValueError, match="expected free or fixed"):
        low(tmp_path, text, base="loose")


def test_a_static_link_elsewhere_is_the_root(tmp_path: Path) -> None:
    text = '<body name="a"/><body name="b" type="static"><translation>1 0 0</translation></body>'
    made = low(tmp_path, kinbody(text + hinge("j", "a", "b", "<anchor>1 0 0</anchor><axis>0 0 1</axis>")))
    assert made.model.names["body"] == ("world", "b", "a")
    near(poses(made, [pi / 2])["a"], (1, 1, 0), (np.sqrt(0.5), 0, 0, -np.sqrt(0.5)))


def test_links_that_no_joint_connects_are_free(tmp_path: Path) -> None:
    text = kinbody('<body name="a" type="static"/><body name="b"><translation>1 0 0</translation></body>')
    made = low(tmp_path, text)
    assert made.model.nv == 6
    assert made.native.nq == 0
    np.testing.assert_allclose(made.native.qpos([]), made.model.qpos0)
    assert said(made, "no joint connects `b`")
    assert low(tmp_path, text, unjoined="fixed").model.nv == 0


def test_rows_are_parents_first_whatever_the_order_of_links(tmp_path: Path) -> None:
    text = '<body name="a" type="static"/><body name="c"/><body name="b"/>'
    made = low(tmp_path, kinbody(text + hinge("two", "b", "c") + hinge("one", "a", "b")))
    assert made.model.names["body"] == ("world", "a", "b", "c")
    assert list(made.native.q_slices) == ["two", "one"]
    np.testing.assert_allclose(made.native.qpos([0.1, 0.2]), [0.2, 0.1])


def test_unnamed_links_and_joints_get_names_that_nothing_else_has(tmp_path: Path) -> None:
    text = '<body name="link1" type="static"/><body/><body name="x"/>'
    text += '<joint type="hinge"><body>link1</body><body>x</body></joint>'
    made = low(tmp_path, kinbody(text))
    names = made.model.names["body"]
    assert sorted(names) == ["link1", "link1.2", "world", "x"]
    assert list(made.native.q_slices) == ["joint0"]


def test_a_scene_has_all_its_bodies(tmp_path: Path) -> None:
    one = (
        '<kinbody name="one"><body name="a" type="static"/><body name="b"/>'
        + hinge("j", "a", "b")
        + "</kinbody>"
    )
    again, inner = one.replace("one", "two"), one.replace("one", "three")
    text = f"<environment>{one}{again}<environment>{inner}</environment>"
    made = low(tmp_path, text + '<sensor name="eye"><translation>0 0 1</translation></sensor></environment>')
    assert made.model.names["body"][1:3] == ("one::a", "one::b")
    assert list(made.native.q_slices) == ["one::j", "two::j", "three::j"]
    assert made.model.names["site"] == ("eye",)
    assert made.model.site_pos[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize(("outer", "name"), [("", "x"), (' name="r"', "r")])
def test_a_body_inside_names_a_robot_that_has_no_name(tmp_path: Path, outer: str, name: str) -> None:
    made = low(tmp_path, f'<robot{outer}><kinbody name="x"><body name="a"/></kinbody></robot>')
    assert made.model.name == name


def test_gravity_is_that_of_the_physics_engine(tmp_path: Path) -> None:
    body = '<kinbody name="k"><body name="a"/></kinbody>'
    physics = (
        '<physicsengine type="ode"><odeproperties><friction>0.5</friction><gravity>0 0 -9.8</gravity>'
        "</odeproperties></physicsengine>"
    )
    assert low(tmp_path, f"<environment>{body}</environment>").model.opt_gravity.tolist() == [0, 0, 0]
    assert low(tmp_path, f"<environment>{body}{physics}</environment>").model.opt_gravity.tolist() == [
        0,
        0,
        -9.8,
    ]


# --- transforms and files ---------------------------------------------------------------------------


def test_a_written_matrix_is_taken_by_its_quaternion(tmp_path: Path) -> None:
    """The wrist camera of a PA10, whose matrix is rounded to six digits."""
    rows = "0.935782 0.027648 0.351495 -0.031131 0.999507 0.004261 -0.351204 -0.01493 0.93618"
    matrix = np.array([float(word) for word in rows.split()]).reshape(3, 3)
    made = low(tmp_path, kinbody(f'<body name="a"><rotationmat>{rows}</rotationmat></body>'))
    quat = np.array(
        [1 + np.trace(matrix), *(matrix[i, j] - matrix[j, i] for i, j in ((2, 1), (0, 2), (1, 0)))]
    )
    near(poses(made)["a"], (0, 0, 0), quat / np.linalg.norm(quat), 1e-12)


def test_offsetfrom_is_of_the_frame_at_that_time(tmp_path: Path) -> None:
    inner = '<body name="n"><offsetfrom>o</offsetfrom><translation>0 1 0</translation></body>'
    text = '<body name="o"><translation>1 0 0</translation></body>'
    text += f"<kinbody>{inner}<rotationaxis>0 0 1 90</rotationaxis></kinbody>"
    near(poses(low(tmp_path, kinbody(text)))["n"], (-1, 1, 0))


@pytest.mark.parametrize(
    ("joint", "pos", "value"),
    [
        (hinge("j", "A", "B"), (0, 0, 0), np.deg2rad(30)),
        (hinge("j", "A", "B", "<axis>1 0 0</axis>").replace('"hinge"', '"slider"'), (1, 0, 0), 1.0),
    ],
)
def test_a_joint_inside_a_turned_element_to_a_link_outside(
    tmp_path: Path, joint: str, pos: tuple, value: float
) -> None:
    turn = "" if "slider" in joint else "<rotationaxis>0 0 1 30</rotationaxis>"
    inner = f'<kinbody><body name="B"/>{joint}<translation>1 0 0</translation>{turn}</kinbody>'
    made = low(tmp_path, kinbody(f'<body name="A" type="static"/>{inner}'))
    assert made.native.q(made.model.qpos0) == pytest.approx([value])
    near(poses(made)["B"], pos)


def test_a_link_opened_again_moves_on_from_where_it_is(tmp_path: Path) -> None:
    text = (
        '<body name="o"><translation>1 0 0</translation></body><body name="n">'
        "<translation>1 1 0</translation></body>"
        '<body name="n"><offsetfrom>o</offsetfrom></body>'
    )
    made = low(tmp_path, kinbody(text))
    near(poses(made)["n"], (2, 1, 0))
    assert not said(made, "keeps its mass")
    heavy = text.replace('"n">', '"n"><mass type="sphere"><total>7</total></mass>', 1)
    made = low(tmp_path, kinbody(heavy))
    assert made.model.body_mass.tolist() == [0, 1, 7]
    assert said(made, "keeps its mass of 7 kg; OpenRAVE gives it 1 kg")
    assert said(made, "already exists and is moved")


def test_prefixes_rename_once_and_formulas_keep_their_joints(tmp_path: Path) -> None:
    inside = '<body name="a"/><body name="b"/><body name="c"/>' + hinge("j", "a", "b")
    inside += hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="2*j" mimic_vel="|j 2"')
    (tmp_path / "hand.kinbody.xml").write_text(f'<kinbody name="hand">{inside}</kinbody>')
    part = '<kinbody prefix="{0}" file="hand.kinbody.xml"><body name="{0}a">'
    part += "<translation>0 0 {1}</translation></body>"
    text = f'<kinbody prefix="x_">{part.format("L_", 1)}</kinbody>{part.format("R_", 2)}</kinbody></kinbody>'
    made = low(tmp_path, kinbody(text), base="fixed", unjoined="fixed")
    assert list(made.native.q_slices) == ["x_L_j", "x_R_j"]
    near(poses(made)["x_L_a"], (0, 0, 1))
    values = dict(zip(made.model.names["joint"], made.native.qpos([0.1, 0.2]).tolist(), strict=True))
    assert values == pytest.approx({"x_L_j": 0.1, "x_L_k": 0.2, "x_R_j": 0.2, "x_R_k": 0.4})


@pytest.mark.parametrize(("first", "count"), [("", 3), ('prefix="l_" ', 4)])
def test_a_file_read_twice_is_two_parts_if_the_first_has_a_prefix(
    tmp_path: Path, first: str, count: int
) -> None:
    (tmp_path / "f.kinbody.xml").write_text('<kinbody><body name="a"/><body name="b"/></kinbody>')
    text = kinbody(f'<kinbody {first}file="f.kinbody.xml"/><kinbody prefix="r_" file="f.kinbody.xml"/>')
    made = low(tmp_path, text)
    assert made.model.nbody - 1 == {3: 2, 4: 4}[count]
    assert said(made, "merged into") == (count == 3)


def test_a_robot_takes_the_file_of_a_kinbody(tmp_path: Path) -> None:
    (tmp_path / "f.kinbody.xml").write_text('<kinbody name="f"><body name="a" type="static"/></kinbody>')
    made = low(tmp_path, '<robot name="r" file="f.kinbody.xml"><translation>0 0 1</translation></robot>')
    near(poses(made)["a"], (0, 0, 1))


@pytest.mark.parametrize("file", ["arm.dae", "arm.zae"])
def test_collada_is_refused_by_name(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text("<COLLADA/>")
    with pytest.raises(pb.ValidationError) as caught:
        low(tmp_path, f'<robot name="r" file="{file}"/>')
    assert any(file in each and "COLLADA" in each for each in errors(caught))


def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    made = low(tmp_path, kinbody('<kinbody file="no.kinbody.xml"/><body name="a"/>'))
    assert said(made, "its content is missing")


def test_units_and_frames_of_kinbodies_change_nothing(tmp_path: Path) -> None:
    inside = '<body name="o"><translation>1 0 0</translation></body><body name="a"/>'
    text = (
        '<environment><unit>mm 0.001</unit><kinbody name="k">'
        f"{inside}<offsetfrom>o</offsetfrom></kinbody></environment>"
    )
    made = low(tmp_path, text)
    near(poses(made)["o"], (1, 0, 0))
    near(poses(made)["a"], (0, 0, 0))
    assert said(made, "<unit> is only a label")
    assert said(made, "no reader implements it")
