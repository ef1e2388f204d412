"""Input that is valid and rarely intended, as reported by users of the formats: one warning each, or none."""

from __future__ import annotations

import polybody as pb
import pytest

ENDS = '<parent link="a"/><child link="b"/>'
LINKS = '<link name="a"/><link name="b"/>'


def jointed(kind: str, limit: str) -> str:
    joint = f'<joint name="j" type="{kind}">{ENDS}<axis xyz="0 0 1"/><limit {limit}/></joint>'
    return f'<robot name="r">{LINKS}{joint}</robot>'


def painted(*colours: str) -> str:
    """Visuals that use a material of the same name."""
    visuals = "".join(
        '<visual><geometry><sphere radius="1"/></geometry>'
        f'<material name="m"><color rgba="{rgba}"/></material></visual>'
        for rgba in colours
    )
    return f'<robot name="r"><link name="a">{visuals}</link></robot>'


def gazebo(name: str) -> str:
    return f'<robot name="r"><link name="arm"/><gazebo reference="{name}"><mu1>1</mu1></gazebo></robot>'


def ranged(bounds: str, head: str = "", defaults: str = "", kind: str = "hinge") -> str:
    joint = f'<joint type="{kind}" {bounds}/>'
    body = f"<body>{joint}<geom size='1'/></body>"
    return f"<mujoco>{head}<default>{defaults}</default><worldbody>{body}{body}</worldbody></mujoco>"


RADIAN = '<compiler angle="radian"/>'
GIVEN = 'effort="1" velocity="1"'
CASES = {
    "an effort of zero": (jointed("revolute", 'lower="0" upper="1" effort="0" velocity="1"'), ["PB066"]),
    "a velocity of zero": (jointed("prismatic", 'lower="0" upper="1" effort="1" velocity="0"'), ["PB066"]),
    "both of a joint that is fixed": (jointed("fixed", 'effort="0" velocity="0"'), []),
    "bounds of a continuous joint": (
        jointed("continuous", f'lower="-1" upper="1" {GIVEN}'),
        ["PB027", "PB027"],
    ),
    "a continuous joint": (jointed("continuous", GIVEN), []),
    "degrees": (jointed("revolute", f'lower="-90" upper="90" {GIVEN}'), ["PB065", "PB065"]),
    "metres": (jointed("prismatic", f'lower="-90" upper="90" {GIVEN}'), []),
    "radians": (jointed("revolute", f'lower="-3.14" upper="6.28" {GIVEN}'), []),
    "no bound, as some write it": (jointed("revolute", f'lower="-1e16" upper="1e16" {GIVEN}'), []),
    "two colours": (painted("1 0 0 1", "0 1 0 1"), ["PB076"]),
    "one colour": (painted("1 0 0 1", "1 0 0 1"), []),
    "an addition to a link": (gazebo("arm"), []),
    "an addition to nothing": (gazebo("amr"), ["PB027"]),
    "radians read as degrees": (ranged('range="-1.57 1.57"'), ["PB065", "PB065"]),
    "pi read as degrees": (ranged('range="0 3.14159"'), ["PB065", "PB065"]),
    "degrees read as degrees": (ranged('range="-90 90"'), []),
    "few degrees": (ranged('range="-1.5 1"'), []),
    "degrees read as radians": (ranged('range="-90 90"', RADIAN), ["PB065", "PB065"]),
    "radians read as radians": (ranged('range="-1.57 1.57"', RADIAN), []),
    "ten turns": (ranged('range="-31.415 31.415"', RADIAN), []),
    "a slide": (ranged('range="-1.57 1.57"', kind="slide"), []),
    "a class, once": (ranged("", "", '<joint range="-1.57 1.57"/>'), ["PB065"]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_slips(text: str, expected: list[str]) -> None:
    found = [each for each in pb.check("slip.xml", text=text) if each.code != "PB028"]
    assert [each.code for each in found] == expected
    assert {each.severity for each in found} <= {"warning"}


def test_what_to_do_is_said() -> None:
    (lower, _) = pb.check("r.urdf", text=CASES["degrees"][0])
    assert (lower.message, lower.suggestion) == (
        "`lower` is -90 rad; the value seems to be in degrees",
        "in radians it is -1.5708",
    )
    (found,) = pb.check("r.urdf", text=CASES["an addition to nothing"][0])
    assert found.suggestion == "did you mean `arm`?"
    found = pb.check("m.xml", text=CASES["radians read as degrees"][0])[0]
    assert found.message == "`range`: -1.57 degrees seems to be in radians"
