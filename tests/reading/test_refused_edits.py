"""Edits that would leave a document with an error are refused before anything is changed."""

from __future__ import annotations

from typing import Any

import polybody as pb
import pytest

from tests.edits import SUFFIXES_BY_FORMAT
from tests.lossless import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="r">
  <link name="a">{INERTIAL}<visual><geometry><box size="1 1 1"/></geometry></visual>
    <collision><geometry><mesh filename="package://p/x.stl"/></geometry></collision></link>
  <link name="b">{INERTIAL}</link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    <limit lower="-1" upper="1" effort="3" velocity="3"/></joint>
</robot>"""
MJCF = """<mujoco>
  <worldbody>
    <body name="b"><joint name="j"/><geom name="g" size=".1"/></body>
    <body name="light"><joint/><body name="heavy"><geom name="h" size=".1"/><site name="s"/></body></body>
    <body name="d"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>
  <tendon><fixed name="f"><joint joint="j" coef="1"/></fixed></tendon>
</mujoco>"""
SDF = """<sdf version="1.9"><model name="m">
  <link name="a"><collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>
  </link><link name="b"/>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
SHAPE = "<collision_shape><geometry><box><size>.1 .1 .1</size></box></geometry></collision_shape>"
SKEL = f"""<skel version="1.0"><world name="w"><skeleton name="s">
  <body name="a"><inertia><mass>1</mass></inertia>{SHAPE}</body>
  <body name="b"><transformation>0 0 1 0 0 0</transformation><inertia><mass>1</mass></inertia>{SHAPE}</body>
  <joint type="free" name="ja"><parent>world</parent><child>a</child></joint>
  <joint type="revolute" name="jb"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
</skeleton></world></skel>"""
OPENRAVE = """<KinBody name="k">
  <Body name="a"><Geom type="box"><extents>1 1 1</extents></Geom></Body>
  <Body name="b"><Geom type="sphere"><radius>1</radius></Geom></Body>
  <Joint name="j" type="hinge"><Body>a</Body><Body>b</Body></Joint>
</KinBody>"""
X_XY = """<x_xy model="m"><options gravity="0 0 9.81" dt="0.01"/>
  <worldbody><body name="b" joint="ry"><geom type="box" mass="1" pos="0 0 0" dim="1 1 1"/></body></worldbody>
</x_xy>"""


def read(text: str) -> Any:
    return pb.read("m.xml", text=text, policy="lenient")


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        (URDF, "//box", r"without <box> at m\.xml:2:\d+, .*<geometry> needs <box> or .*\(PB023 at m\.xml:2:"),
        (URDF, "//mesh", "<geometry> needs <box> or .* or <mesh>"),
        (URDF, "//limit", "<joint> has no <limit>"),
        (URDF, "//mass", "<inertial> has no <mass>"),
        (URDF, "//inertia", "<inertial> has no <inertia>"),
        (URDF, "//geometry", r"<visual> at m\.xml:2:\d+ needs this <geometry>; delete the <visual> instead"),
        (URDF, "//joint/parent", "<joint> `j` at .* needs this <parent>; delete the <joint> instead"),
        (URDF, "//joint/child", "<joint> `j` at .* needs this <child>"),
        (MJCF, "//geom[@name='g']", "body `b` moves, and neither it nor a body fixed to it has mass"),
        (MJCF, "//geom[@name='h']", "body `light` moves, and neither it nor a body fixed to it"),
        (MJCF, "//body[@name='heavy']", "body `light` moves"),
        (MJCF, "//inertial", "body `d` moves"),
        (MJCF, "//fixed/joint", "<fixed> `f` at .* needs this <joint>; delete the <fixed> instead"),
        (SDF, "//sphere", "<geometry> at .* needs this <sphere>; delete the <geometry> instead"),
        (SDF, "//geometry", "<collision> has no <geometry>"),
        (SDF, "//link[@name='b']/..", "nothing would be left of the <sdf>"),
        (SDF, "//axis", "<joint> needs <axis> because its `type` is `revolute`"),
        (SKEL, "//joint[@name='jb']", "`b` is connected by this <joint>.*the type `weld` it does not move"),
        (SKEL, "//joint[@name='ja']", "`a` is connected by this <joint> only"),
        (SKEL, "//axis", "<joint> needs <axis> because its `type` is `revolute`"),
        (SKEL, "//box", "<geometry> needs <box> or"),
        (OPENRAVE, "//extents", "a box needs <extents>"),
        (OPENRAVE, "//radius", "<geom> needs <radius>|a sphere needs <radius>"),
        (OPENRAVE, "//joint/body[1]", "<joint> `j` at .*needs this <body>|<joint>"),
        (X_XY, "//worldbody", "<worldbody>"),
    ],
)  # fmt: skip
def test_what_is_needed_is_not_deleted(text: str, path: str, message: str) -> None:
    document = read(text)
    before = pb.write(document)
    found = pb.xpath(document, path)
    assert found
    with pytest.raises(ValueError, match=message):
        pb.delete(document, found[0])
    assert pb.write(document) == before


