"""MJCF: every column of the Model, including derived and computed ones, equals MuJoCo's field of that
name.
"""

from __future__ import annotations

import mujoco
import numpy as np
import polybody
import pytest
from polybody.generated.model import TABLES
from polybody.lowering import lowered
from polybody.model.model import Model

from tests.differential.mjcf import engine_field, field_error
from tests.runtime.mjcf import ARM as ACTUATED

ARM = """<mujoco model="arm"><compiler autolimits="true"/>
<default><geom contype="1"/><joint armature=".01" damping=".2"/></default>
<worldbody><light pos="0 0 3" dir="0 0 -1"/><camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 1 1"/>
<geom name="floor" type="plane" size="2 1 .1"/>
<body name="base" pos="0 0 .5"><geom type="cylinder" size=".1 .2"/>
 <body name="upper" pos="0 0 .2" euler="0 20 0"><joint name="shoulder" axis="0 1 0" range="-90 90"/>
  <geom type="capsule" size=".05 .2" pos="0 0 .2"/><site name="elbow" pos="0 0 .4"/>
  <body name="fore" pos="0 0 .4"><joint name="bend" axis="0 1 0" stiffness="3" springref="10"/>
   <joint name="turn" pos=".01 0 0" axis="1 0 1"/><geom type="box" size=".04 .05 .15" pos="0 .01 .15"/>
   <camera mode="targetbodycom" target="upper" pos="0 0 .1"/></body></body></body>
<body name="ball" pos="1 0 1"><freejoint/><geom size=".1"/><light mode="trackcom" pos="0 0 1"/></body>
<body name="disk" pos="-1 0 1"><joint type="ball" damping="3"/>
 <geom type="ellipsoid" size=".1 .2 .05" pos=".1 0 0"/></body>
<body name="slider" pos="0 2 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
 <geom type="box" size=".1 .1 .1"/></body></worldbody>
<equality><weld body1="ball" body2="fore" anchor=".1 .2 .3"/>
 <connect body1="ball" anchor="0 0 .1"/></equality>
<actuator><motor joint="shoulder" gear="20"/>
 <position joint="bend" kp="30" dampratio=".7" gear="3"/></actuator>
<sensor><jointpos joint="bend"/><accelerometer site="elbow"/></sensor>
<keyframe><key name="home" qpos=".1 .2 .3 0 0 1 1 0 0 0 1 0 0 0 .5 .6"/></keyframe></mujoco>"""
SPRUNG = """<mujoco><worldbody><body pos="0 0 1"><joint name="a" springdamper=".1 .7" axis="1 0 0"/>
<joint type="slide" springdamper=".2 1"/>
<geom size=".1" pos=".1 .2 .3"/><body pos="1 0 0"><joint type="ball"/>
<geom type="box" size=".1 .2 .3"/></body></body></worldbody></mujoco>"""
TWICE = """<mujoco><worldbody><body><geom size="1"/><joint/><joint/></body></worldbody></mujoco>"""
RAISED = """<mujoco><worldbody><light pos="0 0 2"/>
<body pos="0 0 1"><joint name="up" type="slide" ref="1.25"/>
<joint name="turn" ref="30" axis="0 1 0" pos=".1 0 0"/><geom type="box" size=".1 .2 .3" pos=".2 0 0"/>
<body pos="0 .5 0"><joint axis="1 0 0" ref="-20"/><geom size=".2"/></body></body></worldbody></mujoco>"""
POINT = """<mujoco><worldbody><site/></worldbody></mujoco>"""
SAID = """<mujoco><statistic extent="3" center="1 2 3" meanmass="7"/>
<worldbody><body><freejoint/><geom size="1"/></body>
<body pos="3 0 0"><geom size=".1" pos="1e-7 0 0"/></body></worldbody></mujoco>"""


def loaded(text: str, **words) -> Model:
    return polybody.lower(polybody.read("model.xml", text=text, policy="warn"), **words)


MEASURED = """<mujoco><worldbody><site name="base" euler="10 20 30"/><body pos="0 0 1" euler="30 0 40">
<joint type="ball"/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
<site name="tip" pos=".1 .2 .3" euler="40 50 60"/></body></worldbody>
<actuator><general site="tip" refsite="base" gear="4 5 6 1 2 3"/></actuator></mujoco>"""


