"""MJCF: masses and inertias, bounds of shapes, alignment, fusing, discarding, numbers of elements."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.mjcf_models import BALL, body, column, same, world

SHAPES = {
    "sphere": ".3",
    "capsule": ".1 .2",
    "cylinder": ".1 .2",
    "ellipsoid": ".1 .2 .3",
    "box": ".1 .2 .3",
}


# --- shapes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("mass", ["", 'mass="2"', 'mass="0"', 'density="70"', 'mass="3" density="9"'])
@pytest.mark.parametrize("shell", ["", 'shellinertia="true"'])
def test_mass_and_inertia_of_one_shape(kind, mass, shell):
    same(
        world(
            body(f'<geom type="{kind}" size="{SHAPES[kind]}" {mass} {shell} pos="1 2 3" euler="10 20 30"/>')
        )
    )


def test_a_single_shape_is_taken_as_it_is():
    ours = same(world(body('<geom type="box" size=".1 .2 .3" euler="10 20 30" pos="1 2 3"/>')))
    assert np.array_equal(ours.columns["body_iquat"][1], ours.columns["geom_quat"][0])
    assert np.all(np.diff(ours.columns["body_inertia"][1]) < 0)  # this box needs no reordering
    assert column(ours, "body_ipos", 1) == [1, 2, 3]


@pytest.mark.parametrize("scale", [1e-2, 1, 1e2])
@pytest.mark.parametrize("seed", range(4))
def test_principal_axes_with_their_order_and_signs(scale, seed):
    """Also of bodies so light that principal axes are not computed: below 1e-12 kg m^2 the axes are
    unchanged.
    """
    rng = np.random.default_rng(seed)

    def numbers(low, high, count=3):
        return " ".join(map(str, rng.uniform(low, high, count) * scale))

    shapes = "".join(
        f'<geom type="{kind}" size="{numbers(0.1, 0.4)}" pos="{numbers(-1, 1)}" quat="{numbers(-1, 1, 4)}"/>'
        for kind in ("box", "ellipsoid", "capsule")
    )
    same(world(body(shapes)))


def test_axes_of_tiny_bodies_stay():
    shape = '<geom type="box" size=".0005 .0004 .0003" pos="{} 0" mass="1e-5"/>'
    ours = same(world(body(shape.format("-.0001 .0002") + shape.format(".0002 -.0001"))))
    assert column(ours, "body_iquat", 1) == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "settings",
    [
        'inertiafromgeom="true"',
        'inertiafromgeom="false"',
        'inertiagrouprange="1 2"',
        'boundmass=".5" boundinertia=".1"',
        'balanceinertia="true"',
        'settotalmass="7"',
    ],
)
def test_settings_of_masses(settings):
    geoms = (
        '<geom size=".1" group="1"/><geom type="box" size=".1 .2 .3" pos="1 0 0" group="3"/>'
        '<geom size=".2" group="2"/>'
    )
    inertial = '<inertial pos="1 2 3" mass="4" diaginertia="1 2 3"/>'
    same(world(body(geoms) + body(geoms + inertial) + body(inertial) + body(""), f"<compiler {settings}/>"))


def test_inertia_that_is_given():
    ours = same(
        world(
            body('<inertial pos="0 0 0" mass="1" fullinertia="1 3 2 0 0 0"/>')
            + body('<inertial pos="0 0 0" mass="1" fullinertia="2 3 2.5 .1 .2 .3"/>')
            + body('<inertial pos="1 2 3" mass="1" diaginertia="1 3 2" quat="1 2 3 4"/>')
            + body('<inertial pos="1 2 3" mass="1" diaginertia="1 1 1" euler="10 20 30"/>')
        )
    )
    assert column(ours, "body_inertia", 1) == [3, 2, 1]
    assert column(ours, "body_iquat", 1) == [0.5, 0.5, 0.5, 0.5]
    assert column(ours, "body_inertia", 3) == [1, 3, 2]


def test_a_body_without_inertia_has_the_frame_of_the_body():
    empty = body("", 'pos="1 2 3" euler="30 0 0"')
    ours = same(world(f'<frame pos="9 9 9">{empty}</frame>'))
    assert column(ours, "body_ipos", 1) == [1, 2, 3]


def test_balanced_moments():
    text = world(
        body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/>'), '<compiler balanceinertia="true"/>'
    )
    assert column(same(text), "body_inertia", 1) == [2, 2, 2]


def test_bounds_of_shapes():
    inside = "".join(f'<geom type="{kind}" size="{size}"/>' for kind, size in SHAPES.items())
    ours = same(world(inside + '<geom type="plane" size="1 2 3"/><geom type="plane" size="0 0 1"/>'))
    assert column(ours, "geom_aabb", 5) == [0, 0, -5e9, 1e10, 1e10, 5e9]
    assert column(ours, "geom_rbound", 5) == 0


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_in_fluids(kind):
    geom = f'<geom type="{kind}" size="{SHAPES[kind]}" fluidshape="ellipsoid" fluidcoef="1 2 3"/>'
    ours = same(world(body(geom) + body(geom.replace(' fluidshape="ellipsoid"', "")) + geom))
    assert column(ours, "geom_fluid")[:6] == [1, 1, 2, 3, 1, 1]


def test_an_added_mass_by_fifteen_points():
    ours = same(world('<geom size=".2" fluidshape="ellipsoid"/>'))
    assert ours.columns["geom_fluid"][0, 6] == pytest.approx(0.01675515095, rel=1e-9)


# --- alignment, fusing, discarding ------------------------------------------------------------------------

MOVED = 'pos="1 2 3"'
PARTS = """<geom type="box" size=".1 .2 .3" pos="1 0 0" euler="10 20 30"/><geom size=".1" pos="0 1 0"/>
  <site pos="1 2 3"/>
  <camera pos="3 2 1"/><light pos="1 1 1" dir="1 2 3"/>"""


@pytest.mark.parametrize("alignfree", ["true", "false"])
@pytest.mark.parametrize("align", ["", 'align="true"', 'align="false"', 'align="auto"'])
def test_free_bodies_are_aligned(alignfree, align):
    free = f"<freejoint {align}/>"
    same(
        world(
            body(free + PARTS, 'pos="1 2 3" euler="10 0 0"')
            + f'<frame pos="1 1 1" euler="0 10 0">{body(free + PARTS, MOVED)}</frame>'
            + body(f'<joint type="free"/>{PARTS}')
            + body(free + PARTS + body()),
            f'<compiler alignfree="{alignfree}"/>',
        )
    )


FUSED = f"""<body name="a" pos="1 0 0"><geom name="a1" size=".1"/><body name="b" pos="0 1 0" euler="10 20 30">
    <geom name="b1" size=".2" contype="4"/><site name="s" pos="1 0 0"/>{body("<joint/>" + BALL, "name='c'")}
    <body name="d" pos="0 0 1"><inertial pos="1 1 1" mass="2" diaginertia="1 2 2"/>
    <geom name="d1" type="box" size="1 2 3"/></body>
    </body><geom name="a2" size=".1" margin="1"/></body>
  <body name="e"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 3 2"/>
    <body name="f" pos="1 0 0" gravcomp="1" user="1"><geom name="f1" size=".3"/>{body("", "name='g'")}</body>
    <body name="h"><joint axis="1 0 0"/>{BALL}</body></body><body name="m" mocap="true">{BALL}</body>"""


def test_fused_bodies():
    ours = same(world(FUSED, '<compiler fusestatic="true"/>'))
    assert ours.names["body"] == ("world", "c", "e", "h", "m")


@pytest.mark.parametrize(
    "tail",
    [
        '<sensor><gyro site="s"/></sensor>',
        '<contact><exclude body1="a" body2="e"/></contact>',
        '<equality><connect body1="a" anchor="0 0 0"/></equality>',
        '<custom><tuple name="t"><element objtype="body" objname="a"/></tuple></custom>',
    ],
)
def test_nothing_is_fused_where_something_could_refer_to_it(tail):
    assert len(same(world(FUSED, '<compiler fusestatic="true"/>', tail)).names["body"]) == 10


def test_what_only_looks_is_discarded():
    quiet = 'contype="0" conaffinity="0"'
    ours = same(
        world(
            f"""<geom name="a" size=".1" material="m"/><geom name="b" size=".2" {quiet}/>
            <body><joint/><geom name="c" size=".1" {quiet}/><geom name="d" size=".3" {quiet}/>
            <geom name="e" size=".2"/>
            <geom name="f" size=".2" {quiet}/><site name="s"/><site name="r" pos="1 0 0"/></body>""",
            '<compiler discardvisual="true"/><asset><material name="m"/></asset>',
            """<sensor><framepos objtype="geom" objname="d"/></sensor>
            <tendon><spatial><site site="s"/><geom geom="f"/><site site="r"/></spatial></tendon>
            <custom><tuple name="t"><element objtype="geom" objname="e"/></tuple></custom>""",
        )
    )
    assert ours.names["geom"] == ("a", "d", "e", "f")
    assert ours.names["material"] == ()


# --- numbers ----------------------------------------------------------------------------------------------


def test_elements_are_numbered_by_bodies():
    ours = same(
        world(
            f"""<geom name="w1" size=".1"/><body name="a">{body('<geom name="a1" size=".1"/>', 'name="b"')}
            <geom name="a2" size=".1"/><site name="s1"/><body name="c"><joint name="j2"/><geom size=".1"/>
            </body>
            <joint name="j1"/></body><geom name="w2" size=".1"/><site name="s0"/><body name="d">
            <freejoint name="j3"/>{BALL}</body>"""
        )
    )
    assert ours.names["geom"][:4] == ("w1", "w2", "a2", "a1")
    assert ours.names["site"] == ("s0", "s1")
    assert ours.names["joint"] == ("j1", "j2", "j3")
    assert ours.columns["qpos0"].tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_mocap_bodies_and_gravity_compensation():
    ours = same(
        world(
            body(attributes='mocap="true" pos="1 2 3" quat="1 1 0 0"')
            + body(attributes='gravcomp=".5"')
            + body(attributes='mocap="true"'),
            "",
            '<keyframe><key mpos="1 2 3 4 5 6"/><key mquat="2 0 0 0 0 0 0 0"/></keyframe><size nkey="3"/>',
        )
    )
    assert ours.columns["body_mocapid"].tolist() == [-1, 0, -1, 1]
    assert column(ours, "key_mpos", 2) == [1, 2, 3, 0, 0, 0]


def test_key_frames():
    ours = same(
        world(
            body(f"<freejoint/>{BALL}", 'pos="1 2 3"') + body(f'<joint name="j" type="ball"/>{BALL}'),
            '<size nkey="4"/>',
            """<actuator><intvelocity joint="j" actrange="0 1"/></actuator><keyframe>
            <key name="a" time="1" qpos="1 2 3 2 0 0 0 0 0 3 4" qvel="1 2 3 4 5 6 7 8 9" act="5" ctrl="6"/>
            <key qpos="0 0 0 0 0 0 0 1 1 1 1"/><key name="c" ctrl="1"/></keyframe>""",
        )
    )
    assert ours.names["key"] == ("a", "", "c", "")
    assert column(ours, "key_qpos") == [1, 2, 3, 1, 0, 0, 0, 0, 0, 0.6, 0.8]
    assert column(ours, "key_qpos", 1) == [0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0.5, 0.5]
    assert column(ours, "key_qpos", 3) == [1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0]
