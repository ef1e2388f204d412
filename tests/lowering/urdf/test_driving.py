"""Actuators that the caller chooses, self-collision, and what an SRDF adds to a Model."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.lowering.plants.driving import gains

from tests.lowering.urdf.robots import joint, link, made, motor, robot

ROOT = Path(__file__).resolve().parents[3]
BALL = '<collision><geometry><sphere radius="0.5"/></geometry></collision>'
ROD = (
    '<inertial><origin xyz="0 0 -0.5"/><mass value="2"/>'
    '<inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)
ABOUT_Y = '<axis xyz="0 1 0"/>'


def bounded(lower: float, upper: float, effort: float | None = None) -> str:
    said = "" if effort is None else f'effort="{effort}" velocity="1"'
    return f'{ABOUT_Y}<limit lower="{lower}" upper="{upper}" {said}/>'


PARTS = (
    link("base", ROD),
    link("arm", ROD),
    link("hand", ROD),
    link("tool", ROD),
    joint("lift", "revolute", "base", "arm", bounded(-1, 2, 30)),
    joint("turn", "continuous", "arm", "hand", ABOUT_Y),
    joint("slide", "prismatic", "hand", "tool", bounded(0.1, 0.3, 8)),
    motor("lift"),
)


def forces(model: pb.Model) -> list[Any]:
    return [None if not on else size for on, (_, size) in zip(
        model.actuator_forcelimited, model.actuator_forcerange.tolist(), strict=True
    )]  # fmt: skip


def test_a_motor_for_each_joint_within_its_effort() -> None:
    as_is, motors = made(*PARTS).model, made(*PARTS, actuators="motor").model
    assert as_is.names["actuator"] == ("motor",)
    assert motors.names["actuator"] == ("lift", "turn", "slide")
    assert forces(motors) == [30, None, 8]
    assert made(*PARTS, actuators="none").model.nu == 0
    data = pb.Data(motors)
    data.ctrl[:] = 100, 3, -100
    pb.forward(motors, data)
    assert data.actuator_force.tolist() == [30, 3, -8]


def test_a_servo_holds_its_joint_with_gains_of_inertia_and_effort() -> None:
    model = made(*PARTS, actuators="position", base="fixed").model
    inertia = np.diagonal(pb.mass_matrix(model, pb.Data(model)))
    kp = [30 / 0.1, inertia[1] * 100**2, 8 / 0.01]
    assert model.actuator_gainprm[:, 0] == pytest.approx(kp)
    assert model.actuator_biasprm[:, 1] == pytest.approx(np.negative(kp))
    assert model.actuator_biasprm[:, 2] == pytest.approx(-2 * np.sqrt(kp * inertia))
    assert model.actuator_ctrllimited.tolist() == [1, 0, 1]
    assert model.actuator_ctrlrange[[0, 2]].tolist() == [[-1, 2], [0.1, 0.3]]
    assert pb.Data(model).ctrl.tolist() == [0, 0, 0.1]  # the nearest position within the limits
    assert model.opt.integrator.name == "implicitfast"


def test_a_servo_moves_its_joint_to_the_control() -> None:
    model = made(*PARTS, actuators="position", base="fixed", disable=("gravity",)).model
    data = pb.Data(model)
    data.ctrl[:] = 1, -0.5, 0.2
    pb.step(model, data, 3000)
    assert data.qpos == pytest.approx([1, -0.5, 0.2], abs=1e-5)
    assert np.abs(data.qvel).max() < 1e-5


def test_gains_leave_twelve_steps_to_a_period() -> None:
    kp, kv = gains(*(np.array([each]) for each in (1e-6, 4e-6, 1.0, 0.1)), 1e-3)
    assert kp[0] == pytest.approx(1e-6 * 500**2)
    assert kv[0] == pytest.approx(2 * np.sqrt(kp[0] * 4e-6))


def test_joints_that_nothing_is_to_drive() -> None:
    follower = joint("slide", "prismatic", "hand", "tool", bounded(0.1, 0.3, 8) + '<mimic joint="lift"/>')
    weak = joint("lift", "revolute", "base", "arm", bounded(-1, 2, 0))
    ball = joint("turn", "ball", "arm", "hand", tag="drake:joint")
    links = PARTS[:4]
    assert made(*PARTS[:6], follower, actuators="motor").model.names["actuator"] == ("lift", "turn")
    result = made(*links, weak, ball, PARTS[6], actuators="motor")
    assert result.model.names["actuator"] == ("slide",)
    said = [f.message for f in result.findings]
    assert "the effort limit of joint `lift` is 0: it has no actuator" in said
    assert "joint `turn` has several degrees of freedom: it has no actuator" in said


def test_the_inertia_of_a_rotor_stays() -> None:
    rotor = '<drake:rotor_inertia value="0.01"/><drake:gear_ratio value="10"/>'
    parts = (*PARTS[:7], motor("lift", inside=rotor))
    for how in ("as-is", "motor", "none"):
        model = made(*parts, actuators=how, base="fixed").model
        assert model.dof_armature.tolist() == pytest.approx([1, 0, 0]), how


SDF = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>5</effort></limit></axis></joint>
<joint name="k" type="prismatic"><parent>b</parent><child>c</child>
<axis><xyz>0 0 1</xyz><limit><effort>0</effort></limit></axis></joint>
</model></sdf>"""


