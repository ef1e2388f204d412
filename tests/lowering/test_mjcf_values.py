"""MJCF: reading order, defaults classes, shortcuts, angles, limits. Known answers are MuJoCo 3.2.7's."""

from __future__ import annotations

import pytest

from tests.lowering.mjcf_models import body, column, compiled, same, world

SLIDE = '<joint name="j" type="slide"/><geom size=".1"/>'
ARM = body('<joint name="j" range="-90 90" limited="false"/><geom size=".1"/>')


# --- order ------------------------------------------------------------------------------------------------


def test_sections_are_read_in_a_fixed_order_the_world_last():
    ours = same(
        '<sensor><framepos name="s" objtype="body" objname="b"/></sensor>'
        + world(
            '<replicate count="2" sep="_"><body name="r"><geom size=".1"/></body></replicate>'
            + body(attributes='name="b"')
        )
        + '<sensor><clock name="c"/></sensor><option timestep=".01"/><option timestep=".02"/>'
    )
    assert ours.names["body"] == ("world", "r_0", "r_1", "b")
    assert ours.names["sensor"] == ("s", "c", "c_0", "c_1", "c_0_1")
    assert float(ours.columns["opt_timestep"]) == 0.02


def test_a_class_takes_what_its_parent_says_later():
    head = '<default><default class="c"><geom rgba="1 0 0 1"/></default><geom size="3"/></default>'
    ours = same(world('<geom class="c"/>', head))
    assert column(ours, "geom_size") == [3, 0, 0]
    assert column(ours, "geom_rgba") == [1, 0, 0, 1]


def test_which_class_applies():
    head = """<default><joint damping="1"/><geom size=".1"/>
      <default class="a"><joint damping="2" armature=".3"/><geom size=".2"/>
        <default class="b"><geom size=".3"/></default></default>
      <default class="c"><joint damping="4"/></default></default>"""
    inner = '<joint axis="1 0 0"/><joint axis="0 1 0" class="c"/><geom/><geom class="b" pos="1 0 0"/>'
    ours = same(
        world(
            body(inner, 'childclass="a"')
            + body(f'<frame childclass="b">{inner}</frame>{body("<joint/><geom/>")}', 'childclass="c"')
            + body("<freejoint/><geom/>", 'childclass="a"')
            + body('<joint type="free"/><geom/>', 'childclass="a"'),
            head,
        )
    )
    assert ours.columns["dof_damping"][:5].tolist() == [2, 4, 2, 4, 4]
    assert ours.columns["dof_damping"][5:11].tolist() == [0] * 6  # <freejoint> takes no defaults
    assert ours.columns["dof_damping"][11:].tolist() == [2] * 6
    assert ours.columns["geom_size"][:, 0].tolist() == [0.2, 0.3, 0.3, 0.3, 0.1, 0.2, 0.2]


def test_short_vectors_keep_the_numbers_of_the_class():
    head = """<default><geom size="1 2 3" friction=".1 .2 .3" solimp=".1 .2 .3 .4 5" solref=".5 .6"/>
      <joint solreflimit=".1 .2"/><general gear="1 2 3" dynprm="1 2 3" gainprm="4 5 6" biasprm="7 8 9"/>
      </default>"""
    tail = '<actuator><general joint="j" gear="9" dynprm="8" gainprm="7 6" biasprm="5"/></actuator>'
    ours = same(
        world(
            '<geom type="box" size="4" friction="1" solimp=".5 .6" solref=".7"/>'
            + body('<joint name="j" solreflimit=".9"/><geom type="sphere"/>'),
            head,
            tail,
        )
    )
    assert column(ours, "geom_size") == [4, 2, 3]
    assert column(ours, "geom_friction") == [1, 0.2, 0.3]
    assert column(ours, "geom_solimp") == [0.5, 0.6, 0.3, 0.4, 5]
    assert column(ours, "geom_solref") == [0.7, 0.6]
    assert column(ours, "jnt_solref") == [0.9, 0.2]
    assert column(ours, "actuator_gear") == [9, 2, 3, 0, 0, 0]
    assert column(ours, "actuator_gainprm")[:3] == [7, 6, 6]


# --- actuators --------------------------------------------------------------------------------------------

GENERAL = '<default><general gainprm="50 7" biasprm="1 2 -3 4" dyntype="filter"/></default>'


