"""Lengths and masses that seem to be in a different unit: a warning with the estimate, once per robot."""

from __future__ import annotations

import pytest

from .robots import joint, made

REACH = 0.1
"""m: half the edge length of the boxes."""


def solid(name: str, mass: float = 8.0, moment: float = 0.05, edge: float = 2 * REACH) -> str:
    """A cube with the density of water unless given otherwise."""
    inertia = f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
    box = f'<collision><geometry><box size="{edge} {edge} {edge}"/></geometry></collision>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{inertia}</inertial>{box}</link>'


def robot_of(apart: float = 0.3, **each: float) -> tuple[str, ...]:
    links = [solid(name, **each) for name in "abcd"]
    origin = f'<origin xyz="0 0 {apart}"/>'
    joints = [joint(f"{one}{two}", "continuous", one, two, origin) for one, two in ("ab", "bc", "cd")]
    return (*links, *joints)


def said(parts: tuple[str, ...]) -> list[str]:
    return [found.message for found in made(*parts).findings if found.code == "PB068"]


def test_nothing_is_said_of_a_usual_robot() -> None:
    assert said(robot_of()) == []
    assert said(robot_of(mass=1.0, moment=1.0)) == []  # placeholders
    assert said((solid("a", edge=0.001), *robot_of()[1:])) == []


@pytest.mark.parametrize(
    ("parts", "estimate"),
    [
        (robot_of(edge=200.0), "shapes are about 800 times as large"),
        (
            robot_of(moment=0.05e6),
            "moments of inertia are those of bodies about 1200 times as large as the shapes",
        ),
        (robot_of(mass=8000.0, moment=50.0), "masses are 1000000 kg per cubic metre"),
        (robot_of(apart=300.0), "joints are about 870 times as far from each other"),
        (
            (solid("a", edge=200.0), *robot_of()[1:]),
            "its shapes reach 173 m from its centre of mass",
        ),
    ],
)
def test_the_estimate_is_said_once(parts: tuple[str, ...], estimate: str) -> None:
    (message,) = said(parts)
    assert message.startswith(estimate)
