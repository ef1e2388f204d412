"""Documents that SDFormat allows and Drake rejects: each verdict agrees with Drake's own parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import polybody as pb
import pytest

DRAKE = 'xmlns:drake="http://drake.mit.edu"'
LINKS = "".join(f'<link name="{name}"/>' for name in "abcd")
BOX = "<box><size>1 1 1</size></box>"
SPOT = (
    '<light name="s" type="spot"><spot><inner_angle>0.1</inner_angle><outer_angle>0.5</outer_angle>'
    "<falloff>2</falloff></spot></light>"
)


def sdf(inside: str, version: str = "1.9") -> str:
    return f'<sdf version="{version}" {DRAKE}>\n{inside}\n</sdf>\n'


def model(inside: str, name: str = "m") -> str:
    return f'<model name="{name}">{inside}</model>'


def world(inside: str, name: str = "w") -> str:
    return f'<world name="{name}">{inside}</world>'


def joint(name: str, parent: str, child: str, kind: str = "fixed") -> str:
    axis = "<axis><xyz>0 0 1</xyz></axis>" if kind == "revolute" else ""
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'\n<joint name="{name}" type="{kind}">{ends}{axis}</joint>'


def weighed(shape: str, inertial: str = "") -> str:
    part = f'<collision name="c"><geometry>{shape}</geometry></collision>' if shape else ""
    link = f'<link name="a"><inertial auto="true">{inertial}</inertial>{part}</link>'
    return sdf(model(link), "1.12")


def two_axes(kind: str, first: str, second: str, damping: str = "") -> str:
    axes = f"<axis><xyz>{first}</xyz></axis><axis2><xyz>{second}</xyz>{damping}</axis2>"
    ends = "<parent>a</parent><child>b</child>"
    return f'\n<joint name="j" type="{kind}">{ends}{axes}</joint>'


PLANAR = (
    '<drake:joint name="k" type="planar"><drake:parent>a</drake:parent><drake:child>b</drake:child>'
    "<drake:damping>1 1 1</drake:damping></drake:joint>"
)
POINTS = "<drake:linear_spring_damper_p_{}>0 0 0</drake:linear_spring_damper_p_{}>"
SPRING = (
    "<drake:linear_spring_damper><drake:linear_spring_damper_body_A>a</drake:linear_spring_damper_body_A>"
    "<drake:linear_spring_damper_body_B>n::x</drake:linear_spring_damper_body_B>"
    + "".join(POINTS.format(point, point) for point in ("AP", "BQ"))
    + "<drake:linear_spring_damper_free_length>.4</drake:linear_spring_damper_free_length>"
    "<drake:linear_spring_damper_stiffness>7</drake:linear_spring_damper_stiffness>"
    "<drake:linear_spring_damper_damping>.3</drake:linear_spring_damper_damping></drake:linear_spring_damper>"
)
INERTIAL = '<link name="a">\n<inertial><pose {}="{}">0 0 0 0 0 0</pose></inertial></link>'
STARTED = (
    '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>\n'
    "<initial_position>.3</initial_position></axis></joint>"
)
ENDS = model('<link name="l"/>', "a") + model('<link name="h"/>', "b")
ONE = model('<link name="l"/>')
VISUAL = '\n<visual name="{}"><geometry>' + BOX + "</geometry>{}</visual>"
SOFT = (
    '<link name="s"><drake:deformable_properties><drake:mass_density>1</drake:mass_density>'
    "</drake:deformable_properties></link>"
)


def flat(attached: str, parts: str) -> str:
    """A model with parts of a model `n`, whose frame is fixed to a part."""
    fixed = f' attached_to="{attached}"' if attached else ""
    frame = f'\n<frame name="n::__model__"{fixed}><pose relative_to="__model__">0 1 0 0 0 0</pose></frame>'
    return sdf(world(model(f'<link name="a"/>{frame}{parts}')), "1.7")


FRAME = '<frame name="', '" attached_to="', '"/>'
FLAT = "".join(f'<link name="n::{name}"/>' for name in "ab")


def in_link(inside: str, version: str = "1.9") -> str:
    return sdf(model(f'<link name="a">{inside}</link>'), version)


def painted(inside: str) -> str:
    return in_link(VISUAL.format("v", f"<material>{inside}</material>"), "1.6")


SCRIPT = "\n<script><uri>{}</uri><name>{}</name></script>"
SHADER = '\n<shader type="{}"><normal_map>{}</normal_map></shader>'
TAKEN = {
    "a state without models": sdf(world('<state world_name="w"><sim_time>1 0</sim_time></state>'), "1.6"),
    "a name with `::`, of old": in_link(VISUAL.format("a::b", ""), "1.7"),
    "a joint of a model in another without links, in no world": sdf(
        model(LINKS + joint("n::j", "a", "b") + '<frame name="n::f" attached_to="c"/>'), "1.7"
    ),
    "the default of a second file": painted(SCRIPT.format("a</uri><uri>__default__", "x")),
    "a normal map that is not used": painted(SHADER.format("pixel", "__default__")),
    "Drake's visual of a reserved name": in_link(
        '<drake:visual name="world"><drake:geometry><drake:sphere><drake:radius>1</drake:radius>'
        "</drake:sphere></drake:geometry></drake:visual>"
    ),
    "one world": sdf(world("")),
    "a chain": sdf(model(LINKS + joint("j", "a", "b") + joint("k", "b", "c") + joint("l", "world", "a"))),
    "a fixed joint in a world": sdf(world(ENDS + joint("j", "a::l", "b::h")), "1.12"),
    "a world's plugin of a model's name": sdf(world(ONE + '<plugin name="m" filename="x"/>')),
    "a box": weighed(BOX),
    "a sphere, and its mass": weighed("<sphere><radius>1</radius></sphere>", "<mass>2</mass>"),
    "axes at right angles": sdf(model(LINKS + two_axes("universal", "1 1 0", "1 -1 0"))),
    "an inertial pose of an empty frame": sdf(model(INERTIAL.format("relative_to", "")), "1.7"),
    "parts of a model in another": flat("n::b", FLAT),
    "a frame of a model in another that leads to a link": flat(
        "n::f", FLAT + '<frame name="n::f" attached_to="n::a"/>'
    ),
    "a loop in models of one name": sdf(
        model(model(LINKS + joint("j", "a", "b"), "x") + model(LINKS + joint("j", "a", "b"), "y"))
    ),
}
REFUSED = {
    **{
        f"a {tag} of a reserved name": (in_link(f'\n<{tag} name="__a__"{more}/>'), "PB026", 3)
        for tag, more in (
            ("sensor", ' type="imu"'),
            ("light", ' type="point"'),
            ("particle_emitter", ' type="point"'),
        )
    },
    "a visual of a reserved name": (in_link(VISUAL.format("world", "")), "PB026", 3),
    "a visual of a reserved name, of old": (in_link(VISUAL.format("__a__", ""), "1.4"), "PB026", 3),
    "a collision of a reserved name": (
        in_link(f'\n<collision name="world"><geometry>{BOX}</geometry></collision>'),
        "PB026",
        3,
    ),
    "a projector of a reserved name": (
        in_link('\n<projector name="__a__"><texture>t</texture></projector>'),
        "PB026",
        3,
    ),
    "a frame of a link, of old": (in_link('\n<frame name="f"/>', "1.6"), "PB083", 3),
    "a frame of a joint, of old": (
        sdf(model(LINKS + joint("j", "a", "b").replace("</joint>", '\n<frame name="f"/></joint>')), "1.5"),
        "PB083",
        4,
    ),
    "a state of a model": (
        sdf(world(ONE + '<state world_name="w">\n<model name="m"/></state>'), "1.6"),
        "PB083",
        3,
    ),
    "a state of a light": (
        sdf(world('<state world_name="w">\n<light name="s"><pose>0 0 0 0 0 0</pose></light></state>')),
        "PB083",
        3,
    ),
    "a model of a reserved name": (sdf(model('<link name="l"/>', "world")), "PB026", 2),
    "a world of a reserved name": (sdf(world("", "world")), "PB026", 2),
    "physics of a reserved name": (sdf(world('\n<physics name="world" type="ode"/>')), "PB026", 3),
    "a world's light of a reserved name": (sdf(world('\n<light name="world" type="point"/>')), "PB026", 3),
    "a visual with `::`": (in_link(VISUAL.format("a::b", ""), "1.8"), "PB026", 3),
    "a camera with `::`": (
        in_link('<sensor name="s" type="camera">\n<camera name="a::b"/></sensor>'),
        "PB026",
        3,
    ),
    "a model with `::`": (sdf(model('<link name="l"/>', "a::b")), "PB026", 2),
    "the default of a script's file": (painted(SCRIPT.format("__default__", "x")), "PB026", 4),
    "the default of a script's name": (painted(SCRIPT.format("a", "__default__")), "PB026", 4),
    "the default of a normal map": (
        painted(SHADER.format("normal_map_object_space", "__default__")),
        "PB023",
        4,
    ),
    "two worlds": (sdf(world("", "v") + "\n" + world("")), "PB083", 3),
    "a light": (sdf(SPOT), "PB083", 1),
    "two joints": (sdf(model(LINKS + joint("j", "a", "b") + joint("k", "b", "a"))), "PB083", 4),
    "two joints, one by a frame": (
        sdf(model(LINKS + '<frame name="f" attached_to="a"/>' + joint("j", "a", "b") + joint("k", "f", "b"))),
        "PB083",
        4,
    ),
    "a planar joint too": (sdf(model(LINKS + joint("j", "a", "b") + "\n" + PLANAR)), "PB083", 4),
    "a triangle": (
        sdf(model(LINKS + joint("j", "a", "b") + joint("k", "b", "c") + joint("l", "c", "a"))),
        "PB083",
        5,
    ),
    "a loop by the world": (
        sdf(model(LINKS + joint("j", "world", "a") + joint("k", "a", "b") + joint("l", "world", "b"))),
        "PB083",
        5,
    ),
    "a loop through a nested model": (
        sdf(model(model(LINKS + joint("j", "a", "b"), "n") + joint("k", "n::a", "n::b"))),
        "PB083",
        4,
    ),
    "a revolute joint in a world": (
        sdf(world(ENDS + joint("j", "a::l", "b::h", "revolute")), "1.12"),
        "PB083",
        3,
    ),
    "a light of a model's name": (
        sdf(world(SPOT + "\n" + model('<link name="l"/>', "s")), "1.6"),
        "PB083",
        3,
    ),
    "physics of a model's name": (sdf(world(ONE + '\n<physics name="m" type="ode"/>')), "PB083", 3),
    "a joint of a link's name, of old": (sdf(model(LINKS + joint("c", "a", "b")), "1.6"), "PB083", 3),
    "a joint that Drake has not": (sdf(model(LINKS + two_axes("revolute2", "1 0 0", "0 1 0"))), "PB083", 3),
    "a joint that moves in a static model": (
        sdf(model("<static>true</static>" + LINKS + joint("j", "a", "b", "revolute"))),
        "PB083",
        3,
    ),
    "axes that are not at right angles": (
        sdf(model(LINKS + two_axes("universal", "1 0 0", "1 1 0"))),
        "PB083",
        3,
    ),
    "a wall of a rigid link": (
        sdf(model('<link name="a">\n<drake:wall_boundary_condition/></link>')),
        "PB083",
        3,
    ),
    "a joint to a deformable link": (sdf(model(LINKS + SOFT + joint("j", "a", "s"))), "PB083", 3),
    "a joint from a deformable link": (
        sdf(model(SOFT + model('<link name="x"/>', "n") + joint("j", "s", "n::x"))),
        "PB083",
        3,
    ),
    "a frame of a deformable link": (
        sdf(model(LINKS + SOFT + '\n<frame name="f" attached_to="s"/>')),
        "PB083",
        3,
    ),
    "the frame of a model in another, fixed to nothing": (flat("", FLAT), "PB083", 3),
    "the frame of a model in another, fixed to that": (flat("a", FLAT), "PB083", 3),
    "a model in another without a link": (
        sdf(world(model('<link name="a"/>\n<frame name="n::f"/>')), "1.7"),
        "PB083",
        3,
    ),
    "a joint to a part of a model in another, in no world": (
        sdf(model('<link name="a"/><link name="n::b"/>' + joint("n::j", "a", "n::b")), "1.7"),
        "PB083",
        3,
    ),
    "a frame at a frame of a model in another, in no world": (
        sdf(model(LINKS + "{0}n::f{1}a{2}\n{0}g{1}n::f{2}".format(*FRAME)), "1.7"),
        "PB083",
        3,
    ),
    "a first link of a model in another, in no world": (
        sdf(model('<link name="n::b"/>\n<link name="a"/>'), "1.7"),
        "PB083",
        2,
    ),
    "inertia without collisions": (weighed(""), "PB023", 2),
    "inertia of a plane": (weighed("<plane/>"), "PB083", 2),
    "inertia of Drake's capsule": (
        weighed("<drake:capsule><radius>1</radius><length>1</length></drake:capsule>"),
        "PB083",
        2,
    ),
    "a spring to a link of a nested model": (
        sdf(model(LINKS + model('<link name="x"/>', "n") + "\n" + SPRING)),
        "PB083",
        3,
    ),
    "an unknown version": (sdf(ONE, "1.13"), "PB083", 1),
    "a version that is no number": (sdf(ONE, "new"), "PB083", 1),
    "an inertial pose of another frame": (
        sdf(model(INERTIAL.format("relative_to", "__model__")), "1.7"),
        "PB083",
        3,
    ),
    "an inertial pose of another frame, of old": (
        sdf(model(INERTIAL.format("frame", "__model__")), "1.6"),
        "PB083",
        3,
    ),
    "an inertial pose of an empty frame, later": (
        sdf(model(INERTIAL.format("relative_to", "")), "1.8"),
        "PB082",
        3,
    ),
    "an initial position": (sdf(model(LINKS + STARTED), "1.7"), "PB083", 3),
    "an initial position, later": (sdf(model(LINKS + STARTED)), "PB082", 3),
    "inertia twice": (weighed(BOX, "<inertia><ixx>1</ixx></inertia>"), "PB083", 2),
}


def errors(text: str, policy: Literal["strict", "warn"] = "strict") -> list[tuple[str, int]]:
    found = pb.check("m.sdf", policy, text=text)
    return [(each.code, each.line) for each in found if each.severity == "error"]


def drake_takes(text: str) -> bool:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    try:
        Parser(plant).AddModelsFromString(text, "sdf")
        plant.Finalize()
    except (RuntimeError, ValueError, SystemExit):  # the last one for failed assertions
        return False
    return True


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_what_drake_takes_is_taken(text: str) -> None:
    assert drake_takes(text)
    assert errors(text) == []


@pytest.mark.parametrize(("text", "code", "line"), REFUSED.values(), ids=REFUSED)
def test_what_drake_refuses_is_an_error_in_its_line(text: str, code: str, line: int) -> None:
    assert not drake_takes(text)
    beside = ("PB028", "PB054")  # defaults that differ between readers, deformable bodies
    assert [found for found in errors(text) if found[0] not in beside] == [(code, line)]
    assert errors(text, "warn") == [(code, line)]


def test_a_group_without_members_excludes_nothing() -> None:
    """Drake without geometry does not read groups; with geometry it rejects an empty one, unless it is
    ignored.
    """
    text = sdf(model(LINKS + '<drake:collision_filter_group name="g" ignore="true"/>'))
    assert drake_takes(text)
    assert errors(text, "warn") == []
    assert errors(text) == [("PB023", 2)]


def test_what_drake_refuses_stays_an_error_and_has_a_meaning() -> None:
    found = pb.check("m.sdf", text=REFUSED["a triangle"][0], policy="warn")
    assert [each.severity for each in found] == ["error"]
    found = pb.check("m.sdf", text=REFUSED["a triangle"][0], policy="lenient")
    assert [each.severity for each in found] == ["warning"]


def arrange(folder: Path, **files: str) -> list[Any]:
    for name, text in files.items():
        (folder / f"{name}.sdf").write_text(text, encoding="utf-8")
    return [(each.code, each.line) for each in pb.check(folder / "outer.sdf")]


def test_a_file_that_is_included_twice_brings_different_links(tmp_path: Path) -> None:
    inner = sdf(model(LINKS + joint("j", "a", "b"), "inner"))
    includes = "".join(f"<include><uri>inner.sdf</uri><name>{name}</name></include>" for name in "xy")
    between = joint("j", "x::a", "y::a") + joint("k", "world", "x::b")
    assert arrange(tmp_path, inner=inner, outer=sdf(model(includes + between))) == []
    again = sdf(model(includes + between + joint("l", "world", "y::b")))
    assert arrange(tmp_path, outer=again) == [("PB083", 5)]


def test_a_loop_in_an_included_file_is_said_once_there(tmp_path: Path) -> None:
    inner = sdf(model(LINKS + joint("j", "a", "b") + joint("k", "a", "b"), "inner"))
    outer = sdf(model("\n<include><uri>inner.sdf</uri></include>"))
    assert arrange(tmp_path, inner=inner, outer=outer) == [("PB083", 4)]


def test_a_light_may_be_included(tmp_path: Path) -> None:
    outer = sdf(world("<include><uri>sun.sdf</uri></include>"))
    assert arrange(tmp_path, sun=sdf(SPOT), outer=outer) == []


def test_links_of_an_included_robot_are_connected_once(tmp_path: Path) -> None:
    ends = '<parent link="a"/><child link="b"/>'
    robot = (
        f'<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">{ends}</joint></robot>'
    )
    (tmp_path / "robot.urdf").write_text(robot, encoding="utf-8")
    include = "<include><uri>robot.urdf</uri></include>"
    assert arrange(tmp_path, outer=sdf(model(include + joint("k", "world", "r::a")))) == []
    assert arrange(tmp_path, outer=sdf(model(include + joint("k", "r::a", "r::b")))) == [("PB083", 3)]


def seen(more: str) -> str:
    """A link with a visual."""
    shape = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    return f'<link name="a"><visual name="v">{shape}{more}</visual></link>'


OFF = '<drake:{}_properties enabled="false"/>'
RENDERER = "<drake:accepting_renderer>r</drake:accepting_renderer>"
BALL = "<drake:geometry><drake:sphere><drake:radius>1</drake:radius></drake:sphere></drake:geometry>"
PASSED_OVER = {
    "gravity": '<link name="a"><gravity>false</gravity></link>',
    "kinematics": '<link name="a"><kinematic>true</kinematic></link>',
    "laser": f'<link name="a"><collision name="c"><geometry>{BOX}</geometry><laser_retro>1</laser_retro>'
    "</collision></link>",
    "roles": seen(OFF.format("illustration") + OFF.format("perception")),
    "renderer": seen(OFF.format("perception") + RENDERER),
    "Drake's own": f'<link name="a"><drake:visual name="v">{BALL}{RENDERER}</drake:visual></link>',
    "damping": LINKS + two_axes("universal", "1 0 0", "0 1 0", "<dynamics><damping>1</damping></dynamics>"),
}


@pytest.mark.parametrize("inside", PASSED_OVER.values(), ids=PASSED_OVER)
def test_what_drake_passes_over_is_a_remark(inside: str) -> None:
    text = sdf(model(inside))
    assert drake_takes(text)
    found = pb.check("m.sdf", text=text)
    assert [(each.code, each.severity) for each in found] == [("PB067", "info")]


SKIN = "<skin><filename>a.dae</filename></skin>"
TOLERATED = {
    "an engine": ('<physics name="p" type="none"/>', "PB018"),
    "an actor": (f'<actor name="a">{SKIN}</actor>', "PB015"),
    "an animation": (
        f'<actor name="a">{SKIN}<animation name="b"/><script><loop>true</loop></script></actor>',
        "PB015",
    ),
}


@pytest.mark.parametrize(("inside", "code"), TOLERATED.values(), ids=TOLERATED)
def test_what_drake_tolerates_is_a_warning_under_warn(inside: str, code: str) -> None:
    text = sdf(world(inside))
    assert drake_takes(text)
    assert {found for found, _ in errors(text)} - {"PB036"} == {code}  # the file of a skin does not exist
    assert errors(text, "warn") == []


@pytest.mark.parametrize("name", ["RGB_INT8", "L_INT16", "BGRA_INT8", "RGB_FLOAT32", "RGB_INT64", "rgb_int8"])
def test_pixel_formats_of_libsdformat(name: str) -> None:
    image = f"<image><width>3</width><height>3</height><format>{name}</format></image>"
    camera = f'<sensor name="s" type="camera"><camera name="c">{image}</camera></sensor>'
    text = sdf(model(f'<link name="a">{camera}</link>'))
    assert drake_takes(text) == (errors(text, "warn") == []) == (name not in ("RGB_INT64", "rgb_int8"))


@pytest.mark.parametrize("which", [0, 1])
def test_joints_without_a_name_connect_as_others(which: int) -> None:
    joints = [joint("j", "a", "b"), joint("k", "a", "b")]
    joints[which] = joints[which].replace(f'name="{"jk"[which]}"', 'name=""')
    codes = {found.code for found in pb.check("a.sdf", text=sdf(model(LINKS + "".join(joints))))}
    assert {"PB026", "PB083"} <= codes


def test_elements_without_names_share_none() -> None:
    text = '<sdf version="1.9"><world name="w"><physics type="ode"/><physics type="ode"/></world></sdf>'
    assert not [d for d in pb.check("w.sdf", "lenient", text=text) if d.code in ("PB031", "PB099")]
