"""Solvers as of MuJoCo 4.0, with the tolerance and the iterations of the model: what MuJoCo 4.0 computed from
the same states.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.moving.newest_solvers.models import STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
NEWTON = [name for name in MODELS if "Newton" in name]
PROGRAMS = (
    "islands, Newton, elliptic",
    "one tree, Newton, pyramidal few",
    "islands, CG, pyramidal few",
    "islands, PGS, elliptic noslip",
    "one tree, Newton, elliptic RK4",
    "islands, PGS, pyramidal RK4",
)


def lowered(name: str, release: str = "4.0") -> pb.Model:
    return pb.lower(pb.read("model.xml", text=MODELS[name], release=release))


def state_of(name: str, state: int) -> dict[str, Any]:
    scene, kept = name.partition(",")[0], min(state, STATES - 2)
    found = {field: FACTS[f"{scene}/{field}"][kept] for field in ("qpos", "qvel", "qacc_warmstart")}
    if state == STATES - 1:
        found["qacc_warmstart"] = FACTS[f"{name}/qacc"][kept]
    return found


def put(data: Any, name: str, state: int) -> None:
    for field, value in state_of(name, state).items():
        getattr(data, field)[...] = value


def close(name: str) -> dict[str, float]:
    """Conjugate gradients amplify differences in the last bits of their inputs."""
    return {"rtol": 1e-6, "atol": 1e-6} if "CG" in name else {"rtol": 1e-9, "atol": 1e-9}


def agree(ours: Any, theirs: Any, name: str) -> None:
    scale = 1 + np.abs(theirs).max(initial=0)
    np.testing.assert_allclose(np.asarray(ours) / scale, theirs / scale, **close(name))


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_and_iterations_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    data = pb.Data(model)
    for state in range(STATES):
        put(data, name, state)
        pb.forward(model, data)
        agree(data.qacc, FACTS[f"{name}/qacc"][state], name)
        count = FACTS[f"{name}/solver_niter"][state]
        np.testing.assert_array_equal(data.solver_niter, count[count >= 0], err_msg=f"state {state}")
        np.testing.assert_array_equal(data.dof_island, FACTS[f"{name}/dof_island"][state])
        if "RK4" in name:
            pb.step(model, data)
            agree(data.qvel, FACTS[f"{name}/next_qvel"][state], name)


@pytest.mark.parametrize("name", NEWTON)
def test_lanes_of_batches_solve_islands_on_their_own(name: str) -> None:
    model = lowered(name)
    batch = pb.BatchStepper(model, n=STATES, threads=1)
    for state in range(STATES):
        put_in(batch, name, state)
    batch.step(1)
    for state in range(STATES):
        if "RK4" in name:
            agree(batch.qvel[state], FACTS[f"{name}/next_qvel"][state], name)
        else:
            agree(batch.qacc_warmstart[state], FACTS[f"{name}/qacc"][state], name)


def put_in(batch: Any, name: str, state: int) -> None:
    for field, value in state_of(name, state).items():
        values = np.array(getattr(batch, field))
        values[state] = value
        setattr(batch, field, values)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_solve_islands_on_their_own(name: str) -> None:
    model = lowered(name)
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        put(stepper.data, name, state)
        stepper.step(1)
        if "RK4" in name:
            agree(stepper.data.qvel, FACTS[f"{name}/next_qvel"][state], name)
        else:
            agree(stepper.data.qacc_warmstart, FACTS[f"{name}/qacc"][state], name)


@pytest.mark.parametrize("name", ["islands, Newton, pyramidal few", "islands, PGS, pyramidal few"])
def test_as_of_3_2_7_few_iterations_end_elsewhere(name: str) -> None:
    model = lowered(name, "3.2.7")
    data = pb.Data(model)
    put(data, name, 1)
    pb.forward(model, data)
    assert not np.allclose(data.qacc, FACTS[f"{name}/qacc"][1], rtol=1e-6, atol=1e-6)
