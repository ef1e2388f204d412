"""The stages of constraints, as compiled for each size of registers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polybody as pb
import pytest
from polybody.constraints import solver

from tests.constraints.scenes import loaded, mixed

STEPS = 6
EXACT = {"opt_tolerance": 1e-18, "opt_iterations": 3000}
TOLERANCES = {"CG": 1e-6, "CG of many bodies": 1e-6}
"""Relative to the largest number; see ROUNDED in test_solver.py."""
BOXES = "".join(
    f'<body pos="{0.5 * (k % 5)} {0.5 * (k // 5)} .1"><freejoint/><geom type="box" size=".1 .12 .1"/></body>'
    for k in range(13)
)
MANY = f'<mujoco>{{}}<worldbody><geom type="plane" size="5 5 1"/>{BOXES}</worldbody></mujoco>'
SCENES = {
    "dense": mixed("pyramidal"),
    "elliptic": mixed("elliptic"),
    "sparse": mixed("pyramidal", jacobian="sparse"),
    "PGS": mixed("elliptic", solver="PGS"),
    "CG": mixed("pyramidal", solver="CG"),
    "no slip": mixed("pyramidal", noslip=3),
    "many bodies": MANY.format(""),
    "CG of many bodies": MANY.format('<option solver="CG"/>'),
}


@pytest.fixture
def largest() -> Iterator[None]:
    yield
    solver.choose_registers(solver.registers()[0])


@pytest.mark.skipif(len(solver.registers()) < 2, reason="one size of registers only")
@pytest.mark.usefixtures("largest")
@pytest.mark.parametrize("name", SCENES)
def test_results_do_not_depend_on_registers(name: str) -> None:
    model = loaded(SCENES[name]).replace(**EXACT)
    found = []
    for size in solver.registers():
        solver.choose_registers(size)
        stepper = pb.Stepper(model, "loop", results=("qfrc_constraint",))
        stepper.data.qvel[:] = np.random.default_rng(0).normal(0, 1, model.nv)
        for _ in range(STEPS):
            stepper.step()
        assert stepper.data.nefc > 20
        found.append(np.concatenate([stepper.data.qpos, stepper.data.qacc, stepper.data.qfrc_constraint]))
    for values in found:
        assert np.abs(values - found[0]).max() <= TOLERANCES.get(name, 1e-8) * (1 + np.abs(found[0]).max())


def test_only_registers_of_the_processor_are_chosen() -> None:
    with pytest.raises(ValueError, match="no stages for registers of 24 bytes"):
        solver.choose_registers(24)
    assert solver.registers()[-1] == 16
