"""Models as of MuJoCo 4.0 by loops, programs and batches: what MuJoCo 4.0 computed of the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics import integrate
from polybody.generated.kernels import layout

from benchmarks.ours.reference import Reference
from tests.moving.newest.models import STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
INPUTS = ("qpos", "qvel", "ctrl", "act")
STATE = ("qpos", "qvel", "act")
PARAMETERS = ("dyntype", "gaintype", "biastype", "gainprm", "biasprm", "dynprm")
PROGRAMS = (
    "weld sites, ball",
    "several, hinge",
    "margins and gaps, elliptic",
    "RK4",
    "implicitfast in a medium",
    "side sites of a cylinder",
    "a leaf, implicitfast",
)
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def lowered(name: str, release: str = "4.0") -> pb.Model:
    """A model whose solver runs to convergence."""
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release=release))
    return model.replace(opt_tolerance=0.0, opt_iterations=200, opt_ls_tolerance=1e-10)


def fact(name: str, state: int, field: str) -> Any:
    return FACTS[f"{name}/{state}/{field}"]


def put(data: Any, name: str, state: int) -> None:
    for field in INPUTS:
        getattr(data, field)[...] = fact(name, state, field)


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("name", MODELS)
def test_instants_and_steps_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    agree(model.body_weldid, FACTS[f"{name}/weldid"])
    for parameter in PARAMETERS:
        agree(getattr(model, f"actuator_{parameter}"), FACTS[f"{name}/{parameter}"])
    for state in range(STATES):
        data = pb.Data(model)
        put(data, name, state)
        pb.forward(model, data)
        found = data.contact
        pairs = [found[column] for column in ("geom1", "geom2", "exclude", "dist", "includemargin")]
        agree(np.transpose(pairs), fact(name, state, "contact"))
        for field in ("ten_length", "qfrc_passive", "efc_margin", "efc_aref", "qacc", "sensordata"):
            agree(getattr(data, field), fact(name, state, field))
        pb.step(model, data)
        for field in STATE:
            agree(getattr(data, field), fact(name, state, f"next_{field}"))


@pytest.mark.parametrize("name", [n for n in MODELS if "defaults" not in n and "sensors" not in n])
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(name), n=STATES, threads=1)
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = fact(name, state, field)
    batch.step(1)
    for state in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[state], fact(name, state, f"next_{field}"))


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_step_as_mujoco(name: str) -> None:
    model = lowered(name)
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        stepper.step(1)
        for field in STATE:
            agree(getattr(stepper.data, field), fact(name, state, f"next_{field}"))


@pytest.mark.parametrize(
    "name", [
        *("connect bodies, hinge", "weld bodies, ball", "gaps, elliptic", "implicit", "RK4"),
        *("side sites of a sphere", "a leaf, Euler"),
    ],
)
def test_as_of_3_2_7_these_models_move_otherwise(name: str) -> None:
    model = lowered(name, "3.2.7")
    data = pb.Data(model)
    put(data, name, 1)
    pb.step(model, data)
    assert not np.allclose(data.qvel, fact(name, 1, "next_qvel"), **CLOSE)


@pytest.mark.parametrize("name", ["connect bodies, hinge", "weld bodies, hinge", "weld sites, hinge"])
def test_references_differ_by_the_second_derivative_of_residuals(name: str) -> None:
    """Along a motion of the hinges without acceleration, by differences."""
    h, found, residuals = 1e-4, [], []
    for release in ("4.0", "3.2.7"):
        model = lowered(name, release)
        data = pb.Data(model)
        put(data, name, 1)
        data.qvel[model.nv - 6 :] = 0.0
        pb.forward(model, data)
        found.append(data.efc_aref.copy())
    start = data.qpos[: model.nv - 6].copy()
    for time in (-h, 0.0, h):
        data.qpos[: model.nv - 6] = start + time * data.qvel[: model.nv - 6]
        pb.forward(model, data)
        residuals.append(data.efc_pos.copy())
    second = (residuals[0] - 2 * residuals[1] + residuals[2]) / h**2
    np.testing.assert_allclose(found[1] - found[0], second, rtol=1e-5, atol=1e-5)


def test_forward_leaves_the_warm_start() -> None:
    model = lowered("connect bodies, hinge")
    data = pb.Data(model)
    put(data, "connect bodies, hinge", 1)
    pb.step(model, data)
    before = data.qacc_warmstart.copy()
    data.ctrl[...] += 1.0
    data.qvel[...] += 1.0
    pb.forward(model, data)
    np.testing.assert_array_equal(data.qacc_warmstart, before)
    assert not np.allclose(data.qacc, before)


def test_the_mean_inertia_of_a_document_does_not_stop_the_solver() -> None:
    """As of 3.2.7, a greater one ends it earlier."""
    text, ended = MODELS["margins, elliptic"], []
    for release in ("3.2.7", "4.0"):
        found = []
        for inertia in ("1", "1e12"):
            document = pb.read(
                "model.xml",
                text=text.replace("<worldbody>", f'<statistic meaninertia="{inertia}"/><worldbody>'),
                release=release,
            )
            model = pb.lower(document)
            data = pb.Data(model)
            put(data, "margins, elliptic", 1)
            pb.forward(model, data)
            found.append(data.qacc.copy())
        ended.append(not np.array_equal(*found))
    assert ended == [True, False]


@pytest.mark.parametrize("name", ["implicitfast", "implicitfast in a medium"])
def test_inverse_dynamics_of_a_step_give_its_forces(name: str) -> None:
    text = MODELS[name].replace("<worldbody>", '<option><flag invdiscrete="enable"/></option><worldbody>', 1)
    model = pb.lower(pb.read("model.xml", text=text, release="4.0"))
    assert model.dof_gyroscopic.sum() == 12
    data = pb.Data(model)
    put(data, name, 1)
    start = data.qpos.copy(), data.qvel.copy(), data.act.copy()
    pb.step(model, data)
    changed = (data.qvel - start[1]) / model.opt_timestep
    data.qpos[...], data.qvel[...], data.act[...] = start
    pb.forward(model, data)
    forces = data.qfrc_actuator.copy()
    data.qacc[...] = changed
    np.testing.assert_allclose(pb.inverse(model, data), forces, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("weld bodies, ball", "eq_data"),
        ("connect sites, hinge", "site_pos"),
        ("margins and gaps, elliptic", "geom_margin"),
        ("a pair, pyramidal", "pair_margin"),
        ("implicitfast", "body_mass"),
    ],
)
def test_instances_with_parameters_of_their_own_step_like_their_models(name: str, column: str) -> None:
    model = lowered(name)
    batch = pb.BatchStepper(model, n=2, threads=1, parameters=(column,))
    for field in INPUTS:
        getattr(batch, field)[...] = fact(name, 2, field)
    values = batch.parameters[column]
    values[1] *= 3.0
    others = [model, model.replace(**{column: np.array(values[1])})]
    batch.step(1)
    for row, other in enumerate(others):
        data = pb.Data(other)
        put(data, name, 2)
        pb.step(other, data)
        agree(batch.qvel[row], data.qvel)
    assert not np.allclose(batch.qvel[0], batch.qvel[1])


@pytest.mark.parametrize("integrator", ["RK4", "implicit", "implicitfast"])
def test_the_reference_steps_as_mujoco(integrator: str) -> None:
    name = f"{integrator} in a medium"
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release="4.0"), disable=("constraint",))
    columns = {column: np.array(model._column(column)) for _, column in layout.COUNTED}
    for column, _, _, shape in layout.GIVEN:
        columns[column] = np.reshape(model._column(column), (-1, *shape))
    reference = Reference(columns)
    reference.machine.rows["act"] = model.na
    for field in INPUTS:
        reference.data[field][...] = fact(name, 1, field).reshape(reference.data[field].shape)
    reference.call(getattr(integrate, {"RK4": "rk4"}.get(integrator, integrator)))
    for field in STATE:
        agree(reference.data[field].ravel(), fact(name, 1, f"next_{field}"))
