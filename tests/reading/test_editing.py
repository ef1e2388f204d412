"""Finding, renaming and deleting elements of documents."""

from __future__ import annotations

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
