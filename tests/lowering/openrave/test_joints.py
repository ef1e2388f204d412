"""Joints: axes, bounds, values, loops, motors."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest
from polybody.generated.model import EqualityType

from .documents import hinge, kinbody, low, near, poses, said, two


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
    assert said(made, "does not start where it is drawn")


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


def test_a_slider_without_axis_does_not_move(tmp_path: Path) -> None:
    made = low(tmp_path, two(hinge("j", "a", "b", "").replace('"hinge"', '"slider"')))
    assert made.model.nv == 0
    assert made.native.nq == 1
    assert said(made, "does not move")


def test_bodies_of_joints_are_found_in_any_case(tmp_path: Path) -> None:
    made = low(tmp_path, two(hinge("j", "A", "B")))
    assert made.model.names["joint"] == ("j",)


def test_swapped_bodies_turn_by_the_negated_value(tmp_path: Path) -> None:
    text = '<body name="a" type="static"/><body name="b"><translation>1 0 0</translation></body>'
    axes = "<axis1>1 0 0</axis1><axis2>0 0 1</axis2><anchor>0.3 0 0</anchor>"
    for kind, more in (("hinge", "<axis>0 0 1</axis>"), ("slider", "<axis>0 1 0</axis>"), ("spherical", "")):
        one = low(tmp_path, kinbody(text + hinge("j", "a", "b", more).replace('"hinge"', f'"{kind}"')))
        other = low(tmp_path, kinbody(text + hinge("j", "b", "a", more).replace('"hinge"', f'"{kind}"')))
        q = np.array([0.4, 0.1, -0.2])[: one.native.nq]
        near(poses(one, q)["b"], *poses(other, -q)["b"], 1e-12)
    one = low(tmp_path, kinbody(text + hinge("j", "b", "a", axes).replace('"hinge"', '"universal"')))
    assert one.model.jnt_axis.tolist() == [[0, 0, -1], [-1, 0, 0]]
    np.testing.assert_allclose(one.native.qpos([0.1, 0.2]), [0.2, 0.1])


def test_the_arm_of_a_manipulator_has_what_its_joints_follow(tmp_path: Path) -> None:
    links = '<body name="a" type="static"/>' + "".join(f'<body name="{name}"/>' for name in "bcd")
    follows = hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="2*m" mimic_vel="|m 2"')
    rigid = hinge("r", "c", "d", "<axis>0 0 1</axis><limits>0 0</limits>") + '<body name="e"/>'
    inside = links + hinge("j", "a", "b") + follows + rigid + hinge("m", "a", "e")
    text = (
        f"<kinbody>{inside}</kinbody><manipulator name='x'><base>a</base><effector>d</effector></manipulator>"
    )
    model = low(tmp_path, f'<robot name="r">{text}</robot>').model
    start, size = model.tuple_adr[0], model.tuple_size[0]
    joints = [model.names["joint"][row] for row in model.tuple_objid[start + 3 : start + size].tolist()]
    assert joints == ["j", "m"]


def test_a_formula_that_leaves_the_bounds_is_clamped(tmp_path: Path) -> None:
    text = '<body name="a" type="static"/><body name="b"/><body name="c"/>' + hinge("J0", "a", "b")
    text += hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="4*J0" mimic_vel="|J0 4"')
    made = low(tmp_path, kinbody(text))
    assert made.native.qpos([1.0]) == pytest.approx([1, pi])
    assert said(made, "leaves the joint's bounds")
