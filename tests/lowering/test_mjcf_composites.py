"""MJCF: the result of `composite`, compared with MuJoCo; what it does not support."""

from __future__ import annotations

import pytest

from tests.lowering.mjcf_models import problems, same

MADE = {
    "particles": (
        'type="particle" count="4 2 3" spacing=".1" offset="1 2 3"',
        '<geom size=".02"/>',
    ),
    "particles at vertices": (
        'type="particle" vertex="0 0 0 .1 .2 .3" prefix="p"',
        '<geom size=".02"/>',
    ),
    "particles with joints": (
        'type="particle" count="2 1 1" spacing=".1"',
        '<joint kind="particle" axis="1 0 0" type="slide" damping="2"/>'
        '<joint kind="particle" type="hinge" axis="0 1 0" range="-10 20"/><geom size=".02"/>'
        '<site size=".01" material="m" group="1"/>',
    ),
    "particles on slides": (
        'type="particle" count="2 2 1" spacing=".1"',
        '<joint kind="main" damping="3"/><geom size=".02 .01" type="capsule"/>',
    ),
    "row": (
        'type="grid" count="4 1 1" spacing=".1" prefix="r"',
        '<geom size=".02"/><pin coord="1"/>',
    ),
    "grid": (
        'type="grid" count="4 3 1" spacing=".1" offset="1 0 0"',
        '<geom size=".02" rgba="1 0 0 1"/>'
        '<joint kind="main" armature=".1" stiffness="2" solreffix=".03"/>'
        '<tendon kind="main" width=".002" solreffix=".05"/>'
        '<tendon kind="shear" stiffness="3" solimpfix=".8 .9" range="0 1"/><pin coord="0 0"/>'
        '<pin coord="3 2"/>',
    ),
    "skin": (
        'type="grid" count="3 4 1" spacing=".1"',
        '<geom size=".02"/><skin texcoord="true" inflate=".01" group="2" material="m" rgba="1 0 0 1"/>',
    ),
    "fine skin": (
        'type="grid" count="4 5 1" spacing=".1"',
        '<geom size=".02"/><skin texcoord="true" subgrid="2"/>',
    ),
    "coarse skin": (
        'type="grid" count="3 3 1" spacing=".1"',
        '<geom size=".02"/><skin subgrid="1"/>',
    ),
    "cable": (
        'type="cable" count="5 1 1" curve="s" size="2 0 0" prefix="c"',
        '<geom type="capsule" size=".02"/><joint kind="main" damping=".3" range="0 40" limited="true"/>',
    ),
    "spiral": (
        'type="cable" count="9 1 1" curve="s cos(s) sin(s)" size="2 .5 3" initial="free" offset="1 2 3"',
        '<geom type="cylinder" size=".02" mass=".1"/>'
        '<joint kind="main" damping=".3" armature=".2" frictionloss=".1"/>',
    ),
    "circle": (
        'type="cable" count="12 1 1" curve="cos(s) sin(s)" size="0 1 2" initial="none"',
        '<geom type="box" size=".2 .02 .03"/><site size=".01"/>',
    ),
    "fine strip": (
        'type="cable" count="6 1 1" curve="s 0 sin(s)" size="1 .3 1" initial="fixed"',
        '<geom type="box" size=".2 .02 .03"/><skin subgrid="2" texcoord="true"/>',
    ),
    "vertices": (
        'type="cable" vertex="0 0 0 1 0 0 1 1 0 1 1 1 2 2 2"',
        '<geom type="capsule" size=".02"/>',
    ),
    "one edge": (
        'type="cable" vertex="0 0 0 1 0 0"',
        '<geom type="capsule" size=".02"/>',
    ),
}
WORLD = """<compiler {compiler}/><asset><material name="m"/></asset><default><geom density="7"/></default>
<worldbody><body name="b" pos="0 0 1">{joint}<geom size=".1"/>{made}</body></worldbody>
<contact><exclude body1="b" body2="world"/></contact>"""


@pytest.mark.parametrize("compiler", ["", 'angle="radian"'])
@pytest.mark.parametrize("name", MADE)
def test_a_composite_is_mujocos(name: str, compiler: str) -> None:
    attributes, inside = MADE[name]
    made = f"<composite {attributes}>{inside}</composite>"
    if "free" in attributes:  # a free body is a child of the world
        same(f"<compiler {compiler}/><worldbody>{made}</worldbody>")
    else:
        same(WORLD.format(made=made, compiler=compiler, joint="<joint/>"))


