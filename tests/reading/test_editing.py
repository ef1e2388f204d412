"""Finding, renaming and deleting elements of documents."""

from __future__ import annotations

import sys
from typing import Any

import polybody as pb
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")

MJCF = """\
<mujoco>
  <default><default class="thin"><geom size=".1"/></default></default>
  <asset><material name="red"/><material name="unused"/></asset>
  <worldbody>
    <body name="torso" childclass="thin">
      <joint name="hip"/><geom name="trunk" class="thin" material="red"/><site name="torso"/>
      <body name="leg"><joint name="knee"/><geom material="red"/><site name="foot"/></body>
    </body>
  </worldbody>
  <contact><exclude body1="torso" body2="leg"/></contact>
  <tendon><fixed name="f"><joint joint="hip" coef="1"/><joint joint="knee" coef="1"/></fixed></tendon>
  <actuator><motor name="m" joint="hip"/><motor joint="knee"/></actuator>
  <sensor>
    <framepos objtype="body" objname="torso" reftype="site" refname="torso"/><touch site="foot"/>
  </sensor>
</mujoco>
"""
SDF = """\
<sdf version="1.9">
  <world name="w">
    <model name="arm" canonical_link="base">
      <link name="base"><pose relative_to="tool">0 0 0 0 0 0</pose></link>
      <frame name="tool" attached_to="hand::palm"/>
      <model name="hand"><link name="palm"/><link name="base"/></model>
      <joint name="wrist" type="fixed"><parent>base</parent><child>hand::palm</child></joint>
    </model>
    <joint name="floor" type="fixed"><parent>world</parent><child>arm::base</child></joint>
  </world>
</sdf>
"""
SKEL = """\
<skel version="1.0"><world name="w">
  <skeleton name="a"><body name="b"/>
    <joint name="j" type="free"><parent>world</parent><child>b</child></joint></skeleton>
  <skeleton name="c"><body name="b"/>
    <joint name="j" type="free"><parent>world</parent><child>b</child></joint></skeleton>
</world></skel>
"""
OPENRAVE = """\
<KinBody name="k">
  <Body name="one"/><Body name="two"><offsetfrom>one</offsetfrom></Body>
  <Body name="three"><offsetfrom>two</offsetfrom></Body>
  <Joint name="j1" type="hinge"><Body>one</Body><Body>two</Body></Joint>
  <Joint name="j2" type="hinge" enable="false" mimic_pos="2*j1+sin(j1)" mimic_vel="|j1 2+cos(j1)">
    <Body>two</Body><Body>three</Body></Joint>
</KinBody>
"""
URDF = """\
<robot name="r">
  <link name="base"/><link name="arm"/><link name="hand"/>
  <joint name="a" type="fixed"><parent link="base"/><child link="arm"/></joint>
  <joint name="b" type="continuous"><parent link="arm"/><child link="hand"/></joint>
  <joint name="c" type="continuous"><parent link="base"/><child link="x"/><mimic joint="b"/></joint>
  <link name="x"/>
</robot>
"""


def read(text: str) -> Any:
    return pb.read("m.xml", text=text, policy="lenient")


def lines(before: str, after: str) -> list[str]:
    """Lines that are not in the previous text."""
    known = before.split("\n")
    return [line.strip() for line in after.split("\n") if line not in known]


def test_finding() -> None:
    document = read(MJCF)
    torso = document.find("body", "torso")
    assert torso is document.worldbody.body[0]
    assert document.find(pb.mjcf.Body, "leg") is torso.body[0]
    assert [joint.name for joint in document.worldbody.find_all(pb.mjcf.Joint)] == ["hip", "knee"]
    assert torso.find("body", "arm") is None
    assert document.parent_of(torso.body[0]) is torso
    assert torso.parent_of(torso) is None


