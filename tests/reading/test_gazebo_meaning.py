"""What Gazebo refuses, ignores, or means unlike Drake: `check(meaning="gazebo")`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def link(name: str, inside: str = MASS) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def urdf(*parts: str, meaning: Any = "gazebo") -> list[tuple[str, str]]:
    """The codes and messages of a URDF that differ from those of a plain check."""
    text = f'<robot name="r" xmlns:drake="http://drake.mit.edu">{"".join(parts)}</robot>'
    plain = {(each.code, each.message) for each in pb.check("r.urdf", text=text)}
    found = [(each.code, each.message) for each in pb.check("r.urdf", text=text, meaning=meaning)]
    return [each for each in found if each not in plain]


ARM = (link("base"), link("arm"), joint("j", "revolute", "base", "arm", LIMIT))


def test_the_same_meaning_has_no_more_findings() -> None:
    assert urdf(*ARM) == []
    assert urdf(*ARM, meaning="drake") == []


@pytest.mark.parametrize(
    ("parts", "code", "said"),
    [
        ((*ARM[:2], joint("j", "revolute", "base", "arm")), "PB083", "requires a <limit>"),
        (
            (*ARM[:2], joint("j", "prismatic", "base", "arm", '<limit lower="0" upper="1" effort="1"/>')),
            "PB083",
            "requires `velocity`",
        ),
        (
            (*ARM[:2], joint("j", "revolute", "base", "arm", '<limit upper="1" effort="1" velocity="1"/>')),
            "PB088",
            "missing `lower` is 0",
        ),
        (
            (*ARM[:2], joint("j", "revolute", "base", "arm", LIMIT.replace("-1", "2"))),
            "PB088",
            "exchanges `lower` and `upper`",
        ),
        ((*ARM[:2], joint("j", "continuous", "base", "arm", LIMIT)), "PB088", "no effect in Gazebo"),
        ((*ARM[:2], joint("j", "planar", "base", "arm")), "PB088", "makes no joint of a planar one"),
        ((*ARM, link("other")), "PB083", "several roots: `base`, `other`"),
        ((*ARM, joint("w", "fixed", "world", "base")), "PB083", "requires a <link> for the world"),
        (
            (*ARM[:2], joint("j", "revolute", "base", "arm", LIMIT + '<dynamics friction="1"/>')),
            "PB067",
            "simulates the `friction`",
        ),
        ((*ARM, '<drake:collision_filter_group name="g"/>'), "PB067", "does not read <drake:"),
    ],
)
def test_a_difference_is_reported(parts: tuple[str, ...], code: str, said: str) -> None:
    found = urdf(*parts)
    assert [each for each, message in found if said in message] == [code], found


def dropped(*parts: str) -> list[str]:
    return [message for code, message in urdf(*parts) if code == "PB088"]


def test_links_without_mass_are_dropped_unless_they_are_merged() -> None:
    below = (link("hand"), joint("k", "revolute", "arm", "hand", LIMIT))
    parts = (link("base"), link("arm", ""), ARM[2], *below)
    (message,) = dropped(*parts)
    assert "Gazebo drops link `arm` and the 1 below it" in message
    merged = (link("base"), link("arm", ""), joint("j", "fixed", "base", "arm"), *below)
    assert dropped(*merged) == []  # with the base, by a fixed joint
    weighed = (link("base"), link("arm", ""), ARM[2], link("hand"), joint("k", "fixed", "arm", "hand"))
    assert dropped(*weighed) == []  # what is merged into it has mass
    kept = '<gazebo reference="k"><preserveFixedJoint>true</preserveFixedJoint></gazebo>'
    assert "and the 1 below it" in dropped(*weighed, kept)[0]


def test_a_difference_is_reported_once_with_its_number() -> None:
    bare = [joint(f"j{n}", "revolute", "base", f"l{n}", '<limit effort="1" velocity="1"/>') for n in range(3)]
    found = [message for _, message in urdf(link("base"), *(link(f"l{n}") for n in range(3)), *bare)]
    assert len(found) == 2  # lower and upper
    assert all("and at 2 other places" in message for message in found)


def sdf(inside: str, meaning: Any = "gazebo") -> list[str]:
    text = f'<sdf version="1.9"><model name="m">{inside}</model></sdf>'
    return [f"{each.code} {each.message}" for each in pb.check("m.sdf", text=text, meaning=meaning)]


def test_sdformat() -> None:
    two = '<link name="a"/><link name="b"/>'
    geared = f'{two}<joint name="j" type="revolute2"><parent>a</parent><child>b</child></joint>'
    assert any("Drake has no revolute2" in message for message in sdf(geared, "drake"))
    assert not any("Drake has no" in message for message in sdf(geared))
    light = '<link name="a"><gravity>false</gravity></link>'
    assert sdf(light, "drake") == ["PB067 <gravity>: in Drake gravity acts on every link"]
    assert sdf(light) == ["PB067 Gazebo exempts this link from <gravity>; Drake does not"]
    friction = "<surface><friction><ode><mu>1</mu><mu2>0.5</mu2></ode></friction></surface>"
    sphere = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    shape = f'<link name="a"><collision name="c">{sphere}{friction}</collision></link>'
    assert any("along two directions in Gazebo" in message for message in sdf(shape))


def test_only_these_formats_have_meanings(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="mjcf has no option 'meaning'"):
        pb.check("a.xml", text="<mujoco/>", meaning="gazebo")
    with pytest.raises(ValueError, match="not 'bullet'"):
        pb.check("r.urdf", text="<robot name='r'><link name='a'/></robot>", meaning="bullet")  # type: ignore[arg-type]
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r">' + link("a") + link("b") + "</robot>")
    result = CliRunner().invoke(app, ["check", "--meaning", "gazebo", str(path)])
    assert result.exit_code == 1
    assert "several roots" in result.output
