"""Engines called from Python; the overhead of the calls is measured and subtracted.

The only work is forward dynamics. A loop that only sets the states, and a call that computes nothing, are
subtracted. The first includes work that the peer's own C++ would have to do, so the difference favours the
peer.
"""

from __future__ import annotations

import pickle
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.engine import FORWARD, STATES, Engine, Reals, Times, run, write_states

if TYPE_CHECKING:
    from polybody import Model

BLOCKS, BLOCK_SECONDS = 9, 0.02


class PythonPeer(Engine):
    """Timed in an interpreter of its own: ``python -m`` with the subclass's module."""

    module: str

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        (folder / "model").write_bytes(pickle.dumps(model))
        write_states(folder / "states", *states)

    def measure(self) -> Times:
        files = [self.folder / name for name in ("model", "states", "qacc")]
        return run(sys.executable, "-m", self.module, *files)

    def accelerations(self) -> Reals:
        return self.result()


class Worker(ABC):
    """The engine inside the interpreter."""

    @abstractmethod
    def __init__(self, model: Model) -> None: ...

    @abstractmethod
    def put(self, q: Reals, v: Reals) -> tuple[Reals, ...]:
        """A state in the engine's coordinates, in the form that :meth:`set` accepts."""

    @abstractmethod
    def set(self, state: tuple[Reals, ...]) -> None: ...

    @abstractmethod
    def push(self, q: Reals, force: Reals) -> None:
        """Apply our joint forces."""

    @abstractmethod
    def solve(self) -> object:
        """Forward dynamics at the state that was set."""

    @abstractmethod
    def nothing(self) -> object:
        """A call from Python that computes nothing, after :meth:`solve`."""

    @abstractmethod
    def acceleration(self, q: Reals, v: Reals) -> Reals:
        """The result of :meth:`solve`, in our coordinates."""


def cpu_microseconds(call: Callable[[int], object]) -> float:
    """The median over blocks of one call's CPU time; the call gets the index of the state."""
    calls = 1
    while True:
        start = time.process_time()
        for i in range(calls):
            call(i % STATES)
        if time.process_time() - start > BLOCK_SECONDS:
            break
        calls *= 2
    blocks = []
    for _ in range(BLOCKS):
        start = time.process_time()
        for i in range(calls):
            call(i % STATES)
        blocks.append((time.process_time() - start) / calls)
    return median(blocks) * 1e6


def main(worker: type[Worker]) -> None:
    """Write accelerations of all states to the result's file, then the time per state to standard output."""
    model_file, states_file, result = sys.argv[1:]
    with Path(model_file).open("rb") as file:
        model: Model = pickle.load(file)
    numbers = np.fromfile(states_file)
    q, v, force = (
        part.reshape(STATES, -1)
        for part in np.split(numbers, [STATES * model.nq, STATES * (model.nq + model.nv)])
    )
    engine = worker(model)
    states = [engine.put(*state) for state in zip(q, v, strict=True)]
    found = []
    for s in range(STATES):
        engine.set(states[s])
        engine.push(q[s], force[s])
        engine.solve()
        found.append(engine.acceleration(q[s], v[s]))
    np.array(found).tofile(result)

    def whole(s: int) -> None:
        engine.set(states[s])
        engine.solve()

    total = cpu_microseconds(whole)
    setting = cpu_microseconds(lambda s: engine.set(states[s]))
    engine.solve()
    asking = cpu_microseconds(lambda s: engine.nothing())
    print(f"{FORWARD} {total - setting - asking:.6f}")
    print(f"overhead {setting + asking:.6f}")
