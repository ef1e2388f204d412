"""Links, trees and names: what a document leaves open, and how it is decided."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.generated.model import EqualityType, JointType, ShapeType
from polybody.lowering import lowered

from .documents import errors, kinbody, low, near, poses

HINGE = '<joint name="{name}" type="hinge"><body>{one}</body><body>{two}</body>{more}</joint>'


def hinge(name: str, one: str, two: str, more: str = "<axis>0 0 1</axis>") -> str:
    return HINGE.format(name=name, one=one, two=two, more=more)


def said(made: Any, words: str) -> bool:
    return any(words in each.message for each in made.findings)


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
    assert said(made, "`a` is dynamic and nothing holds it")
    assert low(tmp_path, text, base="fixed").model.nv == 0
    with pytest.raises(ValueError, match="one of free, fixed"):
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


# --- transforms and files -------------------------------------------------------------------------


def test_a_written_matrix_is_taken_by_its_quaternion(tmp_path: Path) -> None:
    """Of the wrist camera of a PA10, whose matrix is rounded to six digits."""
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
    assert said(made, "opened again and moved")


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
    assert said(made, "what it holds is missing")


# --- joints ---------------------------------------------------------------------------------------


def two(joint: str, second: str = "") -> str:
    return kinbody(f'<body name="a" type="static"/><body name="b">{second}</body>{joint}')


def test_a_missing_axis_is_z_of_the_first_body(tmp_path: Path) -> None:
    text = '<body name="a" type="static"><rotationaxis>1 0 0 90</rotationaxis></body><body name="b"/>'
    made = low(tmp_path, kinbody(text + hinge("j", "a", "b", "<offsetfrom>b</offsetfrom>")))
    near(poses(made, [pi / 2])["b"], (0, 0, 0), (np.sqrt(0.5), 0, -np.sqrt(0.5), 0))


def test_two_axes_turn_about_the_first_and_then_the_second(tmp_path: Path) -> None:
    for kind in ("universal", "hinge2"):
        joint = hinge("j", "a", "b", "<axis1>1 0 0</axis1><axis2>0 1 0</axis2>").replace(
            '"hinge"', f'"{kind}"'
        )
        made = low(tmp_path, two(joint))
        near(poses(made, [0.3, 0.4])["b"], (0, 0, 0), (0.969061, 0.146459, 0.196438, 0.029689))
        assert made.model.names["joint"] == ("j", "j_1")


def test_a_spherical_joint_is_a_rotation_vector(tmp_path: Path) -> None:
    text = '<body name="a" type="static"/><body name="b"><translation>2 0 0</translation></body>'
    joint = '<joint name="j" type="spherical"><body>a</body><body>b</body><anchor>1 0 0</anchor></joint>'
    made = low(tmp_path, kinbody(text + joint))
    near(
        poses(made, [0.3, -0.2, 0.5])["b"],
        (1.859534, 0.439868, 0.260227),
        (0.952875, 0.147636, -0.098424, 0.246060),
    )
    native, q = made.native, np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(native.q(native.qpos(q)), q)
    v = np.array([0.7, 0.1, -0.4])
    np.testing.assert_allclose(native.v(native.qpos(q), native.qvel(q, v)), v)


@pytest.mark.parametrize(
    ("kind", "given", "bounds"),
    [
        ("hinge", "", (-pi, pi)),
        ("slider", "", (-10, 10)),
        ("hinge", "<limits>1 -1</limits>", (-1, 1)),
        ("hinge", "<limitsrad>-1 2</limitsrad>", (-1, 2)),
        ("hinge", "<limitsdeg>-90 180</limitsdeg>", (-pi / 2, pi)),
        ("slider", "<limitsdeg>-5 5</limitsdeg>", (-5, 5)),
        ("hinge", "<lostop>-90</lostop><histop>45</histop>", (-pi / 2, pi / 4)),
    ],
)
def test_bounds_in_their_unit(tmp_path: Path, kind: str, given: str, bounds: tuple) -> None:
    joint = hinge("j", "a", "b", "<axis>1 0 0</axis>" + given).replace('"hinge"', f'"{kind}"')
    made = low(tmp_path, two(joint))
    assert made.model.jnt_limited.tolist() == [1]
    assert made.model.jnt_range[0] == pytest.approx(bounds)
    sign = -1 if "lostop" in given else 1
    assert made.model.jnt_axis[0].tolist() == [sign, 0, 0]


def test_values_are_clamped_when_loaded_and_when_set(tmp_path: Path) -> None:
    made = low(tmp_path, two(hinge("j", "a", "b", "<axis>0 0 1</axis><limitsdeg>10 60</limitsdeg>")))
    assert np.rad2deg(made.model.qpos0) == pytest.approx([10])
    assert np.rad2deg(made.native.qpos([[0.0], [2.0]])[:, 0]) == pytest.approx([10, 60])
    assert said(made, "is not where it is drawn")


def test_a_circular_joint_has_no_bounds(tmp_path: Path) -> None:
    joint = hinge("j", "a", "b", "<axis>0 0 1</axis><limits>0 0</limits>")
    made = low(tmp_path, two(joint.replace('type="hinge"', 'type="hinge" circular="true"')))
    assert made.model.jnt_limited.tolist() == [0]
    assert made.native.qpos([9.0]) == pytest.approx([9])


def test_equal_bounds_are_rigid_at_zero_and_keep_their_index(tmp_path: Path) -> None:
    text = hinge("r", "a", "b", "<axis>0 0 1</axis><limits>0.5 0.5</limits>")
    made = low(tmp_path, two(text))
    assert made.model.nv == 0
    assert made.native.q_slices == {"r": slice(0, 1)}
    assert made.native.q([]).tolist() == [0]
    near(poses(made)["b"], (0, 0, 0))
    assert said(made, "rigid at zero")


def test_a_disabled_joint_that_is_not_rigid_is_passive(tmp_path: Path) -> None:
    joint = hinge("j", "a", "b").replace('type="hinge"', 'type="hinge" enable="false"')
    made = low(tmp_path, two(joint, "<rotationaxis>0 0 1 0</rotationaxis>"))
    assert made.model.nv == 1
    assert made.native.nq == 0
    assert made.model.nu == 0


def test_values_of_joints_after_loading(tmp_path: Path) -> None:
    body = '<body name="a" type="static"/><body name="b"/><body name="c"/>'
    body += hinge("d", "a", "b").replace('type="hinge"', 'type="hinge" enable="false"') + hinge("j", "a", "c")
    inner = f'<kinbody name="k">{body}<jointvalues>0.7</jointvalues></kinbody>'
    assert low(tmp_path, f"<robot>{inner}</robot>").model.qpos0.tolist() == [0, 0.7]
    outer = low(tmp_path, f"<robot>{inner}<jointvalues>9</jointvalues></robot>")
    assert outer.model.qpos0.tolist() == [0, pi]
    (tmp_path / "k.kinbody.xml").write_text(inner)
    lost = low(tmp_path, '<robot><kinbody file="k.kinbody.xml"/></robot>')
    assert lost.model.qpos0.tolist() == [0, 0]
    assert said(lost, "outermost")


def test_loops_are_rows_unless_formulas_close_them(tmp_path: Path) -> None:
    links = '<body name="a" type="static"/>' + "".join(f'<body name="{name}"/>' for name in "bcd")
    chain = hinge("ab", "a", "b") + hinge("bc", "b", "c") + hinge("ad", "a", "d")
    closing = hinge("cd", "c", "d", "<anchor>1 0 0</anchor><axis>0 0 1</axis>")
    made = low(tmp_path, kinbody(links + chain + closing))
    assert made.model.eq_type.tolist() == [EqualityType.connect] * 2
    assert made.native.nq == 4
    q = np.array([0.1, 0.2, 0.0, 0.0])
    np.testing.assert_allclose(made.native.q(made.native.qpos(q)), [0.1, 0.2, 0, -0.3], atol=1e-12)
    rigid = closing.replace("<axis>", "<limits>0 0</limits><axis>")
    assert low(tmp_path, kinbody(links + chain + rigid)).model.eq_type.tolist() == [EqualityType.weld]
    formulas = chain.replace('"bc" type="hinge"', '"bc" type="hinge" mimic_pos="-ab" mimic_vel="|ab -1"')
    follows = closing.replace('type="hinge"', 'type="hinge" mimic_pos="-ab" mimic_vel="|ab -1"')
    made = low(tmp_path, kinbody(links + formulas + follows))
    assert made.model.eq_type.tolist() == [EqualityType.joint]
    assert said(made, "closed by formulas")


def test_motors_and_figures_of_planners(tmp_path: Path) -> None:
    motor = (
        "<actuator><gear_ratio>10</gear_ratio><rotor_inertia>0.002</rotor_inertia>"
        "<coloumb_friction>0.3</coloumb_friction><viscous_friction>0.1</viscous_friction></actuator>"
    )
    more = f"<axis>0 0 1</axis><maxveldeg>30</maxveldeg><weight>4</weight><resolution>1</resolution>{motor}"
    made = low(tmp_path, two(hinge("j", "a", "b", more)))
    model = made.model
    assert model.dof_armature == pytest.approx([0.2])
    assert (model.dof_frictionloss[0], model.dof_damping[0]) == (0.3, 0.1)
    assert model.names["actuator"] == ("j",)
    assert model.actuator_forcelimited.tolist() == [0]
    figures = dict(zip(model.names["numeric"], model.numeric_data.tolist(), strict=True))
    assert figures == pytest.approx(
        {
            "weight": 4,
            "resolution": pi / 180,
            "maxvel": pi / 6,
            "maxaccel": 50,
            "maxtorque": 0,
            "maxinertia": 0,
        }
    )
    limited = low(tmp_path, two(hinge("j", "a", "b", "<maxtorque>12</maxtorque>"))).model
    assert limited.actuator_forcerange.tolist() == [[-12, 12]]


# --- masses and shapes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mass", "kilograms", "moments"),
    [
        ("", 1, (0.4, 0.4, 0.4)),
        ("<mass/>", 4.188790, (1.675516,) * 3),
        (
            '<mass type="box"><extents>0.1 0.2 0.3</extents><density>1000</density></mass>',
            48,
            (2.08, 1.6, 0.8),
        ),
        (
            '<mass type="box"><total>1</total><extents>0.1 0.2 0.3</extents></mass>',
            1,
            (0.13 / 3, 0.1 / 3, 0.05 / 3),
        ),
        ('<mass type="custom"><total>40</total></mass>', 40, (0.4, 0.4, 0.4)),
        (
            '<mass type="mimicgeom"><total>1</total></mass><geom type="cylinder"><radius>0.2</radius>'
            "<height>0.1</height></geom>",
            1,
            (0.02 / 2 + 0.01 / 12, 0.02, 0.02 / 2 + 0.01 / 12),
        ),
    ],
)
def test_masses(tmp_path: Path, mass: str, kilograms: float, moments: tuple) -> None:
    model = low(tmp_path, kinbody(f'<body name="a">{mass}</body>')).model
    assert model.body_mass[1] == pytest.approx(kilograms, rel=1e-6)
    np.testing.assert_allclose(sorted(model.body_inertia[1]), sorted(moments), rtol=1e-6)


def test_a_default_mass_counts_for_bodies_behind_it(tmp_path: Path) -> None:
    default = '<mass type="sphere"><total>3</total></mass>'
    text = f'<body name="a"/>{default}<body name="b"/><kinbody><body name="c"/></kinbody>'
    model = low(tmp_path, kinbody(text)).model
    assert model.body_mass.tolist() == [0, 1, 3, 1]


def test_shapes(tmp_path: Path) -> None:
    shapes = (
        '<geom type="box"><fullextents>0.2 0.4 0.6</fullextents></geom>'
        '<geom type="sphere" render="false"><radius>0.2</radius></geom>'
        '<geom type="cylinder"><radius>0.1</radius><height>0.4</height><translation>0 0 1</translation>'
        "</geom>"
        '<geom type="capsule"><radius>0.1</radius><height>0.4</height><transparency>0.25</transparency>'
        "</geom>"
        '<geom type="trimesh">'
        "<vertices>0 0 0 1 0 0 0 1 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 1 1 0 0 1 0 0 0 0 1 0 1 0"
        "</vertices></geom>"
        '<geom type="box" group="other"><extents>1 1 1</extents></geom>'
    )
    model = low(tmp_path, kinbody(f'<body name="a">{shapes}</body>')).model
    kinds = [ShapeType(code).name for code in model.geom_type.tolist()]
    assert kinds == ["box", "sphere", "cylinder", "capsule", "mesh"]
    np.testing.assert_allclose(model.geom_size[:3], [(0.1, 0.2, 0.3), (0.2, 0, 0), (0.1, 0.2, 0)])
    np.testing.assert_allclose(model.geom_quat[2], (np.sqrt(0.5), np.sqrt(0.5), 0, 0))
    assert model.geom_rgba[3].tolist() == [1, 1, 1, 0.75]
    assert model.nmesh == 1
    skipped = low(tmp_path, kinbody(f'<body name="a" skipgeometry="true">{shapes}</body>')).model
    assert skipped.ngeom == 0


def test_all_lengths_are_scaled_or_none(tmp_path: Path) -> None:
    inside = (
        '<body name="a" type="static"/><body name="b"><translation>1 0 0</translation>'
        '<geom type="box"><extents>0.1 0.2 0.3</extents><translation>0 1 0</translation></geom></body>'
    )
    inside += hinge("j", "a", "b", "<anchor>1 0 0</anchor><axis>0 0 1</axis>")
    text = f'<kinbody name="k" scalegeometry="0.5">{inside}</kinbody>'
    made = low(tmp_path, text)
    near(poses(made, [pi / 2])["b"], (0.5, 0, 0))
    np.testing.assert_allclose(made.model.geom_size[0], (0.05, 0.1, 0.15))
    np.testing.assert_allclose(made.model.geom_pos[0], (0, 0.5, 0))
    with pytest.raises(pb.ValidationError, match="factors that differ"):
        low(tmp_path, text.replace('"0.5"', '"1 2 1"'))


def test_adjacent_links_do_not_touch(tmp_path: Path) -> None:
    box = '<geom type="box"><extents>0.1 0.1 0.1</extents></geom>'
    links = '<body name="a" type="static">' + box + "</body>"
    links += "".join(f'<body name="{name}">{box}</body>' for name in "bcd")
    chain = hinge("ab", "a", "b") + hinge("bc", "b", "c") + hinge("cd", "c", "d")
    made = low(tmp_path, kinbody(links + chain + "<adjacent>a d</adjacent>"))
    pairs = {frozenset(name.split("/")) for name in made.model.names["exclude"]}
    assert pairs == {frozenset(pair) for pair in ("ab", "bc", "cd", "ad")}


def test_sensors_are_sites(tmp_path: Path) -> None:
    inside = '<body name="a" type="static"/><body name="b"><translation>1 0 0</translation></body>' + hinge(
        "j", "a", "b"
    )
    robot = (
        f'<robot name="r" prefix="p_"><kinbody>{inside}</kinbody><attachedsensor name="eye"><link>b</link>'
        '<translation>0 0 2</translation><sensor type="BaseCamera"><width>2</width></sensor></attachedsensor>'
        '<attachedsensor name="ear"><sensor type="BaseLaser2D"/></attachedsensor></robot>'
    )
    made = low(tmp_path, robot)
    model = made.model
    assert model.names["site"] == ("p_ear", "p_eye")
    assert [model.names["body"][row] for row in model.site_bodyid.tolist()] == ["p_a", "p_b"]
    assert bytes(model.text_data).split(b"\0")[:2] == [b"BaseCamera", b"BaseLaser2D"]
    assert said(made, "names no link")


def test_manipulators_around_a_file_come_first(tmp_path: Path) -> None:
    def manipulator(name: str) -> str:
        return f'<manipulator name="{name}"><base>a</base><effector>b</effector></manipulator>'

    inside = '<body name="a" type="static"/><body name="b"/>' + hinge("j", "a", "b")
    (tmp_path / "f.robot.xml").write_text(f"<robot><kinbody>{inside}</kinbody>{manipulator('own')}</robot>")
    around = manipulator("one") + manipulator("two")
    model = low(tmp_path, f'<robot name="r" file="f.robot.xml">{around}</robot>').model
    assert [name for name in model.names["tuple"] if name.endswith("/arm")] == [
        "two/arm",
        "one/arm",
        "own/arm",
    ]


# --- bad input ------------------------------------------------------------------------------------


BAD = {
    "a joint with one body": two('<joint name="j" type="hinge"><body>a</body></joint>'),
    "a joint of a body with itself": two(hinge("j", "a", "a")),
    "a joint to nothing": two(hinge("j", "a", "x")),
    "offsetfrom itself": kinbody('<body name="a"><offsetfrom>a</offsetfrom></body>'),
    "offsetfrom what comes later": kinbody(
        '<body name="a"><offsetfrom>b</offsetfrom></body><body name="b"/>'
    ),
    "formulas in a circle": kinbody(
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        + hinge("j", "a", "b").replace('type="hinge"', 'type="hinge" mimic_pos="k" mimic_vel="|k 1"')
        + hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="j" mimic_vel="|j 1"')
    ),
    "a formula without value": kinbody(
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        + hinge("j", "a", "b")
        + hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="1/j" mimic_vel="|j -1/j^2"')
    ),
    "a mass of no volume": kinbody('<body name="a"><mass type="mimicgeom"><total>1</total></mass></body>'),
    "a universal joint of one axis": two(
        hinge("j", "a", "b", "<axis1>0 0 1</axis1>").replace('"hinge"', '"universal"')
    ),
    "too few values": two(hinge("j", "a", "b", "<limits>1</limits>")),
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("policy", ["warn", "lenient"])
def test_faults_are_findings_with_lines(tmp_path: Path, text: str, policy: Any) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(pb.ValidationError) as caught:
        lowered(pb.read(path, policy=policy), policy=policy)
    assert errors(caught)
    assert all(each.startswith(f"{path}:1:") for each in errors(caught))
    assert not any("PB099" in each for each in errors(caught))


def test_what_moves_no_mass_is_a_finding(tmp_path: Path) -> None:
    massless = '<mass type="custom"><total>0</total><inertia>0 0 0 0 0 0 0 0 0</inertia></mass>'
    made = low(tmp_path, two(hinge("j", "a", "b"), massless))
    assert said(made, "has a mass")