def test_xpath() -> None:
    document = read(MJCF)
    (leg,) = pb.xpath(document, "//geom[@material='red']/parent::body[@name='leg']")
    assert leg is document.find("body", "leg")
    assert pb.xpath(document, "count(//motor)") == 2
    assert pb.xpath(document, "//motor/@joint") == ["hip", "knee"]
    assert pb.xpath(read(SDF), "//joint[parent='base']/@name") == ["wrist"]
    with pytest.raises(ValueError, match=r"invalid XPath '//\['"):
        pb.xpath(document, "//[")


def test_a_misspelt_element_is_an_error() -> None:
    document = pb.read_mjcf("a.xml", text='<mujoco><worldbody><body name="leg"/></worldbody></mujoco>')
    assert document.find("joint", "knee") is None
    assert document.find("joint") is None
    assert document.find_all("joint") == []
    for search in (document.find, document.find_all, document.worldbody.find):
        with pytest.raises(ValueError, match=r"mjcf has no element <jont>; did you mean `joint`\?"):
            search("jont", "knee")
    with pytest.raises(ValueError, match=r"mjcf has no element <propeller>$"):
        document.find("propeller")
    with pytest.raises(TypeError, match="expected an element, not 'leg'"):
        document.parent_of("leg")  # type: ignore[arg-type]


def test_elements_of_others_may_be_searched_for() -> None:
    """URDF allows them within <gazebo>: an unknown tag is an error only if it resembles a known one."""
    text = '<robot name="r"><link name="a"/><gazebo><lnik/><propeller/></gazebo></robot>'
    document = pb.read_urdf("a.urdf", text=text, policy="lenient")
    assert document.find("propeller").TAG == "propeller"
    assert document.find("lnik").TAG == "lnik"
    assert document.find("thruster") is None
    with pytest.raises(ValueError, match="did you mean `joint`"):
        document.find("jont")


def test_an_element_that_is_a_field_is_named() -> None:
    text = '<sdf version="1.9"><model name="m"><link name="a"><gravity>true</gravity></link></model></sdf>'
    document = pb.read_sdf("a.sdf", text=text)
    with pytest.raises(ValueError, match="<self_collide> contains only text: it is a field of <"):
        document.find("self_collide")


def test_renaming_a_body_of_mjcf() -> None:
    document = read(MJCF)
    assert pb.rename(document, document.find("body", "torso"), "trunk") == 2
    assert lines(MJCF, pb.write(document)) == [
        '<body name="trunk" childclass="thin">',
        '<contact><exclude body1="trunk" body2="leg"/></contact>',
        '<framepos objtype="body" objname="trunk" reftype="site" refname="torso"/><touch site="foot"/>',
    ]
    assert pb.validate(document, "warn") == pb.validate(read(MJCF), "warn")


def test_renaming_what_other_attributes_name() -> None:
    document = read(MJCF)
    assert pb.rename(document, document.find("site", "torso"), "s") == 1
    assert pb.rename(document, document.find("joint", "knee"), "k") == 2
    assert pb.rename(document, document.find("material", "red"), "blue") == 2
    (thin,) = pb.xpath(document, "//default[@class='thin']")
    assert pb.rename(document, thin, "thick") == 2
    text = pb.write(document)
    assert text.count("thick") == 3
    assert "thin" not in text
    assert 'refname="s"' in text


def test_renaming_in_scopes() -> None:
    document = read(SDF)
    hand = document.find("model", "hand")
    assert pb.rename(document, hand, "gripper") == 2
    base = document.find("model", "arm").link[0]
    assert pb.rename(document, base, "foot") == 3
    assert lines(SDF, pb.write(document)) == [
        '<model name="arm" canonical_link="foot">',
        '<link name="foot"><pose relative_to="tool">0 0 0 0 0 0</pose></link>',
        '<frame name="tool" attached_to="gripper::palm"/>',
        '<model name="gripper"><link name="palm"/><link name="base"/></model>',
        '<joint name="wrist" type="fixed"><parent>foot</parent><child>gripper::palm</child></joint>',
        '<joint name="floor" type="fixed"><parent>world</parent><child>arm::foot</child></joint>',
    ]
    document = read(SKEL)
    assert pb.rename(document, document.world.skeleton[1].body[0], "d") == 1
    assert pb.write(document) == SKEL[: SKEL.index('"c"')] + SKEL[SKEL.index('"c"') :].replace(
        '"b"', '"d"'
    ).replace("<child>b<", "<child>d<")


