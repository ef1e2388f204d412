"""The machines: what takes steps, with the loop kernels or a program, of one simulation or of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polybody as pb
from polybody.model.observable import OBSERVABLE, USUAL

from .instants import MOVED, STATE, Columns, State, put, results

DOUBLE, SINGLE = "float64", "float32"


class Machine(Protocol):
    """Several simulations of one Model."""

    results: tuple[str, ...]

    def start(self, states: Sequence[State]) -> None:
        """Begin anew from these states."""

    def step(self, n: int) -> None: ...

    def states(self) -> list[State]:
        """The present states, with qacc."""

    def found(self) -> list[Columns]:
        """The results of the last step."""


class Single:
    """A Stepper, which takes the steps of each simulation separately."""

    def __init__(self, model: pb.Model, kernels: str, names: tuple[str, ...]) -> None:
        self.stepper = pb.Stepper(model, kernels, results=names)
        self.results = self.stepper.results
        self.datas: list[pb.Data] = []

    def start(self, states: Sequence[State]) -> None:
        self.datas = [pb.Data(self.stepper.model) for _ in states]
        for data, state in zip(self.datas, states, strict=True):
            put(data, state)

    def step(self, n: int) -> None:
        for data in self.datas:
            self.stepper.data = data
            self.stepper.step(n)

    def states(self) -> list[State]:
        names = dict.fromkeys((*STATE, *MOVED))
        return [{name: np.array(getattr(data, name)) for name in names} for data in self.datas]

    def found(self) -> list[Columns]:
        return [results(data, self.results) for data in self.datas]


class Many:
    """A BatchStepper. Its first instance starts from the Model's initial state, unlike all others."""

    def __init__(self, model: pb.Model, kernels: str, precision: str, count: int) -> None:
        self.batch = pb.BatchStepper(
            model, count + 1, kernels=kernels, precision=precision, results=OBSERVABLE
        )
        self.results = OBSERVABLE

    def start(self, states: Sequence[State]) -> None:
        self.batch.reset()
        for row, state in enumerate(states, 1):
            for name in STATE:
                getattr(self.batch, name)[row] = state[name]

    def step(self, n: int) -> None:
        self.batch.step(n)
        if self.batch.failed[1:].any():
            raise self.batch.failure(int(np.flatnonzero(self.batch.failed[1:])[0]) + 1)

    def states(self) -> list[State]:
        names = dict.fromkeys((*STATE, *MOVED))
        rows = range(1, self.batch.n)
        return [
            {name: np.array(getattr(self.batch, name)[row], np.float64) for name in names} for row in rows
        ]

    def found(self) -> list[Columns]:
        rows = range(1, self.batch.n)
        return [{name: x[row].astype(np.float64) for name, x in self.batch.results.items()} for row in rows]


class Stale:
    """`forward`, called where all results were NaN. The loops take the steps before it."""

    results = OBSERVABLE

    def __init__(self, model: pb.Model) -> None:
        self.loop = Single(model, "loop", ())
        self.seen: list[Columns] = []

    def start(self, states: Sequence[State]) -> None:
        self.loop.start(states)

    def step(self, n: int) -> None:
        if n == 0:
            return
        self.loop.step(n - 1)
        self.seen = []
        for data in self.loop.datas:
            warm = data.qacc_warmstart.copy()
            for name in OBSERVABLE:
                getattr(data, name)[...] = np.nan
            pb.forward(data.model, data)
            pb.energy(data.model, data)
            self.seen.append(results(data))
            data.qacc_warmstart = warm
        self.loop.step(1)

    def states(self) -> list[State]:
        return self.loop.states()

    def found(self) -> list[Columns]:
        return self.seen


@dataclass(frozen=True)
class Kind:
    """How a machine is made.

    Attributes:
        name: for reports.
        compiled: whether it takes steps by a program.
        precision: of its numbers.
        stages: whether its results belong to the stages of a step.
    """

    name: str
    compiled: bool = False
    precision: str = DOUBLE
    stages: bool = True

    def make(self, model: pb.Model, count: int) -> Machine:
        kernels = "specialized" if self.compiled else "loop"
        if self.name == "forward":
            return Stale(model)
        if self.name.startswith("stepper"):
            return Single(model, kernels, USUAL if "usual" in self.name else OBSERVABLE)
        return Many(model, kernels, self.precision, count)


KINDS = (
    Kind("forward", stages=False),
    Kind("stepper, loops"),
    Kind("batch, loops"),
    Kind("stepper, program", compiled=True),
    Kind("stepper, program, usual results", compiled=True),
    Kind("batch, program", compiled=True),
    Kind("batch, program, float32", compiled=True, precision=SINGLE),
)
