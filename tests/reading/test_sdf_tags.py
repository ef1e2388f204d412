"""SDFormat gives one tag several meanings: rules for one of them do not affect the others."""

from __future__ import annotations

from pathlib import Path

import polybody as pb
import pytest

MODEL = '<model name="m"><link name="a"/><link name="b"/>{}</model>'
JOINT = (
    '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>{}'
    "</joint>"
)
HELD = '<state world_name="w"><model name="m">{}</model></state>'
STATE = f'<world name="w">{MODEL.format("")}{HELD}</world>'


@pytest.mark.parametrize(
    "inside",
    [
        MODEL.format(JOINT.format("<physics><ode><limit><cfm>0</cfm><erp>0.2</erp></limit></ode></physics>")),
        STATE.format('<joint name="j"><angle axis="0">0</angle></joint>'),
        STATE.format('<link name="a"><pose>0 0 0 0 0 0</pose></link>'),
    ],
)
def test_no_rule_asks_an_element_for_what_its_kind_does_not_have(inside: str) -> None:
    findings = pb.check("a.sdf", text=f'<sdf version="1.9">{inside}</sdf>')
    errors = {finding.code for finding in findings if finding.severity == "error"}
    assert errors <= {"PB083"}  # Drake rejects states of models


def test_a_joint_that_is_called_like_its_child_leads_in_no_circle() -> None:
    links = '<link name="arm"/><link name="tip"/>'
    joint = '<joint name="tip" type="fixed"><parent>arm</parent><child>tip</child></joint>'
    text = f'<sdf version="1.5"><model name="m">{links}{joint}</model></sdf>'
    codes = {found.code for found in pb.check("tip.sdf", text=text)}
    assert "PB033" not in codes
    assert codes & {"PB076", "PB083"}


@pytest.mark.parametrize("merge", ["true", "false"])
def test_a_model_in_another_format_keeps_its_names(merge: str, tmp_path: Path) -> None:
    """Drake includes MJCF as well."""
    (tmp_path / "arm.xml").write_text('<mujoco model="arm"><worldbody/></mujoco>')
    include = f'<include merge="{merge}"><uri>arm.xml</uri><name>arm</name></include>'
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>{}</child></joint>'
    end = "tip" if merge == "true" else "arm::tip"
    path = tmp_path / "whole.sdf"
    path.write_text(
        f'<sdf version="1.9"><model name="m"><link name="a"/>{include}{joint.format(end)}</model></sdf>'
    )
    assert [found for found in pb.check(path) if found.code == "PB032"] == []


@pytest.mark.parametrize("merge", ["true", "false"])
def test_a_joint_of_an_included_urdf_leads_to_its_child(merge: str, tmp_path: Path) -> None:
    """URDF gives the child of a joint as an element, SDFormat as text; a joint's name is also that of a
    frame.
    """
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="tip"/>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>'
    )
    include = f'<include merge="{merge}"><uri>arm.urdf</uri></include>'
    scope = "" if merge == "true" else "arm::"
    ends = (("a", f"{scope}hinge"), ("b", f"{scope}base"), ("b", "a"))
    joints = "".join(
        f'<joint name="j{number}" type="fixed"><parent>{parent}</parent><child>{child}</child></joint>'
        for number, (parent, child) in enumerate(ends)
    )
    path = tmp_path / "whole.sdf"
    path.write_text(
        f'<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>{include}{joints}</model></sdf>'
    )
    (found,) = pb.check(path)
    assert "`j2` closes a loop" in found.message