def test_renaming_in_formulas() -> None:
    document = read(OPENRAVE)
    assert pb.rename(document, document.find("joint", "j1"), "first") == 4
    text = pb.write(document)
    assert 'mimic_pos="2*first+sin(first)" mimic_vel="|first 2+cos(first)"' in text
    assert pb.rename(document, document.find("body", "two"), "2") == 3


def test_names_that_cannot_be() -> None:
    document = read(MJCF)
    torso = document.find("body", "torso")
    with pytest.raises(ValueError, match=r"there is another <body> named 'leg' at m\.xml:7:7"):
        pb.rename(document, torso, "leg")
    with pytest.raises(ValueError, match="<body> is not in the document"):
        pb.rename(document, pb.mjcf.Body(name="x"), "y")
    with pytest.raises(ValueError, match="<worldbody> has no name"):
        pb.rename(document, document.worldbody, "y")


def test_deleting() -> None:
    document = read(MJCF)
    gone = pb.delete(document, document.find("body", "leg"))
    assert [node.TAG for node in gone] == ["body", "exclude", "joint", "motor", "touch"]
    text = pb.write(document)
    assert "leg" not in text
    assert '<joint joint="hip" coef="1"/></fixed>' in text
    gone = pb.delete(document, document.find("material", "red"))
    assert [node.TAG for node in gone] == ["material"]
    assert document.find("geom", "trunk").material is None
    assert not [d for d in pb.validate(document, "warn") if d.severity == "error"]


def test_deleting_what_others_need() -> None:
    document = read(URDF)
    gone = pb.delete(document, document.find("link", "hand"))
    assert [(node.TAG, getattr(node, "name", "")) for node in gone] == [
        ("link", "hand"),
        ("joint", "b"),
        ("mimic", ""),
    ]
    assert document.find("joint", "c").mimic is None
    sdf = read(SDF)
    gone = pb.delete(sdf, sdf.find("model", "hand"))
    assert [(node.TAG, node.name) for node in gone] == [("model", "hand"), ("joint", "wrist")]
    assert sdf.find("frame", "tool").attached_to is None
    with pytest.raises(ValueError, match="<robot> is the document's root"):
        pb.delete(document, document)
    with pytest.raises(ValueError, match="<link> is not in the document"):
        pb.delete(document, pb.urdf.Link(name="l"))


ROS = """\
<robot name="r">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><visual><geometry><sphere radius="1"/></geometry>
    <material name="grey"/></visual></link>
  <link name="arm"/>
  <link name="hand"/>
  <joint name="shoulder" type="continuous"><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>
    <parent link="base"/><child link="arm"/></joint>
  <joint name="wrist" type="continuous"><origin xyz="1 0 0"/>
    <parent link="arm"/><child link="hand"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
    <joint name="wrist"/><actuator name="m"/></transmission>
  <gazebo reference="hand"><mu1>1</mu1></gazebo>
  <gazebo><plugin name="p"><joint_name> wrist </joint_name><frame>base/hand</frame></plugin></gazebo>
  <ros2_control name="c" type="system">
    <joint name="shoulder"/><joint name="wrist"><param name="mimic">shoulder</param></joint>
  </ros2_control>
</robot>
"""
SETTINGS = """\
<mujoco model="tool">
  <compiler angle="radian" eulerseq="ZYX" meshdir="shapes"/>
  <default><joint range="-1 1"/><default class="big"><geom size="2"/></default></default>
  <asset>
    <texture name="t" type="2d" builtin="flat" width="8" height="8"/><material name="m" texture="t"/>
  </asset>
  <worldbody>
    <body name="palm" euler="0.1 0.2 0.3"><freejoint/><geom size=".1"/>
      <body name="finger" pos="0 0 1"><joint name="q"/><geom class="big" material="m"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="q"/></actuator>
  <keyframe><key name="home" qpos="1 2 3 1 0 0 0 0.25"/></keyframe>
</mujoco>
"""
HOST = """\
<mujoco model="arm">
  <default><geom rgba="1 0 0 1"/></default>
  <asset><texture name="same" type="2d" builtin="flat" width="8" height="8"/></asset>
  <worldbody><body name="upper"><joint name="jx"/><geom size=".1"/></body></worldbody>
  <keyframe><key name="home" qpos="0.5"/></keyframe>
</mujoco>
"""


