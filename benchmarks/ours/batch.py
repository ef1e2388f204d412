"""A BatchStepper, called from Python as its users call it."""

from __future__ import annotations

import os
import pickle
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from polybody import BatchStepper

from benchmarks.batches import INSTANCES, STEPS, instances, seconds_of
from benchmarks.engine import BATCH, CACHE, Engine, Reals, Times, run, write_states

if TYPE_CHECKING:
    from polybody import Model


CALLS = 8
"""Alternating calls with one and two threads; the shortest counts, since other processes occupy cores."""
MANY = 8 * INSTANCES
"""Instances of two threads: handing over work and waiting take as long as a few steps of a few states."""


class Batch(Engine):
    """STEPS steps of INSTANCES states in one call."""

    label = "batch"

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        (folder / "model").write_bytes(pickle.dumps(model))
        write_states(folder / "states", *instances(states))

    def measure(self) -> Times:
        files = [self.folder / name for name in ("model", "states", "after")]
        return run(sys.executable, "-m", __name__, *files)

    def accelerations(self) -> Reals:
        """Velocities after one step, one row per state."""
        return np.fromfile(self.folder / "after").reshape(INSTANCES, self.model.nv)


def main(model_file: str, states_file: str, after: str) -> None:
    model = pickle.loads(Path(model_file).read_bytes())
    numbers = np.fromfile(states_file)
    q = numbers[: INSTANCES * model.nq].reshape(INSTANCES, -1)
    v = numbers[INSTANCES * model.nq :].reshape(INSTANCES, -1)
    per_step = 1e6 / (INSTANCES * STEPS)

    def made(n: int = INSTANCES, **options: Any) -> BatchStepper:
        batch = BatchStepper(model, n, kernels="specialized", on_failure="raise", **options)
        roll(batch, 0)
        return batch

    def roll(batch: BatchStepper, steps: int = STEPS, **record: Any) -> None:
        batch.reset(qpos=np.resize(q, (batch.n, model.nq)), qvel=np.resize(v, (batch.n, model.nv)))
        batch.step(steps, **record)

    batch = made()
    batch.step(1)
    np.ascontiguousarray(batch.qvel).tofile(after)
    frames = {name: np.zeros((STEPS, INSTANCES, n)) for name, n in (("qpos", model.nq), ("qvel", model.nv))}
    for work, call in (
        (BATCH, partial(roll, batch)),
        (f"{BATCH}, every step recorded", partial(roll, batch, every=1, out=frames)),
        (f"{BATCH}, float32", partial(roll, made(precision="float32"))),
    ):
        print(f"{work} {seconds_of(call) * per_step:.6f}")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(range(os.cpu_count() or 1)))
    teams = {threads: made(MANY, threads=threads) for threads in (1, 2)}
    for way, clock in (("elapsed", time.perf_counter), ("CPU time", time.process_time)):
        shortest = dict.fromkeys(teams, float("inf"))
        for _ in range(CALLS):
            for threads, team in teams.items():
                roll(team, 0)
                start = clock()
                team.step(STEPS)
                shortest[threads] = min(shortest[threads], clock() - start)
        for threads, found in shortest.items():
            print(f"{BATCH}, {threads} threads, {way} {found * per_step * INSTANCES / MANY:.6f}")


if __name__ == "__main__":
    os.environ.setdefault("POLYBODY_CACHE", str(CACHE / "programs"))
    main(*sys.argv[1:])
