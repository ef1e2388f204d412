"""Worked examples, computed with rotations and matrix products independently of this code."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.generated.kernels import dynamics
from polybody.generated.model import EqualityType, ObjectType
from polybody.rotations.arrays import matrix

from .documents import ARM_FILE, DUAL, HAND, TRIDOF, kinbody, low, near, poses


def test_translations_add_and_rotations_turn_no_translation(tmp_path: Path) -> None:
    made = low(
        tmp_path,
        kinbody(
            "<translation>0 0 2</translation><rotationaxis>0 1 0 90</rotationaxis>"
            '<body name="a"><translation>1 0 0</translation><rotationaxis>0 0 1 90</rotationaxis>'
            "<translation>0 1 0</translation><rotationaxis>1 0 0 90</rotationaxis></body>"
        ),
    )
    near(poses(made)["a"], (0, 1, 1), (0.707107, 0.707107, 0, 0))


def test_the_arm_of_the_format_s_document(tmp_path: Path) -> None:
    made = low(tmp_path, TRIDOF, base="fixed")
    assert list(made.native.q_slices) == ["Arm0", "Arm1", "Arm2", "j1", "j2"]
    at = poses(made, np.deg2rad([30, 45, -60, 10, -20]))
    near(at["Arm0"], (0, 0, 0.005))
    near(at["Arm1"], (0.121244, 0.07, 0.015), (0.793353, 0, 0, 0.608761))
    near(at["Arm2"], (0.157478, 0.205230, 0.025), (0.991445, 0, 0, 0.130526))
    near(at["RClaw"], (0.234752, 0.225935, 0.030), (0.843391, 0, 0, -0.537300))
    near(at["LClaw"], (0.233458, 0.230765, 0.025), (0.887011, 0, 0, -0.461749))


def test_the_manipulator_of_the_format_s_document(tmp_path: Path) -> None:
    made = low(tmp_path, TRIDOF, base="fixed")
    model, data = made.model, pb.Data(made.model)
    data.qpos[:] = made.native.qpos(np.deg2rad([30, 45, -60, 10, -20]))
    pb.forward_kinematics(model, data)
    site = model.names["site"].index("arm")
    body = model.site_bodyid[site]
    tool = data.xpos[body] + data.xmat[body].reshape(3, 3) @ model.site_pos[site]
    np.testing.assert_allclose(tool, (0.278219, 0.237582, 0.025), atol=1.1e-6)
    row = model.names["numeric"].index("arm.direction")
    start = model.numeric_adr[row]
    along = data.xmat[body].reshape(3, 3) @ model.numeric_data[start : start + 3]
    np.testing.assert_allclose(along, (0.965926, 0.258819, 0), atol=1.1e-6)
    assert objects(model, "arm.arm") == [
        (ObjectType.BODY, "Base", 0.0),
        (ObjectType.BODY, "Arm2", 0.0),
        (ObjectType.SITE, "arm", 0.0),
        (ObjectType.JOINT, "Arm0", 0.0),
        (ObjectType.JOINT, "Arm1", 0.0),
        (ObjectType.JOINT, "Arm2", 0.0),
    ]
    assert objects(model, "arm.gripper") == [(ObjectType.JOINT, "j1", 1.0), (ObjectType.JOINT, "j2", 1.0)]


def objects(model: pb.Model, name: str) -> list[tuple[ObjectType, str, float]]:
    row = model.names["tuple"].index(name)
    begin, end = model.tuple_adr[row], model.tuple_adr[row] + model.tuple_size[row]
    kinds = {ObjectType.BODY: "body", ObjectType.JOINT: "joint", ObjectType.SITE: "site"}
    return [
        (ObjectType(kind), model.names[kinds[ObjectType(kind)]][number], parameter)
        for kind, number, parameter in zip(
            model.tuple_objtype[begin:end].tolist(),
            model.tuple_objid[begin:end].tolist(),
            model.tuple_objprm[begin:end].tolist(),
            strict=True,
        )
    ]


FRAMES = (
    "<translation>0 0 1</translation>"
    '<body name="A"><translation>1 0 0</translation><rotationaxis>0 0 1 90</rotationaxis></body>'
    '<body name="B"><offsetfrom>A</offsetfrom><translation>0.5 0 0</translation></body>'
    '<joint name="j" type="hinge">{order}{off}<anchor>1 0.25 0</anchor><axis>1 0 0</axis>{more}</joint>'
)
A_B, B_A = "<body>A</body><body>B</body>", "<body>B</body><body>A</body>"
HALF = (0.5, 0.5)


@pytest.mark.parametrize(
    ("order", "off", "more", "q", "pos", "quat"),
    [
        (A_B, "", "", 90, (1, 0.25, 1.25), (0.5, 0.5, -0.5, 0.5)),
        (A_B, "<offsetfrom>A</offsetfrom>", "", 90, (0.75, 0.5, 0.75), (0.5, 0.5, 0.5, 0.5)),
        (B_A, "", "", 90, (1, 0.25, 0.75), (0.5, -0.5, 0.5, 0.5)),
        (A_B, "", f"<initial>{pi / 2}</initial>", 0, (1, 0.25, 0.75), (0.5, -0.5, 0.5, 0.5)),
        (A_B, "", f"<initial>{pi / 2}</initial>", 90, (1, 0.5, 1), (0.707107, 0, 0, 0.707107)),
    ],
)
def test_frames_of_anchors_and_the_order_of_bodies(
    tmp_path: Path, order: str, off: str, more: str, q: float, pos: tuple, quat: tuple
) -> None:
    made = low(tmp_path, kinbody(FRAMES.format(order=order, off=off, more=more)), base="fixed")
    near(poses(made, [np.deg2rad(q)])["B"], pos, quat)


def test_an_initial_value_is_where_a_joint_is_drawn(tmp_path: Path) -> None:
    text = kinbody(FRAMES.format(order=A_B, off="", more=f"<initial>{pi / 2}</initial>"))
    made = low(tmp_path, text, base="fixed")
    assert made.native.q(made.model.qpos0) == pytest.approx([pi / 2])
    near(poses(made)["B"], (1, 0.5, 1), (0.707107, 0, 0, 0.707107))


# --- joints that follow others ------------------------------------------------------------------------------


CHAIN = (
    '<body name="base"/><body name="a"/><body name="b"/><body name="c"/>'
    '<joint name="J0" type="hinge"><body>base</body><body>a</body><axis>1 0 0</axis></joint>'
    '<joint name="J0b" type="hinge" mimic_pos="2*J0a+J0" mimic_vel="|J0a 2 |J0 1"><body>b</body>'
    "<body>c</body>"
    '<axis>1 0 0</axis></joint><joint name="J0a" type="hinge" mimic_pos="2*J0" mimic_vel="|J0 2">'
    "<body>a</body>"
    "<body>b</body><axis>1 0 0</axis></joint>"
)


def test_a_chain_of_joints_that_follow_each_other(tmp_path: Path) -> None:
    made = low(tmp_path, kinbody(CHAIN), base="fixed")
    assert made.native.nq == 1
    at = poses(made, [0.2])
    near(at["a"], (0, 0, 0), (0.995004, 0.099833, 0, 0))
    near(at["b"], (0, 0, 0), (0.955336, 0.295520, 0, 0))
    near(at["c"], (0, 0, 0), (0.696707, 0.717356, 0, 0))
    assert made.native.qvel([0.2], [1.0]) == pytest.approx([1, 2, 5])


def test_the_finger_of_the_barrett_hand(tmp_path: Path) -> None:
    made = low(tmp_path, HAND, base="fixed")
    tip = np.array([0.058, 0, 0])
    for q, origin, reached in (
        (0.0, (0.12, 0, 0), (0.157280, 0.044432, 0)),
        (1.2, (0.075365, 0.065243, 0), (0.029864, 0.101210, 0)),
    ):
        data = pb.Data(made.model)
        data.qpos[:] = made.native.qpos([q])
        pb.forward_kinematics(made.model, data)
        row = made.model.names["body"].index("dist")
        np.testing.assert_allclose(data.xpos[row], origin, atol=1.1e-6)
        np.testing.assert_allclose(data.xpos[row] + data.xmat[row].reshape(3, 3) @ tip, reached, atol=1.1e-6)
    assert made.model.qpos0.tolist() == pytest.approx([0, 0.8727])
    assert made.model.eq_type.tolist() == [EqualityType.joint]
    assert made.model.eq_data[0, :3] == pytest.approx([0, 1 / 3, 0])


def test_a_formula_of_two_joints(tmp_path: Path) -> None:
    text = (
        '<body name="r"/><body name="x"/><body name="y"/><body name="z"/>'
        '<joint name="a" type="hinge"><body>r</body><body>x</body><axis>0 0 1</axis></joint>'
        '<joint name="b" type="hinge"><body>x</body><body>y</body><axis>0 0 1</axis></joint>'
        '<joint name="c" type="hinge" mimic_pos="a+b+atan(a)" mimic_vel="|a 1 + 1/(1+a*a) |b 1"'
        ' mimic_accel="|a -2*a/((1+a*a)*(1+a*a)) |b 0"><body>y</body><body>z</body><axis>0 0 1</axis></joint>'
    )
    made = low(tmp_path, kinbody(text), base="fixed")
    native = made.native
    assert native.qpos([0.5, 0.2])[2] == pytest.approx(1.163648, abs=1e-6)
    assert native.qvel([0.5, 0.2], [0.7, -0.4])[2] == pytest.approx(0.86, abs=1e-6)
    assert native.qacc([0.5, 0.2], [0.7, -0.4], [0.3, 0.1])[2] == pytest.approx(0.3264, abs=1e-6)
    assert made.model.eq_type.tolist() == [EqualityType.formula]
    model, data = made.model, pb.Data(made.model)
    data.qpos[:] = [0.5, 0.2, 1.0]
    dynamics.formulas(model.kernel, data.kernel)
    assert data.kernel.array("formula_pos") == pytest.approx([1.0 - 1.163648], abs=1e-6)
    assert [model.names["joint"][dof] for dof in model.formula_J_colind] == ["c", "a", "b"]
    assert data.kernel.array("formula_entry") == pytest.approx([1.0, -1.8, -1.0])
    pb.forward(model, data)
    assert (data.efc_type.tolist(), data.efc_id.tolist()) == ([0], [0])
    assert data.efc_J[0] == pytest.approx([-1.8, -1.0, 1.0])
    assert data.efc_pos == pytest.approx([1.0 - 1.163648], abs=1e-6)
    pb.step(model, data, 2000)
    assert native.qpos(native.q(data.qpos))[2] == pytest.approx(data.qpos[2], abs=1e-3)


# --- files --------------------------------------------------------------------------------------------------


def test_two_arms_with_prefixes(tmp_path: Path) -> None:
    (tmp_path / "arm.kinbody.xml").write_text(ARM_FILE)
    made = low(tmp_path, DUAL, base="fixed")
    assert list(made.native.q_slices) == ["l_j1", "l_j2", "r_j1", "r_j2"]
    at = poses(made, [0.5, -0.3, 0.2, 0.9])
    near(at["l_base"], (1.1, 2, 0.7), (0.5, 0.5, 0.5, 0.5))
    near(at["l_link1"], (1.4, 2, 0.7), (0.360754, 0.608158, 0.360754, 0.608158))
    near(at["l_link2"], (1.4, 2.175517, 0.795885), (0.146834, -0.575048, -0.779815, -0.199119))
    near(at["r_base"], (0.9, 2, 0.7), (0.5, -0.5, -0.5, 0.5))
    near(at["r_link1"], (0.6, 2, 0.7), (0.447585, -0.547419, -0.447585, 0.547419))
    near(at["r_link2"], (0.6, 2.196013, 0.660266), (0.327501, -0.032860, 0.094271, 0.939562))


REOPENED = (
    '<robot name="r"><kinbody><body name="root"/></kinbody><robot file="wam.robot.xml"><kinbody>'
    '<body name="wam0">{turn}<translation>0.3 0.4 0.3</translation></body>'
    '<joint name="dummy" type="hinge"><body>root</body><body>wam0</body><limitsdeg>0 0</limitsdeg></joint>'
    "</kinbody></robot></robot>"
)
WAM = (
    '<robot name="wam"><kinbody><body name="wam0"/><body name="wam1"><translation>0 0 0.2</translation>'
    "</body>"
    '<joint name="J1" type="hinge"><body>wam0</body><body>wam1</body><offsetfrom>wam1</offsetfrom>'
    "<axis>0 0 1</axis></joint></kinbody></robot>"
)


def test_a_base_that_is_opened_again_and_turned_across_its_joint(tmp_path: Path) -> None:
    (tmp_path / "wam.robot.xml").write_text(WAM)
    made = low(tmp_path, REOPENED.format(turn="<rotationaxis>1 0 0 90</rotationaxis>"), base="fixed")
    assert list(made.native.q_slices) == ["J1", "dummy"]
    assert made.native.q(made.model.qpos0) == pytest.approx([0, 0])
    at = poses(made)
    near(at["wam0"], (0.3, 0.4, 0.3), (0.707107, 0.707107, 0, 0))
    near(at["wam1"], (0.3, 0.2, 0.3))
    near(poses(made, [0.5, 0])["wam1"], (0.3, 0.2, 0.3), (0.685125, 0.685125, -0.174941, 0.174941))


def test_a_base_that_is_opened_again_and_turned_about_its_joint(tmp_path: Path) -> None:
    (tmp_path / "wam.robot.xml").write_text(WAM)
    made = low(tmp_path, REOPENED.format(turn="<rotationaxis>0 0 1 30</rotationaxis>"), base="fixed")
    assert np.rad2deg(made.native.q(made.model.qpos0)) == pytest.approx([-30, 0])
    near(poses(made)["wam1"], (0.3, 0.4, 0.5), (1, 0, 0, 0))
    near(poses(made, [0, 0])["wam1"], (0.3, 0.4, 0.5), (0.965926, 0, 0, 0.258819))
    near(poses(made, [0.5, 0])["wam1"], (0.3, 0.4, 0.5), (0.871865, 0, 0, 0.489747))
    assert any("does not start where it is drawn" in each.message for each in made.findings)


# --- masses -------------------------------------------------------------------------------------------------


SOLIDS = (
    '<body name="a"><mass type="mimicgeom">{amount}</mass>'
    '<geom type="box"><extents>0.1 0.2 0.3</extents><translation>1 0 0</translation>'
    "<rotationaxis>0 1 0 45</rotationaxis></geom>"
    '<geom type="cylinder"><radius>0.1</radius><height>0.4</height><translation>0 0.5 0</translation>'
    "</geom></body>"
)


def tensor(model: pb.Model, body: int = 1) -> np.ndarray:
    turn = matrix(model.body_iquat[body])
    return turn @ np.diag(model.body_inertia[body]) @ turn.T


@pytest.mark.parametrize(
    ("amount", "mass", "moments"),
    [
        ("<density>1000</density>", 60.566371, (4.128739, 11.621919, 14.087827, 4.979544, -0.64, 0)),
        ("<total>10</total>", 10, (0.681688, 1.918873, 2.326015, 0.822163, -0.105669, 0)),
    ],
)
def test_masses_of_geometry(tmp_path: Path, amount: str, mass: float, moments: tuple) -> None:
    made = low(tmp_path, kinbody(SOLIDS.format(amount=amount)))
    assert made.model.body_mass[1] == pytest.approx(mass, abs=1e-6)
    np.testing.assert_allclose(made.model.body_ipos[1], (0.792519, 0.103740, 0), atol=1e-6)
    inertia = tensor(made.model)
    found = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    np.testing.assert_allclose(found, moments, atol=1e-6)


RODS = (
    '<body name="base"/><body name="one"><mass type="mimicgeom"><density>1e7</density></mass>'
    '<geom type="box"><extents>0.1 0.0001 0.0001</extents><translation>0.1 0 0</translation></geom></body>'
    '<body name="two"><offsetfrom>one</offsetfrom><translation>0.2 0 0</translation>'
    '<mass type="mimicgeom"><density>1e7</density></mass>'
    '<geom type="box"><extents>0.1 0.0001 0.0001</extents><translation>0.1 0 0</translation></geom></body>'
    '<joint name="j1" type="hinge"><body>base</body><body>one</body><axis>0 0 1</axis></joint>'
    '<joint name="j2" type="hinge"><body>one</body><body>two</body><offsetfrom>two</offsetfrom>'
    "<axis>0 0 1</axis>"
    "</joint>"
)


def test_the_mass_matrix_of_two_rods(tmp_path: Path) -> None:
    made = low(tmp_path, kinbody(RODS), base="fixed", disable=("constraint",))
    data = pb.Data(made.model)
    data.qpos[:] = made.native.qpos([0, 1.1])
    pb.forward(made.model, data)
    assert made.model.body_mass[2] == pytest.approx(0.08)
    np.testing.assert_allclose(
        pb.mass_matrix(made.model, data), [[0.006785, 0.001792], [0.001792, 0.001067]], atol=1e-6
    )


# --- excerpts of robots of the corpus -----------------------------------------------------------------------


GRIPPER = (
    '<KinBody name="gripper"><Body name="gripper_base" type="dynamic"/>'
    '<KinBody prefix="L_" file="finger.kinbody.xml"><Body name="L_finger">'
    "<offsetfrom>gripper_base</offsetfrom>"
    "<Translation>0 -0.009 0.163</Translation><RotationAxis>0 0 1 90</RotationAxis></Body></KinBody>"
    '<KinBody prefix="R_" file="finger.kinbody.xml"><Body name="R_finger">'
    "<offsetfrom>gripper_base</offsetfrom>"
    "<Translation>0 0.009 0.163</Translation><RotationAxis>0 0 1 270</RotationAxis></Body></KinBody>"
    '<Joint name="jL" type="slider"><offsetfrom>gripper_base</offsetfrom><body>gripper_base</body>'
    "<body>L_finger</body><axis>0 -1 0</axis><limits>0 0.034</limits></Joint>"
    '<Joint name="jR" type="slider" enable="false" mimic_pos="-jL" mimic_vel="|jL -1" mimic_accel="|jL -1">'
    "<offsetfrom>gripper_base</offsetfrom><body>gripper_base</body><body>R_finger</body><axis>0 -1 0</axis>"
    "<limits>-0.034 0</limits></Joint></KinBody>"
)


def test_a_gripper_of_opened_bodies_with_prefixes(tmp_path: Path) -> None:
    (tmp_path / "finger.kinbody.xml").write_text('<KinBody><Body name="finger"/></KinBody>')
    text = (
        f"<robot name='r'>{GRIPPER}<manipulator name='hand'><base>gripper_base</base>"
        "<effector>gripper_base</effector><joints>jR jL</joints><closingdirection>1 -1</closingdirection>"
        "</manipulator></robot>"
    )
    made = low(tmp_path, text, base="fixed")
    at = poses(made, [0.02])
    near(at["L_finger"], (0, -0.029, 0.163), (0.707107, 0, 0, 0.707107))
    near(at["R_finger"], (0, 0.029, 0.163), (0.707107, 0, 0, -0.707107))
    assert objects(made.model, "hand.gripper") == [(ObjectType.JOINT, "jL", -1.0)]
    near(poses(made, [1.0])["R_finger"], (0, 0.043, 0.163))
    assert not [
        each for each in pb.check(tmp_path / "document.xml", format="openrave") if each.code == "PB058"
    ]


HEAD = (
    '<KinBody name="chair"><Body name="chair" type="static"/><Body name="head"/><Body name="link0"/>'
    '<Body name="link1"/>'
    '<Joint name="pitch" type="hinge"><body>chair</body><body>link0</body><axis>1 0 0</axis>{0}</Joint>'
    '<Joint name="roll" type="hinge"><body>link0</body><body>link1</body><axis>0 1 0</axis>{0}</Joint>'
    '<Joint name="yaw" type="hinge"><body>link1</body><body>head</body><axis>0 0 1</axis>{0}</Joint>'
    "</KinBody>"
)


def test_a_head_whose_links_are_listed_before_what_carries_them(tmp_path: Path) -> None:
    at = poses(low(tmp_path, HEAD.format("<anchor>0 0.05 0.5</anchor>")), [0.1, 0.2, 0.3])
    near(at["link0"], (0, 0.050167, -0.002494))
    near(at["link1"], (-0.099335, 0.049171, 0.007423))
    near(at["head"], (-0.084853, 0.051687, 0.004725), (0.981856, 0.064071, 0.091158, 0.153439))
