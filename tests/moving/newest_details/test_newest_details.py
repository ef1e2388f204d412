"""Details as of MuJoCo 4.0: columns, contacts and steps, by loops, programs and batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.diagnostics import ValidationError

from tests.moving.newest_details.models import COPIES, NOTHING, STATES, models

MODELS = models()
PROGRAMS = (
    *("pairs that nothing moves, dense, elliptic", "wound along the inside", "clamped, implicitfast"),
    "images",
)
INPUTS, STATE = ("qpos", "qvel", "ctrl", "act"), ("qpos", "qvel", "act")
FIELDS = (
    *("ten_length", "ten_velocity", "wrap_xpos", "actuator_force", "qfrc_passive", "qfrc_constraint"),
    *("qacc", "sensordata"),
)


def _facts() -> dict[str, dict[str, Any]]:
    """By model and field."""
    stored = np.load(Path(__file__).with_name("facts.npz"))
    ends = np.cumsum(stored["sizes"])
    found: dict[str, dict[str, Any]] = {}
    for name, numbers in zip(
        str(stored["names"]).split("\n"), np.split(stored["numbers"], ends[:-1]), strict=True
    ):
        model, field = name.split("/", 1)
        found.setdefault(model, {})[field] = numbers
    return found


FACTS = _facts()


def lowered(name: str, release: str = "4.0") -> pb.Model:
    """A model whose solver runs to convergence."""
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release=release))
    return model.replace(opt_tolerance=0.0, opt_iterations=200, opt_ls_tolerance=1e-10)


def agree(ours: Any, theirs: Any, what: str) -> None:
    ours = np.asarray(ours, dtype=float).ravel()
    bound = 1e-9 * (1 + np.abs(theirs).max(initial=0))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=bound, err_msg=what)


def put(data: Any, name: str, state: int) -> None:
    for field in INPUTS:
        getattr(data, field)[...] = FACTS[name][f"{state}/{field}"]


def contacts(data: pb.Data) -> Any:
    """As in asked.py."""
    found = data.contact
    columns = [found[name] for name in ("geom1", "geom2", "exclude", "efc_address", "dist")]
    return np.column_stack([*columns, np.reshape(found["pos"], (-1, 3))])


@pytest.mark.parametrize("name", MODELS)
def test_columns_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    for field, theirs in FACTS[name].items():
        if not field[0].isdigit():
            agree(getattr(model, field), theirs, field)


@pytest.mark.parametrize("name", MODELS)
def test_motion_is_that_of_mujoco(name: str) -> None:
    model = lowered(name)
    for state in range(STATES):
        data = pb.Data(model)
        put(data, name, state)
        pb.forward(model, data)
        agree(contacts(data), FACTS[name][f"{state}/contact"], "contact")
        for field in FIELDS:
            agree(getattr(data, field), FACTS[name][f"{state}/{field}"], field)
        pb.step(model, data)
        for field in STATE:
            agree(getattr(data, field), FACTS[name][f"{state}/next_{field}"], field)


@pytest.mark.parametrize("name", MODELS)
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(name), n=STATES, threads=1, results=("sensordata",))
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[name][f"{state}/{field}"]
    batch.step(1)
    for state in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[state], FACTS[name][f"{state}/next_{field}"], field)
        agree(batch.results["sensordata"][state], FACTS[name][f"{state}/sensordata"], "sensordata")


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
            agree(getattr(stepper.data, field), FACTS[name][f"{state}/next_{field}"], field)
        agree(stepper.data.sensordata, FACTS[name][f"{state}/sensordata"], "sensordata")


def test_3_2_7_gives_pairs_that_nothing_moves_rows_without_entries() -> None:
    model = lowered("pairs that nothing moves, dense, elliptic", "3.2.7")
    data = pb.Data(model)
    pb.forward(model, data)
    assert not data.contact["exclude"].any()


def test_contacts_are_found_where_nothing_moves() -> None:
    for release in ("3.2.7", "4.0"):
        model = pb.lower(pb.read("model.xml", text=NOTHING, release=release))
        stepper = pb.Stepper(model, kernels="loop")
        stepper.step(2)
        assert stepper.data.contact["geom2"].tolist() == [1, 2]
        assert stepper.data.nefc == 0


def test_3_2_7_forgets_what_drives_the_last_copies() -> None:
    """It looks for tendons and actuators where they were before others were removed."""
    counts = {}
    for release in ("3.2.7", "4.0"):
        model = pb.lower(pb.read("model.xml", text=COPIES, release=release))
        counts[release] = [model.ntendon, model.nu, model.nsensor]
    assert counts["4.0"] == [3, 6, 9]
    assert counts["3.2.7"][1] < 6


JOINTED = """<mujoco>{0}<worldbody><site name="s"/><camera name="c" resolution="-1 1"/><body><joint name="j"/>
<geom size=".1"/></body><body><joint name="b" type="ball"/><geom size=".1"/></body></worldbody>{1}</mujoco>"""
FIELD = '<asset><hfield name="h" nrow="{}" ncol="{}" size="1 1 1 1"/></asset>'
PROJECTED = '<sensor><camprojection site="s" camera="c"/></sensor>'
SUM = '<tendon><fixed><joint joint="{}" coef="1"/><joint joint="j" coef="1"/></fixed></tendon>'
SERVO = '<actuator><pid joint="j" kp="1" ki="-1" {}/></actuator>'
REFUSED = {
    "one row": (FIELD.format(1, 2), "", "at least 2"),
    "one column": (FIELD.format(2, 1), "", "at least 2"),
    "a ball in a sum": ("", SUM.format("b"), "is a ball joint"),
    "twice in a sum": ("", SUM.format("j"), "already"),
    "a negative gain": ("", SERVO.format(""), "must not be negative"),
    "a negative resolution": ("", PROJECTED, "no resolution"),
    "a negative number of rows": ('<size njmax="-2"/>', "", "-2"),
    "a negative stack": ('<size nstack="-2"/>', "", "-2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    before, after, message = REFUSED[name]
    with pytest.raises(ValidationError, match=message):
        pb.lower(pb.read("model.xml", text=JOINTED.format(before, after), release="4.0"))


def test_a_negative_gain_is_accepted_with_a_limit_of_the_rate() -> None:
    text = JOINTED.format("", SERVO.format('slewmax="1"'))
    assert pb.lower(pb.read("model.xml", text=text, release="4.0")).nactuator == 1


CUBE = (
    *("0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7 4 5 6 4 6 7", "-1 -1 -1 1 -1 -1 1 1 -1"),
    "-1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1",
)


@pytest.mark.parametrize("release", ["3.2.7", "4.0"])
def test_faces_without_area_have_no_orientation(release: str) -> None:
    faces, *vertices = CUBE
    text = f"""<mujoco><asset>
      <mesh name="m" vertex="{" ".join(vertices)}" face="{faces} 0 0 1" inertia="exact"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    assert pb.lower(pb.read("model.xml", text=text, release=release)).body_mass[1] == pytest.approx(8000)


PENDULUM = """<mujoco><option timestep=".01"><flag energy="{}"/></option><worldbody><body pos="0 0 1">
<joint axis="0 1 0" stiffness="2"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
<sensor><e_potential/><e_kinetic/></sensor></mujoco>"""


@pytest.mark.parametrize("flag", ["enable", "disable"])
@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_energies_are_measured_when_a_step_begins(kernels: Any, flag: str) -> None:
    """The numbers are those of MuJoCo with the flag disabled. With it, e_kinetic is one step late there."""
    model = pb.lower(pb.read("m.xml", text=PENDULUM.format(flag), release="4.0"))
    batch = pb.BatchStepper(model, n=2, threads=1, kernels=kernels, results=("sensordata",))
    stepper = pb.Stepper(model, kernels=kernels)
    stepper.data.qpos[:], stepper.data.qvel[:] = 0.3, 1.5
    batch.qpos[...], batch.qvel[...] = 0.3, 1.5
    for expected in ([37.538974, 0.442965], [37.3405, 0.626484], [37.113064, 0.839611]):
        stepper.step(1)
        batch.step(1)
        for measured in (stepper.data.sensordata, *batch.results["sensordata"]):
            np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-6)