def test_what_describes_a_part_may_be_deleted() -> None:
    document = read(URDF)
    for tag in ("visual", "collision"):
        pb.delete(document, document.find(tag))
    pb.delete(document, document.find("joint", "j"), subtree=True)
    assert [node.name for node in document.link] == ["a"]
    skeleton = read(SKEL)
    pb.delete(skeleton, skeleton.find("body", "a"))
    assert [node.name for node in skeleton.find_all("joint")] == ["jb"]
    assert skeleton.find("joint", "jb").parent == "world"


def test_a_joint_whose_end_is_a_frame_of_a_deleted_link() -> None:
    text = """<sdf version="1.9"><model name="m" canonical_link="b">
      <link name="a"/><link name="b"/><link name="c"/>
      <frame name="f" attached_to="a"/><joint name="j" type="fixed"><parent>f</parent><child>b</child></joint>
      <joint name="k" type="fixed"><parent>b</parent><child>c</child></joint></model></sdf>"""
    document = read(text)
    assert [node.name for node in pb.delete(document, document.find("link", "a"))] == ["a", "j"]
    whole = read(text)
    part = pb.chain(whole, whole.find("link", "b"), whole.find("link", "c"))
    assert [node.name for node in part.find_all("joint")] == ["k"]
    for each in (document, part):
        assert {"b", "c"} <= set(pb.lower(each).names["site"]) | set(pb.lower(each).names["body"])


def test_an_actuator_of_a_plugin_is_deleted_with_its_joint() -> None:
    text = """<mujoco><extension><plugin plugin="mujoco.pid"><instance name="i"/></plugin></extension>
      <worldbody><body><joint name="j"/><joint name="k" axis="1 0 0"/><geom size="1"/></body></worldbody>
      <actuator><plugin joint="j" plugin="mujoco.pid" instance="i"/></actuator></mujoco>"""
    document = read(text)
    gone = pb.delete(document, document.find("joint", "j"))
    assert [node.TAG for node in gone] == ["joint", "plugin", "instance"]


def test_errors_of_the_model_are_seen_too() -> None:
    document = read("""<mujoco><worldbody><body><geom name="a" size="1"/><geom name="b" size="1"/></body>
      <geom name="c" size="1"/></worldbody><contact><pair geom1="a" geom2="c"/></contact></mujoco>""")
    assert [node.TAG for node in pb.delete(document, document.find("geom", "a"))] == ["geom", "pair"]
    text = """<KinBody name="k"><Body name="a"><Mass type="mimicgeom"><total>1</total></Mass>
      <Geom type="box"><extents>1 1 1</extents></Geom></Body></KinBody>"""
    assert pb.lower(read(text)).nbody == 2
    rave = read(text)
    with pytest.raises(ValueError, match=r"over which 1 kg could be distributed \(PB063"):
        pb.delete(rave, rave.find("geom"))
    assert len(rave.find_all("geom")) == 1


def test_a_root_with_one_link_below_is_deleted() -> None:
    document = read(URDF)
    pb.delete(document, document.find("link", "a"))
    assert [node.name for node in document.link] == ["b"]
    assert document.joint == []


def test_a_chain_without_the_branch_that_has_the_mass() -> None:
    document = read(MJCF)
    light = document.find("body", "light")
    with pytest.raises(ValueError, match=r"without the rest, .*body `light` moves.*\(PB050"):
        pb.chain(document, light, light)
    assert pb.chain(document, light, document.find("body", "heavy")).find("body", "heavy") is not None


@pytest.mark.parametrize("form", SUFFIXES_BY_FORMAT)
def test_every_element_of_a_sample(form: str) -> None:
    """Each is deleted without a new error, also of the Model, or the document stays as it was."""
    path = ROOT / "tests" / "samples" / f"pendulum.{SUFFIXES_BY_FORMAT[form]}"
    count = sum(1 for _ in pb.read(path, format=form).walk())
    known = {each.code for each in pb.check(path, format=form)}
    refused = 0
    for place in range(1, count):
        document: Any = pb.read(path, format=form)
        before = pb.write(document)
        try:
            pb.delete(document, list(document.walk())[place])
        except ValueError:
            assert pb.write(document) == before
            refused += 1
            continue
        found = pb.check(path, format=form, text=pb.write(document))
        assert [str(each) for each in found if each.severity == "error" and each.code not in known] == []
    assert 0 < refused < count - 1
