"""Change numbers of Models, batches and states, and simulate with what is accepted.

    python -m tests.hostile.mutations --scene everything --seconds 3600 --seed 7

Every mutant is refused with a ModelError, or simulated with finite results. The mutants run in child
processes, so that a signal ends only the child; the one in which it happened is reported, and the others
continue. The mutants depend on the seed alone. Exit code 1 if something else happened.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
from polybody.model.model import Model
from polybody.simulation.batch.memory import parameters

from .mutants import MAKERS, REALS, SETTINGS, Mutant, mutants, put
from .scenes import TEXTS, scene

BLOCK = 100
"""How many mutants a child process tries."""
PATIENCE = 60
"""Seconds after which a mutant counts as a hang."""
LONGEST = 300
"""The same for one that is compiled."""
MEMORY = 4 << 30
"""Bytes of address space that a child may add to that of its parent."""
SOUND = ("refused", "refused when used", "diverged", "simulated", "too large")
DOES_NOT_FIT = re.compile(r"allocate|not enough memory for|elements|entries")
"""A message that says what needs memory."""
MANY = 10_000
"""Smallest number that may be the reason why memory is insufficient."""

# --- what is done with them -------------------------------------------------------------------------------


def attempt(model: Model, mutant: Mutant) -> str:
    """Make a mutant and simulate with it; returns what happened in a word.

    Raises:
        Exception: anything that users must not see.
    """
    try:
        made = MAKERS[mutant.made](model, mutant)
    except pb.ModelError:
        return "refused"
    try:
        use(made, mutant)
    except pb.ModelError:
        return "refused when used"
    except pb.SimulationError:
        return "diverged"
    except MemoryError as error:
        if is_due_to_a_number(error, mutant):
            return "too large"
        raise
    return "simulated"


def is_due_to_a_number(error: MemoryError, mutant: Mutant) -> bool:
    """Whether a message says what did not fit, and some number of the Model really is that large."""
    large = any(abs(number) >= MANY for _, _, number in mutant.changes)
    return large and DOES_NOT_FIT.search(str(error)) is not None


def use(made: Model, mutant: Mutant) -> None:
    """Everything that is computed of a state, steps with some solvers, and a batch."""
    data = pb.Data(made)
    compute(made, data)
    for solver, cone, jacobian in mutant.settings:
        own = made.replace(opt_solver=solver, opt_cone=cone, opt_jacobian=jacobian)
        state = pb.Data(own)
        pb.step(own, state, 2)
        assert np.isfinite(state.qpos).all(), "qpos is not finite"
        assert np.isfinite(state.qvel).all(), "qvel is not finite"
    if mutant.own:
        use_instance(made, mutant)
        return
    batch = pb.BatchStepper(made, 3, kernels=mutant.kernels)
    batch.step(2)
    assert np.isfinite(batch.qpos).all(), "the state of a batch is not finite"
    if mutant.kernels != "loop":
        stepper = pb.Stepper(made, kernels=mutant.kernels)
        stepper.step(2)
        assert np.isfinite(stepper.data.qpos).all(), "the state of a program is not finite"


def compute(model: Model, data: pb.Data) -> None:
    """What is computed of a state without a step."""
    pb.forward(model, data)
    for contact in range(min(data.ncon, 3)):
        pb.contact_force(model, data, contact)
    pb.ray(model, data, (0, 0, 2), (0, 0, -1))
    pb.inverse(model, data)
    pb.energy(model, data)
    pb.mass_matrix(model, data)
    pb.jacobian(model, data, model.nbody - 1)


def use_instance(model: Model, mutant: Mutant) -> None:
    """Steps of a batch in which one instance has other parameters or another state.

    That instance has finite results or fails, for a reason that can be told; the others are the same as
    without it. The same state is also given to a single simulation.
    """
    names = tuple(dict.fromkeys(name for name, _, _ in mutant.own if name in REALS))
    if names and mutant.kernels != "loop":  # one program for all of these mutants
        names = tuple(name for name in parameters() if np.size(getattr(model, name)))
    options = {"kernels": mutant.kernels, "parameters": names, "precision": mutant.precision}
    batch, plain = (pb.BatchStepper(model, 10, **options) for _ in range(2))
    batch.step(1)
    plain.step(1)
    for name, place, number in mutant.own:
        columns = batch.parameters if name in REALS else None
        values = columns[name] if columns is not None else getattr(batch, name)
        if columns is None:
            getattr(plain, name)  # forces on bodies need another program, with other roundings
        with np.errstate(over="ignore"):
            put(values[1:2], place, number)
    batch.step(2)
    plain.step(2)
    others = np.arange(batch.n) != 1
    assert (batch.qpos[others] == plain.qpos[others]).all(), "an instance changes others"
    assert (batch.failed[others] == plain.failed[others]).all(), "an instance makes others fail"
    if batch.failed[1]:
        batch.failure(1)
    else:
        assert np.isfinite(batch.qpos[1]).all(), "the state of an instance is not finite"
    batch.forward()
    alone(model, mutant)


def alone(model: Model, mutant: Mutant) -> None:
    """A single simulation from a state with the changes."""
    data = pb.Data(model)
    for name, place, number in mutant.own:
        if name not in REALS:
            put(getattr(data, name), place, number)
    compute(model, data)
    pb.step(model, data, 2)
    assert np.isfinite(data.qpos).all(), "qpos is not finite"


def limit_memory() -> None:
    """Let this process add MEMORY bytes to its address space. Sanitizers reserve far more, and have a limit
    of their own.
    """
    import resource  # not on Windows

    if "ASAN_OPTIONS" not in os.environ:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        bound = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def in_child(model: Model, block: list[Mutant], report: Any) -> None:
    """Try mutants; write what happened to each, a line before and a line after it."""
    for place, mutant in enumerate(block):
        report.write(f"{place}\n")
        report.flush()
        signal.alarm(PATIENCE if mutant.kernels == "loop" else LONGEST)
        try:
            word = attempt(model, mutant)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            word = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        report.write(" " + word.replace("\n", " ") + "\n")
        report.flush()
    signal.alarm(0)


def tried(model: Model, block: list[Mutant]) -> list[tuple[Mutant, str]]:
    """What happened to each mutant; a child that a signal ends is followed by another one."""
    found: list[tuple[Mutant, str]] = []
    while len(found) < len(block):
        read, write = os.pipe()
        child = os.fork()
        if not child:
            limit_memory()
            os.close(read)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with os.fdopen(write, "w") as report:
                in_child(model, block[len(found) :], report)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as report:
            lines = report.read().splitlines()
        _, status = os.waitpid(child, 0)
        words = [line[1:] for line in lines if line.startswith(" ")]
        rest = block[len(found) :]
        found += zip(rest, words, strict=False)
        if len(words) < len(rest):
            name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
            found.append((rest[len(words)], name))
    return found


def run(
    name: str, seed: int, cases: int = 0, seconds: float = 0.0, programs: float = 0.02
) -> tuple[Counter[str], list[tuple[Mutant, str]]]:
    """Try mutants of a scene until a number of them or the time is used up.

    Returns:
        How many ended in which way, and those that must not end so.
    """
    model = scene(name)
    use(model, Mutant((), "replace", SETTINGS))
    counted: Counter[str] = Counter()
    bad: list[tuple[Mutant, str]] = []
    source, start = mutants(model, seed, programs), time.monotonic()
    while (not cases or counted.total() < cases) and (not seconds or time.monotonic() - start < seconds):
        size = min(BLOCK, cases - counted.total()) if cases else BLOCK
        for mutant, word in tried(model, [next(source) for _ in range(size)]):
            counted[word if word in SOUND else "fault"] += 1
            if word not in SOUND:
                bad.append((mutant, word))
                print(f"{word}: {mutant}", flush=True)
    return counted, bad


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.hostile.mutations", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--scene", choices=tuple(TEXTS), default="everything")
    parser.add_argument("--seconds", type=float, default=0.0, help="how long to try; 0: no bound")
    parser.add_argument("--cases", type=int, default=0, help="how many to try; 0: no bound")
    parser.add_argument("--seed", type=int, default=0, help="what draws")
    parser.add_argument("--programs", type=float, default=0.02, help="share of mutants that are compiled")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counted, bad = run(options.scene, options.seed, options.cases, options.seconds, options.programs)
    print(f"{counted.total():,} mutants of {options.scene} with seed {options.seed}: {dict(counted)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