def test_composites_are_replicated_with_what_refers_to_them() -> None:
    grid = '<composite type="grid" count="2 1 1" spacing=".1" prefix="p"><geom size=".02"/></composite>'
    ours = same(
        f'<worldbody><replicate count="2" offset="1 0 0"><body name="b">{grid}</body></replicate></worldbody>'
    )
    assert ours.names["tendon"] == ("pT0_0_00", "pT0_0_01")


def test_a_frame_around_a_composite_has_no_effect_as_in_mujoco() -> None:
    grid = '<composite type="particle" count="2 1 1" spacing=".1"><geom size=".02"/></composite>'
    ours = same(f'<worldbody><frame pos="1 2 3">\n{grid}</frame></worldbody>')
    assert [finding.message for finding in ours.findings] == [
        "the frame around <composite> has no effect on it"
    ]


REFUSED = {
    'type="rope" count="3 1 1" spacing="1"><geom size=".1"/': (
        "`rope` of <composite> was removed in MuJoCo 3.0.0"
    ),
    'type="box" count="3 1 1" spacing="1"><geom size=".1"/': (
        "`box` of <composite> was removed in MuJoCo 3.2.5"
    ),
    'type="particle" count="3 1 1" spacing=".01"><geom size=".1"/': ("`spacing` is less than the size"),
    'type="particle" count="0 1 1" spacing="1"><geom size=".1"/': ("the numbers of `count` must be positive"),
    'type="particle" count="1 3 1" spacing="1"><geom size=".1"/': (
        "in `count`, numbers equal to 1 must come last"
    ),
    'type="particle" count="3 1 1" vertex="0 0 0" spacing="1"><geom size=".1"/': ("are mutually exclusive"),
    'type="grid" count="3 3 3" spacing="1"><geom size=".1"/': ("a grid must have one or two dimensions"),
    'type="grid" count="3 1 1" spacing="1"><tendon kind="shear"/><geom size=".1"/': (
        "must have two dimensions"
    ),
    'type="grid" count="3 1 1" spacing="1"><skin/><geom size=".1"/': (
        "a grid with a skin must have two dimensions"
    ),
    'type="grid" count="3 2 1" spacing="1"><skin subgrid="2"/><geom size=".1"/': (
        "3 or more elements along both"
    ),
    'type="grid" count="3 2 1" spacing="1"><geom size=".1" type="box"/': (
        "must be spheres, capsules or ellipsoids"
    ),
    'type="grid" count="3 2 1" spacing="1"><joint kind="main"/><joint kind="main"/': (
        "several joints of the same kind"
    ),
    'type="cable" count="4 1 1" curve="s" size="1" spacing="1"><geom type="capsule" size=".1"/': (
        "not accept `spacing`"
    ),
    'type="cable" count="4 2 1" curve="s" size="1"><geom type="capsule" size=".1"/': (
        "a cable must have one dimension"
    ),
    'type="cable" count="4 1 1" curve="s" size="1"><geom size=".1"/': (
        "must be capsules, cylinders or boxes"
    ),
    'type="cable" count="4 1 1" curve="0" size="1"><geom type="capsule" size=".1"/': ("coincide"),
    'type="cable" vertex="0 0 0 1 1"><geom type="capsule" size=".1"/': ("`vertex` has 5 numbers"),
    'type="cable" count="3 1 1" curve="s" size="1"><geom type="capsule" size=".1"/': (
        "there is no body `B_1`"
    ),
    'type="particle" count="200 200 200" spacing="1"><geom size=".1"/': ("more than 1,000,000"),
}


@pytest.mark.parametrize("made", REFUSED)
def test_what_no_composite_can_be_made_of_has_a_line(made: str) -> None:
    found = problems(f"<worldbody>\n\n<composite {made}></composite></worldbody>")
    assert [REFUSED[made] in problem and problem.startswith("3:") for problem in found][:1] == [True]


def test_a_composite_needs_a_body_to_be_replicated() -> None:
    grid = '<composite type="particle" count="2 1 1" spacing=".1"><geom size=".02"/></composite>'
    (found,) = problems(f'<worldbody><replicate count="2">\n{grid}</replicate></worldbody>')
    assert (
        found == "2:1 PB063 a <composite> directly in a <replicate> has no effect in MuJoCo 3.2.7: "
        "put it into a body"
    )
