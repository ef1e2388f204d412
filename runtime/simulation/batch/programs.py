"""The programs that batches need."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from polybody.constraints.attach import attach
from polybody.generated.kernels.dynamics import KernelData
from polybody.generated.kernels.interface import PREPARE, Request
from polybody.model.model import Model
from polybody.model.observable import with_past
from polybody.programs.choosing import choose
from polybody.programs.load import Program
from polybody.programs.target import Target, native
from polybody.simulation.batch.evaluation import treats_late
from polybody.simulation.batch.memory import OF_KERNELS
from polybody.simulation.batch.models import derived_inputs

KERNELS = ("auto", "loop", "specialized")


def mover(model: Model, kernels: str, request: Request) -> tuple[Program | None, str, str]:
    """The program that steps a batch, or None for the loop kernels; which kernels these are, and why.

    The compilation is awaited, because a change of kernels would change an instance's results in the last
    bits.

    Raises:
        ValueError: there are no such kernels.
        CompileError: "specialized": they cannot be compiled.
    """
    one_of("kernels", kernels, KERNELS)
    choice = choose(model, kernels, request, native(), wait=True)
    return choice.build.program if choice.build else None, choice.kernels, choice.reason


def steps_with(
    model: Model, parameters: tuple[str, ...], results: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the program of a batch's steps reads of the Model, and what it computes besides the state."""
    if parameters and treats_late(model, parameters) and "qacc" not in results:
        results = (*results, "qacc")  # what computes it later has the Model's parameters, not an instance's
    results = with_past(model, results)
    return (*parameters, *derived_inputs(model, parameters, results)), results


def attached(model: Model) -> KernelData:
    """Memory for a worker, with a constraint solver."""
    kernel = KernelData(model.kernel)
    attach(model, kernel, model.eq_active0.astype(np.uint8))
    return kernel


def needed(
    target: Target | None,
    precision: str,
    parameters: tuple[str, ...],
    kernel: str = "step",
    results: tuple[str, ...] = (),
    external: bool = False,
) -> Request:
    """The program that a batch needs for its steps, or to compute something, by default for this machine."""
    inputs = tuple(name for name in parameters if name in OF_KERNELS)
    kernels = (PREPARE + kernel, kernel) if inputs else (kernel,)
    lanes = (target or native()).processor.lanes(precision)
    return Request(kernels, precision, lanes, inputs, results, external)


def one_of(what: str, value: str, known: Collection[str]) -> str:
    if value not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, not {value!r}")
    return value
