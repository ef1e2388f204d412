"""Springs that yield, as of MuJoCo 4.0: what MuJoCo computed of the same random models."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics import integrate
from polybody.generated.kernels import layout
from polybody.simulation.recording import Recorder

from benchmarks.ours.reference import Reference
from tests.moving.newest_plasticity.models import SMALL, STATES, STEPS, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
INPUTS = ("qpos", "qvel", "ctrl", "act", "plastic")
STATE = ("qpos", "qvel", "act", "plastic")
FIELDS = ("qfrc_passive", "qfrc_spring", "qfrc_damper", "ten_length", "qacc", "sensordata", "energy")
OF_MODEL = ("jnt_springyield", "jnt_plasticadr", "tendon_springyield", "tendon_plasticadr", "key_plastic")


def lowered(text: str) -> pb.Model:
    """A model whose solver runs to convergence."""
    model = pb.lower(pb.read("model.xml", text=text, release="4.0"))
    return model.replace(opt_tolerance=0.0, opt_iterations=200, opt_ls_tolerance=1e-10)


def put(data: Any, name: str, state: int) -> None:
    for field in INPUTS:
        getattr(data, field)[...] = FACTS[f"{name}/{state}/{field}"]


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("name", MODELS)
def test_instants_and_steps_are_those_of_mujoco(name: str) -> None:
    model = lowered(MODELS[name])
    for column in OF_MODEL:
        agree(getattr(model, column), FACTS[f"{name}/{column}"])
    agree(pb.Data(model).plastic, FACTS[f"{name}/start"])
    for state in range(STATES):
        data = pb.Data(model)
        put(data, name, state)
        pb.forward(model, data)
        for field in FIELDS:
            agree(getattr(data, field), FACTS[f"{name}/{state}/{field}"])
        for step in range(STEPS):
            pb.step(model, data)
            for field in STATE:
                agree(getattr(data, field), FACTS[f"{name}/{state}/{step}/{field}"])


@pytest.mark.parametrize("name", MODELS)
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(MODELS[name]), n=STATES, threads=1)
    for row in batch.plastic:
        agree(row, FACTS[f"{name}/start"])
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{name}/{state}/{field}"]
    for step in range(STEPS):
        batch.step(1)
        for state in range(STATES):
            for field in STATE:
                agree(getattr(batch, field)[state], FACTS[f"{name}/{state}/{step}/{field}"])


@pytest.mark.long
@pytest.mark.parametrize("name", ["random 2", "random 3", *(name for name in MODELS if "small" in name)])
def test_programs_step_as_mujoco(name: str) -> None:
    model = lowered(MODELS[name])
    stepper = pb.Stepper(model, kernels="specialized")
    batch = pb.BatchStepper(model, n=STATES, threads=1, kernels="specialized")
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{name}/{state}/{field}"]
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        for step in range(STEPS):
            stepper.step(1)
            for field in STATE:
                agree(getattr(stepper.data, field), FACTS[f"{name}/{state}/{step}/{field}"])
    batch.step(STEPS)
    for state in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[state], FACTS[f"{name}/{state}/{STEPS - 1}/{field}"])


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "RK4"])
def test_the_reference_steps_as_mujoco(integrator: str) -> None:
    name = f"small {integrator}"
    model = lowered(MODELS[name])
    columns = {column: np.array(model._column(column)) for _, column in layout.COUNTED}
    for column, _, _, shape in layout.GIVEN:
        columns[column] = np.reshape(model._column(column), (-1, *shape))
    reference = Reference(columns)
    reference.machine.rows["plastic"] = model.nplastic
    for field in INPUTS:
        reference.data[field][...] = FACTS[f"{name}/1/{field}"].reshape(reference.data[field].shape)
    reference.call(getattr(integrate, {"Euler": "euler", "RK4": "rk4"}.get(integrator, integrator)))
    for field in STATE:
        agree(reference.data[field].ravel(), FACTS[f"{name}/1/0/{field}"])


def small() -> pb.Model:
    return lowered(SMALL.format(integrator="Euler"))


def bent() -> pb.Data:
    """A simulation in which springs have yielded."""
    data = pb.Data(small())
    data.qpos[:2] = 1.5, -0.4
    pb.step(data.model, data, 3)
    return data


def test_plastic_is_part_of_the_state() -> None:
    data, other = bent(), pb.Data(small())
    assert not np.allclose(data.plastic, other.plastic)
    for spec in ("physics", "full", "integration"):
        other.set_state(data.get_state(spec), spec)
        np.testing.assert_array_equal(other.plastic, data.plastic)
        other.reset()
    assert len(data.get_state("user")) + data.model.nplastic < len(data.get_state())
    for copied in (data.copy(), pickle.loads(pickle.dumps(data))):
        np.testing.assert_array_equal(copied.plastic, data.plastic)
        for each in (data.copy(), copied):
            pb.step(each.model, each, 5)
            other = each if other.model is data.model else other
        np.testing.assert_array_equal(copied.plastic, each.plastic)


def test_a_reset_straightens_what_is_bent(tmp_path: Path) -> None:
    data = bent()
    data.save(tmp_path / "bent.npz")
    np.testing.assert_array_equal(pb.Data.load(tmp_path / "bent.npz").plastic, data.plastic)
    pb.reset(data.model, data)
    np.testing.assert_array_equal(data.plastic, pb.Data(small()).plastic)
    data.reset(1)
    assert data.plastic[0] == 1.0
    np.testing.assert_array_equal(data.plastic[1:], pb.Data(small()).plastic[1:])
    batch = pb.BatchStepper(small(), n=2, threads=1)
    batch.qpos[:, 0] = 1.5
    batch.step(2)
    assert (batch.plastic[:, 0] != data.model.qpos_spring[0]).all()
    batch.reset([1])
    assert batch.plastic[1, 0] == data.model.qpos_spring[0] != batch.plastic[0, 0]


def test_simulations_that_were_saved_before_springs_yielded_begin_unbent() -> None:
    model = lowered('<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody></mujoco>')
    arrays = pb.Data(model)._take()
    del arrays["plastic"]
    data = pb.Data(model)
    data._put(arrays)
    assert data.plastic.shape == (0,)


def test_a_step_that_fails_leaves_springs_as_they_were() -> None:
    data = bent()
    before = data.plastic.copy()
    data.qvel[0] = 1e300
    with pytest.raises(pb.SimulationError):
        pb.step(data.model, data)
    np.testing.assert_array_equal(data.plastic, before)


JOINT = '<mujoco>{}<worldbody><body><joint {}/><geom size="1"/></body></worldbody>{}</mujoco>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (JOINT.format("", 'type="free" springyield="1"', ""), "free joint cannot have"),
        (JOINT.format("", 'springyield="-1"', ""), "springyield"),
        (JOINT.format("", 'springyield="1"', '<keyframe><key plastic="1 2"/></keyframe>'), "`plastic` has 2"),
        (JOINT.format("", "", '<keyframe><key plastic="1"/></keyframe>'), "`plastic` has 1"),
    ],
)
def test_what_mujoco_refuses_is_refused(text: str, message: str) -> None:
    with pytest.raises(pb.ValidationError, match=message):
        lowered(text)


def test_models_without_keys_are_equal_after_their_text() -> None:
    text = SMALL.format(integrator="Euler")
    model = lowered(text[: text.index("<keyframe>")] + "</mujoco>")
    assert model.key_plastic.shape == (0, model.nplastic)
    assert pb.Model.from_xml(model.to_xml()) == model
    given = lowered(text).given() | {"key_plastic": np.zeros((3, model.nplastic + 1))}
    with pytest.raises(pb.ModelError, match="key_plastic has shape"):
        pb.Model(given, lowered(text).names)


@pytest.mark.parametrize("kernels", ["loop", pytest.param("specialized", marks=pytest.mark.long)])
def test_the_energy_that_yielding_springs_lose_is_accounted_for(kernels: str) -> None:
    joint = '<joint axis="0 1 0" stiffness="20" springyield=".1" springref="30"/>'
    model = lowered(
        f'<mujoco><worldbody><body>{joint}<geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>'
    )
    sim, other = pb.Stepper(model, kernels), pb.Stepper(model, kernels)
    recorder = Recorder(sim, every=7)
    recorder.run(500)
    trajectory = recorder.trajectory
    assert trajectory.damped[-1] < -1
    assert abs(trajectory.imbalance) < 0.01
    other.step(500)
    for field in ("qpos", "qvel", "plastic"):  # recording changes no step
        np.testing.assert_array_equal(getattr(sim.data, field), getattr(other.data, field))


def test_thresholds_are_angles_of_hinges_and_balls() -> None:
    for kind, expected in (("hinge", np.pi / 18), ("ball", np.pi / 18), ("slide", 10.0)):
        model = lowered(JOINT.format("", f'type="{kind}" springyield="10"', ""))
        np.testing.assert_allclose(model.jnt_springyield, [expected])


@pytest.mark.parametrize("name", ["qpos_spring", "body_pos", "tendon_springlength"])
def test_the_rest_of_springs_that_yield_is_no_parameter(name: str) -> None:
    with pytest.raises((pb.ModelError, ValueError)):
        pb.BatchStepper(small(), n=2, threads=1, parameters=(name,))
    pb.BatchStepper(small(), n=2, threads=1, parameters=("dof_stiffness",))
