"""What `attach` cannot rename is listed, and what it adds makes no new errors."""

from __future__ import annotations

from typing import Any

import polybody as pb
import pytest
from polybody.document.registry import format_named

from tests.reading import test_refused_edits as samples

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
ROBOT = """<robot name="r">
  <link name="base"/><link name="tip"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="tip"/></joint>
  <transmission name="t"><type>x</type><joint name="j"/><actuator name="m"/></transmission>
  <ros2_control name="c" type="system">
    <hardware><plugin>p</plugin><param name="tip_link">tip</param></hardware>
    <joint name="j"><command_interface name="position"/></joint>
    <sensor name="ft"><state_interface name="force.x"/><param name="frame_id">tip</param></sensor>
    <gpio name="io"><command_interface name="x"/></gpio>
    <transmission name="tt"><plugin>p</plugin><actuator name="a" role="a1"/><joint name="j" role="j1"/>
    </transmission>
  </ros2_control>
  <gazebo><plugin filename="a.so" name="same"/></gazebo>
  <gazebo><plugin filename="b.so" name="p"><bodyName>tip</bodyName></plugin></gazebo>
</robot>"""


def read(text: str) -> Any:
    return pb.read("m.xml", text=text, policy="lenient")


def control_names(document: Any, place: int) -> list[str]:
    control = [node for node in document.walk() if node.TAG == "ros2_control"][place]
    found = [node for node in control.walk() if node.TAG in ("sensor", "gpio", "transmission", "actuator")]
    return [control.attributes["name"], *(node.attributes["name"] for node in found)]


def test_texts_with_old_names_are_listed() -> None:
    document = read(ROBOT)
    made = pb.attach(document, read(ROBOT), document.find("link", "tip"), prefix="l_")
    assert [(each.node.TAG, each.name) for each in made.mentions] == [("param", "tip"), ("bodyName", "tip")]
    for mention in made.mentions:
        mention.node.text = "l_tip"  # type: ignore[attr-defined]
    assert pb.write(document).count(">l_tip</bodyName>") == 1
    assert pb.write(document).count('filename="a.so"') == 1  # of two equal ones without a name, one is kept
    assert [each for each in pb.validate(document) if each.severity == "error"] == []


def test_names_in_ros2_control_get_the_prefix() -> None:
    document = read(ROBOT)
    pb.attach(document, read(ROBOT), document.find("link", "tip"), prefix="l_")
    assert control_names(document, 0) == ["c", "ft", "io", "tt", "a"]
    assert control_names(document, 1) == ["l_c", "l_ft", "l_io", "l_tt", "l_a"]
    assert [node.name for node in document.transmission] == ["t", "l_t"]
    assert [node.actuator[0].name for node in document.transmission] == ["m", "l_m"]
    renamed = read(ROBOT)
    result = pb.rename(renamed, prefix="l_")
    assert control_names(renamed, 0) == ["l_c", "l_ft", "l_io", "l_tt", "l_a"]
    assert [(each.node.TAG, each.name) for each in result.mentions] == [("param", "tip"), ("bodyName", "tip")]
    (sensor,) = [node for node in renamed.walk() if node.TAG == "sensor"]
    pb.rename(renamed, sensor, "force")
    assert control_names(renamed, 0)[1] == "force"


def test_names_in_ros2_control_that_both_documents_have() -> None:
    document = read(ROBOT)
    other = read(ROBOT)
    for node in (*other.link, *other.joint):
        pb.rename(other, node, f"l_{node.name}")
    with pytest.raises(
        ValueError, match=r"names exist in both documents: ros2_control `c`, sensor `ft`, gpio `io`"
    ):
        pb.attach(document, other, document.find("link", "tip"))


