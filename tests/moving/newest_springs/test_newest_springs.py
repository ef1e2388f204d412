"""Springs and dampers that are disabled separately, by loops, programs and batches, as MuJoCo 4.0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.moving.newest_springs.models import STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
INPUTS = ("qpos", "qvel", "ctrl", "act")
STATE = ("qpos", "qvel", "act")
FIELDS = sorted(
    {key.split("/")[-1] for key in FACTS} - {*INPUTS, "qfrc_inverse", *(f"next_{name}" for name in STATE)}
)


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
    for state in range(STATES):
        data = pb.Data(model)
        put(data, name, state)
        pb.forward(model, data)
        for field in FIELDS if name.startswith("random") else [x for x in FIELDS if x != "energy"]:
            agree(getattr(data, field), FACTS[f"{name}/{state}/{field}"])
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
@pytest.mark.parametrize("name", [*(f"random {n}" for n in (2, 5, 8)), "rope implicit damper=disable"])
def test_programs_step_as_mujoco(name: str) -> None:
    model = lowered(MODELS[name])
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        stepper.step(1)
        for field in STATE:
            agree(getattr(stepper.data, field), FACTS[f"{name}/{state}/next_{field}"])


def test_what_is_disabled_has_no_force_and_no_energy() -> None:
    text = """<mujoco><option><flag {}/></option><worldbody><body gravcomp="1">
      <joint axis="0 1 0" stiffness="2" damping="3"/><geom size=".1" pos=".1 0 0"/></body></worldbody>
      </mujoco>"""
    found = {}
    for flags in ("", 'spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"'):
        model = lowered(text.format(flags))
        assert model.opt_release == ("4.0")
        data = pb.Data(model)
        data.qpos[0] += 0.5
        data.qvel[0] = 1.0
        pb.forward(model, data)
        springs, dampers, lifted = data.qfrc_spring[0], data.qfrc_damper[0], data.qfrc_gravcomp[0]
        found[flags] = (springs != 0, dampers != 0, lifted != 0)
    assert list(found.values()) == [
        (True, True, True),
        (False, True, True),
        (True, False, True),
        (False, False, False),
    ]