NARROW = """<mujoco><worldbody><site/><site pos="0 0 3"/></worldbody></mujoco>"""
ENDLESS = """<mujoco><worldbody><geom type="plane" size="{} .1"/>
<body pos="1 2 3"><joint/><geom size=".1"/></body></worldbody></mujoco>"""
PLANES = [ENDLESS.format(size) for size in ("0 0", "20 0", "0 30", "20 30")]
SNAPPED = """<mujoco><worldbody><body><freejoint/><geom size=".001" pos="9e-7 0 0"/>
<site pos="0 9e-7 0"/></body></worldbody></mujoco>"""
RATIOS = """<mujoco><worldbody><site name="base" pos=".3 0 0" euler="10 20 30"/>
<body pos="0 0 1" euler="30 0 40"><joint name="b" type="ball"/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
<site name="tip" pos=".1 .2 .3" euler="40 50 60"/><body pos="0 0 .4"><joint name="h" axis="1 1 0"/>
<joint name="s" type="slide" axis="1 0 2"/><geom size=".1" pos=".2 0 0"/><site name="end" pos=".1 0 .2"/>
</body></body><body name="f" pos="2 0 0"><freejoint name="f"/>
<geom type="ellipsoid" size=".1 .2 .3"/></body></worldbody>
<tendon><spatial name="rope"><site site="base"/><site site="tip"/><site site="end"/></spatial>
<fixed name="sum"><joint joint="h" coef="2"/><joint joint="s" coef="-.3"/></fixed></tendon>
<actuator><position joint="b" kp="3" dampratio="1" gear="1 2 3"/>
<position joint="f" kp="3" dampratio=".5" gear="1 0 2 0 .1"/>
<position jointinparent="b" kp="3" dampratio="1" gear="1 2 3"/><position tendon="rope" kp="5" dampratio="2"/>
<position tendon="sum" kp="5" dampratio=".1" gear="2"/>
<position site="tip" kp="7" dampratio="1" gear="1 2 3 0 0 1"/>
<position site="tip" refsite="base" kp="7" dampratio="1" gear="1 2 3 .1 .2 .3"/>
<position cranksite="end" slidersite="tip" cranklength="1" kp="7" dampratio="1"/>
<general body="f" gainprm="2" biastype="affine" biasprm="0 -2 1"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    "text", [RATIOS, ARM, SPRUNG, TWICE, RAISED, POINT, SAID, ACTUATED, MEASURED, NARROW, SNAPPED, *PLANES]
)
def test_columns_are_the_fields_of_the_engine(text: str) -> None:
    model, theirs = loaded(text), mujoco.MjModel.from_xml_string(text)
    compared = 0
    for column in (column for table in TABLES if table.owner == "model" for column in table.columns):
        name = column.name
        group, _, rest = name.partition("_")
        owner = {"opt": theirs.opt, "stat": theirs.stat}.get(group)
        if not hasattr(*((theirs, name) if owner is None else (owner, rest))):
            continue
        found = engine_field(theirs, "statistic_" + rest if group == "stat" else name)
        assert found is not None
        ours = np.asarray(getattr(model, name))
        if owner is None:
            assert ours.dtype == found.dtype, name
        assert field_error(ours, found.reshape(ours.shape)) < 1e-9, name
        compared += 1
    assert compared > 200


def test_an_infinite_plane_has_no_virtual_mass() -> None:
    """MuJoCo's are NaN. No fluid acts on static geoms."""
    text = """<mujoco><worldbody><geom type="plane" size="0 0 .1" fluidshape="ellipsoid"/>
    <geom type="plane" size="1 2 .1" fluidshape="ellipsoid"/></worldbody></mujoco>"""
    infinite, finite = loaded(text).geom_fluid
    given = mujoco.MjModel.from_xml_string(text).geom_fluid
    assert np.isnan(given[0, 6:]).all()
    assert infinite.tolist() == [1, 0.5, 0.25, 1.5, 1, 1, 0, 0, 0, 0, 0, 0]
    assert np.allclose(finite, given[1], rtol=1e-12, atol=0)


MUSCLE = """<mujoco><compiler><lengthrange mode="none"/></compiler>
<worldbody><site name="a" pos="1 0 0"/><body><joint/><geom size=".1" pos="0 .2 0"/>
<site name="b" pos="0 .5 0"/></body></worldbody>
<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
<actuator><muscle tendon="t"/></actuator></mujoco>"""


def test_what_flags_switch_off_is_not_missed() -> None:
    document = polybody.read("muscle.xml", text=MUSCLE, policy="warn")
    model = polybody.lower(document)
    with pytest.raises(
        polybody.ModelError, match=r"a muscle without .*; disable='actuation' switches it off"
    ):
        polybody.forward(model, polybody.Data(model))
    free = polybody.lower(document, disable="actuation")
    for simulate in (polybody.forward, polybody.step, polybody.inverse):
        simulate(free, polybody.Data(free))
    polybody.Stepper(free, "loop").step(3)
    with pytest.raises(polybody.ModelError, match="not simulated yet"):
        polybody.Stepper(model, "loop")
    with pytest.raises(polybody.ModelError, match="not simulated yet"):
        polybody.BatchStepper(model, 2, kernels="loop")


def test_reference_coordinates_are_where_bodies_are_put() -> None:
    model, theirs = loaded(RAISED, disable="constraint"), mujoco.MjModel.from_xml_string(RAISED)
    assert model.qpos_ref.any()
    data, peer = polybody.Data(model), mujoco.MjData(theirs)
    data.qpos = peer.qpos[:] = model.qpos0 + np.random.default_rng(0).normal(size=model.nq)
    polybody.forward(model, data)
    mujoco.mj_kinematics(theirs, peer)
    for name in ("xpos", "xmat", "xanchor", "xaxis"):
        assert np.abs(getattr(data, name) - getattr(peer, name)).max() < 1e-12, name


