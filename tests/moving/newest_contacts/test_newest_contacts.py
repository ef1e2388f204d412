"""Contacts and sensors as of MuJoCo 4.0 by loops, programs and batches: what MuJoCo 4.0 computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics import integrate
from polybody.generated.kernels import layout

from benchmarks.ours.reference import Reference
from tests.moving.newest_contacts.models import STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
CONTACT = ("geom1", "geom2", "exclude", "dim", "adhesion")
FIELDS = ("efc_aref", "qacc", "qfrc_passive", "qfrc_adhesion", "sensordata")
PROGRAMS = ("everything, elliptic", "everything, RK4", "adhesion, pyramidal", "inside a cylinder", "rays")
OTHERWISE = {
    "moving surfaces, pyramidal": ("geom_surfacevel",),
    "adhesion, elliptic": ("geom_adhesion",),
    "pairs that pull, pyramidal": ("pair_adhesion",),
}
"""Columns in which the instances of a batch may differ, by model."""


def lowered(name: str) -> pb.Model:
    """A model whose solver runs to convergence."""
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release="4.0"))
    return model.replace(opt_tolerance=0.0, opt_iterations=200, opt_ls_tolerance=1e-10)


def put(data: Any, name: str, state: int) -> None:
    for field in ("qpos", "qvel"):
        getattr(data, field)[...] = FACTS[f"{name}/{state}/{field}"]


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("name", MODELS)
def test_instants_and_steps_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    np.testing.assert_array_equal(model.sensor_needstage, FACTS[f"{name}/stage"])
    agree(model.geom_surfacevel, FACTS[f"{name}/surface"])
    data = pb.Data(model)
    for state in range(STATES):
        pb.reset(model, data)
        put(data, name, state)
        pb.forward(model, data)
        found = np.column_stack([data.contact[column] for column in (*CONTACT, "surfacevel")])
        agree(found, FACTS[f"{name}/{state}/contact"])
        for field in FIELDS:
            agree(getattr(data, field), FACTS[f"{name}/{state}/{field}"])
        pb.step(model, data)
        for field in ("qpos", "qvel"):
            agree(getattr(data, field), FACTS[f"{name}/{state}/next_{field}"])


@pytest.mark.parametrize("name", MODELS)
def test_batches_step_and_measure_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(name), n=STATES, threads=1, results=("sensordata",))
    for state in range(STATES):
        for field in ("qpos", "qvel"):
            getattr(batch, field)[state] = FACTS[f"{name}/{state}/{field}"]
    batch.step(1)
    for state in range(STATES):
        agree(batch.sensordata[state], FACTS[f"{name}/{state}/sensordata"])
        for field in ("qpos", "qvel"):
            agree(getattr(batch, field)[state], FACTS[f"{name}/{state}/next_{field}"])


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_step_and_measure_as_mujoco(name: str) -> None:
    model = lowered(name)
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        stepper.step(1)
        for field, of in (("sensordata", "sensordata"), ("qpos", "next_qpos"), ("qvel", "next_qvel")):
            agree(getattr(stepper.data, field), FACTS[f"{name}/{state}/{of}"])


@pytest.mark.parametrize("name", OTHERWISE)
def test_instances_with_parameters_of_their_own_step_like_their_models(name: str) -> None:
    """The first one has none of what the column says."""
    model, columns = lowered(name), OTHERWISE[name]
    batch = pb.BatchStepper(model, n=2, threads=1, parameters=columns)
    for field in ("qpos", "qvel"):
        getattr(batch, field)[...] = FACTS[f"{name}/1/{field}"]
    for column in columns:
        batch.parameters[column][0] = 0.0
        batch.parameters[column][1] *= 2.0
    batch.step(1)
    for row in range(2):
        other = model.replace(**{column: np.array(batch.parameters[column][row]) for column in columns})
        data = pb.Data(other)
        put(data, name, 1)
        pb.step(other, data)
        agree(batch.qvel[row], data.qvel)
    assert not np.allclose(batch.qvel[0], batch.qvel[1])


@pytest.mark.parametrize("name", ["inside a box", "inside a capsule"])
def test_the_reference_measures_as_mujoco(name: str) -> None:
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release="4.0"), disable=("constraint",))
    columns = {column: np.array(model._column(column)) for _, column in layout.COUNTED}
    for column, _, _, shape in layout.GIVEN:
        columns[column] = np.reshape(model._column(column), (-1, *shape))
    reference = Reference(columns)
    for field in ("qpos", "qvel"):
        reference.data[field][...] = FACTS[f"{name}/1/{field}"].reshape(reference.data[field].shape)
    reference.call(integrate.euler)
    agree(reference.data["sensordata"].ravel(), FACTS[f"{name}/1/sensordata"])


def test_what_contacts_pull_is_unknown_after_a_step() -> None:
    name = "adhesion, elliptic"
    model = lowered(name)
    data = pb.Data(model)
    put(data, name, 1)
    pb.step(model, data)
    assert np.isnan(data.qfrc_passive).all()
    assert np.isnan(data.qfrc_adhesion).all()
    pb.forward(model, data)
    assert np.isfinite(data.qfrc_passive).all()


@pytest.mark.parametrize(
    "name", ["adhesion, pyramidal", "exact diagonals, elliptic", "everything, pyramidal"]
)
def test_inverse_dynamics_find_no_forces_of_their_own(name: str) -> None:
    model = lowered(name)
    data = pb.Data(model)
    put(data, name, 1)
    pb.forward(model, data)
    most = np.abs(data.qfrc_constraint).max()
    np.testing.assert_allclose(pb.inverse(model, data), 0.0, atol=1e-8 * most)


@pytest.mark.parametrize("attribute", ['surfacevel="1 2 3 .4 .5 .6"'])
def test_the_velocity_of_a_surface_is_given_in_the_frame_of_the_file(attribute: str) -> None:
    """A box and the same box as a mesh whose file has another origin."""
    corners = " ".join(f"{x} {y} {z}" for x in (0, 0.4) for y in (0, 0.6) for z in (0, 0.8))
    text = f"""<mujoco><asset><mesh name="m" vertex="{corners}"/></asset><worldbody>
      <geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30" {attribute}/></worldbody></mujoco>"""
    model = pb.lower(pb.read("model.xml", text=text, release="4.0"))
    data = pb.Data(model)
    pb.forward(model, data)
    axes, own = data.geom_xmat[0].reshape(3, 3), model.geom_surfacevel[0]
    turned = pb.lower(
        pb.read(
            "model.xml",
            text="<mujoco><worldbody><geom size='1' pos='1 2 3' euler='10 20 30'/></worldbody></mujoco>",
            release="4.0",
        )
    )
    still = pb.Data(turned)
    pb.forward(turned, still)
    given = still.geom_xmat[0].reshape(3, 3)
    np.testing.assert_allclose(axes @ own[3:], given @ (0.4, 0.5, 0.6), atol=1e-12)
    arm = data.geom_xpos[0] - still.geom_xpos[0]
    expected = given @ (1.0, 2.0, 3.0) + np.cross(given @ (0.4, 0.5, 0.6), arm)
    np.testing.assert_allclose(axes @ own[:3], expected, atol=1e-9)


def test_tactile_sensors_and_enclosures_are_refused() -> None:
    corners = "0 0 0  1 0 0  0 1 0  0 0 1"
    text = f"""<mujoco><asset><mesh name="m" vertex="{corners}"/></asset><worldbody><body><freejoint/>
      <geom name="g" type="mesh" mesh="m"/><site name="s"/></body></worldbody>
      <sensor>{{}}</sensor></mujoco>"""
    enclosed = '<insidesite site="s" objtype="geom" objname="g" enclosed="true"/>'
    for sensor in ('<tactile geom="g" mesh="m"/>', enclosed):
        with pytest.raises(pb.ValidationError, match=r"model.xml:3:\d+: PB064 error: .* is not simulated: "):
            pb.lower(pb.read("model.xml", text=text.format(sensor), release="4.0"))