@pytest.mark.parametrize(
    ("element", "gain", "bias", "dyn"),
    [
        ('<position joint="j"/>', [50, 7], [1, -50, -3, 4], 2),
        ('<position joint="j" kp="9" kv="0"/>', [9, 7], [1, -9, -3, 4], 2),
        ('<position joint="j" kp="9" kv="2"/>', [9, 7], [1, -9, -2, 4], 2),
        ('<position joint="j" timeconst="0"/>', [50, 7], [1, -50, -3, 4], 0),
        ('<position joint="j" timeconst=".1"/>', [50, 7], [1, -50, -3, 4], 3),
        ('<motor joint="j"/>', [1, 7], [1, 2, -3, 4], 0),
        ('<velocity joint="j"/>', [50, 7], [0, 0, -50, 0], 0),
        ('<velocity joint="j" kv="3"/>', [3, 7], [0, 0, -3, 0], 0),
        ('<intvelocity joint="j" actrange="0 1"/>', [50, 7], [1, -50, -3, 4], 1),
        ('<damper joint="j" kv="3" ctrlrange="0 1"/>', [0, 0, -3], [1, 2, -3, 4], 0),
        ('<cylinder joint="j" timeconst="2" bias="5 6 7" area="8"/>', [8, 7], [5, 6, 7, 4], 2),
        ('<cylinder joint="j" diameter="2"/>', [3.141592654, 7], [1, 2, -3, 4], 2),
        ('<adhesion body="b" gain="5" ctrlrange="0 1"/>', [5, 7], [1, 2, -3, 4], 2),
        ('<general joint="j" gainprm="6"/>', [6, 7], [1, 2, -3, 4], 2),
    ],
)
def test_shortcuts_change_what_they_name(element, gain, bias, dyn):
    ours = same(world(body(SLIDE, 'name="b"'), GENERAL, f"<actuator>{element}</actuator>"))
    assert column(ours, "actuator_gainprm")[: len(gain)] == gain
    assert column(ours, "actuator_biasprm")[: len(bias)] == bias
    assert ours.columns["actuator_dyntype"].tolist() == [dyn]


def test_shortcuts_in_defaults_count_in_their_order():
    head = '<default><position kp="5" kv="2"/><motor gear="3"/></default>'
    tail = '<actuator><general joint="j"/><motor joint="j" class="main"/><position joint="j"/></actuator>'
    ours = same(world(body(SLIDE), head, tail))
    assert column(ours, "actuator_gear") == [3, 0, 0, 0, 0, 0]


MUSCLE = '<muscle joint="j" lengthrange="0 1" {}/>'


@pytest.mark.parametrize(
    ("default", "attributes", "gain"),
    [
        ("", "", [0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2]),
        ('gainprm="1 0 3"', "", [0.75, 1.05, 3, 200, 0.5, 1.6, 1.5, 1.3, 1.2]),
        ("", 'range="1 1.5" scale="7" lmin=".4"', [1, 1.5, -1, 7, 0.4, 1.6, 1.5, 1.3, 1.2]),
        ('dynprm="1 .2 .3"', 'timeconst=".02 .03" force="6"', [0.75, 1.05, 6, 200, 0.5, 1.6, 1.5, 1.3, 1.2]),
    ],
)
def test_muscles(default, attributes, gain):
    head = f"<default><general {default}/></default>"
    ours = same(world(body(SLIDE), head, f"<actuator>{MUSCLE.format(attributes)}</actuator>"))
    assert column(ours, "actuator_gainprm")[:9] == gain == column(ours, "actuator_biasprm")[:9]


def test_inherited_ranges():
    tail = """<tendon><fixed name="t" range="1 3"><joint joint="j" coef="1"/></fixed></tendon>
      <actuator><position joint="j" inheritrange="1"/><position tendon="t" inheritrange=".5"/>
      <intvelocity joint="j" inheritrange="2"/></actuator>"""
    ours = same(world(ARM, "", tail))
    assert ours.columns["actuator_ctrlrange"].tolist() == [[-90, 90], [1.5, 2.5], [0, 0]]  # as stored
    assert column(ours, "actuator_actrange", 2) == [-180, 180]


def test_damping_ratios_and_spring_dampers_wait_for_inertias():
    tail = """<actuator><position joint="j" kp="5" dampratio="1"/>
      <general joint="j" gainprm="10" biasprm="0 -10 2"/>
      <position joint="j" kp="5" kv="1"/></actuator>"""
    ours = same(world(body('<joint name="j" springdamper="1 2" stiffness="3"/><geom size=".1"/>'), "", tail))
    assert [tuple(request) for request in ours.pending] == [(0, 1.0, 2.0), (0, 1.0), (1, 2.0)]


def test_activation_and_groups():
    tail = """<actuator><general joint="j" dyntype="user" actdim="3" group="4"/><motor joint="j"/>
      <general joint="j" dyntype="integrator" actearly="true" actlimited="true" actrange="0 1"/>
      <intvelocity joint="j" actrange="-1 2" user="1 2"/></actuator>"""
    ours = same(world(body(SLIDE), '<option actuatorgroupdisable="0 3 30"/>', tail))
    assert ours.columns["actuator_actadr"].tolist() == [0, -1, 3, 4]
    assert ours.columns["actuator_actnum"].tolist() == [3, 0, 1, 1]
    assert int(ours.columns["opt_disableactuator"]) == 1 | 8 | 1 << 30