def names(nodes: Any) -> list[tuple[str, str]]:
    return [(node.TAG, getattr(node, "name", None) or "") for node in nodes]


def poses(document: Any) -> dict[str, Any]:
    model = pb.lower(document, policy="lenient")
    data = pb.Data(model)
    pb.forward_kinematics(model, data)
    return {name: data.body(name).xpos.round(9).tolist() for name in model.names["body"] if name}


def test_renaming_in_extensions() -> None:
    document = read(ROS)
    renamed = pb.rename(document, document.find("joint", "wrist"), "roll")
    assert renamed == 2
    assert [str(each) for each in renamed.mentions] == [
        "text of <joint_name> at m.xml:14:28 contains `wrist`"
    ]
    assert pb.rename(document, document.find("link", "hand"), "palm") == 2
    assert pb.rename(document, document.find("joint", "shoulder"), "lift") == 2
    assert pb.rename(document, document.find("material", "grey"), "gray") == 1
    assert lines(ROS, pb.write(document)) == [
        '<material name="gray"><color rgba="0.5 0.5 0.5 1"/></material>',
        '<material name="gray"/></visual></link>',
        '<link name="palm"/>',
        '<joint name="lift" type="continuous"><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>',
        '<joint name="roll" type="continuous"><origin xyz="1 0 0"/>',
        '<parent link="arm"/><child link="palm"/></joint>',
        '<joint name="roll"/><actuator name="m"/></transmission>',
        '<gazebo reference="palm"><mu1>1</mu1></gazebo>',
        '<joint name="lift"/><joint name="roll"><param name="mimic">lift</param></joint>',
    ]


def test_a_prefix_of_all_names() -> None:
    document = read(MJCF)
    before = pb.validate(document, "warn")
    assert pb.rename(document, prefix="left_") == 13
    text = pb.write(document)
    assert '<exclude body1="left_torso" body2="left_leg"/>' in text
    assert 'childclass="left_thin"' in text
    assert [each.code for each in pb.validate(document, "warn")] == [each.code for each in before]
    robot = read(ROS)
    renamed = pb.rename(robot, prefix="l_")
    assert [each.node.TAG for each in renamed.mentions] == ["joint_name", "frame"]
    for part in (
        '<gazebo reference="l_hand">',
        '<param name="mimic">l_shoulder<',
        '<joint name="l_wrist"/><actuator',
    ):
        assert part in pb.write(robot)
    with pytest.raises(TypeError, match="a prefix for all names, not both"):
        pb.rename(robot, robot.link[0], "x", prefix="y")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="the prefix must be a text"):
        pb.rename(robot, prefix=3)  # type: ignore[call-overload]


def attribute(document: Any, path: str) -> list[str]:
    return [str(value) for value in pb.xpath(document, path)]


def test_edits_between_renames_are_seen() -> None:
    document = read(URDF)
    pb.rename(document, document.find("link", "arm"), "elbow")
    document.joint.append(
        pb.urdf.Joint(
            name="d",
            type=pb.urdf.JointType.FIXED,
            parent=pb.urdf.Parent(link="elbow"),
            child=pb.urdf.Child(link="new"),
        )
    )
    document.find("joint", "c").parent.link = "elbow"
    assert pb.rename(document, document.find("link", "elbow"), "arm") == 4
    document.link.append(pb.urdf.Link(name="new"))
    assert pb.rename(document, document.find("link", "new"), "newer") == 1
    with pytest.raises(ValueError, match="another <link> named 'newer'"):
        pb.rename(document, document.link[0], "newer")


