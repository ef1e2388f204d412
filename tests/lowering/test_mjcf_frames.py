"""MJCF: frames, orientations, end points of shapes, replicate, attach, include. Known answers are
MuJoCo's.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.mjcf_models import BALL, body, column, same, world

HALF = pytest.approx([0.70710678, 0.70710678, 0, 0])


# --- orientations -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "orientation",
    [
        'quat="1 2 3 4"',
        'quat="1 1e-9 0 0"',
        'axisangle="1 2 3 40"',
        'axisangle="0 0 2 -190"',
        'euler="10 20 30"',
        'euler="200 -170 350"',
        'xyaxes="1 2 3 -1 0 1"',
        'xyaxes="0 1 0 -1 0 0"',
        'xyaxes="-1 0 0 0 -1 0"',
        'xyaxes="-1 0 0 0 1 0"',
        'xyaxes="1 0 0 0 -1 0"',
        'zaxis="1 2 3"',
        'zaxis="0 0 -2"',
        'zaxis="0 0 5"',
        'zaxis="1e-9 0 1"',
    ],
)
@pytest.mark.parametrize("sequence", ["xyz", "ZyX"])
def test_orientations_with_their_signs(orientation, sequence):
    """Quaternions are compared including their sign."""
    head = f'<compiler eulerseq="{sequence}"/>'
    parts = f'<geom size=".1" {orientation}/><site {orientation}/><camera {orientation}/>'
    inertial = f'<inertial pos="1 2 3" mass="1" diaginertia="1 2 2" {orientation}/>'
    same(
        world(
            body(parts, orientation)
            + body(f"{inertial}{BALL}", orientation)
            + f"<frame {orientation} pos='1 2 3'>"
            f"<frame {orientation}>{body(parts, orientation)}{parts}</frame></frame>",
            head,
        )
    )


def test_an_orientation_of_a_class_sticks():
    head = '<default><geom euler="90 0 0"/><default class="a"><geom quat="0 0 0 1"/></default></default>'
    ours = same(
        world(
            '<geom size="1" quat="0 0 0 1"/><geom size="1" class="a"/><geom size="1" axisangle="0 0 1 0"/>'
            '<geom size="1" zaxis="0 0 1" class="a"/>',
            head,
        )
    )
    assert ours.columns["geom_quat"][0] == HALF
    assert ours.columns["geom_quat"][1] == HALF
    assert column(ours, "geom_quat", 2) == [1, 0, 0, 0]


def test_frames_move_their_content():
    inside = """<joint axis="1 2 3" pos=".1 .2 .3"/><joint type="slide" axis="0 1 0"/>
      <geom size=".1" pos="1 0 0"/>
      <site pos="0 1 0" euler="10 0 0"/><camera pos="0 0 1"/><light dir="1 1 0" pos="1 2 3"/>
      <inertial pos="1 1 1" mass="2" diaginertia="1 1 1"/>"""
    same(
        world(
            f'<body><frame pos="1 2 3" euler="10 20 30"><frame quat="1 1 0 0">{inside}</frame></frame></body>'
        )
    )
    same(world(f'<body><frame quat="1 2 3 4"><freejoint/>{BALL}</frame></body>'))
    same(
        world(
            f'<body><frame quat="1 2 3 4" pos="1 1 1">'
            f'<joint type="ball" pos="1 2 3" axis="1 0 0"/>{BALL}</frame></body>'
        )
    )


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "box", "ellipsoid"])
def test_ends(kind):
    ours = same(
        world(
            f'<geom type="{kind}" size=".1" fromto="0 0 0 1 0 0"/>'
            f'<site type="{kind}" size=".2 3 4" fromto="1 2 3 3 2 1"/>'
            f'<geom type="{kind}" size=".1 5 6" fromto="0 0 0 0 0 1"/>'
            f'<geom type="{kind}" size=".1" fromto="0 0 1 0 0 0"/>'
        )
    )
    assert column(ours, "geom_quat") == pytest.approx(
        [0.70710678, 0, -0.70710678, 0]
    )  # z points to the first end
    assert column(ours, "geom_pos") == [0.5, 0, 0]
    assert column(ours, "geom_size")[2 if kind in ("box", "ellipsoid") else 1] == 0.5


def test_short_axes():
    ours = same(world(body(f'<joint axis="0 2e-7 0"/>{BALL}')))
    assert column(ours, "jnt_axis") == [0, 1, 0]


# --- replicate --------------------------------------------------------------------------------------------


def test_positions_of_copies():
    ours = same(world('<replicate count="4" offset="1 0 0" euler="0 0 90"><geom size=".1"/></replicate>'))
    assert np.round(ours.columns["geom_pos"][:, :2], 9).tolist() == [[0, 0], [1, 0], [2, 0], [2, 1]]


@pytest.mark.parametrize("euler", ["10 20 30", "0 0 350", "-100 5 0"])
def test_copies_turn_by_multiples_of_their_angles(euler):
    same(
        world(
            f'<replicate count="5" offset="1 2 3" euler="{euler}"><geom size=".1" pos="1 0 0"/></replicate>'
        )
    )


def test_copies_take_the_place_of_the_element_and_references_go_with_them():
    parts = (
        '<geom name="g" size=".1"/><site name="s"/><camera name="c"/><light name="l"/>'
        '<joint name="j" axis="1 0 0"/>'
    )
    ours = same(
        world(
            f"""<geom name="a" size=".1"/><body name="b"><geom name="x" size=".1"/>
              <replicate count="2" offset="1 0 0">{parts}<body name="n"><joint name="k"/><geom size=".1"/>
              </body></replicate>
              <geom name="z" size=".1"/></body>""",
            "",
            """<contact><pair name="p" geom1="g" geom2="a"/><exclude name="e" body1="n" body2="b"/></contact>
            <sensor><framepos name="fs" objtype="site" objname="s"/><touch name="ft" site="s"/>
              <framepos name="fr" objtype="site" objname="s" reftype="body" refname="b"/></sensor>
            <actuator><motor name="m" joint="k"/><motor name="m2" site="s"/></actuator>
            <equality><joint name="q" joint1="j" joint2="k"/></equality>
            <tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed>
            </tendon>""",
        )
    )
    assert ours.names["geom"] == ("a", "x", "g0", "g1", "z", "", "")
    assert ours.names["sensor"] == ("fs0", "ft0", "fr0", "fs1", "ft1", "fr1")


def test_many_copies_have_digits_enough():
    ours = same(world(f"<replicate count='10' sep='-'>{body(BALL, 'name=' + repr('b'))}</replicate>"))
    assert ours.names["body"][1] == "b-00"
    assert ours.names["body"][-1] == "b-09"


def test_copies_of_copies():
    ours = same(
        world(
            """<replicate count="2" sep="x" offset="1 0 0">
              <replicate count="2" sep="y" offset="0 1 0" euler="0 0 10">
              <frame name="f" pos="0 0 1"><body name="b"><joint name="j"/><geom size=".1"/><site name="s"/>
              <body name="c"><geom name="g" size=".1"/><camera name="k" target="b" mode="targetbody"/>
              </body></body></frame>
              </replicate></replicate>""",
            "",
            '<actuator><motor name="m" joint="j"/></actuator><sensor><gyro name="s" site="s"/></sensor>',
        )
    )
    assert ours.names["body"][1] == "by0x0"
    assert ours.names["actuator"] == ("my0x0", "my1x0", "my0x1", "my1x1")
    assert ours.columns["cam_targetbodyid"].tolist() == [1, 3, 5, 7]


def test_copies_and_the_last_of_a_list():
    """MuJoCo looks for tendons at their positions before the original was removed: it misses one."""
    copied = body('<joint range="0 9"/><geom size=".1"/><site name="b"/>')
    ours = same(
        world(
            f'<site name="a"/><replicate count="3">{copied}</replicate>',
            "",
            '<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>'
            '<actuator><motor name="m" tendon="t"/></actuator>',
        )
    )
    assert ours.names["tendon"] == ("t0", "t1", "t2")
    assert ours.names["actuator"] == ("m0", "m1")


def test_joints_and_inertia_in_copies():
    ours = same(
        world(
            '<body><replicate count="2" euler="0 90 0"><joint name="j"/>'
            '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
            '<geom size=".1"/></replicate></body>'
        )
    )
    assert [f.code for f in ours.findings] == ["PB027"]  # the inertia is lost, as in MuJoCo


# --- attach and include -----------------------------------------------------------------------------------

CHILD = """<mujoco model="child"><compiler angle="radian" eulerseq="zyx" autolimits="true" boundmass=".5"/>
  <default><geom rgba="1 0 0 1"/><default class="c"><joint damping="2"/></default></default>
  <asset><material name="m" rgba="0 1 0 1"/></asset>
  <worldbody><frame pos="9 9 9"><body name="arm" pos="1 0 0"><joint name="j" class="c" range="-1 1"/>
    <geom name="g" size=".1" euler="1 2 3" material="m"/><site name="s"/><camera name="k" target="hand"/>
    <body name="hand" euler="0 0 1"><joint name="h"/><geom size=".1"/></body></body></frame>
    <body name="other"><joint name="o"/><geom size=".1"/></body></worldbody>
  <contact><exclude body1="arm" body2="hand"/><exclude name="x" body1="arm" body2="other"/></contact>
  <equality><joint name="e" joint1="j" joint2="h"/></equality>
  <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
  <actuator><motor name="a" joint="j"/><motor name="lost" joint="o"/><position name="p" tendon="t"/>
  </actuator>
  <sensor><jointpos name="q" joint="h"/><gyro name="y" site="s"/><clock name="w"/></sensor>
  <custom><numeric name="n" data="1 2"/><text name="x" data="abc"/><tuple name="u">
    <element objtype="joint" objname="j" prm="3"/></tuple></custom>
  <keyframe><key name="k" qpos=".5 .7 .9" time="2" ctrl="1 2 3"/></keyframe></mujoco>"""

PARENT = """<mujoco><asset><model name="c" file="child.xml"/><material name="own"/></asset>
  <default><joint armature="3"/></default>
  <worldbody><body name="base"><joint name="j" ref="30"/><geom size=".1"/>
    <frame pos="1 2 3" euler="0 0 90"><attach model="c" body="arm" prefix="l_"/></frame></body>
    <attach model="c" body="arm" prefix="r_"/>
    <geom class="l_c" size=".3"/><geom class="r_main" size=".3"/></worldbody>
  <actuator><motor name="first" joint="j"/><motor joint="l_h"/></actuator>{}</mujoco>"""


@pytest.mark.parametrize(
    "keyframe", ["", '<keyframe><key name="p" qpos=".1"/></keyframe>', '<size nkey="3"/>']
)
def test_attached_bodies(tmp_path, keyframe):
    (tmp_path / "child.xml").write_text(CHILD)
    path = tmp_path / "parent.xml"
    path.write_text(PARENT.format(keyframe))
    ours = same("", path=path)
    assert ours.names["body"] == ("world", "base", "l_arm", "l_hand", "r_arm", "r_hand")
    assert ours.names["actuator"] == ("first", "", "l_a", "l_p", "r_a", "r_p")
    assert column(ours, "jnt_range", 1) == [-1, 1]  # the child's are in radians
    assert ours.names["key"][-2:] == ("l_k", "r_k")


NAMED, SIDE = "name='b'", "sidesite='s'"


def test_a_tendon_around_a_geom_is_not_attached_without_a_side_site(tmp_path):
    """MuJoCo looks for a side site whose name is just the prefix."""
    parts = '<joint/><geom name="g" size=".1"/><site name="s" pos="1 0 0"/><site name="r" pos="-1 0 0"/>'
    path = '<site site="s"/><geom geom="g" {}/><site site="r"/>'
    (tmp_path / "child.xml").write_text(
        f"<mujoco model='c'><worldbody>{body(parts, NAMED)}</worldbody><tendon>"
        f"<spatial name='no'>{path.format('')}</spatial>"
        f"<spatial name='yes'>{path.format(SIDE)}</spatial></tendon>"
        "<actuator><motor name='a' tendon='no'/><motor name='b' tendon='yes'/></actuator></mujoco>"
    )
    parent = tmp_path / "parent.xml"
    parent.write_text(
        "<mujoco><asset><model file='child.xml'/></asset><worldbody>"
        "<attach model='c' body='b' prefix='p_'/></worldbody></mujoco>"
    )
    ours = same("", path=parent)
    assert ours.names["tendon"] == ("p_yes",)
    assert ours.names["actuator"] == ("p_b",)


def test_models_in_models(tmp_path):
    arm = body(f"<joint name='j'/>{BALL}", "name='x'")
    (tmp_path / "a.xml").write_text(
        f"<mujoco model='a'><worldbody>{arm}</worldbody><actuator><motor name='m' joint='j'/></actuator>"
        f"</mujoco>"
    )
    (tmp_path / "b.xml").write_text(
        "<mujoco model='b'><asset><model file='a.xml'/></asset><worldbody><body name='y'><geom size='.1'/>"
        "<attach model='a' body='x' prefix='a_'/></body></worldbody></mujoco>"
    )
    path = tmp_path / "c.xml"
    path.write_text(
        "<mujoco><asset><model file='b.xml'/></asset><worldbody><replicate count='2' offset='1 0 0'>"
        "<attach model='b' body='y' prefix='b_'/></replicate></worldbody></mujoco>"
    )
    ours = same("", path=path)
    assert ours.names["actuator"] == ("b_a_m0", "b_a_m1")


def test_includes(tmp_path):
    (tmp_path / "part.xml").write_text(
        "<mujocoinclude><compiler angle='radian'/><default><default class='c'><geom size='.2'/></default>"
        "</default>"
        "<worldbody><body><joint range='-1 1'/><geom class='c'/></body></worldbody></mujocoinclude>"
    )
    (tmp_path / "geoms.xml").write_text(
        "<mujocoinclude><geom size='.3'/><site euler='1 0 0'/></mujocoinclude>"
    )
    path = tmp_path / "main.xml"
    path.write_text(
        "<mujoco><worldbody><geom size='.1' euler='1 2 3'/><include file='geoms.xml'/></worldbody>"
        "<include file='part.xml'/><option timestep='.1'/></mujoco>"
    )
    ours = same("", path=path)
    assert ours.columns["geom_size"][:, 0].tolist() == [0.1, 0.3, 0.2]


def test_key_frames_and_copies():
    """A macro creates the document's keyframes, and truncates them to the joints read so far."""
    ours = same(
        world(
            body(f'<joint name="a" ref="10"/>{BALL}')
            + f'<replicate count="2">{body("<joint/>" + BALL)}</replicate>'
            + body(f"<freejoint/>{BALL}"),
            "",
            '<keyframe><key name="k" qpos="1 2 3 4 5 6 1 0 0 0" time="3"/></keyframe>',
        )
    )
    assert ours.names["key"] == ("k0", "k1", "k")
