"""What fraction of this core's peak the specialised kernels reach: ``python -m benchmarks.peak``.

The peak is measured with fused multiply-adds on registers: scalar for single states, full register width for
batches. The specialiser counts the operations of a specialised kernel; those of the loops are counted by
running them on counting numbers (a sine, a root or a division counts as one). At the peak they would take
``peer_us``, so the ratio is the fraction of the peak.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from polybody.codegen.specialised.kernels import kernels
from polybody.programs.target import native

from benchmarks.engine import FORWARD, STEP, Engine, compiled, fresh, random_states, run
from benchmarks.models import load
from benchmarks.ours.loops import Loops
from benchmarks.ours.reference import operations as counted
from benchmarks.ours.specialised import Lanes, Specialised, operations
from benchmarks.rows import Part, Row, compare, main

SOURCE = Path(__file__).parent / "peak.c"
MODELS = ("iiwa", "half-cheetah", "humanoid", "talos", "chain of 100")
ROUNDS = 5
FLAGS = ("-O2", "-march=native", "-ffp-contract=fast", "-fno-tree-slp-vectorize", "-w")


def peaks(folder: Path) -> dict[str, float]:
    """GFLOP/s of this core, "scalar" and "vector"."""
    program = compiled(SOURCE, os.environ.get("CC", "cc"), [*FLAGS, f"-DBYTES={native().processor.vector}"])
    return run(fresh(program, folder))


def counts(engine: Engine) -> dict[str, int]:
    """The number of operations of a step and of its accelerations."""
    if isinstance(engine, Specialised):
        return {FORWARD: operations(engine.smooth, "acceleration"), STEP: operations(engine.step, "step")}
    arrays = {**engine.model.columns, **engine.model.kernel.arrays}
    known = kernels(arrays)
    q, v, _ = engine.states
    names = {FORWARD: "acceleration", STEP: "step"}
    return {work: counted(arrays, (q[0], v[0]), known[name].programmed) for work, name in names.items()}


def measure_model(name: str, rounds: int) -> list[Row]:
    model = load(name)
    rows: list[Row] = []
    engines: tuple[tuple[type[Engine], str], ...] = (
        (Loops, "scalar"),
        (Specialised, "scalar"),
        (Lanes, "vector"),
    )
    with tempfile.TemporaryDirectory() as folder:
        for kind, way in engines:
            engine = kind(model, random_states(model), Path(folder) / kind.__name__)
            times = [(engine.measure(), peaks(Path(folder))[way]) for _ in range(rounds)]
            for work, count in counts(engine).items():
                ours = [measured[work] for measured, _ in times]
                best = [count * 1e-3 / peak for _, peak in times]  # microseconds
                said = f"{count} operations at {way} peak"
                rows.append(compare(work, engine.label, name, said, ours, best, nv=model.nv))
    return rows


def measure(arguments: argparse.Namespace) -> list[Row]:
    rounds = 3 if arguments.quick else ROUNDS
    return [row for name in MODELS for row in measure_model(name, rounds)]


PART = Part("Fraction of the core's peak performance", measure, note="The ratio is this fraction.")

if __name__ == "__main__":
    main(PART)
