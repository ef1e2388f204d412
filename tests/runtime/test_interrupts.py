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
