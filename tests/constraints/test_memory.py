"""Constraints whose memory is refused: by the limit of 32-bit indices, or by the system."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from polybody.constraints import solver
from polybody.engine import dynamics
from polybody.engine.data import Data
from polybody.errors import ModelError
from polybody.model.model import Model
from polybody.simulation.batch import BatchStepper
from polybody.simulation.stepper import Stepper

from tests.lowering.test_mjcf_model import loaded as load
from tests.waiting import PATIENCE

PILE = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><replicate count="20" offset="0 .3 0">
<body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body></replicate></worldbody></mujoco>"""


def pile() -> Model:
    model: Model = load(PILE)
    return model


def limited(monkeypatch: pytest.MonkeyPatch, size: str, most: int) -> None:
    found = [most if name == size else limit for name, limit in zip(solver.SIZES, solver.MOST, strict=True)]
    monkeypatch.setattr(solver, "MOST", tuple(found))


def test_limits_are_those_of_indices_of_32_bits() -> None:
    """A front of 46,338 coupled degrees of freedom is the largest one."""
    by_name = dict(zip(solver.SIZES, solver.MOST, strict=True))
    assert 46_338**2 + 4 * (46_338 + 8) <= by_name["square"] < 46_339**2 + 4 * (46_339 + 8)
    widths = {"row": 4, "dof": 16, "pack": 4}
    for name, most in by_name.items():
        assert most * widths.get(name, 1) < 2**31


def test_a_simulation_that_needs_too_large_an_array_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, "dof", 100)
    data = Data(pile())
    with pytest.raises(
        ModelError, match=r"120 degrees of freedom need 120 elements of the array 'dof'; the limit is 100"
    ):
        dynamics.step(data.model, data)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_rows_that_need_too_large_an_array_end_the_step(
    kernels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = Stepper(pile(), kernels)
    limited(monkeypatch, "row", 200)
    before = sim.data.get_state().tolist()
    for _ in range(2):
        with pytest.raises(ModelError, match=r"'row'; the limit is 200$"):
            sim.step(3)
        assert sim.data.get_state().tolist() == before
    monkeypatch.undo()
    sim.step(3)
    assert np.isfinite(sim.data.qacc).all()
    assert sim.data.time > 0


def test_without_memory_a_step_raises_a_memory_error(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Data(pile())
    dynamics.step(data.model, data, 0)  # attaches the solver
    assert data.kernel.solver.counts[0] == 0

    class Full:
        """NumPy without memory."""

        uint8, dtype = np.uint8, np.dtype

        @staticmethod
        def zeros(*_: object) -> None:
            raise MemoryError

    monkeypatch.setattr(solver, "np", Full)
    with pytest.raises(MemoryError, match=r"not enough memory for .* elements of the array"):
        dynamics.step(data.model, data)
    monkeypatch.undo()
    dynamics.step(data.model, data)
    assert data.ncon == 80


@pytest.mark.parametrize(
    ("size", "options", "reason"),
    [
        ("hessian", "jacobian='dense'", r": at most 46,338 degrees of freedom can be coupled$"),
        ("dual", "solver='PGS'", r": the solver PGS .* of which there are 320; at most 46,336 are possible$"),
        ("dual", "noslip_iterations='3'", r": .* iterations without slip .* there are 320; at most 46,336"),
    ],
)
def test_the_number_that_is_too_large_is_named(
    size: str, options: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(PILE.replace("<mujoco>", f"<mujoco><option {options}/>"))
    sim, batch = Stepper(model, "loop"), BatchStepper(model, 2, kernels="loop")
    limited(monkeypatch, size, 100)
    with pytest.raises(ModelError, match=rf"120 degrees of freedom need .* array '{size}'.*{reason}"):
        sim.step(1)
    if size == "hessian":
        return  # batches have another one for several instances
    batch.step(1)
    assert batch.failed.all()
    failure = batch.failure(1)
    assert isinstance(failure, ModelError)
    assert re.match(rf"instance 1: .* array '{size}'.*{reason}", str(failure))
    with pytest.raises(ModelError, match=f"instance 0: .* array '{size}'"):
        BatchStepper(model, 2, kernels="loop", on_failure="raise").step(1)


def test_a_command_reports_it_as_an_error_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "pile.xml"
    path.write_text(PILE.replace("<mujoco>", "<mujoco><option solver='PGS'/>"))
    code = (
        "from polybody.constraints import solver\n"
        "solver.MOST = [100 if name == 'dual' else 10**9 for name in solver.SIZES]\n"
        "from polybody.cli import run\n"
        "run()"
    )
    command = [sys.executable, "-c", code, "sim", str(path), "--steps", "1", "--kernels", "loop"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1, done.stderr
    assert "polybody: the constraints of 120 degrees of freedom need" in done.stderr
    assert "Traceback" not in done.stderr