def test_elements_of_extensions_are_found_by_tag_and_not_by_class() -> None:
    document = read('<robot name="r"><gazebo><link name="x"/></gazebo><link name="a"/></robot>')
    assert [link.TAG for link in document.find_all("link")] == ["link", "link"]
    assert document.find_all(pb.urdf.Link) == [document.link[0]] != [document.find("link")]


def test_the_cost_of_renaming_does_not_grow_with_the_square_of_the_document() -> None:
    """Between renames, only names are read again: their cost is counted in calls of functions."""

    def calls(count: int) -> int:
        links = "".join(f'<link name="l{n}"/>' for n in range(count))
        joints = "".join(
            f'<joint name="j{n}" type="fixed"><parent link="l{n - 1}"/><child link="l{n}"/></joint>'
            for n in range(1, count)
        )
        document = read(f'<robot name="r">{links}{joints}</robot>')
        found = [0]

        def count_call(frame: Any, event: str, argument: Any) -> None:
            found[0] += event == "call"

        before = sys.getprofile()
        sys.setprofile(count_call)
        try:
            for link in document.link[:200]:
                pb.rename(document, link, f"x_{link.name}")
        finally:
            sys.setprofile(before)
        return found[0]

    few, many = calls(250), calls(1000)
    assert many < 10 * few


def test_deleting_a_link_between_others() -> None:
    document = read(ROS)
    before = poses(document)
    gone = pb.delete(document, document.find("link", "arm"))
    assert names(gone) == [("link", "arm"), ("joint", "shoulder"), ("joint", ""), ("param", "")]
    assert poses(document) == {name: before[name] for name in ("world", "base", "hand")}
    assert document.find("joint", "wrist").parent.link == "base"
    assert not [each for each in pb.validate(document) if each.code == "PB035"]


def test_deleting_what_is_below() -> None:
    document = read(ROS)
    gone = pb.delete(document, document.find("link", "arm"), subtree=True)
    assert [node.TAG for node in gone].count("link") == 2
    assert ("transmission", "t") in names(gone)
    text = pb.write(document)
    for word in ("wrist", "transmission", 'reference="hand"', "ros2_control"):
        assert (word in text) == (word == "wrist")  # the text of the plugin
    assert [each.name for each in gone.mentions] == ["wrist", "hand"]
    joint = read(ROS)
    assert ("link", "hand") in names(pb.delete(joint, joint.find("joint", "wrist"), subtree=True))
    with pytest.raises(ValueError, match="<link> and what is below it is all of the document"):
        pb.delete(joint, joint.find("link", "base"), subtree=True)
    with pytest.raises(ValueError, match="`arm` is connected by this <joint> only"):
        pb.delete(joint, joint.find("joint", "shoulder"))


def test_a_root_with_several_links_below_is_not_deleted() -> None:
    document = read(URDF)
    text = pb.write(document)
    with pytest.raises(ValueError, match=r"`base` is the root, and `arm`, `x` are connected to it"):
        pb.delete(document, document.find("link", "base"))
    assert pb.write(document) == text


def test_poses_relative_to_a_deleted_frame() -> None:
    text = """<sdf version="1.9"><model name="m"><link name="a"/>
      <frame name="f" attached_to="a"><pose>1 0 0 0 0 1.5707963267948966</pose></frame>
      <link name="b"><pose relative_to="f">1 0 0 0 0 0</pose></link></model></sdf>"""
    document = read(text)
    assert names(pb.delete(document, document.find("frame", "f"))) == [("frame", "f")]
    pose = document.find("link", "b").pose
    assert (pose.relative_to, pose.text) == (None, pytest.approx((1, 1, 0, 0, 0, 1.5707963267948966)))


