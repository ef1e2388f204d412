"""Pairs of links that do not collide: contact bits if these suffice, and a bound on the number of pairs."""

from __future__ import annotations

import polybody as pb
import pytest
from polybody.lowering.plants import filters

SHAPE = '<collision><geometry><sphere radius=".1"/></geometry></collision>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def star(count: int, more: str = "") -> str:
    """A robot with a set of links that revolute joints connect to the first."""
    links = "".join(f'<link name="l{number}">{MASS}{SHAPE}</link>' for number in range(count))
    joints = "".join(
        f'<joint name="j{number}" type="continuous"><parent link="l0"/><child link="l{number}"/></joint>'
        for number in range(1, count)
    )
    return f'<robot name="r">{links}{joints}{more}</robot>'


def group(count: int) -> str:
    members = "".join(f'<drake:member link="l{number}"/>' for number in range(count))
    inside = f'{members}<drake:ignored_collision_filter_group name="g"/>'
    return f'<drake:collision_filter_group name="g">{inside}</drake:collision_filter_group>'


def test_a_robot_that_does_not_touch_itself_takes_no_pair_of_its_links_but_those_of_joints() -> None:
    model = pb.lower(pb.read("r.urdf", text=star(40)), meaning="gazebo")
    assert model.nexclude == 39
    assert set(model.geom_contype.tolist()) == {2}
    assert (model.geom_contype & model.geom_conaffinity).tolist() == [0] * 40


def test_bits_that_a_file_gives_are_kept() -> None:
    def link(name: str, bits: int) -> str:
        contact = f"<surface><contact><collide_bitmask>{bits}</collide_bitmask></contact></surface>"
        shape = "<geometry><sphere><radius>1</radius></sphere></geometry>"
        return f"<link name='{name}'><collision name='c'>{shape}{contact}</collision></link>"

    models = f"<model name='m'>{link('a', 1)}{link('b', 1)}</model><model name='n'>{link('c', 3)}</model>"
    text = f"<sdf version='1.9'><world name='w'>{models}</world></sdf>"
    model = pb.lower(pb.read("w.sdf", text=text), meaning="gazebo")
    assert model.geom_contype.tolist() == model.geom_conaffinity.tolist() == [1, 1, 3]
    assert model.nexclude == 1


def test_more_pairs_than_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    document = pb.read("r.urdf", text=star(30, group(30)))
    monkeypatch.setattr(filters, "MAX_PAIRS", 29 + 435)
    assert pb.lower(document).nexclude == 435
    monkeypatch.setattr(filters, "MAX_PAIRS", 29 + 434)
    with pytest.raises(pb.ValidationError, match="more than 463 pairs of links are excluded from contact"):
        pb.lower(document)


def test_lumps_of_a_long_chain_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixed joints make two bodies of many links, of which no pair collides."""
    links = "".join(f'<link name="l{number}">{MASS}{SHAPE}</link>' for number in range(40))
    joints = "".join(
        f'<joint name="j{n}" type="{"continuous" if n == 20 else "fixed"}">'
        f'<parent link="l{n}"/><child link="l{n + 1}"/></joint>'
        for n in range(39)
    )
    document = pb.read("r.urdf", text=f'<robot name="r">{links}{joints}</robot>')
    monkeypatch.setattr(filters, "MAX_PAIRS", 21 * 19)
    assert pb.lower(document, meaning="gazebo").nexclude == 21 * 19
    monkeypatch.setattr(filters, "MAX_PAIRS", 21 * 19 - 1)
    with pytest.raises(pb.ValidationError, match="pairs of links"):
        pb.lower(document, meaning="gazebo")