def test_transmissions():
    sites = '<joint name="j" type="ball"/><geom size=".1"/><site name="s"/><site name="r" pos="1 0 0"/>'
    tail = """<tendon><spatial name="t"><site site="s"/><site site="w"/></spatial></tendon><actuator>
      <motor joint="j"/><motor jointinparent="j"/><motor tendon="t"/><motor site="s"/>
      <motor site="s" refsite="w"/>
      <motor cranksite="s" slidersite="w" cranklength=".5"/><adhesion body="b" ctrlrange="0 1"/></actuator>"""
    ours = same(world('<site name="w"/>' + body(sites, 'name="b"'), "", tail))
    assert ours.columns["actuator_trntype"].tolist() == [0, 1, 3, 4, 4, 2, 5]
    assert ours.columns["actuator_trnid"].tolist() == [
        [0, -1],
        [0, -1],
        [0, -1],
        [1, -1],
        [1, 0],
        [1, 0],
        [1, -1],
    ]


# --- angles and limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_what_is_turned_to_radians(angle):
    head = f'<compiler angle="{angle}"/>'
    inside = """<joint name="h" range="-1 2" ref=".3" springref=".4"/>
      <joint type="slide" range="-3 4" ref=".5"/>
      <joint type="hinge" axis="1 0 0" range="-1 2" limited="false"/><geom size=".1"/>"""
    ball = body('<joint type="ball" range="0 30"/><geom size=".1" euler="10 20 30"/>', 'axisangle="1 1 0 20"')
    tail = '<actuator><position joint="h" ctrlrange="-5 5"/></actuator>'
    ours = same(world(body(inside) + ball + '<camera fovy="40"/><light cutoff="30"/>', head, tail))
    one = 0.017453293 if angle == "degree" else 1
    assert column(ours, "jnt_range") == pytest.approx([-one, 2 * one])
    assert column(ours, "jnt_range", 1) == [-3, 4]
    assert column(ours, "jnt_range", 2) == [-1, 2]  # without limits the range is as written
    assert ours.columns["qpos0"][0] == pytest.approx(0.3 * one)
    assert column(ours, "actuator_ctrlrange") == [-5, 5]


def test_limits_that_are_left_open():
    inside = """<joint axis="1 0 0" range="0 1"/><joint axis="0 1 0" range="90 -90"/>
      <joint axis="0 0 1" range="0 1" limited="false"/>
      <joint type="slide" actuatorfrcrange="-1 1"/><geom size=".1"/>"""
    ours = same(
        world(
            body(inside) + body('<joint type="free" range="0 1" actuatorfrcrange="-1 1"/><geom size=".1"/>')
        )
    )
    assert ours.columns["jnt_limited"].tolist() == [1, 0, 0, 0, 0]
    assert ours.columns["jnt_actfrclimited"].tolist() == [0, 0, 0, 1, 0]


# --- names of the schema ----------------------------------------------------------------------------------


def test_defaults_that_the_document_has_otherwise():
    ours = same(world('<light bulbradius=".3"/>', '<asset><material name="m"/></asset>'))
    assert ours.columns["mat_metallic"].tolist() == [1]
    assert ours.columns["light_bulbradius"].tolist() == pytest.approx([0.3])


def test_users_numbers_are_filled():
    head = '<size nuser_geom="3"/>'
    inside = body('<joint name="j" user="1"/><geom size=".1" user="1 2"/><site user="5 6 7"/>', 'user="8"')
    tail = """<tendon><fixed user="3 4"><joint joint="j" coef="1"/></fixed></tendon>
      <sensor><jointpos joint="j" user="9"/></sensor>"""
    ours = same(world(inside + '<camera user="1 2 3 4"/>', head, tail))
    assert ours.columns["geom_user"].tolist() == [[1, 2, 0]]
    assert ours.columns["body_user"].tolist() == [[0], [8]]
    assert ours.columns["actuator_user"].shape == (0, 0)


def test_options_flags_sizes_statistics_and_looks():
    ours = same(
        """<option timestep=".01" gravity="0 0 -1" wind="1 2 3" magnetic="4 5 6" density="7" viscosity="8"
          impratio="9"
          integrator="implicitfast" cone="elliptic" jacobian="sparse" solver="CG" iterations="3"
          tolerance="1e-3"
          o_solref=".1" o_friction=".5 .6" sdf_iterations="4" ccd_iterations="5" noslip_iterations="6"
          apirate="50">
          <flag contact="disable" energy="enable" eulerdamp="disable" nativeccd="enable" gravity="enable"/>
          </option>
        <size njmax="7" nconmax="8" nuserdata="9" nkey="2"/><statistic extent="3" center="1 2 3"/>
        <visual><global fovy="50" offwidth="100"/><map znear=".02"/><rgba fog="1 0 0 1"/>
        <quality shadowsize="5"/>
          <headlight active="0" ambient="1 1 1"/><scale com="2"/></visual>"""
    )
    assert int(ours.columns["opt_disableflags"]) == 16 | 1 << 14
    assert int(ours.columns["opt_enableflags"]) == 2 | 64
    assert ours.columns["key_time"].tolist() == [0, 0]
    assert int(compiled('<mujoco><size memory="3M"/></mujoco>').columns["memory"]) == 3 << 20
