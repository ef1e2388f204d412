"""PID controllers and DC motors as of MuJoCo 4.0: what MuJoCo computed of the same random models."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics import integrate
from polybody.generated.kernels import layout

from benchmarks.ours.reference import Reference
from tests.moving.newest_servos.models import KEPT, STATES, STEPS, texts

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = texts(KEPT)
INPUTS = ("qpos", "qvel", "ctrl", "act")
STATE = ("qpos", "qvel", "act")
FIELDS = (
    *("actuator_length", "actuator_velocity", "actuator_force", "act_dot", "qfrc_actuator", "qacc"),
    "sensordata",
)
PARAMETERS = ("gainprm", "biasprm", "dynprm", "actnum", "actadr", "ctrlnum", "ctrlspec")
INTEGRATORS = {"Euler": "euler", "RK4": "rk4"}


def lowered(text: str, **how: Any) -> pb.Model:
    return pb.lower(pb.read("model.xml", text=text, release="4.0", **how))


def put(data: Any, seed: str, state: int) -> None:
    for field in INPUTS:
        getattr(data, field)[...] = FACTS[f"{seed}/{state}/{field}"]


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("seed", MODELS)
def test_instants_and_steps_are_those_of_mujoco(seed: str) -> None:
    model = lowered(MODELS[seed])
    for parameter in PARAMETERS:
        agree(getattr(model, f"actuator_{parameter}"), FACTS[f"{seed}/{parameter}"])
    for state in range(STATES):
        data = pb.Data(model)
        put(data, seed, state)
        pb.forward(model, data)
        for field in FIELDS:
            agree(getattr(data, field), FACTS[f"{seed}/{state}/{field}"])
        for step in range(STEPS):
            pb.step(model, data)
            for field in STATE:
                agree(getattr(data, field), FACTS[f"{seed}/{state}/{step}/{field}"])


@pytest.mark.parametrize("seed", MODELS)
def test_batches_step_as_mujoco(seed: str) -> None:
    batch = pb.BatchStepper(lowered(MODELS[seed]), n=STATES, threads=1)
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{seed}/{state}/{field}"]
    for step in range(STEPS):
        batch.step(1)
        for state in range(STATES):
            for field in STATE:
                agree(getattr(batch, field)[state], FACTS[f"{seed}/{state}/{step}/{field}"])


@pytest.mark.long
@pytest.mark.parametrize("seed", [*map(str, range(4)), "limited 34"])
def test_programs_step_as_mujoco(seed: str) -> None:
    model = lowered(MODELS[seed])
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        pb.reset(model, stepper.data)
        put(stepper.data, seed, state)
        for step in range(STEPS):
            stepper.step(1)
            for field in STATE:
                agree(getattr(stepper.data, field), FACTS[f"{seed}/{state}/{step}/{field}"])


@pytest.mark.parametrize("seed", ["0", "1", "2", "limited 13"])
def test_the_reference_steps_as_mujoco(seed: str) -> None:
    model = lowered(MODELS[seed])
    columns = {column: np.array(model._column(column)) for _, column in layout.COUNTED}
    for column, _, _, shape in layout.GIVEN:
        columns[column] = np.reshape(model._column(column), (-1, *shape))
    reference = Reference(columns)
    for axis, size in (("act", model.na), ("ctrl", model.nu)):
        reference.machine.rows[axis] = size
    for field in INPUTS:
        reference.data[field][...] = FACTS[f"{seed}/1/{field}"].reshape(reference.data[field].shape)
    name = model.opt_integrator.name
    reference.call(getattr(integrate, INTEGRATORS.get(name, name)))
    for field in STATE:
        agree(reference.data[field].ravel(), FACTS[f"{seed}/1/0/{field}"])


ARM = """
<mujoco><worldbody><body><joint name="j" axis="0 1 0" range="-60 60"/><geom size=".1" pos=".1 0 0"/></body>
  </worldbody>{default}<actuator>{actuators}</actuator>{key}</mujoco>"""
BOTH = (
    '<motor name="m" joint="j"/><pid name="p" joint="j" kp="9" ki="2" slewmax="3" input="pos vel ff"'
    ' posrange="-1 1" ffrange="-2 2"/><dcmotor name="d" joint="j" motorconst=".1" resistance="2" input="none"'
    ' lugre="9 1 .1 .2 .1"/><dcmotor name="e" joint="j" motorconst=".1" resistance="2" inductance="0 .1"/>'
)


SATURATED = 'dcmotor motorconst=".1" resistance="2" saturation="1 0 5"'


def arm(actuators: str = BOTH, default: str = "", key: str = "", **how: Any) -> pb.Model:
    return lowered(ARM.format(actuators=actuators, default=default, key=key), **how)


def test_controls_and_states_of_servos_follow_each_other() -> None:
    model = arm(key='<keyframe><key ctrl="1 2 3 4 5" act=".1 .2 .3 .4"/></keyframe>')
    assert (model.nactuator, model.nu, model.na) == (4, 5, 4)
    np.testing.assert_array_equal(model.actuator_ctrladr, [0, 1, -1, 4])
    data = pb.Data(model, key=0)
    assert data.actuator("m").ctrl == 1.0
    np.testing.assert_array_equal(data.actuator("p").ctrl, [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(data.actuator("p").act, [0.1, 0.2])
    assert len(data.actuator("d").ctrl) == 0
    data.actuator("p").ctrl = 7.0, 8.0, 9.0
    np.testing.assert_array_equal(data.ctrl, [1.0, 7.0, 8.0, 9.0, 5.0])
    assert np.shape(data.actuator_moment) == (4, 1)


def test_the_culprit_of_a_control_that_is_not_a_number_is_its_actuator() -> None:
    data = pb.Data(arm())
    data.ctrl[3] = np.nan
    with pytest.raises(pb.SimulationError, match="'p'"):
        pb.step(data.model, data)


def test_saved_models_with_servos_are_the_same(tmp_path: Path) -> None:
    model = arm()
    model.save(tmp_path / "arm.npz")
    for other in (pb.Model.load(tmp_path / "arm.npz"), pb.Model.from_xml(model.to_xml())):
        found = []
        for each in (model, other):
            data = pb.Data(each)
            data.ctrl[...], data.qpos[...] = (1.0, 0.5, -1.0, 1.0, 3.0), 0.3
            pb.step(each, data, 20)
            found.append((*data.qpos, *data.qvel, *data.act))
        np.testing.assert_array_equal(*found)


def test_models_that_were_made_before_there_were_servos_have_one_control_each() -> None:
    model = arm('<motor joint="j"/><position joint="j" kp="3"/>')
    later = ("actuator_ctrlnum", "actuator_ctrlspec", "actuator_velrange", "actuator_ffrange")
    columns = {name: model._column(name) for name in pb.model.checks.GIVEN if name not in later}
    other = pb.Model(columns, model.names)
    assert (other.nactuator, other.nu) == (2, 2)
    np.testing.assert_array_equal(other.actuator_ctrladr, [0, 1])


def test_servos_with_other_numbers_of_controls_or_states_are_refused() -> None:
    model, message = arm(), "a servo with these parameters has"
    with pytest.raises(pb.ModelError, match=message):
        model.replace(actuator_ctrlnum=np.array([1, 2, 0, 2]))
    with pytest.raises(pb.ModelError, match=message):
        pb.Data(model.replace(actuator_gainprm=model.actuator_gainprm * 0))


@pytest.mark.parametrize(
    "column", ["actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_ctrlrange"]
)
def test_instances_with_parameters_of_their_own_step_like_their_models(column: str) -> None:
    model = arm()
    batch = pb.BatchStepper(model, n=2, threads=1, parameters=(column,))
    batch.ctrl[...] = 0.5, 0.8, -1.0, 1.0, 3.0
    batch.qvel[...] = 0.4
    batch.parameters[column][1] *= 0.7 if column != "actuator_ctrlrange" else 0.001
    batch.step(5)
    others = [model, model.replace(**{column: np.array(batch.parameters[column][1])})]
    for row, other in enumerate(others):
        data = pb.Data(other)
        data.ctrl[...], data.qvel[...] = batch.ctrl[row], 0.4
        pb.step(other, data, 5)
        agree(batch.qvel[row], data.qvel)
        agree(batch.act[row], data.act)
    assert not np.allclose(batch.qvel[0], batch.qvel[1], rtol=1e-9)


@pytest.mark.parametrize(
    ("actuator", "message"),
    [
        ('general joint="j" gaintype="pid" biastype="affine" gainprm="1"', "needs `dyntype` `pid`"),
        ('general joint="j" gaintype="pid" gainprm="0"', "needs `biastype` `affine`"),
        ('general joint="j" dyntype="pid" gaintype="pid" biastype="affine" input="vel"', "the control `pos`"),
        ('general joint="j" dyntype="dcmotor"', "need its `gaintype`"),
        ('general joint="j" gaintype="dcmotor" biastype="dcmotor" actearly="true"', "needs `dyntype`"),
        ('dcmotor joint="j" motorconst="1" resistance="1" thermal="1"', "capacity"),
        ('dcmotor joint="j" motorconst="0" resistance="1"', "the motor constant"),
        ('dcmotor joint="j" motorconst="1" resistance="0"', "the resistance"),
        ('general joint="j" input="pos vel"', "the control is one of"),
    ],
)
def test_servos_that_mujoco_refuses_are_refused(actuator: str, message: str) -> None:
    with pytest.raises(pb.ValidationError, match=message):
        arm(f"<{actuator}/>")


@pytest.mark.parametrize(
    ("default", "actuator", "expected"),
    [
        (SATURATED, 'dcmotor saturation="0 2"', (-0.2, 0.2, 5)),
        (SATURATED, 'dcmotor saturation="0"', (0.0, 0.0, 5)),
        ('general forcerange="-3 3"', 'dcmotor motorconst="1" resistance="1"', (-3.0, 3.0, 0)),
        ('general forcerange="-3 3"', 'dcmotor motorconst="1" resistance="1" saturation="0"', (0.0, 0.0, 0)),
        ('pid imax=".5" slewmax="5" ki="1"', 'pid forcerange="-1 1"', (-1.0, 1.0, 5)),
        ('pid imax=".5" slewmax="5" ki="1"', "motor", (0.0, 0.0, 0)),
    ],
)
def test_servos_inherit_as_in_mujoco(default: str, actuator: str, expected: tuple[float, ...]) -> None:
    """Range of the force, and the second parameter of the dynamics; MuJoCo 4.0 was asked."""
    model = arm(f'<{actuator} joint="j"/>', f"<default><{default}/></default>")
    found = (*model.actuator_forcerange[0], model.actuator_dynprm[0, 1])
    np.testing.assert_allclose(found, expected)


def test_keyframes_of_attached_models_have_the_servos_controls_and_states() -> None:
    part = (
        '<mujoco><asset><model name="other" file="part.xml"/></asset><worldbody><frame pos="1 0 0">'
        '<attach model="other" body="b" prefix="o"/></frame></worldbody></mujoco>'
    )
    key = '<keyframe><key name="k" ctrl="1 2 3 4 5" act=".1 .2 .3 .4"/></keyframe>'
    own = ARM.format(actuators=BOTH, default="", key=key).replace("<body>", '<body name="b">')
    with TemporaryDirectory() as folder:
        Path(folder, "part.xml").write_text(own)
        Path(folder, "whole.xml").write_text(part)
        model = pb.lower(pb.read(Path(folder, "whole.xml"), release="4.0"))
    np.testing.assert_array_equal(model.key_ctrl, [[1, 2, 3, 4, 5]])
    np.testing.assert_array_equal(model.key_act, [[0.1, 0.2, 0.3, 0.4]])