def test_key_frames_follow() -> None:
    document = read(SETTINGS)
    pb.delete(document, document.find("joint", "q"))
    assert document.keyframe.key[0].qpos == (1, 2, 3, 1, 0, 0, 0)
    document = read(SETTINGS)
    pb.delete(document, document.find("freejoint"))
    assert document.keyframe.key[0].qpos == (0.25,)


def test_a_tendon_without_one_of_its_sites() -> None:
    text = """<mujoco>
      <worldbody><body name="a"><geom size="1"/><site name="s"/></body><site name="t"/></worldbody>
      <tendon><spatial name="x"><site site="s"/><site site="t"/></spatial></tendon>
      <actuator><motor tendon="x"/></actuator></mujoco>"""
    document = read(text)
    gone = pb.delete(document, document.find("body", "a"))
    assert [node.TAG for node in gone] == ["body", "spatial", "motor"]


def test_what_is_below_a_link() -> None:
    document = read(ROS)
    text = pb.write(document)
    arm = pb.subtree(document, document.find("link", "arm"))
    assert pb.write(document) == text
    assert [node.name for node in arm.link] == ["arm", "hand"]
    assert [node.name for node in arm.joint] == ["wrist"]
    assert arm.material == []  # only the base had it
    assert lines(text, pb.write(arm)) == ['<joint name="wrist"></joint>']
    assert names(pb.subtree(document, document.find("joint", "wrist")).link) == [("link", "hand")]
    with pytest.raises(ValueError, match="<material> is not a link or body"):
        pb.subtree(document, document.find("material", "grey"))


def test_a_body_of_mjcf_keeps_place_class_and_key() -> None:
    text = SETTINGS.replace('name="palm"', 'name="palm" childclass="big"')
    document = read(text)
    finger = pb.subtree(document, document.find("body", "finger"))
    assert finger.worldbody.body[0].childclass == "big"
    assert poses(finger)["finger"] == pytest.approx(poses(document)["finger"])
    assert finger.keyframe.key[0].qpos == (0.25,)
    assert names(finger.actuator.children) == [("motor", "")]
    assert [node.TAG for node in finger.asset.children] == ["texture", "material"]


def test_a_chain() -> None:
    document = read(URDF)
    chain = pb.chain(document, document.find("link", "base"), document.find("link", "hand"))
    assert [node.name for node in chain.link] == ["base", "arm", "hand"]
    assert [node.name for node in chain.joint] == ["a", "b"]
    with pytest.raises(ValueError, match="`base` is not below `hand`"):
        pb.chain(document, document.find("link", "hand"), document.find("link", "base"))
    with pytest.raises(ValueError, match="<joint> is not a link or body"):
        pb.chain(document, document.find("joint", "a"), document.find("link", "base"))


def test_attaching_a_robot() -> None:
    document, other = read(ROS), read(ROS)
    text = pb.write(document)
    with pytest.raises(
        ValueError, match=r"names exist in both documents: link `base`, .*choose another `prefix`"
    ):
        pb.attach(document, other, document.find("link", "hand"))
    assert pb.write(document) == text
    made = pb.attach(
        document,
        other,
        document.find("link", "hand"),
        prefix="l_",
        pose=(0, 0, 1, 0, 0, 0),
        joint="continuous",
    )
    assert names(made)[0] == ("joint", "l_hand_to_base")
    assert names(made).count(("gazebo", "")) == 2
    assert [str(each) for each in made.mentions] == [
        "text of <joint_name> at m.xml:14:28 contains `wrist`",
        "text of <frame> at m.xml:14:60 contains `base`",
    ]
    assert [node.name for node in document.material] == ["grey"]
    assert poses(document)["l_base"] == [1, 1, 1]
    assert poses(document)["l_arm"] == [1, 2, 1]
    assert text.splitlines()[:-1] == pb.write(document).splitlines()[: len(text.splitlines()) - 1]
    assert not [each for each in pb.validate(document) if each.severity == "error"]
    assert names(other.link) == names(read(ROS).link)


