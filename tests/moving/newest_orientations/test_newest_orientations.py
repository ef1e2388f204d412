"""Orientation servos as of MuJoCo 4.0: what MuJoCo computed of the same random models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics import integrate
from polybody.generated.kernels import layout

from benchmarks.ours.reference import Reference
from tests.moving.newest_orientations.models import KEPT, STATES, STEPS, document

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
INPUTS = ("qpos", "qvel", "ctrl", "act")
STATE = ("qpos", "qvel", "act")
FIELDS = (
    *("actuator_length", "actuator_velocity", "actuator_force", "act_dot", "qfrc_actuator", "qacc"),
    *("sensordata", "actuator_moment"),
)
PARAMETERS = (
    *("gainprm", "biasprm", "dynprm", "actnum", "actadr", "ctrlnum", "ctrladr", "ctrlspec", "outnum"),
    *("outadr", "length0", "acc0", "forcelimited", "forcerange", "trnid"),
)
INTEGRATORS = {"Euler": "euler", "RK4": "rk4"}


def lowered(text: str) -> pb.Model:
    return pb.lower(pb.read("model.xml", text=text, release="4.0"))


def put(data: Any, seed: int, state: int) -> None:
    for field in INPUTS:
        getattr(data, field)[...] = FACTS[f"{seed}/{state}/{field}"]


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("seed", range(KEPT))
def test_instants_and_steps_are_those_of_mujoco(seed: int) -> None:
    model = lowered(document(seed))
    for parameter in PARAMETERS:
        agree(getattr(model, f"actuator_{parameter}"), FACTS[f"{seed}/{parameter}"])
    agree(model.key_ctrl, FACTS[f"{seed}/key_ctrl"])
    agree(model.sensor_dim, FACTS[f"{seed}/sensor_dim"])
    agree(pb.Data(model).ctrl, FACTS[f"{seed}/start"])
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


@pytest.mark.parametrize("seed", range(KEPT))
def test_batches_step_as_mujoco(seed: int) -> None:
    batch = pb.BatchStepper(lowered(document(seed)), n=STATES, threads=1)
    for row in batch.ctrl:
        agree(row, FACTS[f"{seed}/start"])
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{seed}/{state}/{field}"]
    for step in range(STEPS):
        batch.step(1)
        for state in range(STATES):
            for field in STATE:
                agree(getattr(batch, field)[state], FACTS[f"{seed}/{state}/{step}/{field}"])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_programs_step_as_mujoco(seed: int) -> None:
    model = lowered(document(seed))
    stepper = pb.Stepper(model, kernels="specialized")
    batch = pb.BatchStepper(model, n=STATES, threads=1, kernels="specialized")
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{seed}/{state}/{field}"]
        pb.reset(model, stepper.data)
        put(stepper.data, seed, state)
        for step in range(STEPS):
            stepper.step(1)
            for field in STATE:
                agree(getattr(stepper.data, field), FACTS[f"{seed}/{state}/{step}/{field}"])
    batch.step(STEPS)
    for state in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[state], FACTS[f"{seed}/{state}/{STEPS - 1}/{field}"])


@pytest.mark.parametrize("seed", range(4))
def test_the_reference_steps_as_mujoco(seed: int) -> None:
    model = lowered(document(seed))
    columns = {column: np.array(model._column(column)) for _, column in layout.COUNTED}
    for column, _, _, shape in layout.GIVEN:
        columns[column] = np.reshape(model._column(column), (-1, *shape))
    reference = Reference(columns)
    for axis, size in (("act", model.na), ("ctrl", model.nu), ("out", model.nout)):
        reference.machine.rows[axis] = size
    for field in INPUTS:
        reference.data[field][...] = FACTS[f"{seed}/1/{field}"].reshape(reference.data[field].shape)
    name = model.opt_integrator.name
    reference.call(getattr(integrate, INTEGRATORS.get(name, name)))
    for field in STATE:
        agree(reference.data[field].ravel(), FACTS[f"{seed}/1/0/{field}"])


BALL = """
<mujoco><worldbody><site name="w"/><body><joint name="h" axis="0 1 0"/><geom size=".1" pos=".1 0 0"/>
  <body pos=".3 0 0"><joint name="j" type="ball"/><geom size=".1"/><site name="s"/></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon>
  {default}<actuator>{actuators}</actuator>{more}</mujoco>"""
SO3 = 'general gaintype="so3" biastype="so3" biasprm="0 -1"'


def ball(actuators: str, default: str = "", more: str = "") -> pb.Model:
    return lowered(BALL.format(actuators=actuators, default=default, more=more))


def test_an_orientation_servo_has_three_forces() -> None:
    model = ball(
        '<motor name="m" joint="h"/><orientation name="o" joint="j" input="quat" kp="2"/>'
        f'<{SO3} name="g" site="s" refsite="w" dyntype="integrator"/>',
        more='<sensor><actuatorfrc actuator="o"/><actuatorpos actuator="m"/></sensor>',
    )
    assert (model.nactuator, model.nu, model.nout, model.na, model.nsensordata) == (3, 8, 7, 3, 4)
    data = pb.Data(model)
    np.testing.assert_array_equal(data.actuator("o").ctrl, [1.0, 0.0, 0.0, 0.0])
    data.actuator("o").ctrl = np.cos(0.2), 0.0, np.sin(0.2), 0.0
    pb.forward(model, data)
    np.testing.assert_allclose(data.actuator("o").force, [0.0, 0.8, 0.0], atol=1e-12)
    np.testing.assert_allclose(data.sensordata[:3], [0.0, 0.8, 0.0], atol=1e-12)
    assert data.actuator("m").force == 0.0
    assert np.shape(data.actuator("o").moment) == (3, 4)
    assert np.shape(data.actuator("m").moment) == (4,)
    assert np.shape(data.actuator_moment) == (7, 4)
    assert np.shape(model.actuator("g").acc0) == (3,)
    assert isinstance(model.actuator("m").acc0, float)


def test_a_commanded_orientation_is_reached() -> None:
    model = ball('<orientation joint="j" kp="9" dampratio="1"/>')
    model = model.replace(opt_gravity=(0.0, 0.0, 0.0), opt_integrator=type(model.opt_integrator).implicitfast)
    data = pb.Data(model)
    data.ctrl[...] = 0.4, -0.7, 1.1
    pb.step(model, data, 4000)
    np.testing.assert_allclose(data.actuator_length, data.ctrl, atol=1e-6)


@pytest.mark.parametrize(
    ("actuator", "message"),
    [
        ('orientation joint="h"', "needs a ball joint"),
        ('orientation joint="j" forcerange="-1 1"', "bounds a norm: it must be 0"),
        (f'{SO3} tendon="t"', "acts on a ball joint or a site"),
        (f'{SO3} jointinparent="j"', "acts on a ball joint or a site"),
        (f'{SO3} site="s"', "of a site needs `refsite`"),
        (f'{SO3} joint="j" dyntype="integrator" input="quat"', "needs `dyntype` `none`"),
        (f'{SO3} joint="j" dyntype="integrator" actdim="1"', "with activations has 3"),
        (f'{SO3} joint="j" dyntype="filter"', "needs the `dyntype`"),
        (f'{SO3} joint="j" gainprm="2"', "minus the first of `gainprm`"),
        ('general joint="j" gaintype="so3"', "both `so3`"),
    ],
)
def test_servos_that_mujoco_refuses_are_refused(actuator: str, message: str) -> None:
    with pytest.raises(pb.ValidationError, match=message):
        ball(f"<{actuator}/>")


@pytest.mark.parametrize(
    ("default", "actuator", "expected"),
    [
        ('orientation kp="5" kv="2" input="quat"', "orientation", (5, 0, -5, -2, 2, 0)),
        ('orientation kp="5" kv="2" input="quat"', 'orientation kv="1" input="expmap"', (5, 0, -5, -1, 1, 0)),
        ('orientation kp="5" kv="2" input="quat"', "general", (5, 0, -5, -2, 2, 0)),
        ('orientation kp="5" kv="2"', 'general dyntype="integrator"', (5, 0, -5, -2, 1, 1)),
        (
            'general gaintype="so3" biastype="so3" gainprm="4 5" biasprm=".5 -4 -1" dyntype="integrator"',
            "orientation",
            (4, 0, -4, -1, 1, 0),
        ),
        (
            'general gaintype="so3" biastype="so3" gainprm="4 5" biasprm=".5 -4 -1" dyntype="integrator"',
            "general",
            (4, 0.5, -4, -1, 1, 1),
        ),
        ('position kp="7" kv="2"', "orientation", (1, 0, -1, 0, 1, 0)),
        ('orientation kv="2"', 'orientation dampratio="0"', (1, 0, -1, 0, 1, 0)),
    ],
)
def test_servos_inherit_as_in_mujoco(default: str, actuator: str, expected: tuple[float, ...]) -> None:
    """Gain, the first numbers of the bias, meaning of the controls and dynamics; MuJoCo 4.0 was asked."""
    model = ball(f'<{actuator} joint="j"/>', f"<default><{default}/></default>")
    found = (model.actuator_gainprm[0, 0], *model.actuator_biasprm[0, :3], model.actuator_ctrlspec[0])
    np.testing.assert_allclose((*found, model.actuator_dyntype[0]), expected)


def test_saved_models_with_orientation_servos_are_the_same(tmp_path: Path) -> None:
    model = ball('<motor joint="h"/><orientation joint="j" kp="3" kv=".1" input="quat" forcerange="0 2"/>')
    model.save(tmp_path / "ball.npz")
    for other in (pb.Model.load(tmp_path / "ball.npz"), pb.Model.from_xml(model.to_xml())):
        found = []
        for each in (model, other):
            data = pb.Data(each)
            data.ctrl[...] = 1.0, 0.5, -1.0, 1.0, 3.0
            pb.step(each, data, 20)
            found.append((*data.qpos, *data.qvel))
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("column", "value"), [("ctrlspec", 4), ("biastype", 0), ("trnid", (0, -1)), ("trnid", (9, 9))]
)
def test_models_with_other_servos_are_refused(column: str, value: Any) -> None:
    model = ball('<orientation joint="j"/>')
    name = f"actuator_{column}"
    with pytest.raises(pb.ModelError):
        model.replace(**{name: np.reshape(value, getattr(model, name).shape)})
