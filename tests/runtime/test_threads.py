"""One Model, many threads, each with a Data of its own; the kernels run without the GIL."""

from __future__ import annotations

import numpy as np
import pytest
from polybody import engine
from polybody.model.data import Data

from tests.runtime.models import everything
from tests.waiting import at_once, said

pytestmark = pytest.mark.concurrent


def test_threads_that_share_a_model_do_not_disturb_each_other() -> None:
    model = everything()

    def run(seed: int) -> list[float]:
        data = Data(model)
        data.qvel = np.random.default_rng(seed).normal(size=model.nv)
        for _ in range(20):
            engine.step(model, data, 50)
            engine.forward(model, data)
            engine.mass_matrix(model, data)
            engine.energy(model, data)
        state: list[float] = data.get_state().tolist()
        return state

    alone = [run(seed) for seed in range(8)]
    fresh = everything()  # the first thread to arrive copies the kernel's columns
    model = fresh
    assert at_once(run, range(8)) == alone


ENDLESS = """
import numpy as np
from polybody import engine
from polybody.model.data import Data
from tests.runtime.models import pendulum
from tests.waiting import PATIENCE, start, until

engine.dynamics.UNINTERRUPTED = 1 << 60  # all steps in one call of the kernel, with no Python in between
model = pendulum(damping=1.0)
endless, other = Data(model), Data(model)
taken = start(engine.step, model, endless, 1 << 50)
until(lambda: endless.time > 0)
before = endless.time
engine.step(model, other, 1000)
until(lambda: endless.time > before)
endless.qfrc_applied[0] = np.nan
error = taken.exception(PATIENCE)
print(type(error).__name__, round(other.time, 6))
"""


def test_steps_are_taken_without_the_gil() -> None:
    """A call of the kernel ends only when another thread, which takes steps meanwhile, writes a value.

    It runs in a process of its own, because nothing else could end a test whose kernel holds the GIL.
    """
    assert said(ENDLESS) == "SimulationError 1.0\n"
