"""How much of this core's peak the kernels made for a model reach: ``python -m benchmarks.peak``.

The peak is measured: fused multiply-adds out of registers, scalar for single states, a register wide for
batches. The operations are those of the specialised kernel, which the specialiser counts (a sine, a root or a
division as one); at the peak they would take ``peer_us``, so the ratio is the fraction that is reached.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from polybody.batch.registers import width

from benchmarks.engine import FORWARD, STEP, compiled, fresh, random_states, run
from benchmarks.models import load
from benchmarks.ours.specialised import Lanes, Specialised, operations
from benchmarks.rows import Part, Row, compare, main

SOURCE = Path(__file__).parent / "peak.c"
MODELS = ("iiwa", "half-cheetah", "humanoid", "talos", "chain of 100")
ROUNDS = 5
FLAGS = ("-O2", "-march=native", "-ffp-contract=fast", "-fno-tree-slp-vectorize", "-w")


def peaks(folder: Path) -> dict[str, float]:
    """GFLOP/s of this core, "scalar" and "vector"."""
    program = compiled(SOURCE, os.environ.get("CC", "cc"), [*FLAGS, f"-DBYTES={width()}"])
    return run(fresh(program, folder))


def measure_model(name: str, rounds: int) -> list[Row]:
    model = load(name)
    rows: list[Row] = []
    engines: tuple[tuple[type[Specialised], str], ...] = ((Specialised, "scalar"), (Lanes, "vector"))
    with tempfile.TemporaryDirectory() as folder:
        for kind, way in engines:
            engine = kind(model, random_states(model), Path(folder) / kind.__name__)
            times = [(engine.measure(), peaks(Path(folder))[way]) for _ in range(rounds)]
            programs = ((FORWARD, engine.smooth, "acceleration"), (STEP, engine.step, "step"))
            for work, program, kernel in programs:
                count = operations(program, kernel)
                ours = [measured[work] for measured, _ in times]
                best = [count * 1e-3 / peak for _, peak in times]  # microseconds
                said = f"{count} operations at {way} peak"
                rows.append(compare(work, engine.label, name, said, ours, best, nv=model.nv))
    return rows


def measure(arguments: argparse.Namespace) -> list[Row]:
    rounds = 3 if arguments.quick else ROUNDS
    return [row for name in MODELS for row in measure_model(name, rounds)]


PART = Part("Fraction of this core's peak (the ratio)", measure)

if __name__ == "__main__":
    main(PART)
