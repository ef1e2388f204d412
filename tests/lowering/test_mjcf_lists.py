"""MJCF: contacts, equalities, tendons, sensors, cameras, custom data."""

from __future__ import annotations

import numpy as np
import polybody
import pytest
from polybody.lowering.mjcf import LengthRange
from polybody.lowering.mjcf.compile import compile_document

from tests.lowering.mjcf_models import BALL, body, column, compiled, same, world

SCENE = """<geom name="g0" size=".1"/><site name="s0"/>
  <body name="a"><joint name="ja" range="0 90"/><geom name="ga" size=".1"/>
  <geom name="gc" type="cylinder" size=".1 .2"/>
    <site name="sa" pos="1 0 0"/><site name="sb" pos="0 1 0"/><camera name="c" resolution="10 20"/>
    <body name="b" pos="1 0 0"><joint name="jb" type="ball"/><geom name="gb" size=".1"/></body></body>
  <body name="d"><joint name="jd" type="slide"/><geom name="gd" type="box" size=".1 .1 .1"/></body>"""
TENDONS = """<tendon><fixed name="t" range="0 1"><joint joint="ja" coef="2"/><joint joint="jd" coef="-1"/>
  </fixed>
  <spatial name="u"><site site="s0"/><site site="sa"/></spatial></tendon>"""


def test_pairs_are_sorted_by_bodies():
    ours = same(
        world(
            SCENE,
            '<default><pair margin=".3" solref=".5"/></default>',
            """<contact><pair name="1" geom1="gd" geom2="g0" condim="6" friction="2"/>
              <pair name="2" geom1="ga" geom2="g0" gap=".1"/>
            <pair name="3" geom1="g0" geom2="gc" solreffriction=".1 .2" solimp=".1"/>
            <pair name="4" geom1="gb" geom2="gd"/>
            <exclude name="5" body1="d" body2="a"/><exclude name="6" body1="b" body2="a"/></contact>""",
        )
    )
    assert ours.names["pair"] == ("2", "3", "1", "4")
    assert ours.names["exclude"] == ("6", "5")
    assert ours.columns["pair_signature"].tolist() == [1, 1, 3, 2 << 16 | 3]
    assert column(ours, "pair_friction", 0) == [1, 1, 0.005, 0.0001, 0.0001]


def test_equalities():
    ours = same(
        world(
            SCENE,
            '<default><equality solref=".5" active="false"/></default>',
            TENDONS
            + """<equality><connect body1="a" anchor="1 2 3"/><connect site1="sa" site2="s0" active="true"/>
            <weld body1="b" body2="a" relpose="1 2 3 1 0 0 0" torquescale="3"/>
            <weld body1="d" anchor="1 2 3"/>
            <weld site1="sa" site2="sb"/><joint joint1="ja" polycoef="1 2"/><joint joint1="ja" joint2="jd"/>
            <tendon tendon1="t"/><tendon tendon1="t" tendon2="u" polycoef="5" solimp=".5"/></equality>""",
        )
    )
    assert ours.columns["eq_obj2id"].tolist() == [0, 0, 1, 0, 2, -1, 1 + 1, -1, 1]
    assert column(ours, "eq_data", 5)[:5] == [1, 2, 0, 0, 0]


def test_tendons():
    ours = same(
        world(
            SCENE,
            '<default><tendon width=".1" rgba="1 0 0 1" limited="false"/></default><asset>'
            '<material name="m"/></asset>',
            """<tendon><spatial name="p" stiffness="1" damping="2" springlength=".5" material="m"
              limited="auto" range="0 2">
              <site site="s0"/><geom geom="ga" sidesite="sb"/><site site="sa"/><geom geom="gc"/>
              <site site="sb"/>
              <pulley divisor="2"/><site site="sb"/><site site="sa"/></spatial>
              <fixed frictionloss="3" springlength="1 2" margin=".1" range="0 1">
              <joint joint="ja" coef="4"/></fixed>
              <spatial springlength="-1 4"><site site="s0"/><site site="sa"/></spatial></tendon>""",
        )
    )
    assert ours.columns["wrap_type"].tolist() == [3, 4, 3, 5, 3, 2, 3, 3, 1, 3, 3]
    assert ours.columns["wrap_prm"][:4].tolist() == [0, 2, 0, -1]
    assert ours.columns["tendon_limited"].tolist() == [1, 0, 0]
    assert ours.columns["tendon_lengthspring"].tolist() == [[0.5, 0.5], [1, 2], [-1, 4]]


