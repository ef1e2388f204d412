"""One Model, many threads, each with a Data of its own; the kernels run without the GIL."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from polybody import engine
from polybody.engine.data import Data
from polybody.simulation.stepper import Stepper

from tests.lowering.test_mjcf_model import loaded as load
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
from polybody.engine.data import Data
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


BUSY = """
import numpy as np
import polybody as pb
from polybody import engine
from polybody.simulation import stepper
from tests.runtime.models import pendulum
from tests.waiting import PATIENCE, start, until

engine.dynamics.UNINTERRUPTED = 1 << 60
for kernels in ("loop", "specialized"):
    sim = pb.Stepper(pendulum(damping=1.0), kernels)
    model, data = sim.model, sim.data
    taken = start(sim.step, 1 << 50)
    until(lambda: data.time > 0)
    for attempt in (
        lambda: sim.step(),
        lambda: sim.step(5, control=lambda model, data: None),
        lambda: pb.step(model, data),
        lambda: pb.Stepper(model, "loop", data=data).step(),
        lambda: pb.forward(model, data),
        lambda: pb.energy(model, data),
    ):
        try:
            attempt()
        except RuntimeError as error:
            print(error)
    data.qfrc_applied[0] = np.nan
    print(type(taken.exception(PATIENCE)).__name__)
    data.qfrc_applied[0] = 0
    before = data.time
    sim.step(10)
    print(round((data.time - before) / 0.001))
"""


def test_a_simulation_belongs_to_one_thread_at_a_time() -> None:
    """While one thread steps it, others are refused; afterwards any thread may go on."""
    stepper = "a Stepper belongs to one thread at a time; another one is using it\n"
    refused = "a simulation belongs to one thread at a time; another one is using these data\n"
    ended = "SimulationError\n10\n"
    assert said(BUSY) == 2 * stepper + 4 * refused + ended + 6 * refused + ended  # loops, a program


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_two_threads_that_step_one_simulation_neither_hang_nor_diverge(kernels: str) -> None:
    sim = Stepper(everything(), kernels)

    def run(_: int) -> int:
        refused = 0
        for _ in range(100):
            try:
                sim.step(20)
            except RuntimeError:
                refused += 1
        return refused

    taken = 20 * (200 - sum(at_once(run, range(2))))
    assert taken > 0
    assert sim.data.time == pytest.approx(taken * 0.001)
    alone = Stepper(everything(), kernels)
    alone.step(taken)
    assert sim.data.qpos.tolist() == alone.data.qpos.tolist()


CROWD = """<mujoco><option integrator="Euler"/><worldbody><geom type="plane" size="1 1 1"/>
<replicate count="5" offset=".02 0 .25"><body pos="0 0 .3"><freejoint/>
<geom type="box" size=".1 .1 .1"/></body></replicate>
<body><joint name="a" axis="0 1 0" pos="0 0 5"/><geom size=".1" pos="0 2 5"/></body></worldbody>
<tendon><fixed name="t" limited="true" range="-.001 .001"><joint joint="a" coef="1"/></fixed></tendon>
</mujoco>"""
READ = ("efc_J", "efc_force", "efc_type", "contact", "ncon", "nefc", "solver_niter", "tendon_efcadr")


def test_rows_are_read_while_nobody_steps() -> None:
    """Their number changes in steps: reading them between is refused, like steps of two threads."""
    model = load(CROWD)
    data = Data(model)
    engine.step(model, data, 100)
    with pytest.raises(RuntimeError, match="belongs to one thread at a time"):
        data.solved(lambda _: engine.step(model, data), None)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def run(which: int) -> set[str]:
        odd = set()
        for turn in range(300):
            try:
                if which == 0:
                    data.reset() if turn % 50 == 0 else engine.step(model, data, 5)
                elif turn % 2:
                    getattr(data, READ[turn // 2 % len(READ)])
                elif data.ncon:
                    engine.contact_force(model, data, data.ncon - 1)
            except RuntimeError:
                pass
            except IndexError as error:
                if "there is no contact" not in str(error):  # of a step since then
                    odd.add(f"{type(error).__name__}: {error}")
            except Exception as error:
                odd.add(f"{type(error).__name__}: {error}")
        return odd

    try:
        assert set().union(*at_once(run, range(4))) == set()
    finally:
        sys.setswitchinterval(interval)


def test_steps_are_taken_without_the_gil() -> None:
    """A call of the kernel ends only when another thread, which takes steps meanwhile, writes a value.

    It runs in a process of its own, because nothing else could end a test whose kernel holds the GIL.
    """
    assert said(ENDLESS) == "SimulationError 1.0\n"


GROWING = """
import warnings
import polybody as pb
from tests.lowering.test_mjcf_model import loaded
from tests.waiting import at_once

warnings.simplefilter("ignore")
model = loaded('''<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<replicate count="40" offset="0.01 0 0.05">
<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></replicate></worldbody></mujoco>''')
data = pb.Data(model)
refused = 0


def use(number):
    global refused
    for _ in range(30):
        try:
            if number % 2:
                pb.step(model, data, 2)
                data.reset()
            else:
                data.contact["dist"].sum(), data.efc_J.sum(), data.efc_force.sum()
        except RuntimeError as error:
            assert "belongs to one thread at a time" in str(error)
            refused += 1


at_once(use, range(4))
print(refused > 0)
"""


def test_threads_that_reset_or_read_a_simulation_while_its_memory_grows_are_refused() -> None:
    """Rows of constraints are memory that a step reallocates."""
    assert said(GROWING) == "True\n"
