"""SDFormat documents lowered to Models: values computed by hand, decisions where Drake errs, rejections with
their lines.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.generated.model import EqualityType, JointType
from polybody.lowering import lowered
from polybody.rotations.arrays import matrix

from tests.differential.sdf_models import ROBOT, A, B, joint, link, model, sdf

QUIET = ("constraint", "contact")
pytestmark = pytest.mark.filterwarnings("ignore::polybody.errors.ModelWarning")


def made(text: str, **options: Any) -> Any:
    return lowered(pb.read("m.sdf", text=text), disable=QUIET, **options)


def errors(text: str) -> list[tuple[str, int]]:
    """The codes and lines of the errors that prevent a Model under `warn`."""
    with pytest.raises(pb.ValidationError) as caught:
        made(text)
    return [(each.code, each.line) for each in caught.value.diagnostics if each.severity == "error"]


def same(one: pb.Model, other: pb.Model) -> None:
    for name in ("body_pos", "body_quat", "jnt_axis", "jnt_pos", "jnt_pitch", "body_mass", "body_inertia"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=1e-15)


def test_poses_in_radians_degrees_and_quaternions_are_the_same() -> None:
    radians = f'<link name="a"><pose>1 2 3 {math.pi / 6} {math.pi / 4} {math.pi / 3}</pose></link>'
    degrees = '<link name="a"><pose degrees="true">1 2 3 30 45 60</pose></link>'
    w, x, y, z = made(model(radians)).model.qpos0[3:].tolist()
    quaternion = (
        f'<link name="a"><pose rotation_format="quat_xyzw">1 2 3 {x!r} {y!r} {z!r} {w!r}</pose></link>'
    )
    models = [made(model(text)).model for text in (radians, degrees, quaternion)]
    for each in models[1:]:
        np.testing.assert_allclose(each.qpos0, models[0].qpos0, rtol=0, atol=1e-15)
    turn = matrix(models[0].qpos0[3:])
    assert turn[2, 0] == pytest.approx(-math.sin(math.pi / 4), abs=1e-15)
    assert math.atan2(turn[1, 0], turn[0, 0]) == pytest.approx(math.pi / 3, abs=1e-15)


def test_a_former_thread_pitch_is_turns_per_metre_with_the_other_sign() -> None:
    text = model(A + B + joint("screw", "a", "b"))
    former = text.replace("</joint>", "<thread_pitch>0.5</thread_pitch></joint>")
    newer = text.replace("</joint>", f"<screw_thread_pitch>{-4 * math.pi!r}</screw_thread_pitch></joint>")
    same(made(former).model, made(newer).model)
    assert made(former).model.jnt_pitch[1] == -2.0
    assert made(text).model.jnt_pitch[1] == pytest.approx(1 / (2 * math.pi))


def test_axes_are_the_models_before_version_1_5_and_the_joints_from_then_on() -> None:
    text = '<link name="a"/><link name="b"><pose>0 0 0 0 0 .5</pose></link>' + (
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child>'
        "<axis><xyz>1 0 0</xyz></axis></joint>"
    )
    axes = {
        version: made(model(text, version=version)).model.jnt_axis[1] for version in ("1.4", "1.5", "1.9")
    }
    np.testing.assert_allclose(axes["1.4"], [math.cos(0.5), -math.sin(0.5), 0], atol=1e-15)
    np.testing.assert_array_equal(axes["1.5"], [1, 0, 0])
    np.testing.assert_array_equal(axes["1.9"], [1, 0, 0])


def test_a_frame_on_a_joint_is_at_the_joint() -> None:
    """Drake 1.51 puts it at the origin of the child."""
    text = model(
        A
        + B
        + joint("revolute", "a", "b")
        + '<frame name="f" attached_to="j"><pose>0 0 1 0 0 0</pose></frame>'
    )
    found = made(text).model
    row = found.names["site"].index("f")
    np.testing.assert_allclose(
        found.site_pos[row], np.array([0.1, 0.2, 0.3]) + turned((0.5, -0.4, 0.3)) @ [0, 0, 1]
    )


def turned(angles: tuple[float, float, float]) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(each), math.cos(each)) for each in angles)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def test_mass_and_inertia_of_shapes_by_formula() -> None:
    text = model(
        '<link name="a"><inertial auto="true"><density>100</density></inertial>'
        "<collision name='x'><pose>1 0 0 0 0 0</pose>"
        "<geometry><box><size>1 2 3</size></box></geometry></collision>"
        "<collision name='y'><density>50</density>"
        "<geometry><cone><radius>1</radius><length>3</length></cone></geometry>"
        "</collision></link>",
        version="1.11",
    )
    found = made(text).model
    box, cone = 100 * 6.0, 50 * math.pi
    assert found.body_mass[1] == pytest.approx(box + cone, rel=1e-14)
    centre = np.array([box, 0, cone * -0.75]) / (box + cone)
    np.testing.assert_allclose(found.body_ipos[1], centre, atol=1e-14)
    about_z = box * 5 / 12 + box * (1 - centre[0]) ** 2 + cone * 0.3 + cone * centre[0] ** 2
    turn = matrix(found.body_iquat[1])
    inertia = turn @ np.diag(found.body_inertia[1]) @ turn.T
    assert inertia[2, 2] == pytest.approx(about_z, rel=1e-13)


def test_names_are_full_where_there_are_several_models_and_short_where_not() -> None:
    one = made(model(A + B + joint("revolute", "a", "b")))
    assert one.model.names["body"] == ("world", "a", "b")
    assert set(one.native.q_slices) == {"a", "j"}
    two = made(model(A + f'<model name="n">{B}</model>' + joint("revolute", "a", "n::b")))
    assert two.model.names["body"] == ("world", "m::a", "m::n::b")
    assert set(two.native.q_slices) == {"m::a", "m::n::j"}


def test_bounds_of_1e16_are_none() -> None:
    limits = "<limit><lower>-1e16</lower><upper>{}</upper></limit>"
    text = model(A + B + joint("revolute", "a", "b", more=limits.format("1e16")))
    assert not made(text).model.jnt_limited.any()
    half = made(model(A + B + joint("revolute", "a", "b", more=limits.format("1.5")))).model
    assert half.jnt_limited[1]
    assert half.jnt_range[1, 1] == 1.5


def test_a_joint_follows_another() -> None:
    more = joint("revolute", "b", "c", "k").replace(
        "</joint>", '<drake:mimic joint="j" multiplier="2" offset=".5"/></joint>'
    )
    found = made(model(A + B + link("c") + joint("revolute", "a", "b") + more)).model
    assert found.eq_type.tolist() == [EqualityType.joint]
    np.testing.assert_array_equal(found.eq_data[0, :2], [0.5, 2])
    held = found.replace(opt_disableflags=0)
    data = pb.Data(held)
    rows = [int(held.jnt_qposadr[held.names["joint"].index(name)]) for name in ("k", "j")]
    data.qpos[rows] = 0.5, 0.0
    pb.step(held, data, 100)
    follower, leader = data.qpos[rows]
    assert follower == pytest.approx(2 * leader + 0.5, abs=0.01)


GAZEBO = sdf(
    '<world name="w"><gravity>0 0 -3.7</gravity><model name="m">'
    + A.replace("</link>", "<gravity>false</gravity></link>")
    + B
    + joint("revolute", "a", "b", more="<dynamics><friction>.3</friction></dynamics>")
    + "</model></world>"
)


def test_gazebo_and_drake_differ_in_gravity_and_friction() -> None:
    drake, gazebo = made(GAZEBO).model, made(GAZEBO, meaning="gazebo").model
    assert not drake.dof_frictionloss.any()
    assert gazebo.dof_frictionloss.tolist() == [0.0] * 6 + [0.3]
    np.testing.assert_array_equal(drake.opt_gravity, [0, 0, -9.81])
    np.testing.assert_array_equal(gazebo.opt_gravity, [0, 0, -3.7])
    assert (drake.body_gravcomp.tolist(), gazebo.body_gravcomp.tolist()) == ([0, 0, 0], [0, 1, 0])
    with pytest.raises(ValueError, match="meaning"):
        made(GAZEBO, meaning="ode")


def test_static_reaches_models_in_it_as_gazebo_has_it_alone() -> None:
    text = model(f'<static>true</static>{A}<model name="n">{B}</model>')
    assert made(text).model.jnt_type.tolist() == [JointType.free]
    assert made(text, meaning="gazebo").model.njnt == 0


def test_what_nothing_simulates_is_said_once_per_kind() -> None:
    sensors = '<sensor name="s" type="imu"/><sensor name="t" type="imu"/>'
    found = made(model(link("a", more=sensors))).findings
    assert [each.message for each in found if each.code == "PB061" and "sensor" in each.message] == [
        "<sensor> is read but not simulated (written 2 times): Drake ignores sensors"
    ]


def included(folder: Path, inner: str, more: str, uri: str = "part.sdf", **options: Any) -> Any:
    """A model that includes another file."""
    (folder / uri).write_text(inner)
    text = model(f"{A}<include><uri>{uri}</uri>{more}</include>")
    (folder / "m.sdf").write_text(text)
    return lowered(pb.read(folder / "m.sdf"), disable=QUIET, **options)


HINGED = model(A + B + joint("revolute", "a", "b"), "part")
WELDED = model(A + B + joint("fixed", "a", "b", axis=""), "part")
STATIC = "<static>true</static>"


def test_a_file_beside_the_including_one_is_not_where_drake_looks(tmp_path: Path) -> None:
    """Drake looks in the working directory; both find packages."""
    found = included(tmp_path, WELDED, "<name>one</name></include><include><uri>part.sdf</uri>")
    (told,) = [each for each in found.findings if each.code == "PB088"]
    assert (told.severity, told.line) == ("warning", 1)
    assert "`part.sdf`" in told.message
    (tmp_path / "package.xml").write_text("<package><name>parts</name></package>")
    (tmp_path / "m.sdf").write_text(
        (tmp_path / "m.sdf").read_text().replace("<uri>", "<uri>package://parts/")
    )
    assert [each for each in lowered(pb.read(tmp_path / "m.sdf")).findings if each.code == "PB088"] == []


def test_an_included_model_is_made_static_if_its_joints_are_fixed(tmp_path: Path) -> None:
    assert included(tmp_path, WELDED, STATIC).model.jnt_type.tolist() == [JointType.free]
    with pytest.raises(pb.ValidationError, match="only fixed ones") as caught:
        included(tmp_path, HINGED, STATIC)
    assert {each.code for each in caught.value.diagnostics if each.severity == "error"} == {"PB083"}
    gazebo = included(tmp_path, HINGED, STATIC, meaning="gazebo").model
    assert (gazebo.njnt, gazebo.nu) == (1, 0)


def test_an_included_robot_of_urdf_is_static_in_gazebo_alone(tmp_path: Path) -> None:
    pose = "<pose>1 2 3 0 0 .5</pose>"
    with pytest.raises(pb.ValidationError, match="static") as caught:
        included(tmp_path, ROBOT, STATIC + pose, "robot.urdf")
    assert {each.code for each in caught.value.diagnostics if each.severity == "error"} == {"PB083"}
    found = included(tmp_path, ROBOT, STATIC + pose, "robot.urdf", meaning="gazebo").model
    assert found.njnt == 1
    data = pb.Data(found)
    pb.forward(found, data)
    np.testing.assert_allclose(data.body("m::r::u").xpos, [1, 2, 3], atol=1e-15)


def test_frictions_that_drake_refuses_and_shapes_that_the_model_lacks_are_reported() -> None:
    ode = "<surface><friction><ode>{}</ode></friction></surface>"
    cone = "<geometry><cone><radius>1</radius><length>1</length></cone></geometry>"
    ball = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    for written, code in (
        ("<mu>.6</mu>", "PB088"),
        ("<mu>.6</mu><mu2>.7</mu2>", "PB088"),
        ("<mu>.9</mu><mu2>.7</mu2>", "PB061"),
        ("<mu>.7</mu><mu2>.7</mu2>", None),
        ("<mu2>.7</mu2>", None),
    ):
        shape = f'<collision name="c">{ball}{ode.format(written)}</collision>'
        found = [each.code for each in made(model(link("a", more=shape))).findings]
        assert found == ([] if code is None else [code]), written
    shape = f'<collision name="c">{cone}</collision>'
    (told,) = made(model(link("a", more=shape), version="1.11")).findings
    assert (told.code, told.message.partition(" ")[0]) == ("PB061", "<cone>")


def test_joints_start_at_their_initial_positions() -> None:
    """Drake rejects <initial_position>; `lenient` gives it the meaning of the specification."""
    text = model(
        A + B + joint("revolute", "a", "b", more="<initial_position>.5</initial_position>"), version="1.7"
    )
    with pytest.raises(pb.ValidationError, match="Drake rejects <initial_position>"):
        pb.load("m.sdf", text=text)
    started = pb.load("m.sdf", text=text, policy="lenient", disable=QUIET)
    plain = pb.load("m.sdf", text=text.replace(">.5<", ">0<"), policy="lenient", disable=QUIET)
    assert started.qpos0[7] == 0.5
    data, other = pb.Data(started), pb.Data(plain)
    other.qpos[:] = data.qpos
    pb.forward(started, data)
    pb.forward(plain, other)
    assert np.array_equal(data.xpos, other.xpos)
    assert np.allclose(data.qacc, other.qacc, rtol=1e-12, atol=1e-12)


def test_a_faulty_mesh_leaves_the_shape_out(tmp_path: Path) -> None:
    mesh = "<geometry><mesh><uri>{}</uri></mesh></geometry>"
    shapes = "".join(
        f'<{kind} name="{name}">{mesh.format(name)}</{kind}>'
        for kind, name in (("visual", "none.obj"), ("collision", "cut.obj"), ("visual", "good.obj"))
    )
    (tmp_path / "cut.obj").write_text("v 0 0 0\nf 1 2 9\n")
    (tmp_path / "good.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    path = tmp_path / "m.sdf"
    path.write_text(model(link("a", more=shapes)))
    found = lowered(pb.read(path))
    assert found.model.names["geom"] == ("good.obj",)
    assert {each.code for each in found.findings if each.severity == "warning"} == {"PB036", "PB084"}
    with pytest.raises(pb.ValidationError):
        pb.read(path, policy="strict")


REFUSED = {
    "a kind of joint that Drake has not": (A + B + "\n" + joint("revolute2", "a", "b"), "PB083", 2),
    "a path without curves": (
        A + B + '\n<drake:joint name="j" type="curvilinear"><drake:parent>a</drake:parent>'
        "<drake:child>b</drake:child></drake:joint>",
        "PB021",
        2,
    ),
    "a loop": (
        A
        + B
        + link("c")
        + joint("revolute", "a", "b")
        + joint("fixed", "b", "c", "k", axis="")
        + "\n"
        + joint("revolute", "a", "c", "l"),
        None,
        2,
    ),
    "axes that are not at right angles": (
        A
        + B
        + '<joint name="j" type="universal"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>\n'
        "<axis2><xyz>1 1 0</xyz></axis2></joint>",
        None,
        2,
    ),
    "a frame that does not exist": (A + '\n<frame name="f" attached_to="z"/>', "PB032", 2),
    "a circle of frames": (
        A + '\n<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>',
        "PB033",
        2,
    ),
    "a deformable body": (A + '<link name="d">\n<drake:deformable_properties/></link>', "PB063", 2),
    "no shape to weigh": ('<link name="a">\n<inertial auto="true"/></link>', None, 2),
    "a joint that cannot be reversed": (
        A + B + joint("fixed", "world", "b", "w", axis="") + "\n" + joint("ball", "a", "b", axis=""),
        "PB063",
        2,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_model_has_a_line(name: str) -> None:
    text, code, line = REFUSED[name]
    found = errors(model(text, version="1.10"))
    assert line in [at for _, at in found]
    assert code is None or (code, line) in found


def test_inertia_that_no_body_has_is_replaced_with_a_warning_and_refused_by_strict() -> None:
    moments = "<ixx>1</ixx><iyy>1</iyy><izz>9</izz>"
    text = model(f'<link name="a"><inertial><mass>8</mass><inertia>{moments}</inertia></inertial></link>')
    found = made(text)
    radius = (3 * 8 / (4000 * math.pi)) ** (1 / 3)
    np.testing.assert_allclose(found.model.body_inertia[1], 0.4 * 8 * radius**2, rtol=1e-14)
    warned = [each for each in found.findings if each.code == "PB047"]
    assert len(warned) == 1
    assert "link `a`" in warned[0].message
    with pytest.raises(pb.ValidationError):
        pb.read("m.sdf", text=text, policy="strict")


LONG = 1500
DEEP = {
    "models in models": "".join(f'<model name="m{row}"><pose>0 0 .1 0 0 0</pose>' for row in range(LONG))
    + '<link name="l"/>'
    + "</model>" * LONG,
    "models placed by models in them": "".join(
        f'<model name="m{row}" placement_frame="m{row + 1}">' for row in range(LONG - 1)
    )
    + f'<model name="m{LONG - 1}"><link name="l"/>'
    + "</model>" * LONG,
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_documents_are_lowered(name: str) -> None:
    assert made(sdf(DEEP[name])).model.nbody == 2


def test_a_long_chain_of_frames_and_one_of_joints() -> None:
    frames = "".join(
        f'<frame name="f{row}" attached_to="{f"f{row - 1}" if row else "l0"}">'
        "<pose>0 0 .1 0 0 0</pose></frame>"
        for row in range(LONG)
    )
    links = "".join(f'<link name="l{row}"/>' for row in range(LONG))
    joints = "".join(joint("revolute", f"l{row}", f"l{row + 1}", f"j{row}") for row in range(LONG - 1))
    found = made(model(links + joints + frames)).model
    assert (found.nbody, found.nv) == (LONG + 1, LONG + 5)
    assert found.site_pos[found.names["site"].index(f"f{LONG - 1}"), 2] == pytest.approx(0.1 * LONG)


@pytest.mark.parametrize(
    ("axis", "axis2", "factor"), [("0 0 1", "0 0 1", -4), ("0 0 -1", "0 0 1", 4), ("0 0 2", "0 0 -1", 4)]
)
def test_a_gearbox_makes_the_child_turn_against_the_parent_under_lenient(
    axis: str, axis2: str, factor: float
) -> None:
    """By the specification, about axis and axis2: the angle of the child is -ratio times the parent's."""
    text = model(
        '<link name="base"/><link name="a"/><link name="b"/>'
        + "".join(
            f'<joint name="{name}" type="revolute"><parent>base</parent><child>{name[0]}</child>'
            "<axis><xyz>0 0 1</xyz></axis></joint>"
            for name in ("a1", "b1")
        )
        + '<joint name="g" type="gearbox"><parent>a</parent><child>b</child><gearbox_ratio>4</gearbox_ratio>'
        f"<gearbox_reference_body>base</gearbox_reference_body><axis><xyz>{axis}</xyz></axis>"
        f"<axis2><xyz>{axis2}</xyz></axis2></joint>"
    )
    assert {code for code, _ in errors(text)} == {"PB083"}
    with pytest.raises(pb.ValidationError, match='with policy="lenient"'):
        pb.load("m.sdf", text=text)
    document = pb.read("m.sdf", text=text, policy="lenient")
    built = lowered(document, policy="lenient", base="fixed").model
    joints, row = built.names["joint"], 0
    assert built.eq_type.tolist() == [EqualityType.joint]
    assert [joints[built.eq_obj1id[row]], joints[built.eq_obj2id[row]]] == ["b1", "a1"]
    assert built.eq_data[row, :5].tolist() == [0, factor, 0, 0, 0]
    data = pb.Data(built)
    data.qvel[:] = [0.5, 0.5 * factor]
    pb.step(built, data, 100)
    assert data.qpos[1] == pytest.approx(factor * data.qpos[0], rel=1e-3)
    apart = text.replace("<xyz>0 0 1</xyz></axis></joint>", "<xyz>1 0 0</xyz></axis></joint>")
    with pytest.raises(pb.ValidationError, match="no revolute joint about its axis"):
        pb.load("m.sdf", text=apart, policy="lenient")
