"""Domain randomisation: parameters of a batch's instances that change, beside the time of its steps.

    python -m benchmarks.randomised               Gymnasium's ant
    python -m benchmarks.randomised FILE.xml

Masses (with inertias) and frictions are scaled at random. First, the time for an instance whose parameters
have changed, and that of MuJoCo's `mj_setConst`, which updates what depends on masses. Then the first step of
512 instances that all differ. Then steps of 4,096 instances, in turns: as they are, and with one in a hundred
of them reset and randomised anew before. Times are medians.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import mujoco
import numpy as np
import polybody as pb

from benchmarks.touching import files

INSTANCES, FEW, SHARE, WARM = 4096, 512, 100, 50
FRICTIONS, MASSES = ("geom_friction",), ("body_mass", "body_inertia")
NAMED = {"friction": FRICTIONS, "masses": MASSES, "both": (*MASSES, *FRICTIONS)}


class Randomised:
    """A batch with random controls whose masses and frictions can be scaled.

    Args:
        model: the Model.
        names: the parameters.
        n: number of instances.
        threads: number of threads.
    """

    def __init__(self, model: Any, names: tuple[str, ...], n: int, threads: int) -> None:
        self.random = np.random.default_rng(0)
        self.model, self.names = model, names
        self.batch = pb.BatchStepper(model, n, threads=threads, parameters=names)
        self.batch.ctrl = self.random.uniform(-1, 1, (n, model.nu))

    def scale(self, rows: Any) -> None:
        """Draw the parameters of some instances anew; a body's mass and inertia have the same factor."""
        count = len(self.batch.time[rows])
        heavier = self.random.uniform(0.8, 1.2, (count, self.model.nbody))
        slippery = self.random.uniform(0.5, 1.5, (count, 1, 1))
        for name in self.names:
            base = getattr(self.model, name)
            factor = slippery if name in FRICTIONS else heavier.reshape(count, -1, *(1,) * (base.ndim - 1))
            self.batch.parameters[name][rows] = base * factor


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    call()
    return clock() - start


def of_an_instance(model: Any, names: tuple[str, ...], threads: int, rounds: int) -> float:
    """CPU time for each of FEW instances whose parameters change: a step with the change less one without."""
    many = Randomised(model, names, FEW, threads)
    many.scale(slice(None))
    many.batch.step()
    found = []
    for _ in range(rounds):
        many.scale(slice(None))
        first, second = (seconds(many.batch.step, time.process_time) for _ in range(2))
        found.append(first - second)
    return median(found) / FEW


def of_mujoco(path: Path, rounds: int) -> float:
    """Seconds of mj_setConst."""
    engine = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(engine)
    return median(seconds(lambda: mujoco.mj_setConst(engine, data)) for _ in range(rounds))


def of_steps(model: Any, threads: int, rounds: int) -> tuple[float, float]:
    """Seconds of a step of INSTANCES, and of one after a share of them was reset and randomised."""
    many = Randomised(model, NAMED["both"], INSTANCES, threads)
    many.scale(slice(None))
    many.batch.step(WARM)

    def change() -> None:
        rows = many.random.choice(INSTANCES, INSTANCES // SHARE, replace=False)
        many.batch.reset(rows)
        many.scale(rows)
        many.batch.step()

    change()
    pairs = [(seconds(many.batch.step), seconds(change)) for _ in range(rounds)]
    return median(first for first, _ in pairs), median(second for _, second in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.randomised")
    parser.add_argument("file", nargs="?", type=Path, help="an MJCF file; by default Gymnasium's ant")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    path = options.file or next(path for path in files() if path.stem == "ant")
    model, rounds = pb.load(path), options.rounds
    print(f"{path.name}: {model.nbody} bodies, {model.ngeom} geoms, {model.nv} degrees of freedom")
    print(f"mj_setConst: {of_mujoco(path, rounds) * 1e6:.0f} us")
    for threads in (1, 2):
        for what, names in NAMED.items():
            each = of_an_instance(model, names, threads, rounds)
            print(
                f"{threads} threads, {what}: {each * 1e6:.1f} us of CPU time for each instance that changes"
            )
        many = Randomised(model, NAMED["both"], FEW, threads)
        many.scale(slice(None))
        first = seconds(many.batch.step)
        print(f"{threads} threads: first step of {FEW} different instances {first * 1e3:.1f} ms")
        alone, changed = of_steps(model, threads, rounds)
        print(
            f"{threads} threads: step of {INSTANCES} {alone * 1e3:.2f} ms; with {INSTANCES // SHARE} of them "
            f"reset and randomised {changed * 1e3:.2f} ms, {changed / alone:.2f} times as long"
        )


if __name__ == "__main__":
    main()
