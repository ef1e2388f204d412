"""Findings of lowering have the XPath of their element and the name of its attribute."""

from __future__ import annotations

import polybody as pb
import pytest
from polybody.diagnostics import Diagnostic
from polybody.lowering import lowered

URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1" lower="0" upper="1"/></joint></robot>"""
MJCF = """<mujoco><worldbody><body name="arm"><joint name="elbow"/><geom size="1"/></body></worldbody>
<sensor><user name="s" dim="1"/></sensor></mujoco>"""


def found(text: str) -> list[Diagnostic]:
    try:
        return list(lowered(pb.read("m.xml", text=text)).findings)
    except pb.ValidationError as error:
        return list(error.diagnostics)


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
@pytest.mark.parametrize(("text", "about"), [(URDF, "link `arm`"), (MJCF, "user `s`")])
def test_findings_name_what_they_are_about(text: str, about: str) -> None:
    findings = found(text)
    assert about in {finding.about for finding in findings}
    assert all(finding.xpath for finding in findings)