def test_attaching_models_of_mjcf() -> None:
    document, other = read(HOST), read(SETTINGS)
    pb.attach(document, other, document.find("body", "upper"), prefix="l_", pose=(1, 0, 0, 1, 0, 0, 0))
    assert not pb.validate(document, "warn")
    model = pb.lower(document)
    assert model.names["joint"] == ("jx", "l_q")
    assert model.jnt_range[1].tolist() == pytest.approx([-1, 1])
    assert model.geom_rgba[:, 0].tolist() == [1, 0.5, 0.5]
    assert model.geom_size[2, 0] == 2
    assert model.key_qpos.tolist() == [[0.5, 0], [0, 0.25]]
    assert [node.name for node in document.asset.texture] == ["same"]
    assert document.find("material", "l_m").texture == "same"
    single = pb.lower(other)
    assert model.body_quat[2].tolist() == pytest.approx(single.body_quat[1].tolist())


def test_paths_of_files_are_rewritten() -> None:
    arm = pb.read("robots/arm.urdf", text='<robot name="a"><link name="a"/></robot>')
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    text = f'<robot name="b"><link name="b">{mesh.format("m/x.stl")}{mesh.format("package://p/x.stl")}</link></robot>'
    pb.attach(arm, pb.read("tools/b.urdf", text=text, policy="lenient"), arm.link[0])
    assert attribute(arm, "//mesh/@filename") == ["../tools/m/x.stl", "package://p/x.stl"]
    arm = pb.read(
        "robots/arm.xml",
        text='<mujoco><compiler meshdir="all"/><worldbody><body name="a"/></worldbody></mujoco>',
    )
    text = """<mujoco><compiler meshdir="stl"/><asset><mesh name="x" file="x.stl"/></asset>
      <worldbody><body><geom type="mesh" mesh="x"/></body></worldbody></mujoco>"""
    pb.attach(arm, pb.read("tools/b.xml", text=text, policy="lenient"), arm.find("body", "a"))
    assert attribute(arm, "//mesh/@file") == ["../../tools/stl/x.stl"]


@pytest.mark.parametrize(
    ("text", "parent", "how", "message"),
    [
        (URDF, "world", {}, "cannot be attached to a mjcf document"),
        (MJCF, "torso", {"pose": (1, 2)}, "pose must be six finite numbers"),
        (MJCF, "torso", {"prefix": "x_", "joint": "bend"}, "joint must be one of free, ball"),
        (MJCF, "torso", {"prefix": "x_", "joint": "free"}, "a free joint can only connect to the world"),
        (
            '<mujoco><compiler boundmass="1"/><worldbody><body/></worldbody></mujoco>',
            "torso",
            {},
            "`boundmass`",
        ),
        (
            '<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>',
            "torso",
            {},
            "the plane",
        ),
        ("<mujoco/>", "torso", {}, "has no body"),
    ],
)
def test_what_cannot_be_attached(text: str, parent: str, how: dict[str, Any], message: str) -> None:
    document = read(MJCF)
    before = pb.write(document)
    node = document.find("body", parent) or document.worldbody
    with pytest.raises(ValueError, match=message):
        pb.attach(document, read(text), node, **how)
    assert pb.write(document) == before


def test_attaching_models_of_sdformat() -> None:
    document = read(SDF)
    other = pb.read("n.sdf", text='<sdf version="1.9"><model name="cup"><link name="rim"/></model></sdf>')
    hand = document.find("model", "hand")
    made = pb.attach(document, other, hand.link[0], prefix="my_", pose=(0, 0, 1, 0, 0, 0))
    assert names(made) == [("model", "my_cup"), ("joint", "my_cup_to_palm")]
    assert (made[1].parent, made[1].child) == ("palm", "my_cup::rim")
    assert hand.model[0].pose.relative_to == "palm"
    before = {each.code for each in pb.validate(read(SDF))}
    assert {each.code for each in pb.validate(document)} <= before
