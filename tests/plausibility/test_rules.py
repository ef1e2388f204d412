"""What `check` says of the physics of a Model: for each rule what it reports, and what it does not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.diagnostics import Diagnostic
from polybody.diagnostics.catalogue import CATALOGUE
from polybody.plausibility.rules import RULES
from polybody.plausibility.twins import twin_of

POLICIES: tuple[Any, ...] = ("strict", "warn", "lenient")


def said(text: str, policy: Any = "strict", name: str = "model.xml") -> list[Diagnostic]:
    """The findings about a Model that are not about its document."""
    known = {str(each) for each in pb.check(name, policy, text=text, model=False)}
    return [each for each in pb.check(name, policy, text=text) if str(each) not in known]


def codes(text: str, **how: Any) -> list[str]:
    return [each.code for each in said(text, **how)]


def inertial(mass: float, *moments: float, at: str = "0 0 0") -> str:
    xx, yy, zz = moments * 3 if len(moments) == 1 else moments
    inertia = f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<inertial><origin xyz="{at}"/><mass value="{mass}"/>{inertia}</inertial>'


def box(size: float, kind: str = "collision") -> str:
    return f'<{kind}><geometry><box size="{size} {size} {size}"/></geometry></{kind}>'


def urdf(*links: str, joints: str = "", kind: str = "continuous") -> str:
    """A robot of links a, b, c... in a chain with joints along z."""
    names = "abcdefgh"[: len(links)]
    made = [f'<link name="{name}">{inside}</link>' for name, inside in zip(names, links, strict=True)]
    chain = [
        f'<joint name="{one}{two}" type="{kind}"><parent link="{one}"/><child link="{two}"/>'
        f'<origin xyz="0 0 1"/><axis xyz="0 1 0"/>{joints}</joint>'
        for one, two in pairwise(names)
    ]
    return "\n".join(['<robot name="r">', *made, *chain, "</robot>"])


def mjcf(world: str, *sections: str) -> str:
    return "\n".join(["<mujoco>", f"<worldbody>{world}</worldbody>", *sections, "</mujoco>"])


SOLID = inertial(1, 0.007) + box(0.2)


def test_servos_whose_numbers_are_those_of_a_range_in_degrees() -> None:
    """As of a document in radians without angle="radian": its servo is right, its joint is not."""
    text = """<mujoco>{}<worldbody><body><joint name="pan" axis="0 0 1" range="-{r} {r}"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .5 0 0" mass="1"/></body></worldbody>
      <actuator><position joint="pan" kp="4" ctrlrange="-{r} {r}"/></actuator></mujoco>"""
    (small,) = [each for each in said(text.format("", r=1.6056)) if each.code == "PB114"]
    assert "`ctrlrange` from -1.6056 to 1.6056 is in radians" in small.message
    assert 'if both are in radians, write angle="radian" in <compiler>; if in degrees,' in str(small)
    (large,) = [each for each in said(text.format("", r=90)) if each.code == "PB114"]
    assert large.message.endswith("seems to be in degrees; controls of a position servo are in radians")
    radian = text.replace("{}", '<compiler angle="radian"/>')
    assert "PB114" not in codes(radian.format(r=1.6056))
    narrow = radian.replace('range="-{r} {r}"', 'range="-.05 .05"', 1).format(r=2.865)
    (tiny,) = [each for each in said(narrow) if each.code == "PB114"]
    assert "angle=" not in str(tiny)


@pytest.mark.parametrize(
    ("pose", "found"),
    [
        ("0 0 0 0 1.570796 6.597345", []),
        ("0 0 0 0 0 7.853982", []),
        ("0 0 0 0 0 90", ["PB113"]),
        ("0 0 0 0 0 22.5", ["PB113"]),
        ("0 0 0 57.3 0 0", ["PB113"]),
        ("0 0 0 0 1 9", ["PB113"]),
    ],
)
def test_rotations_by_more_than_a_turn_that_are_parts_of_pi(pose: str, found: list[str]) -> None:
    text = f"""<sdf version="1.9"><model name="m"><link name="l"><inertial><mass>1</mass><inertia>
      <ixx>.004</ixx><iyy>.004</iyy><izz>.004</izz></inertia></inertial><collision name="c">
      <pose>{pose}</pose><geometry><sphere><radius>.1</radius></sphere></geometry></collision></link></model></sdf>"""
    assert [code for code in codes(text, name="m.sdf") if code == "PB113"] == found


def test_contacts_that_nothing_can_touch_are_not_too_stiff() -> None:
    geoms = '<geom type="sphere" size=".1"{0}/><body><freejoint/><geom type="sphere" size=".1"{0}/></body>'
    option = '<option timestep="0.02"/>'
    assert "PB120" in codes(mjcf(geoms.format(""), option))
    assert "PB120" not in codes(mjcf(geoms.format(' contype="0"'), option))


def test_every_rule_is_a_warning_under_every_policy() -> None:
    for rule in RULES:
        assert set(CATALOGUE[rule.code].severities) == {"warning"}, rule.code


def test_a_usual_robot_is_plausible() -> None:
    assert codes(urdf(SOLID, SOLID, SOLID)) == []


# --- moments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [50.0, 1e3, 1e6, 1e9])
def test_moments_of_one_link_out_of_proportion(times: float) -> None:
    odd = inertial(1, 0.007 * times) + box(0.2)
    links = [SOLID] * 5
    links[3] = odd
    (found,) = said(urdf(*links))
    assert (found.code, found.line, found.about) == ("PB110", 5, "link `d`")
    assert "link" not in codes(urdf(*[SOLID] * 5))


def test_moments_that_a_mass_within_the_shapes_can_have() -> None:
    for factor in (0.01, 0.5, 3.0):
        assert codes(urdf(SOLID, inertial(1, 0.007 * factor) + box(0.2))) == []


@pytest.mark.parametrize("policy", POLICIES)
def test_moments_in_kg_mm2(policy: Any) -> None:
    text = urdf(inertial(0.17, 295329, 350000, 600000) + box(0.2))
    (found,) = said(text, policy)
    assert (found.code, found.severity, found.line) == ("PB068", "warning", 2)


def test_moments_in_kg_mm2_in_sdf() -> None:
    moments = "<ixx>295329</ixx><ixy>0</ixy><ixz>0</ixz><iyy>350000</iyy><iyz>0</iyz><izz>600000</izz>"
    inside = f"<inertial><mass>0.17</mass><inertia>{moments}</inertia></inertial>"
    shape = '<collision name="c"><geometry><box><size>.2 .2 .05</size></box></geometry></collision>'
    text = f'<sdf version="1.9"><model name="m">\n<link name="l">{inside}{shape}</link></model></sdf>'
    (found,) = said(text)
    assert (found.code, found.line) == ("PB068", 2)


def test_a_robot_in_mm_and_g() -> None:
    base = inertial(850, 295329, at="0 0 12")
    arm = inertial(350, 95329, 95329, 5329, at="0 0 20")
    text = urdf(base, arm).replace('xyz="0 0 1"', 'xyz="0 0 120"')
    (found,) = said(text)
    assert (found.code, found.line) == ("PB068", 2)
    assert "lighter than air" in found.message
    assert "not in mm" in str(found.suggestion)
    scaled = urdf(inertial(0.85, 0.000295, at="0 0 .012"), inertial(0.35, 9.5e-5, 9.5e-5, 5e-6, at="0 0 .02"))
    assert codes(scaled) == []


def test_placeholders_of_inertia() -> None:
    links = [inertial(mass, 0.001) + box(size) for mass, size in ((5, 0.3), (1, 0.2), (0.2, 0.1), (2, 0.2))]
    assert codes(urdf(*links)) == ["PB112"]
    assert codes(urdf(*[inertial(1, 0.01) + box(0.2)] * 4)) == []


def test_inertia_left_at_its_default() -> None:
    shape = '<collision name="c"><geometry><box><size>.2 .2 .2</size></box></geometry></collision>'
    text = f'<sdf version="1.9"><model name="m">\n<link name="l">{{}}{shape}</link></model></sdf>'
    for inside in ("", "<inertial><mass>2</mass></inertial>"):
        (found,) = said(text.format(inside))
        assert (found.code, found.line) == ("PB111", 2)
    inertia = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
    assert codes(text.format(f"<inertial><mass>2</mass>{inertia}</inertial>")) == []


# --- angles ------------------------------------------------------------------------------------------------


def test_rotations_in_degrees() -> None:
    text = urdf(SOLID, SOLID).replace('<origin xyz="0 0 1"/>', '<origin xyz="0 0 1" rpy="0 90 0"/>')
    (found,) = said(text)
    assert (found.code, found.xpath) == ("PB113", "/robot/joint[1]/origin/@rpy")
    assert "1.5708" in str(found.suggestion)
    assert codes(text.replace("0 90 0", "0 -6.2832 3.14159")) == []


def test_poses_of_sdf_in_degrees() -> None:
    inside = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    link = f'<link name="l"><pose{{}}>0 0 1 0 180 0</pose>{inside}</link>'
    text = f'<sdf version="1.9"><model name="m">{link}</model></sdf>'
    assert codes(text.format("")) == ["PB113"]
    assert codes(text.format(' degrees="true"')) == []


@pytest.mark.parametrize(
    ("head", "euler", "expected"),
    [
        ("", "1.5708 0 0", ["PB113"]),
        ("", "90 0 0", []),
        ("", "1.5 0 0", []),
        ('<compiler angle="radian"/>', "90 0 0", ["PB113"]),
        ('<compiler angle="radian"/>', "1.5708 0 0", []),
    ],
)
def test_euler_in_another_unit(head: str, euler: str, expected: list[str]) -> None:
    assert codes(mjcf(f'<body euler="{euler}"><freejoint/><geom size="1"/></body>', head)) == expected


def test_a_bound_beyond_two_turns() -> None:
    limit = '<limit lower="{}" upper="{}" effort="1" velocity="1"/>'
    for low, high, expected in ((-77.3, 77.3, ["PB065"]), (-31.4159, 31.4159, []), (-1e5, 1e5, [])):
        assert codes(urdf(SOLID, SOLID, kind="revolute", joints=limit.format(low, high))) == expected


SERVO = '<actuator><position name="servo" joint="elbow" kp="20" ctrlrange="{}"/></actuator>'
ELBOW = (
    '<body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" {}/><geom size=".1" pos=".1 0 0"/></body>'
)


def test_controls_in_degrees() -> None:
    (found,) = said(mjcf(ELBOW.format('range="-90 90"'), SERVO.format("-90 90")))
    assert (found.code, found.xpath) == ("PB114", "/mujoco/actuator/position[1]/@ctrlrange")
    assert 'ctrlrange="-1.5708 1.5708"' in str(found.suggestion)
    assert codes(mjcf(ELBOW.format(""), SERVO.format("-180 180"))) == ["PB114"]
    for fine in ("-1.57 1.57", "-3 3"):
        assert codes(mjcf(ELBOW.format('range="-90 90"'), SERVO.format(fine))) == []


# --- twins -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_arm", "right_arm"),
        ("LeftFoot", "RightFoot"),
        ("l_knee", "r_knee"),
        ("FL_hip", "FR_hip"),
        ("hip_rl", "hip_rr"),
        ("L1", "R1"),
        ("arm", ""),
        ("base_link", ""),
        ("wheel", ""),
        ("panel", ""),
        ("right_arm", ""),
    ],
)
def test_names_of_twins(left: str, right: str) -> None:
    assert twin_of(left) == right


def pair(left: str, right: str, away: int = 1) -> str:
    return mjcf(
        f'<body name="l_arm" pos="0 1 1">{left}</body>\n<body name="r_arm" pos="0 {-away} 1">{right}</body>'
    )


def part(mass: float = 1.0, bounds: str = "-90 90", size: float = 0.1) -> str:
    return f'<joint range="{bounds}"/><geom size="{size}" mass="{mass}" pos=".1 0 0"/>'


def test_twins() -> None:
    (found,) = said(pair(part(), part(1.2)))
    assert (found.code, found.line) == ("PB115", 3)
    assert "masses of 1 and 1.2 kg" in found.message
    assert codes(pair(part(), part(bounds="-90 60"))) == ["PB115"]
    assert codes(pair(part(), part(size=0.2))) == ["PB115"]
    assert codes(pair(part(bounds="-20 90"), part(1.01, bounds="-90 20"))) == []
    assert codes(pair(part(), part(1.2), away=2)) == []


@pytest.mark.parametrize("turned", ["", 'euler="0 0 90"'])
def test_inertia_matrices_of_twins_mirror_each_other(turned: str) -> None:
    """Also where the frames of the bodies do not."""
    given = '<joint range="-90 90"/><inertial pos=".2 {} 0" mass="1" fullinertia="{} .5 {} 0"/>'
    left = given.format(".1", ".2 .4", ".1 0")
    mirrored, copied = given.format("-.1", ".2 .4", "-.1 0"), given.format("-.1", ".2 .4", ".1 0")
    if turned:
        mirrored = given.replace(".2 {} 0", "-.1 -.2 0").format(".4 .2", ".1 0")
        copied = given.replace(".2 {} 0", "-.1 -.2 0").format(".4 .2", "-.1 0")
    whole = [pair(left, each).replace('"r_arm"', f'"r_arm" {turned}') for each in (mirrored, copied)]
    assert codes(whole[0]) == []
    (found,) = said(whole[1])
    assert found.code == "PB115"
    assert "mirrored, their inertia matrices differ by 40 % of the greatest element" in found.message


# --- ranges ------------------------------------------------------------------------------------------------


def test_a_key_outside_ranges() -> None:
    knee = '<body><joint name="knee" axis="0 1 0" range="-160 -2"/><geom size=".1" pos=".1 0 0"/></body>'
    servo = '<actuator><position name="k" joint="knee" kp="50" ctrlrange="-1 1"/></actuator>'
    key = '<keyframe>\n<key name="stand" qpos="{}" ctrl="{}"/></keyframe>'
    found = {each.code: each for each in said(mjcf(knee, servo, key.format(0, 2.5)))}
    assert set(found) == {"PB116"}
    assert found["PB116"].line == 5
    assert "`knee` at 0" in found["PB116"].message
    assert "`k` at 2.5" in found["PB116"].message
    assert codes(mjcf(knee, servo, key.format(-1, 1))) == []


def test_an_initial_pose_outside_ranges() -> None:
    knee = '<body><joint range="-160 -2" {}/><geom size=".1" pos=".1 0 0"/></body>'
    assert codes(mjcf(knee.format(""))) == ["PB117"]
    assert codes(mjcf(knee.format('ref="-2"'))) == []


def test_an_initial_position_outside_its_range() -> None:
    inside = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    limit = "<limit><lower>1</lower><upper>2</upper></limit>"
    axis = f"<axis><initial_position>{{}}</initial_position><xyz>0 1 0</xyz>{limit}</axis>"
    joint = f'<joint name="j" type="revolute"><parent>a</parent><child>b</child>{axis}</joint>'
    links = f'<link name="a">{inside}</link><link name="b">{inside}</link>'
    text = f'<sdf version="1.7"><model name="m">{links}{joint}</model></sdf>'
    for position, expected in ((3, ["PB117"]), (1.5, []), (0, [])):  # 0 is the default, too
        assert codes(text.format(position), policy="lenient") == expected


def test_forces_limited_to_nothing() -> None:
    motor = '<actuator><motor joint="elbow" {}/></actuator>'
    flag = "<compiler autolimits='false'/>"
    for given in ('forcelimited="true" forcerange="0 0"', 'ctrllimited="true" ctrlrange="0 0"'):
        document = mjcf(ELBOW.format(""), flag, motor.format(given))
        if all(each.severity != "error" for each in pb.check("m.xml", "warn", text=document)):
            assert codes(document, policy="warn") == ["PB066"]


# --- contacts ----------------------------------------------------------------------------------------------


def test_overlaps_are_reported_once_with_the_exclude_to_write() -> None:
    balls = "".join(
        f'<body name="b{x}" pos="{x / 10} 0 1"><freejoint/><geom size=".1"/></body>\n' for x in range(5)
    )
    (found,) = said(mjcf(balls))
    assert found.code == "PB118"
    assert found.message.startswith("4 pairs of bodies overlap at the initial pose, deepest ")
    assert found.message.count(" mm") == 3
    wanted = '<contact><exclude body1="b0" body2="b1"/></contact>'
    assert wanted in str(found.suggestion)
    (found,) = said(mjcf(balls, wanted))
    assert found.message.startswith("3 pairs")


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_the_exclude_that_a_hint_gives_is_what_excludes(form: str) -> None:
    if form == "urdf":
        text = urdf(SOLID, SOLID, SOLID).replace('xyz="0 0 1"', 'xyz="0 0 0.05"')
        text = text.replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" ')
        end = "</robot>"
    else:
        inside = (
            "<inertial><mass>1</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>"
        )
        shape = '<collision name="c"><geometry><box><size>.2 .2 .2</size></box></geometry></collision>'
        links = "".join(
            f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose>{inside}{shape}</link>'
            for name, x in (("a", 0), ("b", 0.1))
        )
        text = f'<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><model name="m">{links}</model></sdf>'
        end = "</model></sdf>"
    (found,) = said(text)
    assert found.code == "PB118"
    exclude = str(found.suggestion).partition("exclude their contact: ")[2]
    assert exclude
    assert codes(text.replace(end, exclude + end)) == []


def test_masks_that_match_nothing() -> None:
    ball = '<body pos="0 0 {}"><freejoint/><geom size=".1" {}/></body>'
    alone = ball.format(1, 'contype="2" conaffinity="4"')
    assert codes(mjcf(alone)) == ["PB119"]
    assert codes(mjcf(alone + ball.format(2, 'contype="4" conaffinity="0"'))) == []
    assert codes(mjcf(ball.format(1, 'contype="1" conaffinity="0"'))) == []


@pytest.mark.parametrize(
    ("solref", "expected"),
    [("0.003 1", ["PB120"]), ("0.004 1", []), ("-1e7 -10", ["PB120"]), ("-1e4 -100", [])],
)
def test_contacts_too_stiff_for_the_time_step(solref: str, expected: list[str]) -> None:
    text = mjcf(f'<body><freejoint/><geom size=".1" solref="{solref}"/></body>')
    assert codes(text) == expected


def test_springs_too_stiff_for_the_time_step() -> None:
    stiff = (
        '<drake:proximity_properties xmlns:drake="http://drake.mit.edu">'
        '<drake:point_contact_stiffness value="{}"/></drake:proximity_properties></collision>'
    )
    for stiffness, expected in ((1e8, ["PB120"]), (1e5, [])):
        assert codes(urdf(SOLID.replace("</collision>", stiff.format(stiffness)))) == expected


# --- moments that are impossible ---------------------------------------------------------------------------

LINK = '<link name="l"><inertial><mass>1</mass>{}</inertial></link>'
MODEL = f'<sdf version="1.9"><model name="m">{LINK}</model></sdf>'
MASS = '<mass type="custom"><total>1</total><inertia>9 0 0 0 1 0 0 0 1</inertia></mass>'
TRIANGLES = {
    "urdf": urdf(inertial(1, 9, 1, 1)),
    "mjcf": mjcf('<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="9 1 1"/></body>'),
    "sdf": MODEL.format("<inertia><ixx>9</ixx><iyy>1</iyy><izz>1</izz></inertia>"),
    "openrave": f'<kinbody name="k"><body name="b">{MASS}</body></kinbody>',
}


@pytest.mark.parametrize("text", TRIANGLES.values(), ids=TRIANGLES)
def test_a_moment_greater_than_the_sum_of_the_others(text: str) -> None:
    assert "PB047" in [each.code for each in pb.check("m.xml", text=text)]


def test_findings_about_x_xy_have_the_lines_of_bodies() -> None:
    ball = '<geom type="sphere" mass="{}" dim="0.1"/>'
    arms = "\n".join(
        f'<body name="{side}_arm" joint="rx" pos="0 {y} 0">{ball.format(mass)}</body>'
        for side, y, mass in (("left", 1, 1), ("right", -1, 2))
    )
    (found,) = said(f"<x_xy><worldbody>\n{arms}\n</worldbody></x_xy>")
    assert (found.code, found.line, found.about) == ("PB115", 3, "body `right_arm`")


def test_the_hint_names_the_srdf_of_a_robot(tmp_path: Path) -> None:
    text = urdf(SOLID, SOLID, SOLID).replace('xyz="0 0 1"', 'xyz="0 0 0.05"')
    path = tmp_path / "urdf" / "robot.urdf"
    srdf = tmp_path / "config" / "robot.srdf"
    for each in (path, srdf):
        each.parent.mkdir()
    path.write_text(text)
    apart = '<disable_collisions link1="a" link2="c" reason="Never"/>'
    srdf.write_text(f'<robot name="r">{apart}</robot>')
    (found,) = [each for each in pb.check(path) if each.code == "PB118"]
    assert f"--srdf {srdf}" in str(found.suggestion)
    assert "PB118" not in [each.code for each in pb.check(path, srdf=srdf)]