ATTACHED = {
    "touch accelerometer velocimeter gyro force torque magnetometer rangefinder": 'site="sa"',
    "camprojection": 'site="sa" camera="c"',
    "jointpos jointvel jointactuatorfrc jointlimitpos jointlimitvel jointlimitfrc": 'joint="ja"',
    "ballquat ballangvel": 'joint="jb"',
    "tendonpos tendonvel tendonlimitpos tendonlimitvel tendonlimitfrc": 'tendon="t"',
    "actuatorpos actuatorvel actuatorfrc": 'actuator="m"',
    "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel": (
        'objtype="geom" objname="ga" reftype="xbody" refname="d"'
    ),
    "framelinacc frameangacc": 'objtype="camera" objname="c"',
    "subtreecom subtreelinvel subtreeangmom": 'body="b"',
    "distance normal fromto": 'geom1="ga" body2="d"',
    "clock": "",
}


@pytest.mark.parametrize("tags", ATTACHED)
def test_sensors(tags):
    sensors = "".join(f'<{tag} {ATTACHED[tags]} noise=".1" user="1 2"/>' for tag in tags.split())
    same(
        world(
            SCENE, "", f'{TENDONS}<actuator><motor name="m" joint="ja"/></actuator><sensor>{sensors}</sensor>'
        )
    )


def test_sensors_in_a_row():
    ours = same(
        world(
            SCENE,
            "",
            """<sensor><gyro site="sa"/><user dim="2" objtype="site" objname="sb" datatype="positive"
              needstage="vel"/>
            <user dim="0"/><framepos objtype="body" objname="a" cutoff="3"/><user dim="3" datatype="axis"/>
            <framequat objtype="xbody" objname="b"/></sensor>""",
        )
    )
    assert ours.columns["sensor_adr"].tolist() == [0, 3, 5, 5, 8, 11]
    assert ours.columns["sensor_objtype"].tolist() == [6, 6, 0, 1, 0, 2]


@pytest.mark.parametrize(
    "optics",
    [
        'fovy="30"',
        'sensorsize=".036 .024" focal=".05 .05" resolution="640 480"',
        'sensorsize=".036 .024" focalpixel="500 600" principalpixel="10 20" resolution="640 480"',
        'sensorsize=".036 .024" focalpixel="500 600" principal=".001 .002" resolution="641 479"',
        'sensorsize="1 1" resolution="3 7"',
        'orthographic="true" fovy="2" ipd=".1"',
    ],
)
def test_cameras(optics):
    """In single precision, as MuJoCo computes them."""
    same(
        world(
            body(f'<camera {optics} mode="targetbodycom" target="t"/>' + BALL) + body(attributes='name="t"')
        )
    )


def test_lights():
    same(
        world(
            body(
                '<light mode="targetbody" target="t" dir="1 2 3" directional="true" castshadow="false"/>'
                + BALL
            )
            + body(
                '<light active="false" attenuation="1 2 3" cutoff="9" exponent="8" ambient=".1 .2 .3"/>'
                + BALL,
                'name="t"',
            ),
            '<default><light diffuse="1 1 1" specular=".5 .6 .7"/></default>',
        )
    )


def test_custom_data():
    ours = same(
        world(
            SCENE,
            "",
            """<custom><numeric name="a" data="1 2 3"/><numeric name="b" size="4" data="1"/>
              <numeric name="c" size="2"/>
            <text name="d" data="héllo"/><text name="e" data="x"/><tuple name="f">
            <element objtype="body" objname="world"/>
            <element objtype="site" objname="sa" prm="2"/><element objtype="tuple" objname="f"/>
            <element objtype="numeric" objname="b"/><element objtype="xbody" objname="b"/></tuple>
            </custom>""",
        )
    )
    assert ours.columns["numeric_data"].tolist() == [1, 2, 3, 1, 0, 0, 0, 0, 0]
    assert bytes(ours.columns["text_data"]) == "héllo\0x\0".encode()
    assert ours.columns["tuple_objid"].tolist() == [0, 1, 0, 1, 2]


