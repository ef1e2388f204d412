"""Delays of actuators and sensors as of MuJoCo 4.0: what MuJoCo computed of the same random models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.moving.newest_delays.models import KEPT, STEPS, document, integrator

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
STATE = ("qpos", "qvel", "act", "history")
SHOWN = ("sensordata", "actuator_force")
COLUMNS = (
    *("actuator_history", "actuator_historyadr", "actuator_delay", "sensor_history", "sensor_historyadr"),
    *("sensor_delay", "sensor_interval"),
)
TOLERANCE = 1e-9
"""Relative: contacts amplify rounding from step to step."""
PROGRAMMED = (0, 5, 6, 3)
"""Models of which programs are compiled, one for each integrator."""


def lowered(text: str) -> pb.Model:
    model = pb.lower(pb.read("model.xml", text=text, release="4.0"))
    return model.replace(opt_tolerance=0.0, opt_iterations=200)


def agree(ours: Any, theirs: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=tolerance, atol=tolerance * (1 + np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("seed", range(KEPT))
def test_samples_are_laid_out_as_in_mujoco(seed: int) -> None:
    model = lowered(document(seed))
    for kind in ("actuator", "sensor"):
        kept = FACTS[f"{seed}/{kind}_history"][:, 0] > 0
        for column in COLUMNS:
            if column.startswith(kind):
                np.testing.assert_array_equal(model._column(column)[kept], FACTS[f"{seed}/{column}"][kept])
        np.testing.assert_array_equal(model._column(f"{kind}_historyadr") >= 0, kept)
    np.testing.assert_array_equal(pb.Data(model).history, FACTS[f"{seed}/history"])


@pytest.mark.parametrize("seed", range(KEPT))
def test_loops_are_mujoco(seed: int) -> None:
    model = lowered(document(seed))
    data = pb.Data(model)
    data.qvel = FACTS[f"{seed}/qvel"]
    for step in range(STEPS):
        data.ctrl = FACTS[f"{seed}/ctrl"][step]
        if step % 10 == 3:
            for _ in range(2):
                pb.forward(model, data)
                found = (*data.sensordata, *data.actuator_force, *data.qacc)
                agree(found, FACTS[f"{seed}/steps/forward"][step // 10])
        pb.step(model, data)
        np.testing.assert_array_equal(data.ctrl, FACTS[f"{seed}/ctrl"][step])
        for field in (*STATE, *SHOWN):
            agree(getattr(data, field), FACTS[f"{seed}/steps/{field}"][step])


@pytest.mark.long
@pytest.mark.parametrize("seed", PROGRAMMED)
def test_programs_are_mujoco(seed: int) -> None:
    model = lowered(document(seed))
    if integrator(seed) == "RK4" and model.opt_delays:
        with pytest.raises(pb.CompileError, match="only loops know"):
            pb.Stepper(model, kernels="specialized")
    kernels = "auto" if integrator(seed) == "RK4" and model.opt_delays else "specialized"
    stepper = pb.Stepper(model, kernels=kernels, results=SHOWN)
    data = stepper.data
    data.qvel = FACTS[f"{seed}/qvel"]
    for step in range(STEPS):
        data.ctrl = FACTS[f"{seed}/ctrl"][step]
        stepper.step()
        for field in (*STATE, *SHOWN):
            agree(getattr(data, field), FACTS[f"{seed}/steps/{field}"][step])


def stepped(model: pb.Model, seed: int, **how: Any) -> pb.BatchStepper:
    """A batch of which each instance is the first one, some steps later."""
    batch = pb.BatchStepper(model, n=3, threads=1, results=SHOWN, **how)
    batch.qvel = FACTS[f"{seed}/qvel"]
    return batch


@pytest.mark.parametrize("kernels", ["loop", pytest.param("auto", marks=pytest.mark.long)])
@pytest.mark.parametrize("seed", PROGRAMMED)
def test_batches_are_mujoco(seed: int, kernels: str) -> None:
    batch = stepped(lowered(document(seed)), seed, kernels=kernels)
    controls = np.repeat(FACTS[f"{seed}/ctrl"][:, None], 3, axis=1)
    controls[:, 1] *= 0.5
    frames = {
        name: np.empty((STEPS, 3, *shape))
        for name, shape in (
            ("qpos", batch.qpos.shape[1:]),
            ("sensordata", batch.sensordata.shape[1:]),
            ("actuator_force", (batch.model.nactuator,)),
        )
    }
    batch.step(STEPS, controls, every=1, out=frames)
    for name, found in frames.items():
        agree(found[:, 0], FACTS[f"{seed}/steps/{name}"])
        np.testing.assert_array_equal(found[:, 0], found[:, 2])
    agree(batch.history[0], FACTS[f"{seed}/steps/history"][-1])
    np.testing.assert_array_equal(batch.ctrl, controls[-1])
    assert not np.allclose(batch.history[0], batch.history[1])
