"""Springs, dampers, inertias and limits after 3.2.7, by loops, programs, batches and the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics import energy, integrate, rnea
from polybody.generated.kernels import layout

from benchmarks.ours.reference import Reference
from tests.moving.newest_passive.models import STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
INPUTS = ("qpos", "qvel", "ctrl", "act")
STATE = ("qpos", "qvel", "act")
OF_MODEL, OF_STATE = (
    sorted({key.split("/")[-1] for key in FACTS if key.count("/") == n}) for n in (1, 2)
)
FIELDS = tuple(name for name in OF_STATE if name not in (*INPUTS, "M", "qfrc_inverse") and "next" not in name)


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
    for state in range(STATES):
        data = pb.Data(model)
        put(data, name, state)
        pb.forward(model, data)
        for field in FIELDS:
            agree(getattr(data, field), FACTS[f"{name}/{state}/{field}"])
        agree(pb.mass_matrix(model, data)[np.tril_indices(model.nv)], FACTS[f"{name}/{state}/M"])
        data.qacc[...] = FACTS[f"{name}/{state}/qacc"]
        agree(pb.inverse(model, data), FACTS[f"{name}/{state}/qfrc_inverse"])
        put(data, name, state)
        pb.step(model, data)
        for field in STATE:
            agree(getattr(data, field), FACTS[f"{name}/{state}/next_{field}"])


@pytest.mark.parametrize("name", MODELS)
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(MODELS[name]), n=STATES, threads=1)
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{name}/{state}/{field}"]
    batch.step(1)
    for state in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[state], FACTS[f"{name}/{state}/next_{field}"])


@pytest.mark.long
@pytest.mark.parametrize("name", list(MODELS)[:6])
def test_programs_step_as_mujoco(name: str) -> None:
    model = lowered(MODELS[name])
    stepper = pb.Stepper(model, kernels="specialized")
    batch = pb.BatchStepper(model, n=STATES, threads=1, kernels="specialized")
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[f"{name}/{state}/{field}"]
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        stepper.step(1)
        for field in STATE:
            agree(getattr(stepper.data, field), FACTS[f"{name}/{state}/next_{field}"])
    batch.step(1)
    for field in STATE:
        for state in range(STATES):
            agree(getattr(batch, field)[state], FACTS[f"{name}/{state}/next_{field}"])


ARM = """<mujoco><option integrator="{integrator}"><flag contact="disable" {flags}/></option><worldbody>
<site name="w" pos=".1 .2 1"/>
<body pos=".1 0 .5"><joint name="j" axis="0 1 0" stiffness="3 1 2" damping=".3 .2 .1"/><geom size=".1"/>
<body pos=".3 0 0"><joint name="k" axis="0 0 1"/><geom size=".1"/><site name="s" pos=".2 .1 .2"/>
<body pos="0 0 .3"><joint name="b" type="ball" stiffness="2 1 3" damping=".1 .2"/><geom size=".1 .1 .2"
type="capsule"/></body></body></body></worldbody>
<tendon>{inert}<fixed name="f" stiffness="1 2 3" damping=".1 .2 .3" actuatorfrcrange="-.2 .3">
<joint joint="j" coef=".5"/><joint joint="k" coef="-1"/></fixed></tendon>
<actuator><motor joint="j" gear="2" damping=".1 .2 .3" armature=".02"/><motor tendon="f" gear="1.5"
damping=".2 .1 .3" armature=".05"/><position tendon="f" kp="3" kv=".2"/></actuator></mujoco>"""
INERT = '<spatial name="t" armature=".3"><site site="w"/><site site="s"/></spatial>'


def arm(integrator: str = "Euler", flags: str = "", inert: str = INERT) -> pb.Model:
    return lowered(ARM.format(integrator=integrator, flags=flags, inert=inert))


def moving(model: pb.Model) -> pb.Data:
    data, rng = pb.Data(model), np.random.default_rng(3)
    data.qpos[:2] = (0.4, -0.3)
    data.qpos[2:] = np.array([0.9, 0.1, -0.3, 0.3]) / np.linalg.norm([0.9, 0.1, -0.3, 0.3])
    data.qvel[...] = rng.normal(size=model.nv)
    data.ctrl[...] = (0.5, 0.3, -0.4)
    return data


def reference(model: pb.Model, data: pb.Data) -> Reference:
    columns = {column: np.array(model._column(column)) for _, column in layout.COUNTED}
    for column, _, _, shape in layout.GIVEN:
        columns[column] = np.reshape(model._column(column), (-1, *shape))
    found = Reference(columns)
    found.machine.rows["act"] = model.na
    for field in INPUTS:
        found.data[field][...] = getattr(data, field).reshape(found.data[field].shape)
    return found


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
def test_the_reference_steps_likewise(integrator: str) -> None:
    """Tendons without inertia: the reference has no solver."""
    text = ARM.replace(' gear="1.5"\ndamping=".2 .1 .3" armature=".05"', ' damping=".2 .1 .3"')
    model = lowered(text.format(integrator=integrator, flags="", inert=""))
    assert not model.opt_constrained
    data = moving(model)
    known = reference(model, data)
    known.call(getattr(integrate, {"RK4": "rk4", "Euler": "euler"}.get(integrator, integrator)))
    pb.step(model, data)
    for field in STATE:
        agree(getattr(data, field), known.data[field].ravel())


def test_the_reference_has_the_same_energy_and_inverse_dynamics() -> None:
    model = arm(flags='energy="enable"')
    data = moving(model)
    pb.forward(model, data)
    known = reference(model, data)
    known.data["qacc"][...] = data.qacc
    known.call(energy.energy)
    agree(data.energy, known.data["energy"].ravel())
    known.call(rnea.inverse)
    agree(pb.inverse(model, data) + data.qfrc_passive, known.data["qfrc_inverse"].ravel())


def test_energy_is_kept_without_dampers() -> None:
    """Inertia, bias forces and springs agree with the energies, by a small step of the Runge-Kutta method."""
    model = arm("RK4", 'energy="enable" actuation="disable"')
    still = {name: 0.0 * getattr(model, name) for name in ("dof_damping", "dof_dampingpoly")}
    still |= {name: 0.0 * getattr(model, name) for name in ("tendon_damping", "tendon_dampingpoly")}
    still |= {name: 0.0 * getattr(model, name) for name in ("actuator_damping", "actuator_dampingpoly")}
    model = model.replace(**still, opt_timestep=1e-3)
    data = moving(model)
    before = sum(pb.energy(model, data))
    pb.step(model, data, 300)
    assert abs(sum(pb.energy(model, data)) - before) < 1e-8


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
def test_inverse_dynamics_of_a_step_give_its_forces(integrator: str) -> None:
    model = arm(integrator, 'invdiscrete="enable"')
    data = moving(model)
    start = data.qpos.copy(), data.qvel.copy()
    pb.step(model, data)
    changed = (data.qvel - start[1]) / model.opt_timestep
    data.qpos[...], data.qvel[...] = start
    pb.forward(model, data)
    forces = data.qfrc_actuator.copy()
    data.qacc[...] = changed
    np.testing.assert_allclose(pb.inverse(model, data), forces, rtol=1e-9, atol=1e-9)


PARAMETERS = (
    *("tendon_armature", "actuator_armature", "actuator_damping", "actuator_dampingpoly", "actuator_gear"),
    *("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly"),
    *("tendon_actfrcrange", "dof_armature"),
)


@pytest.mark.parametrize("column", PARAMETERS)
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_instances_with_parameters_of_their_own_step_like_their_models(column: str, integrator: str) -> None:
    model = arm(integrator)
    batch = pb.BatchStepper(model, n=3, threads=1, parameters=(column,))
    values = batch.parameters[column]
    values[1] *= 1.5
    values[2] *= 0.0
    if column == "dof_armature":
        values[1] += 0.1
    others = [model, *(model.replace(**{column: np.array(values[row])}) for row in (1, 2))]
    data = [moving(other) for other in others]
    for field in INPUTS:
        getattr(batch, field)[...] = getattr(data[0], field)
    batch.step(2)
    for row, other in enumerate(others):
        pb.step(other, data[row], 2)
        agree(batch.qvel[row], data[row].qvel)
    assert not np.allclose(batch.qvel[0], batch.qvel[1], rtol=1e-12, atol=1e-12)


def test_inertias_are_parameters_only_if_there_are_some() -> None:
    model = arm().replace(tendon_armature=np.zeros(2), actuator_armature=np.zeros(3))
    for column in ("tendon_armature", "actuator_armature"):
        with pytest.raises(pb.ModelError, match="add some first"):
            pb.BatchStepper(model, n=2, threads=1, parameters=(column,))


def test_saved_models_keep_them(tmp_path: Path) -> None:
    model = arm()
    model.save(tmp_path / "model.npz")
    assert pb.Model.load(tmp_path / "model.npz") == model