def test_columns_are_of_mujocos_types():
    ours = same(world(SCENE, "", TENDONS))
    assert ours.columns["geom_rgba"].dtype == np.float32
    assert ours.columns["jnt_limited"].dtype == np.uint8
    assert ours.columns["sensor_type"].shape == (0,)
    assert ours.columns["sensor_user"].shape == (0, 0)


@pytest.mark.parametrize("mode", ["none", "muscle", "muscleuser", "all"])
def test_ranges_of_lengths(mode):
    joints = '<joint name="j" range="-20 30" damping="1" armature="1"/>'
    kinds = ("muscle", "motor", 'general gaintype="user"', 'muscle lengthrange="1 2"')
    actuators = "".join(f'<{kind} joint="j" gear="3"/>' for kind in kinds)
    asked = f'<compiler><lengthrange mode="{mode}" inttotal="3" tolrange="1"/></compiler>'
    ours = same(world(body(BALL + joints), asked, f"<actuator>{actuators}</actuator>"))
    wanted = {"none": [], "muscle": [0], "muscleuser": [0, 2], "all": [0, 1, 2]}[mode]
    found = [each for each in ours.pending if isinstance(each, LengthRange)]
    assert [list(each.actuators) for each in found] == ([wanted] if wanted else [])
    assert all(each.values["inttotal"] == 3 and each.values["timestep"] == 0.01 for each in found)


def test_ranges_of_lengths_by_limits():
    """Angles in radians, without the gear; MuJoCo 3.2.7 uses the wrong joint or tendon."""
    joints = (
        '<joint name="j" range="-20 30" damping="1" armature="1"/><joint name="k" range="-1 2" axis="1 0 0"/>'
    )
    tendons = """<tendon><fixed name="t" range="-.1 .2"><joint joint="j" coef="1"/></fixed>
      <fixed name="u"><joint joint="k" coef="1"/></fixed></tendon>"""
    asked = '<compiler><lengthrange mode="all" uselimit="true" inttotal="3" tolrange="1"/></compiler>'
    text = world(body(BALL + joints), asked, "{}<actuator>{}</actuator>")
    for targets, simulated in (
        (['joint="j"'], ()),
        (['jointinparent="k"'], ()),
        (['tendon="t"'], ()),
        (['tendon="u"'], (0,)),
        (['joint="j"', 'joint="k"', 'joint="j"', 'tendon="t"', 'tendon="u"'], (1, 3)),
    ):
        actuators = "".join(f'<motor {target} gear="3"/>' for target in targets)
        ours = same(text.format(tendons, actuators))
        found = [each.actuators for each in ours.pending if isinstance(each, LengthRange)]
        assert found == ([simulated] if simulated else [])


def test_existing_ranges_of_lengths():
    asked = '<compiler><lengthrange useexisting="false"/></compiler>'
    muscle = '<actuator><muscle joint="j" lengthrange="1 2"/></actuator>'
    text = world(body(f'{BALL}<joint name="j"/>'), asked, muscle)
    ours = compiled(f"<mujoco>{text}</mujoco>")
    assert [each.actuators for each in ours.pending if isinstance(each, LengthRange)] == [(0,)]


def test_what_a_users_program_would_compute():
    """Without such a program the result is MuJoCo's without callbacks, and a warning is given."""
    joint = body(f'{BALL}<joint name="j"/>')
    user = 'dyntype="user" gaintype="user" biastype="user"'
    rest = f'<actuator><general joint="j" {user} actdim="2"/></actuator><sensor><user dim="2"/></sensor>'
    document = polybody.read("m.xml", text=f"<mujoco>{world(joint, '', rest)}</mujoco>", format="mjcf")
    findings = compile_document(document).findings
    assert [(finding.code, finding.severity) for finding in findings] == [("PB027", "warning")] * 4
    for word, finding in zip(("do not change", "is 1", "is 0", "measures 0"), findings, strict=True):
        assert word in finding.message
    model = polybody.lower(document)
    data = polybody.Data(model)
    data.ctrl, data.act = 3.0, (1.0, 2.0)
    polybody.step(model, data)
    assert data.actuator_force.tolist() == [2.0]  # gain 1 times the last activation
    assert (data.act_dot.tolist(), data.sensordata.tolist()) == ([0.0, 0.0], [0.0, 0.0])
