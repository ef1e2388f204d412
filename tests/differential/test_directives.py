"""Model directives against Drake: the same coordinates, poses and forces, and rejections with positions."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import polybody
import pytest
from polybody.loading import load_lowered

from tests.differential import drake
from tests.differential.report import summary
from tests.differential.sdf_models import LIMIT, ROBOT, A, B, joint, link, model, sdf
from tests.differential.urdf_models import AB, bushing
from tests.lowering.urdf.robots import robot
from tests.lowering.urdf.test_gazebo import touching
from tests.oracles import drake_contacts, drake_plant

ARM = model(
    A
    + B
    + joint("revolute", "a", "b")
    + '<frame name="grip" attached_to="b"><pose>0 0 .2 0 .3 0</pose></frame>'
)
BOX = model(link("box"))
BALL = model(A + B + joint("ball", "a", "b", axis=""))
WORLD = sdf(
    f'<world name="w"><frame name="f"/><model name="x">{A}{B}{joint("prismatic", "a", "b")}</model></world>'
)
NESTED = model(A + f'<model name="n"><pose>1 0 0 0 0 .2</pose>{link("c")}</model>')
INNER = """\
directives:
- add_model: {file: package://parts/box.sdf, name: box}
- add_weld: {parent: world, child: box::box, X_PC: {translation: [0, 0, 1]}}
"""
BOUND = model(A + B + joint("revolute", "a", "b", more=LIMIT))
WORLDS = sdf(f'<world name="w"><model name="x">{A}</model><model name="y">{A}</model></world>')
BALLS = (
    '<robot name="r">'
    + "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial><collision><geometry><sphere radius="1"/></geometry></collision></link>'
        for name in "ab"
    )
    + "</robot>"
)
FILES = {
    "arm.sdf": ARM,
    "box.sdf": BOX,
    "ball.sdf": BALL,
    "world.sdf": WORLD,
    "nested.sdf": NESTED,
    "robot.urdf": ROBOT,
    "bound.sdf": BOUND,
    "worlds.sdf": WORLDS,
    "ball.urdf": BALLS,
    "bushed.urdf": robot(AB, bushing()),
    "inner.dmd.yaml": INNER,
}


def added(file: str, name: str, more: str = "") -> str:
    return f"- add_model:\n    file: package://parts/{file}\n    name: {name}\n{more}"


SCENES: dict[str, str] = {
    "a model": added("arm.sdf", "one"),
    "two models": added("arm.sdf", "one") + added("arm.sdf", "two"),
    "a robot of URDF": added("robot.urdf", "one") + added("box.sdf", "two"),
    "the model of a world": added("world.sdf", "one"),
    "a model with a model in it": added("nested.sdf", "one"),
    "positions": added("arm.sdf", "one", "    default_joint_positions: {j: [0.7]}\n"),
    "positions of a ball": added("ball.sdf", "one", "    default_joint_positions: {j: [0.1, 0.2, -0.3]}\n"),
    "a pose": added(
        "arm.sdf",
        "one",
        "    default_free_body_pose: {a: {translation: [1, 2, 3], rotation: !Rpy {deg: [10, 20, 30]}}}\n",
    ),
    "a pose of the only link": added(
        "box.sdf", "one", "    default_free_body_pose: {'': {translation: [1, 2, 3]}}\n"
    ),
    "a pose of a frame": added(
        "arm.sdf",
        "one",
        (
            "    default_free_body_pose: {grip: {translation: [1, 2, 3], rotation: !AngleAxis "
            "{angle_deg: 40, axis: [1, 2, 0]}}}\n"
        ),
    ),
    "a pose in another model": added("arm.sdf", "one")
    + added(
        "box.sdf",
        "two",
        "    default_free_body_pose: {box: {base_frame: one::grip, translation: [1, 2, 3]}}\n",
    ),
    "a weld to the world": added("arm.sdf", "one") + "- add_weld: {parent: world, child: one::a}\n",
    "a weld of a link that is no base": added("arm.sdf", "one")
    + (
        "- add_weld: {parent: world, child: one::grip, X_PC: {rotation: !Identity {}, translation: [1, "
        "0, 0]}}\n"
    ),
    "a weld between models": added("arm.sdf", "one")
    + added("robot.urdf", "two")
    + "- add_weld: {parent: one::grip, child: two::v, X_PC: {rotation: !Rpy {deg: [0, 90, 0]}}}\n",
    "frames": added("arm.sdf", "one")
    + "- add_frame: {name: f, X_PF: {base_frame: one::b, translation: [1, 0, 0]}}\n"
    "- add_frame: {name: g, X_PF: {base_frame: world, rotation: !AngleAxis {angle_deg: 20}}}\n"
    "- add_model_instance: {name: space}\n- add_frame: {name: space::h, X_PF: {base_frame: one::f}}\n"
    + added("box.sdf", "two")
    + "- add_weld: {parent: space::h, child: two::box}\n",
    "other directives": "- add_model_instance: {name: room}\n"
    "- add_directives: {file: package://parts/inner.dmd.yaml, model_namespace: room}\n"
    + added("box.sdf", "two")
    + "- add_weld: {parent: room::box::box, child: two::box}\n",
    "other directives without a namespace": "- add_directives: {file: package://parts/inner.dmd.yaml}\n",
    "robots with bushings of the same names": added("bushed.urdf", "one") + added("bushed.urdf", "two"),
    "a name in another's namespace": added("arm.sdf", "one") + added("box.sdf", "one::two"),
    "positions out of bounds": added("bound.sdf", "one", "    default_joint_positions: {j: [7]}\n"),
    "no rotation": "- add_frame: {name: f, X_PF: {base_frame: world, rotation: {}, translation: [1, 2, 3]}}"
    "\n",
    "a turn about z by default": "- add_frame:\n    name: f\n    X_PF:\n      base_frame: world\n"
    "      rotation: !AngleAxis {angle_deg: 20}\n",
    "a pose of a link that is welded": added(
        "arm.sdf", "one", "    default_free_body_pose: {a: {translation: [1, 2, 3]}}\n"
    )
    + "- add_weld: {parent: world, child: one::a}\n",
    "no directives": "",
    "a bigger island after a smaller one": added("box.sdf", "one")
    + added("arm.sdf", "two")
    + added("nested.sdf", "three"),
}


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A folder of small models."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_as_drake_has_it(name: str, parts: Path) -> None:
    path = parts / "scene.dmd.yaml"
    path.write_text("directives:\n" + SCENES[name] if SCENES[name] else "directives: []\n")
    packages = {"parts": str(parts)}
    found = drake.compare(path, drake_plant.ask(path, packages=packages), packages)
    report = summary([found], drake.TOLERANCES)
    assert not found.refused
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert {"names", "start", "poses", "mass matrix"} <= set(found.errors) | {"mass matrix"}


ADDED = (
    added("arm.sdf", "welded") + "- add_weld: {parent: world, child: welded::a}\n",
    added("nested.sdf", "nested"),
    added("arm.sdf", "arm"),
    added("box.sdf", "single"),
)


@pytest.mark.parametrize("order", permutations(range(len(ADDED))), ids=str)
def test_coordinates_are_in_drakes_order_whatever_that_of_the_models(
    order: tuple[int, ...], parts: Path
) -> None:
    """Trees on the world first, then islands by size, then single bodies."""
    path = parts / "scene.dmd.yaml"
    path.write_text("directives:\n" + "".join(ADDED[row] for row in order))
    packages = {"parts": str(parts)}
    found = drake.compare(path, drake_plant.ask(path, packages=packages), packages)
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert "names" in found.errors


def test_a_scene_is_what_the_same_scene_in_sdformat_is(parts: Path) -> None:
    path = parts / "scene.dmd.yaml"
    path.write_text(
        "directives:\n"
        + added("arm.sdf", "one")
        + added("box.sdf", "two")
        + "- add_weld: {parent: one::grip, child: two::box, X_PC: {translation: [1, 2, 3], rotation: "
        "!Rpy {deg: [10, 20, 30]}}}\n"
        "- add_weld: {parent: world, child: one::a, X_PC: {translation: [0, 0, 1]}}\n"
    )
    turn = " ".join(str(np.radians(angle)) for angle in (10, 20, 30))
    weld = '<joint name="{}" type="fixed"><parent>{}</parent><child>{}</child></joint>'
    text = sdf(
        '<world name="w"><frame name="stand"><pose>0 0 1 0 0 0</pose></frame>'
        '<model name="one" placement_frame="a"><pose relative_to="stand"/>'
        + A
        + B
        + joint("revolute", "a", "b")
        + '<frame name="grip" attached_to="b"><pose>0 0 .2 0 .3 0</pose></frame></model>'
        + f'<model name="two"><pose relative_to="one::grip">1 2 3 {turn}</pose>{link("box")}</model>'
        + weld.format("k", "stand", "one::a")
        + weld.format("l", "one::grip", "two::box")
        + "</world>",
        "1.11",
    ).replace('<pose relative_to="stand"/>', '<pose relative_to="stand">0 0 0 0 0 0</pose>')
    scene = load_lowered(path, packages={"parts": parts}).model
    other = load_lowered(parts / "same.sdf", text=text).model
    assert scene.names["body"] == other.names["body"]
    data, twin = polybody.Data(scene), polybody.Data(other)
    data.qpos[:] = twin.qpos[:] = 0.7
    for made, held in ((scene, data), (other, twin)):
        polybody.forward(made, held)
    np.testing.assert_allclose(data.xpos, twin.xpos, atol=1e-14)
    np.testing.assert_allclose(data.xmat, twin.xmat, atol=1e-14)


GROUPS = {
    "in full": "- add_collision_filter_group: {name: g, members: [one::a, two::b], "
    "ignored_collision_filter_groups: [g]}\n",
    "in a namespace": "- add_collision_filter_group: {name: g, model_namespace: one, members: [a, b], "
    "ignored_collision_filter_groups: [g]}\n",
    "of groups": "- add_collision_filter_group: {name: h, members: [two::a]}\n"
    "- add_collision_filter_group: {name: g, members: [one::a], member_groups: [h], "
    "ignored_collision_filter_groups: [g, h]}\n",
    "between groups": "- add_collision_filter_group: {name: h, members: [two::a, two::b]}\n"
    "- add_collision_filter_group: {name: g, members: [one::a], ignored_collision_filter_groups: [h]}\n",
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_of_links_does_not_touch_what_drake_says(name: str, parts: Path) -> None:
    path = parts / "scene.dmd.yaml"
    path.write_text("directives:\n" + added("ball.urdf", "one") + added("ball.urdf", "two") + GROUPS[name])
    made = load_lowered(path, packages={"parts": parts})
    theirs = drake_contacts.ask(path, {"parts": str(parts)}).pairs
    assert touching(made.model) == {"".join(sorted(pair)) for pair in theirs}
    assert 0 < len(theirs) < 6


def test_robots_of_a_scene_touch_each_other_in_gazebos_meaning_too(parts: Path) -> None:
    path = parts / "scene.dmd.yaml"
    path.write_text("directives:\n" + added("ball.urdf", "one") + added("ball.urdf", "two"))
    made = load_lowered(path, packages={"parts": parts}, meaning="gazebo")
    assert touching(made.model) == {f"one::{one}two::{other}" for one in "ab" for other in "ab"}


# --- rejected directives, with their lines ----------------------------------------------------------------

REFUSED: dict[str, tuple[str, str, int]] = {
    "a path": ("- add_model: {file: arm.sdf, name: x}\n", "PB010", 2),
    "a file that does not exist": (added("none.sdf", "x"), "PB036", 3),
    "directives as a model": (added("inner.dmd.yaml", "x"), "PB084", 3),
    "a model as directives": ("- add_directives: {file: package://parts/arm.sdf}\n", "PB084", 2),
    "an unknown key": ("- add_model: {file: package://parts/arm.sdf, name: x, nmae: y}\n", "PB012", 2),
    "an unknown directive": ("- add_modle: {}\n", "PB012", 2),
    "two directives in one": ("- add_model_instance: {name: x}\n  add_frame: {}\n", "PB022", 2),
    "a key twice": ("- add_model_instance:\n    name: x\n    name: y\n", "PB025", 4),
    "no name": ("- add_model: {file: package://parts/arm.sdf}\n", "PB021", 2),
    "a name twice": (added("arm.sdf", "x") + added("arm.sdf", "x"), "PB031", 7),
    "an unknown joint": (added("arm.sdf", "x", "    default_joint_positions:\n      z: [1]\n"), "PB032", 6),
    "a wrong number of coordinates": (
        added("arm.sdf", "x", "    default_joint_positions:\n      j: [1, 2]\n"),
        "PB017",
        6,
    ),
    "a position that is no list": (
        added("arm.sdf", "x", "    default_joint_positions:\n      j: 1\n"),
        "PB016",
        6,
    ),
    "a world of two models": (added("worlds.sdf", "x"), "PB063", 1),
    "a joint with its model's name": (
        added("arm.sdf", "x", "    default_joint_positions:\n      x::j: [1]\n"),
        "PB032",
        6,
    ),
    "a free joint by its name": (
        added("arm.sdf", "x", "    default_joint_positions:\n      a: [1, 0, 0, 0, 0, 0, 0]\n"),
        "PB032",
        6,
    ),
    "a base frame that is not given": ("- add_frame: {name: f, X_PF: {}}\n", "PB021", 2),
    "an unknown link": (added("arm.sdf", "x", "    default_free_body_pose:\n      z: {}\n"), "PB032", 6),
    "no name for one of several links": (
        added("arm.sdf", "x", "    default_free_body_pose:\n      '': {}\n"),
        "PB032",
        6,
    ),
    "a frame without a base": ("- add_frame: {name: f, X_PF: {translation: [1, 2, 3]}}\n", "PB021", 2),
    "a frame in no model": ("- add_frame: {name: x::f, X_PF: {base_frame: world}}\n", "PB032", 2),
    "a base frame that is not there yet": (
        "- add_frame: {name: f, X_PF: {base_frame: x::a}}\n" + added("arm.sdf", "x"),
        "PB032",
        2,
    ),
    "a frame of several models": (
        added("arm.sdf", "x") + added("arm.sdf", "y") + "- add_weld: {parent: world, child: a}\n",
        "PB032",
        8,
    ),
    "two numbers for three": (
        "- add_frame: {name: f, X_PF: {base_frame: world, translation: [1, 2]}}\n",
        "PB017",
        2,
    ),
    "degrees without a kind": (
        "- add_frame: {name: f, X_PF: {base_frame: world, rotation: {deg: [1, 2, 3]}}}\n",
        "PB012",
        2,
    ),
    "a zero axis": (
        (
            "- add_frame:\n    name: f\n    X_PF:\n      base_frame: world\n      rotation: !AngleAxis "
            "{angle_deg: 10, axis: [0, 0, 0]}\n"
        ),
        "PB046",
        6,
    ),
    "a random rotation": (
        "- add_frame: {name: f, X_PF: {base_frame: world, rotation: !Uniform {}}}\n",
        "PB054",
        2,
    ),
    "a random translation": (
        (
            "- add_frame: {name: f, X_PF: {base_frame: world, translation: !Uniform {min: [0, 0, 0], "
            "max: [1, 1, 1]}}}\n"
        ),
        "PB054",
        2,
    ),
    "a weld of the world": ("- add_weld: {parent: world, child: world}\n", "PB048", 2),
    "a base frame in a weld": (
        added("arm.sdf", "x") + "- add_weld: {parent: world, child: x::a, X_PC: {base_frame: world}}\n",
        "PB022",
        5,
    ),
    "a weld that closes a loop": (
        added("arm.sdf", "x")
        + "- add_weld: {parent: world, child: x::a}\n- add_weld: {parent: world, child: x::b}\n",
        "PB063",
        6,
    ),
    "a namespace that does not exist": (
        "- add_directives: {file: package://parts/inner.dmd.yaml, model_namespace: room}\n",
        "PB032",
        2,
    ),
    "a group of nobody": ("- add_collision_filter_group: {name: g}\n", "PB015", 2),
    "an unknown group": (
        added("arm.sdf", "x")
        + "- add_collision_filter_group: {name: g, members: [x::a], ignored_collision_filter_groups: [h]}\n",
        "PB032",
        5,
    ),
    "an unknown member": ("- add_collision_filter_group: {name: g, members: [x::a]}\n", "PB032", 2),
    "a file that includes itself": ("- add_directives: {file: package://parts/scene.dmd.yaml}\n", "PB039", 2),
    "no number": (
        "- add_frame: {name: f, X_PF: {base_frame: world, translation: [a, 1, .nan]}}\n",
        "PB016",
        2,
    ),
    "an anchor that does not exist": ("- add_model_instance: {name: *x}\n", "PB032", 2),
    "a list for a name": ("- add_model_instance: {name: [x]}\n", "PB016", 2),
    "an empty entry": ("- {}\n", "PB015", 2),
    "a tag": ("- add_model_instance: !!python/object:os.system {name: x}\n", "PB018", 2),
    "no YAML": ("- add_model_instance: {name: x\n", "PB005", 3),
    "two documents": ("- add_model_instance: {name: x}\n---\ndirectives: []\n", "PB014", 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_faults_are_reported_with_their_lines(name: str, parts: Path) -> None:
    text, code, line = REFUSED[name]
    path = parts / "scene.dmd.yaml"
    path.write_text("directives:\n" + text)
    with pytest.raises(polybody.ValidationError) as caught:
        load_lowered(path, packages={"parts": parts})
    errors = [(each.code, each.line) for each in caught.value.diagnostics if each.severity == "error"]
    assert (code, line) in errors


def test_a_pose_without_effect_is_a_warning(parts: Path) -> None:
    path = parts / "scene.dmd.yaml"
    pose = "    default_free_body_pose:\n      b: {translation: [1, 2, 3]}\n"
    path.write_text("directives:\n" + added("arm.sdf", "x", pose))
    with pytest.warns(polybody.ModelWarning):
        made = load_lowered(path, packages={"parts": parts})
    assert [(each.code, each.line) for each in made.findings if each.severity != "info"] == [("PB027", 6)]


def test_aliases_are_what_their_anchors_are(parts: Path) -> None:
    path = parts / "scene.dmd.yaml"
    path.write_text(
        "directives:\n- add_frame: {name: f, X_PF: &at {base_frame: world, translation: [1, 2, 3]}}\n"
        "- add_frame: {name: g, X_PF: *at}\n"
    )
    document = polybody.read(path)
    first, second = document.directives
    assert first.X_PF == second.X_PF
    assert first.X_PF.translation == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n",
        "directives: " + "[" * 100 + "]" * 100,
        "- " * 200_000,
    ],
)
def test_large_or_deep_yaml_is_a_finding(text: str) -> None:
    found = polybody.check("scene.dmd.yaml", text=text)
    assert found
    assert all(each.line >= 1 for each in found)


def test_the_format_is_known_by_its_name_too() -> None:
    document = polybody.read("scene.yaml", text="directives: []\n", format="directives")
    assert document.directives == []
    with pytest.raises(polybody.ValidationError):
        polybody.read("scene.yaml", text="directives: []\n")


MJCF = """\
<mujoco model="hand"><compiler angle="radian"/><worldbody>
  <body name="palm" pos="1 0 0"><freejoint/><inertial pos=".1 0 0" mass="2" diaginertia="1 1.2 1.3"/>
    <body name="thumb" pos="0 1 0" euler=".1 .2 .3">
      <joint name="h" axis="0 1 0" pos="0 0 .1" damping=".3" range="-1 1"/>
      <inertial pos="0 0 .2" mass="1" diaginertia="1 1 1"/>
      <body name="tip" pos="0 0 1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>
    <body pos="0 2 0"><joint type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>
  <body name="stick" pos="0 0 3"><joint name="s" type="slide" axis="1 0 1"/><geom size=".1"/></body>
</worldbody><actuator><motor name="m" joint="h"/></actuator></mujoco>
"""


def test_a_model_of_mjcf_is_as_drake_has_it(parts: Path) -> None:
    (parts / "hand.xml").write_text(MJCF)
    path = parts / "scene.dmd.yaml"
    path.write_text(
        "directives:\n"
        + added("arm.sdf", "arm")
        + added("hand.xml", "hand")
        + "- add_weld: {parent: arm::grip, child: hand::thumb}\n"
    )
    packages = {"parts": str(parts)}
    found = drake.compare(path, drake_plant.ask(path, packages=packages), packages)
    report = summary([found], drake.TOLERANCES)
    assert not found.refused
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert "acceleration" in found.errors


def test_several_joints_of_a_body_of_mjcf_are_as_without_directives(parts: Path) -> None:
    """Drake 1.51 puts all but the last of them at the frame of the parent."""
    body = (
        '<body name="b" pos="0 1 0" euler="10 20 30"><joint name="h" axis="0 1 0" pos="0 0 .1" stiffness="2"'
    )
    body += ' springref="20"/><joint name="s" type="slide" axis="1 0 0" armature=".1"/>'
    body += '<geom size=".1 .2 .3" type="box"/>'
    text = f"<mujoco><worldbody>{body}</body></worldbody></mujoco>"
    (parts / "two.xml").write_text(text)
    path = parts / "scene.dmd.yaml"
    path.write_text("directives:\n" + added("two.xml", "two"))
    made = load_lowered(path, packages={"parts": parts}, disable=("contact",))
    alone = polybody.load(parts / "two.xml", disable=("contact",))
    q, v = np.array([0.3, -0.2]), np.array([0.5, 0.7])
    ours, theirs = polybody.Data(made.model), polybody.Data(alone)
    ours.qpos[:], ours.qvel[:] = made.native.qpos(q), v
    theirs.qpos[:], theirs.qvel[:] = q, v
    polybody.forward(made.model, ours)
    polybody.forward(alone, theirs)
    np.testing.assert_allclose(ours.xpos[-1], theirs.xpos[-1], atol=1e-14)
    np.testing.assert_allclose(ours.qacc, theirs.qacc, rtol=1e-12)


def test_a_faulty_mesh_leaves_its_shape_out(parts: Path) -> None:
    """As for the file alone: a faulty collision mesh does not prevent a body from moving."""
    geometry = '<geometry><mesh filename="package://parts/part.stl"/></geometry>'
    (parts / "part.stl").write_bytes(b"no mesh")
    (parts / "shaped.urdf").write_text(
        f'<robot name="r"><link name="a"><collision>{geometry}</collision></link></robot>'
    )
    (parts / "scene.dmd.yaml").write_text("directives:\n" + added("shaped.urdf", "one"))
    found = load_lowered(parts / "scene.dmd.yaml", packages={"parts": parts})
    assert [each.severity for each in found.findings if each.code == "PB084"] == ["warning"]
    assert found.model.ngeom == 0
