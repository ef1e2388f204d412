"""URDF: what is in `<gazebo>` and `<ros2_control>`."""

from __future__ import annotations

import polybody as pb
import pytest

TWO = (
    '<link name="base"/><link name="arm"/>'
    '<joint name="lift" type="continuous"><parent link="base"/><child link="arm"/></joint>'
)


def found(inside: str) -> list[str]:
    """The messages about extensions of a robot, with their suggestions."""
    findings = pb.check("r.urdf", text=f'<robot name="r">{TWO}{inside}</robot>')
    assert {finding.code for finding in findings} <= {"PB133", "PB027"}
    return [f"{each.message} {each.suggestion or ''}" for each in findings if each.code == "PB133"]


def gazebo(inside: str, reference: str = "") -> list[str]:
    named = f' reference="{reference}"' if reference else ""
    return found(f"<gazebo{named}>{inside}</gazebo>")


@pytest.mark.parametrize(
    ("reference", "inside"),
    [
        ("arm", "<mu1>0.5</mu1><kp value='1e6'/><selfCollide>True</selfCollide><material>Red</material>"),
        ("arm", "<sensor name='s' type='imu'/><self_collide>1</self_collide>"),
        ("arm", "<visual><transparency>0.5</transparency></visual><gravity>0</gravity>"),
        ("lift", "<springStiffness>3</springStiffness><preserveFixedJoint>yes</preserveFixedJoint>"),
        ("lift", "<sensor name='s' type='force_torque'/><provideFeedback>false</provideFeedback>"),
        ("", "<static>true</static><plugin name='p' filename='f'/><self_collide>1</self_collide>"),
        ("none", "<anything/>"),  # which PB027 reports
        ("arm", "<vendor:setting xmlns:vendor='urn:v'/>"),
    ],
)
def test_what_gazebo_reads(reference: str, inside: str) -> None:
    assert gazebo(inside, reference) == []


@pytest.mark.parametrize(
    ("reference", "inside", "said"),
    [
        ("arm", "<selfColide>1</selfColide>", "did you mean `selfCollide`?"),
        ("arm", "<springStiffness>3</springStiffness>", "is for a joint; here it has no effect"),
        ("lift", "<mu1>1</mu1>", "is for a link; here it has no effect"),
        ("arm", "<static>1</static>", "is for the robot"),
        ("", "<kp>1</kp>", "`reference` must name a link"),
        ("arm", "<mu1>big</mu1>", "<mu1> must be a number, not `big`"),
        ("arm", "<kp value='x'>1</kp>", "<kp> must be a number, not `x`"),
        ("arm", "<turnGravityOff>off</turnGravityOff>", "must be true or false, not `off`"),
        ("lift", "<stopKd>1</stopKd>", "no element of SDFormat's <joint>"),
    ],
)
def test_what_gazebo_does_not_read(reference: str, inside: str, said: str) -> None:
    (message,) = gazebo(inside, reference)
    assert said in message


CONTROL = """<ros2_control name="r" type="system">
  <hardware><plugin>mock_components/GenericSystem</plugin><param name="a">1</param></hardware>
  <joint name="lift"><command_interface name="position"><param name="min">-1</param></command_interface>
    <state_interface name="position"/><limits enable="true"/></joint>
  <sensor name="imu"><state_interface name="acceleration.x"/></sensor>
  <gpio name="lamp"><command_interface name="on" data_type="bool"/></gpio>
  <transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>
    <joint name="lift" role="joint1"><mechanical_reduction>50</mechanical_reduction></joint>
    <actuator name="motor" role="actuator1"/></transmission>
</ros2_control>"""


def test_what_ros2_control_reads() -> None:
    assert found(CONTROL) == []


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('type="system"', 'type="sytem"', "did you mean `system`?"),
        ('name="r" type', "type", "<ros2_control> needs `name`"),
        ("<hardware>", "<hardwear/><hardware>", "did you mean `hardware`?"),
        ('<joint name="lift"><', '<joint name="lft"><', "there is no joint `lft` of the robot did you mean"),
        ('<joint name="lift" role', '<joint name="lit" role', "no joint `lit` of this <ros2_control>"),
        ("<command_interface name=", "<command_interfaces/><command_interface name=", "is not read in <j"),
        (' role="actuator1"', "", "<actuator> needs `role`"),
        ('<param name="min">', "<param>", "<param> needs `name`"),
        ("mechanical_reduction>", "mechanicalReduction>", "did you mean `mechanical_reduction`?"),
    ],
)
def test_what_ros2_control_does_not_read(right: str, wrong: str, said: str) -> None:
    text = CONTROL.replace(right, wrong) if "Reduction" in wrong else CONTROL.replace(right, wrong, 1)
    assert any(said in message for message in found(text)), found(text)