def test_sdformat_and_directives_have_the_same_options(tmp_path: Path) -> None:
    for how, count in (("as-is", 1), ("motor", 1), ("position", 1), ("none", 0)):
        model = pb.load("m.sdf", text=SDF, actuators=how, base="fixed")
        assert model.nu == count
    assert forces(pb.load("m.sdf", text=SDF, actuators="motor")) == [5]
    servo = pb.load("m.sdf", text=SDF, actuators="position")
    assert servo.actuator_gainprm[0, 0] == pytest.approx(50)
    (tmp_path / "m.sdf").write_text(SDF)
    (tmp_path / "package.xml").write_text("<package><name>p</name></package>")
    scene = tmp_path / "scene.dmd.yaml"
    scene.write_text("directives:\n- add_model: {file: 'package://p/m.sdf', name: m}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert pb.load(scene, actuators="position").actuator_gainprm[0, 0] == pytest.approx(50)


@pytest.mark.parametrize("option", ["actuators", "self_collide", "srdf"])
def test_other_formats_refuse_them(option: str) -> None:
    with pytest.raises(TypeError, match=f"mjcf has no option '{option}'"):
        pb.load("a.xml", text="<mujoco/>", **{option: "none"})
    if option == "srdf":
        with pytest.raises(TypeError, match="sdf has no option 'srdf'"):
            pb.load("m.sdf", text=SDF, srdf="a.srdf")


def test_invalid_values_are_refused() -> None:
    with pytest.raises(ValueError, match='one of "as-is", "motor", "position", "none", not \'servo\''):
        made(*PARTS, actuators="servo")
    with pytest.raises(ValueError, match="self_collide must be True, False or None, not 'no'"):
        made(*PARTS, self_collide="no")


# --- contacts ----------------------------------------------------------------------------------------------

TOUCHING = tuple(link(name, BALL + ROD) for name in "abcd") + tuple(
    joint(f"{parent}{child}", "continuous", parent, child, ABOUT_Y, origin='xyz="0.3 0 0"')
    for parent, child in ("ab", "bc", "cd")
)
PAIRS = {("a", "c"), ("b", "d"), ("a", "d")}
"""Pairs of links that no joint connects; all of them overlap."""


def touching(**options: Any) -> set[tuple[str, str]]:
    model = made(*TOUCHING, disable=(), **options).model
    data = pb.Data(model)
    pb.forward(model, data)
    names = model.names["body"]
    bodies = model.geom_bodyid[data.contact.geom[: data.ncon]]
    return {tuple(sorted(names[body] for body in pair)) for pair in bodies.tolist()}  # type: ignore[misc]


def test_links_of_a_robot_touch_each_other_or_not() -> None:
    assert touching() == PAIRS
    assert touching(self_collide=True) == PAIRS
    assert touching(self_collide=False) == set()
    assert touching(meaning="gazebo") == set()
    assert touching(meaning="gazebo", self_collide=True) == PAIRS


def test_robots_still_touch_each_other_and_nested_models_are_one_robot() -> None:
    sphere = '<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>'
    nested = f'<model name="inner"><link name="l">{sphere}</link></model><link name="l">{sphere}</link>'
    world = "".join(f'<model name="{name}">{nested}</model>' for name in "mn")
    text = f'<sdf version="1.9"><world name="w">{world}</world></sdf>'
    counts = []
    for how in (None, False):
        model = pb.load("w.sdf", text=text, self_collide=how)
        data = pb.Data(model)
        pb.forward(model, data)
        counts.append(int(data.ncon))
    assert counts == [6, 4]


def srdf(*inside: str) -> Any:
    return pb.read("r.srdf", text='<robot name="r">' + "".join(inside) + "</robot>")


def disabled(one: str, other: str) -> str:
    return f'<disable_collisions link1="{one}" link2="{other}"/>'


def test_pairs_of_an_srdf_do_not_collide() -> None:
    assert touching(srdf=srdf(disabled("c", "a"), disabled("a", "d"))) == {("b", "d")}
    alone = '<disable_default_collisions link="a"/>'
    assert touching(srdf=srdf(alone)) == {("b", "d")}
    enabled = '<enable_collisions link1="a" link2="d"/>'
    assert touching(srdf=srdf(alone, enabled)) == {("b", "d"), ("a", "d")}
    assert touching(srdf=srdf(alone, enabled, disabled("d", "a"))) == {("b", "d")}


STATES = srdf(
    '<group name="g"><joint name="lift"/></group><group name="h"><joint name="turn"/></group>',
    '<group_state name="up" group="g"><joint name="lift" value="0.5"/></group_state>',
    '<group_state name="home" group="g"><joint name="lift" value="0.2"/></group_state>',
    '<group_state name="home" group="h"><joint name="turn" value="1"/></group_state>',
    '<passive_joint name="turn"/>',
)


def test_states_of_an_srdf_are_keyframes_that_servos_hold() -> None:
    model = made(*PARTS, actuators="position", base="fixed", srdf=STATES).model
    assert model.names["key"] == ("up", "g/home", "h/home")
    assert model.names["actuator"] == ("lift", "slide")
    assert model.key_qpos.tolist() == [[0.5, 0, 0], [0.2, 0, 0], [0, 1, 0]]
    assert model.key_ctrl.tolist() == [[0.5, 0.1], [0.2, 0.1], [0, 0.1]]
    floating = made(*PARTS, srdf=STATES).model
    assert floating.key_qpos[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0]


def test_what_follows_a_joint_of_a_state_is_where_the_joint_makes_it() -> None:
    follower = '<mimic joint="lift" multiplier="2" offset="0.1"/>'
    parts = (*PARTS[:5], joint("turn", "continuous", "arm", "hand", ABOUT_Y + follower), PARTS[6])
    model = made(*parts, base="fixed", srdf=STATES).model
    assert model.key_qpos[0].tolist() == pytest.approx([0.5, 1.1, 0])


def test_findings_about_an_srdf_are_reported() -> None:
    result = made(*TOUCHING, srdf=srdf(disabled("a", "x"), disabled("a", "c")))
    found = [finding for finding in result.findings if finding.code == "PB130"]
    assert [finding.severity for finding in found] == ["warning"]
    with pytest.raises(pb.ValidationError, match="PB130"):
        made(*TOUCHING, srdf=srdf(disabled("a", "x"), disabled("a", "c")), policy="strict")


# --- the examples ------------------------------------------------------------------------------------------


def test_the_arm_reaches_and_grips() -> None:
    folder = ROOT / "examples"
    model = pb.load(folder / "arm.urdf", base="fixed", actuators="position", srdf=folder / "arm.srdf")
    data = pb.Data(model)
    pb.reset(model, data, key="reaching")
    data.actuator("grip").ctrl = 0.04
    pb.step(model, data, 2000)
    assert data.qpos == pytest.approx([0.5, 0.6, 0.9, 0.4, 0.04, 0.04], abs=0.02)
    assert data.ncon == 0


def test_the_quadruped_keeps_its_stance() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pb.load(ROOT / "examples" / "quadruped.sdf", actuators="position")
    data = pb.Data(model)
    for each in pb.read(ROOT / "examples" / "quadruped.srdf").find("group_state", "standing").joint:
        data.joint(f"quadruped::{each.name}").qpos = each.value
        data.actuator(f"quadruped::{each.name}").ctrl = each.value[0]
    pb.step(model, data, 2000)
    assert data.body("quadruped::trunk").xpos[2] == pytest.approx(0.297, abs=0.003)
    assert np.abs(data.qvel).max() < 0.01
    forces = data.contact.force[: data.ncon] if hasattr(data.contact, "force") else None
    assert data.ncon == 4
    assert forces is None or np.isfinite(forces).all()


def test_options_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(robot(*PARTS))
    run = CliRunner().invoke
    result = run(app, ["info", str(path), "--actuators", "position", "--no-self-collide", "--base", "fixed"])
    assert result.exit_code == 0, result.output
    result = run(app, ["info", str(path), "--srdf", "none.srdf"])
    assert result.exit_code == 1
    (tmp_path / "a.xml").write_text("<mujoco/>")
    for option in (["--no-self-collide"], ["--actuators", "none"], ["--srdf", "a.srdf"]):
        result = run(app, ["info", str(tmp_path / "a.xml"), *option])
        assert result.exit_code == 2
        assert "does not apply to the format" in result.output
