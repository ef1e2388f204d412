"""The time to compile the programs of a model: ``python -m benchmarks.building``.

It measures elapsed time on two cores in fresh processes: tracing, compiling and testing the programs of a
Stepper and a BatchStepper with an empty cache, and the first step with a warm cache, without imports. The
peer is the time limit. On a loaded machine consider the CPU time, which two cores would share at best.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.models import load
from benchmarks.rows import Part, Row, compare, main

LIMITS = {"humanoid": 3.0, "chain of 100": 6.0, "chain of 400": 20.0}  # seconds
FIRST_STEP = 0.05
ROUNDS = 3
PROGRAM = """
import os, pickle, resource, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, range(os.cpu_count())[-2:])
import numpy, polybody
from polybody import BatchStepper, Stepper
model = pickle.loads(open(sys.argv[1], "rb").read())
start = time.perf_counter()
Stepper(model, kernels="specialized").step(1)
stepped = time.perf_counter()
if sys.argv[2] == "both":
    BatchStepper(model, 64, kernels="specialized").step(1)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((stepped - start) * 1e6, (time.perf_counter() - start) * 1e6, (used.ru_utime + used.ru_stime) * 1e6)
"""


def elapsed(model: Path, cache: Path, what: str) -> tuple[float, float, float]:
    """Microseconds until the first step of a Stepper, then of a BatchStepper; and CPU time on all
    processors.
    """
    environment = os.environ | {"POLYBODY_CACHE": str(cache), "POLYBODY_KERNELS": "auto"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(model), what],
        check=True, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    first, both, used = done.stdout.split()
    return float(first), float(both), float(used)


def measure_model(name: str, limit: float, rounds: int) -> list[Row]:
    model = load(name)
    cold: list[tuple[float, float, float]] = []
    warm: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model"
        file.write_bytes(pickle.dumps(model))
        for k in range(rounds):
            cache = Path(folder) / f"cache {k}"
            cold.append(elapsed(file, cache, "both"))
            warm.append(elapsed(file, cache, "one"))

    def row(work: str, kernel: str, times: list[float], limit: float) -> Row:
        return compare(work, kernel, name, f"at most {limit} s", times, [limit * 1e6] * rounds, nv=model.nv)

    return [
        row("compile for Stepper", "specialized", [one for one, _, _ in cold], limit),
        row("compile for both", "specialized, batch", [both for _, both, _ in cold], limit),
        row("CPU time of both", "specialized, batch", [used for _, _, used in cold], 2 * limit),
        row("first step, warm cache", "specialized", [one for one, _, _ in warm], FIRST_STEP),
    ]


def measure(arguments: argparse.Namespace) -> list[Row]:
    rounds = 2 if arguments.quick else ROUNDS
    return [row for name, limit in LIMITS.items() for row in measure_model(name, limit, rounds)]


PART = Part("Compiling programs", measure, note="The peer is the time that it may take at most.")

if __name__ == "__main__":
    main(PART)
