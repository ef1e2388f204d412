"""Signals end a step whose constraint solver iterates for long; the state is that before the step."""

from __future__ import annotations

import sys

import pytest

from tests.waiting import said

if sys.platform == "win32":
    pytest.skip("no timers that send signals on Windows", allow_module_level=True)

PILE = """
import signal
import warnings
import polybody as pb
from tests.lowering.test_mjcf_model import loaded

warnings.simplefilter("ignore")
text = '''<mujoco><option solver="{solver}" iterations="10000" ls_iterations="1000"
noslip_iterations="{noslip}" tolerance="0" ls_tolerance="0" noslip_tolerance="0">
<flag island="{island}"/></option>
<worldbody><geom type="plane" size="1 1 1"/><replicate count="{count}" offset="0.05 0 0.15">
<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></replicate></worldbody></mujoco>'''
model = loaded(text)
sim = pb.Stepper(model, "{kernels}")
sim.step(1)


class Ended(BaseException):
    pass


def end(*_):
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise Ended


signal.signal(signal.SIGALRM, end)
for _ in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        sim.step(1_000_000_000)
    except Ended:
        print("ended")
other = pb.Data(model)
pb.step(model, other, round(sim.data.time / model.opt_timestep))
print((other.get_state() == sim.data.get_state()).all())
"""


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize(
    ("solver", "noslip", "island", "count"),
    [
        ("Newton", 0, "disable", 60),
        ("CG", 0, "disable", 60),
        ("CG", 0, "enable", 60),
        ("PGS", 0, "disable", 30),
        ("Newton", 10_000, "disable", 30),
    ],
)
def test_a_signal_ends_steps_and_they_go_on(
    solver: str, noslip: int, island: str, count: int, kernels: str
) -> None:
    """A thousand million steps would take days. A step that a signal ends changes nothing."""
    if kernels == "specialized":
        count = 5  # programs of many bodies take minutes to compile
    values = {"solver": solver, "noslip": noslip, "island": island, "count": count, "kernels": kernels}
    code = PILE
    for name, value in values.items():
        code = code.replace(f"{{{name}}}", str(value))
    *ended, same = said(code).split()
    assert ended == ["ended"] * 3
    assert kernels != "loop" or same == "True"


SEARCH = """
import signal
import polybody as pb
from tests.lowering.test_mjcf_model import loaded

text = '''<mujoco><option sdf_initpoints="1000" sdf_iterations="1000"/>
<extension><plugin plugin="mujoco.sdf.torus"><instance name="t"/></plugin></extension>
<asset><mesh name="t"><plugin instance="t"/></mesh></asset>
<worldbody><replicate count="60" offset=".01 0 0"><body><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="sdf" mesh="t"><plugin instance="t"/></geom></body></replicate></worldbody></mujoco>'''
sim = pb.Stepper(loaded(text), "{kernels}")
before = sim.data.get_state().tobytes()


def end(*_):
    raise InterruptedError


signal.signal(signal.SIGALRM, end)
for _ in range(2):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        sim.step()
    except InterruptedError:
        print("ended", sim.data.get_state().tobytes() == before)
"""


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_a_signal_ends_a_search_for_contacts(kernels: str) -> None:
    """The 1,770 pairs of tori take a second each."""
    assert said(SEARCH.replace("{kernels}", kernels)) == "ended True\n" * 2


BATCH = """
import signal
import warnings
import numpy as np
import polybody as pb
from tests.lowering.test_mjcf_model import loaded

warnings.simplefilter("ignore")
text = '''<mujoco><option {option} tolerance="0" ls_tolerance="0" iterations="{iterations}"
ls_iterations="1000"/><worldbody><geom type="plane" size="1 1 1"/>
<replicate count="{count}" offset="0.05 0 0.15">
<body pos="0 0 .1"><freejoint/><geom type="{shape}" size=".1 .1 .1"/></body></replicate></worldbody>
</mujoco>'''
model = loaded(text)
batch = pb.BatchStepper(model, {n}, threads={threads}, kernels="{kernels}")


class Ended(BaseException):
    pass


def end(*_):
    raise Ended


signal.signal(signal.SIGALRM, end)
before = batch.get_state()
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    batch.step(3)
except Ended:
    print("ended")
stepped = batch.time > 0
print(set(batch.time.tolist()) <= {{0.0, model.opt_timestep}}, not batch.failed.any())
print((batch.get_state()[~stepped] == before[~stepped]).all(), stepped.any(), not stepped.all())
other = pb.BatchStepper(model, 16, kernels="{kernels}")
if stepped.any():
    other.step(1)
    print((batch.get_state()[stepped] == other.get_state()[0]).all())
    batch.reset()
    batch.failed[16:] = True
    batch.step(1)
    print((batch.get_state()[:16] == other.get_state()).all())
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernels", ["loop", "specialized"])
@pytest.mark.parametrize("solver", ["Newton", "PGS"])
def test_a_signal_ends_a_step_of_a_batch_between_instances(kernels: str, threads: int, solver: str) -> None:
    """Each instance has the state before the step or after it, as its time says. Later steps are as usual."""
    values = {"option": f'solver="{solver}"', "iterations": 200, "count": 3, "n": 16_000}
    code = BATCH.format(**values, threads=threads, kernels=kernels, shape="box")
    assert said(code).split() == ["ended", *["True"] * 7]


SOLVE = """
import signal
import warnings
import numpy as np
import polybody as pb
from tests.lowering.test_mjcf_model import loaded

warnings.simplefilter("ignore")
text = '''<mujoco><option solver="{solver}" tolerance="0" ls_tolerance="0" iterations="10000"
ls_iterations="1000"><flag island="disable"/></option><worldbody><geom type="plane" size="1 1 1"/>
<replicate count="100" offset="0.05 0 0.15">
<body pos="0 0 .1"><freejoint/><geom type="{shape}" size=".1 .1 .1"/></body></replicate></worldbody>
</mujoco>'''
model = loaded(text)
batch = pb.BatchStepper(model, 2, threads={threads}, kernels="loop")


def end(*_):
    raise InterruptedError


signal.signal(signal.SIGALRM, end)
for _ in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        batch.step(1_000_000_000)
    except InterruptedError:
        print("ended")
steps = np.round(batch.time / model.opt_timestep)
print(np.ptp(steps) <= 3, not batch.failed.any(), np.isfinite(batch.qpos).all())
"""


@pytest.mark.parametrize(("solver", "shape"), [("CG", "box"), ("Newton", "sphere"), ("PGS", "capsule")])
def test_a_signal_ends_a_solve_within_a_batch(solver: str, shape: str) -> None:
    """A batch is asked for a thousand million steps, of which each takes seconds."""
    code = SOLVE.format(solver=solver, shape=shape, threads=2)
    assert said(code).split() == ["ended"] * 3 + ["True"] * 3
