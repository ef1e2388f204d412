"""Kernels specialised to one model, with their compiled program in a C loop."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from polybody.programs.target import native

from benchmarks.engine import CACHE, Engine, Reals, Times, compiled, fresh, run, write_states

if TYPE_CHECKING:
    from polybody import Model
    from polybody.programs.cache import Entry

SOURCE = Path(__file__).parent / "specialised.c"

ENTRIES = 2000  # of a mass matrix computed in straight-line code; a chain of 100 hinges has 5050


class Specialised(Engine):
    """Accelerations, inverse dynamics and mass matrix of the model without passive forces, and its step."""

    label = "specialized"
    lanes = 1

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        write_states(folder / "states", *states)
        kernels = ("acceleration", "inverse", *(("mass_matrix",) if model.nM <= ENTRIES else ()))
        self.smooth = program(without_passive(model), kernels, self.lanes)
        self.step = program(model, ("step",), self.lanes)

    def measure(self) -> Times:
        timer = compiled(SOURCE, os.environ.get("CC", "cc"), ["-O2", "-ldl"])
        programs = [
            fresh(self.smooth.library, self.folder, "smooth.so"),
            fresh(self.step.library, self.folder, "step.so"),
        ]
        files = [self.folder / name for name in ("states", "qacc")]
        return run(timer, *programs, *files, str(self.model.nq), str(self.model.nv))

    def accelerations(self) -> Reals:
        return self.result()


class Lanes(Specialised):
    """The same for as many states at once as fit a register."""

    label = "batch"
    lanes = native().processor.lanes("float64")


def operations(program: Entry, kernel: str) -> int:
    """The number of operations of a kernel, as counted by the specialiser."""
    counts = {facts["name"]: int(facts["operations"]) for facts in program.facts["kernels"]}
    return counts[kernel]


def without_passive(model: Model) -> Model:
    """The model without dampers and springs."""
    return model.replace(dof_damping=0 * model.dof_damping, dof_stiffness=0 * model.dof_stiffness)


def program(model: Model, kernels: tuple[str, ...], lanes: int) -> Entry:
    """The program that Stepper and BatchStepper would load, from a separate cache for benchmarks.

    Raises:
        CompileError: it cannot be compiled.
    """
    os.environ.setdefault("POLYBODY_CACHE", str(CACHE / "programs"))
    from polybody.generated.kernels.interface import Request
    from polybody.programs.build import ask

    made = ask(model, Request(kernels, lanes=lanes), start=False)
    made.wait()
    assert made.entry is not None
    return made.entry