def test_bodies_that_never_touch_are_not_missed() -> None:
    """Body and parent, bodies welded together, and bodies whose contact types are mutually exclusive."""
    text = """<mujoco><worldbody>{}<body name="a"><joint/><geom size=".1"/><body><geom size=".1"/></body>
    <body pos="1 0 0"><joint/><geom size=".1"/></body></body></worldbody>{}</mujoco>"""
    for before, after in (("", ""), ('<geom size=".1" contype="2" conaffinity="4"/>', "")):
        model = loaded(text.format(before, after))
        assert not model.opt_constrained
        polybody.step(model, polybody.Data(model))
    model = loaded(text.format('<geom size=".1"/>', ""))
    assert model.opt_constrained
    excluded = "".join(f'<exclude body1="world" body2="{name}"/>' for name in ("a", "b", "c"))
    named = text.replace("<body><geom", '<body name="b"><geom')
    named = named.replace('<body pos="1 0 0">', '<body name="c">')
    model = loaded(named.format('<geom size=".1"/>', f"<contact>{excluded}</contact>"))
    assert not model.opt_constrained
    polybody.step(model, polybody.Data(model))


def test_flags_by_their_words() -> None:
    document = polybody.read("model.xml", text=SPRUNG, policy="warn")
    off = polybody.lower(document, disable=("contact", "gravity"), enable=("energy",))
    assert int(off.opt_disableflags) == 16 | 64
    assert int(off.opt_enableflags) == 2
    assert not off.opt_gravity_acts
    on = polybody.lower(document, disable="contact", enable="contact")
    assert int(on.opt_disableflags) == 0
    with pytest.raises(ValueError, match="'contacts' is not a flag; did you mean `contact`"):
        polybody.lower(document, disable="contacts")
    with pytest.raises(TypeError, match="seed"):
        polybody.lower(document, seed=1)


def test_gravity_and_passive_forces_can_be_switched_off() -> None:
    """Accelerations are MuJoCo's with the same flags, at a random state."""
    document = polybody.read("model.xml", text=SPRUNG, policy="warn")
    for flag in ((), ("gravity",), ("passive",), ("gravity", "passive")):
        model = polybody.lower(document, disable=("contact", *flag))
        theirs = mujoco.MjModel.from_xml_string(SPRUNG)
        theirs.opt.disableflags = int(model.opt_disableflags)
        rng = np.random.default_rng(7)
        state, data = mujoco.MjData(theirs), polybody.Data(model)
        state.qvel[:] = data.qvel[:] = rng.normal(size=model.nv)
        mujoco.mj_integratePos(theirs, state.qpos, rng.normal(size=model.nv), 1.0)
        data.qpos = state.qpos
        mujoco.mj_forward(theirs, state)
        polybody.forward(model, data)
        assert np.abs(data.qacc - state.qacc).max() < 1e-9 * np.abs(state.qacc).max(), flag


def test_native_coordinates_are_the_models() -> None:
    result = lowered(polybody.read("model.xml", text=ARM, policy="warn"))
    model, native = result.model, result.native
    assert native.q_slices == {"shoulder": slice(0, 1), "bend": slice(1, 2), "turn": slice(2, 3)}
    qpos = np.arange(model.nq, dtype=float)
    assert native.q(qpos).tolist() == native.qpos(qpos).tolist() == qpos.tolist()


def test_a_model_with_everything_reads_back() -> None:
    model = loaded(ARM)
    assert Model.from_xml(model.to_xml()) == model
    assert model.camera("eye").bodyid == 0
    assert model.key("home").qpos.shape == (model.nq,)
    assert model.sensor(1).type.name == "accelerometer"
    assert model.actuator(0).gear[0] == 20


def test_sizes_are_those_of_the_engine() -> None:
    """Rows, widths, and sizes that belong to no table."""
    wide = ARM.replace('<compiler autolimits="true"/>', '<compiler/><size nuser_body="3" nuserdata="4"/>')
    wide = wide.replace('<body name="base"', '<body user="1 2" mocap="true"/><body name="base"')
    wide = wide.replace('gear="20"/>', 'gear="20" user="7"/>')
    for text in (wide, ACTUATED):
        model, theirs = loaded(text), mujoco.MjModel.from_xml_string(text)
        names = [name for name in dir(type(model)) if name.startswith("n") and hasattr(theirs, name)]
        sizes = {name: getattr(model, name) for name in names if isinstance(getattr(theirs, name), int)}
        assert len(sizes) > 40
        assert sizes == {name: getattr(theirs, name) for name in sizes}
    assert model.nuser_body == 0
    assert (loaded(wide).nuser_body, loaded(wide).nuser_actuator) == (3, 1)