def test_mentions_in_other_formats() -> None:
    model = """<sdf version="1.9"><model name="m"><link name="a"/>
      <plugin name="p" filename="x.so"><robot>m</robot></plugin></model></sdf>"""
    document = read(model)
    made = pb.attach(document, read(model), document.find("link", "a"), prefix="l_")
    assert [(each.node.TAG, each.name) for each in made.mentions] == [("robot", "m")]
    text = (
        '<mujoco><custom><text name="t" data="b x"/></custom><worldbody><body name="b"/></worldbody></mujoco>'
    )
    document = read(text)
    made = pb.attach(document, read(text), document.worldbody, prefix="l_")
    assert [str(each).partition(" at")[0] for each in made.mentions] == ["`data` of <text>"]
    assert pb.attach(document, read(text), document.worldbody, prefix="r_").mentions != []
    assert (
        pb.attach(
            document, read("<mujoco><worldbody><body/></worldbody></mujoco>"), document.worldbody
        ).mentions
        == []
    )


def types(form: str) -> list[str]:
    """The types of joints of a format."""
    enums = format_named(form).enums
    kind: Any = enums["Joint" if form == "x_xy" else "JointType"]
    return [str(each.value) for each in kind]


MODELS = {
    "mjcf": '<mujoco><worldbody><body name="a"><geom size=".1"/></body></worldbody></mujoco>',
    "urdf": ROBOT,
    "sdf": '<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>',
    "skel": samples.SKEL,
    "openrave": samples.OPENRAVE,
    "x_xy": samples.X_XY,
}
REFUSED = {
    "mjcf": ["free"],
    "urdf": ["revolute", "prismatic"],
    "sdf": ["continuous", "revolute", "gearbox", "revolute2", "prismatic", "screw", "universal"],
    "skel": ["revolute", "prismatic", "screw", "universal", "euler", "planar"],
    "openrave": ["universal", "hinge2"],
    "x_xy": [],
}
"""Types that need more than a type, or another parent."""


@pytest.mark.parametrize("form", MODELS)
def test_joints_of_all_types(form: str) -> None:
    """A type that needs more than itself is refused; with others there is no new error, also of the Model."""
    text = MODELS[form]
    known = {each.code for each in pb.check("m.xml", text=text)}
    refused = []
    for kind in types(form):
        document = read(text)
        parent = document.find("link" if form in ("urdf", "sdf") else "body")
        try:
            pb.attach(document, read(text), parent, prefix="l_", joint=kind)
        except ValueError:
            refused.append(kind)
            assert pb.write(document) == text
            continue
        found = pb.check("m.xml", text=pb.write(document))
        assert [str(each) for each in found if each.severity == "error" and each.code not in known] == []
    assert refused == REFUSED[form]


def test_a_joint_with_what_its_type_needs() -> None:
    document = read(ROBOT)
    with pytest.raises(ValueError, match=r"only its type `revolute` \(an element can have .* has no <limit>"):
        pb.attach(document, read(ROBOT), document.find("link", "tip"), prefix="l_", joint="revolute")
    limit = pb.urdf.Limit(lower=-1, upper=1, effort=3, velocity=2)
    joint = pb.urdf.Joint(type=pb.urdf.JointType.REVOLUTE, limit=limit)
    pb.attach(document, read(ROBOT), document.find("link", "tip"), prefix="l_", joint=joint)
    assert document.find("joint", "l_tip_to_base").limit.effort == 3


def test_an_element_that_only_names_a_body_is_no_parent() -> None:
    text = """<KinBody name="k"><Body name="a"/><Body name="b"/>
      <Joint name="j" type="hinge"><Body>a</Body><Body>b</Body></Joint></KinBody>"""
    other = '<KinBody name="o"><Body name="c"/></KinBody>'
    document = pb.read("m.kinbody.xml", text=text, policy="lenient")
    before = pb.write(document)
    named = document.find_all("body")[-1]
    for edit in (
        lambda: pb.attach(document, pb.read("o.kinbody.xml", text=other, policy="lenient"), named),
        lambda: pb.subtree(document, named),
        lambda: pb.chain(document, named, named),
        lambda: pb.delete(document, named),
        lambda: pb.rename(document, named, "x"),
    ):
        with pytest.raises(ValueError, match="<body>"):
            edit()
    assert pb.write(document) == before
