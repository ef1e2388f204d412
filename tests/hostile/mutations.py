"""Change numbers of integer columns of a Model, and simulate with what is accepted.

    python -m tests.hostile.mutations --scene everything --seconds 3600 --seed 7

Every mutant is refused with a ModelError, or simulated with finite results. The mutants run in child
processes, so that a signal ends only the child; the one in which it happened is reported, and the others
continue. The mutants depend on the seed alone. Exit code 1 if something else happened.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polybody as pb
from polybody.generated.model import TABLES, Column
from polybody.model.model import Model

from .scenes import TEXTS, scene

LARGEST = 2**31 - 1
BLOCK = 100
"""How many mutants a child process tries."""
PATIENCE = 60
"""Seconds after which a mutant counts as a hang."""
WORK = (
    *("opt_iterations", "opt_ls_iterations", "opt_noslip_iterations"),
    *("opt_ccd_iterations", "opt_sdf_initpoints", "opt_sdf_iterations"),
)
"""Columns whose numbers only say how much is computed: large ones take long."""
MUCH = 200
COLUMNS: dict[str, tuple[str, Column]] = {
    column.name: (table.tag, column)
    for table in TABLES
    for column in table.columns
    if column.role == "model" and column.dtype in ("int32", "uint8")
}
SETTINGS = tuple(product(("Newton", "CG", "PGS"), ("pyramidal", "elliptic"), ("dense", "sparse")))
CODES = {
    name: {str(m.name): int(m) for m in c.codes} for name, (_, c) in COLUMNS.items() if c.codes is not None
}


class Mutant(NamedTuple):
    """Numbers of columns that are changed: a column, the place in it (None: everywhere), the number."""

    changes: tuple[tuple[str, int | None, int], ...]
    made: str
    """How the Model is made, a key of MAKERS."""
    settings: tuple[tuple[str, str, str], ...]
    """Solvers, cones and Jacobians with which it is stepped."""
    kernels: str = "loop"


# --- which mutants ----------------------------------------------------------------------------------------


def numbers(model: Model, name: str, size: int) -> list[int]:
    """Numbers for a column: invalid ones, and valid ones that mean something else."""
    column = COLUMNS[name][1]
    tables = sorted({model.nbody, model.njnt, model.ngeom, model.nsite, model.nsensor, model.nv, size})
    found = [
        -1,
        -2,
        0,
        1,
        2,
        3,
        5,
        7,
        *tables,
        *(n - 1 for n in tables),
        1000,
        10**6,
        LARGEST,
        -(10**6),
        -LARGEST - 1,
    ]
    if column.codes is not None:
        found += [int(code) for code in column.codes] + [max(map(int, column.codes)) + 1]
    if name in WORK:
        found = [number for number in found if number <= MUCH]
    if column.dtype == "uint8":
        found = [number for number in found if 0 <= number < 256] + [255]
    return sorted(set(found))


def single(model: Model) -> list[tuple[tuple[str, int | None, int], ...]]:
    """All changes of one column: of the first number, the last one, all of them."""
    found = []
    for name in COLUMNS:
        size = int(np.size(getattr(model, name)))
        places = {1: (None,), 0: ()}.get(size, (0, size - 1, None))
        found += [((name, place, number),) for place in places for number in numbers(model, name, size)]
    return found


def mutants(model: Model, seed: int) -> Iterator[Mutant]:
    """Changes of one column in random order, then pairs without end."""
    draw = random.Random(seed)
    ones = single(model)
    draw.shuffle(ones)
    makers = tuple(MAKERS)
    for changes in ones:
        yield Mutant(changes, draw.choice(makers), tuple(draw.sample(SETTINGS, 2)))
    while True:
        changes = draw.choice(ones) + draw.choice(ones)
        yield Mutant(changes, draw.choice(makers), tuple(draw.sample(SETTINGS, 2)))


# --- how they are made ------------------------------------------------------------------------------------


def changed(model: Model, mutant: Mutant) -> dict[str, Any]:
    """The columns with the changes."""
    found: dict[str, Any] = {}
    for name, place, number in mutant.changes:
        values = np.array(found.get(name, getattr(model, name)), dtype=COLUMNS[name][1].dtype)
        values.reshape(-1)[slice(None) if place is None else place] = number
        found[name] = values
    return found


def by_replace(model: Model, mutant: Mutant) -> Model:
    return model.replace(**changed(model, mutant))


def by_npz(model: Model, mutant: Mutant) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.npz"
        model.save(path)
        with np.load(path) as archive:
            columns = dict(archive)
        np.savez(path, **columns | changed(model, mutant))
        return Model.load(path)


def by_pickle(model: Model, mutant: Mutant) -> Model:
    restore, (columns, *rest) = model.__reduce__()[:2]

    class Forged:
        def __reduce__(self) -> Any:
            return restore, (columns | changed(model, mutant), *rest)

    made: Model = pickle.loads(pickle.dumps(Forged()))
    return made


def by_xml(model: Model, mutant: Mutant) -> Model:
    text = model.to_xml()
    for name, place, number in mutant.changes:
        text = rewritten(text, name, place, number)
    return Model.from_xml(text)


def rewritten(text: str, name: str, place: int | None, number: int) -> str:
    """The XML of a Model with a number changed; a number that is no code is written as it is."""
    tag, column = COLUMNS[name]
    words = {code: word for word, code in CODES.get(name, {}).items()}
    word = {0: "false", 1: "true"}.get(number, str(number)) if column.flag else words.get(number, str(number))
    count = -1

    def line(found: re.Match[str]) -> str:
        nonlocal count
        parts = found[3].split()
        for k in range(len(parts)):
            count += 1
            if place is None or count == place:
                parts[k] = word
        return f'{found[1]}{found[2]}{" ".join(parts)}"'

    return re.sub(rf'(  <{tag}\b[^\n]*?)( {column.attribute}=")([^"]*)"', line, text)


MAKERS: dict[str, Callable[[Model, Mutant], Model]] = {
    "replace": by_replace, "npz": by_npz, "pickle": by_pickle, "XML": by_xml,
}  # fmt: skip


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
    except MemoryError:
        return "too large"
    return "simulated"


def use(made: Model, mutant: Mutant) -> None:
    """Poses, contacts, rays, steps with some solvers, and a batch."""
    data = pb.Data(made)
    pb.forward(made, data)
    for contact in range(min(data.ncon, 3)):
        pb.contact_force(made, data, contact)
    pb.ray(made, data, (0, 0, 2), (0, 0, -1))
    for solver, cone, jacobian in mutant.settings:
        own = made.replace(opt_solver=solver, opt_cone=cone, opt_jacobian=jacobian)
        state = pb.Data(own)
        pb.step(own, state, 2)
        assert np.isfinite(state.qpos).all(), "qpos is not finite"
        assert np.isfinite(state.qvel).all(), "qvel is not finite"
    batch = pb.BatchStepper(made, 3, kernels=mutant.kernels)
    batch.step(2)
    assert np.isfinite(batch.qpos).all(), "the state of a batch is not finite"
    if mutant.kernels != "loop":
        stepper = pb.Stepper(made, kernels=mutant.kernels)
        stepper.step(2)
        assert np.isfinite(stepper.data.qpos).all(), "the state of a program is not finite"


def in_child(model: Model, block: list[Mutant], report: Any) -> None:
    """Try mutants; write what happened to each, a line before and a line after it."""
    for place, mutant in enumerate(block):
        report.write(f"{place}\n")
        report.flush()
        signal.alarm(PATIENCE)
        try:
            word = attempt(model, mutant)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            word = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        report.write(" " + word.replace("\n", " ") + "\n")
        report.flush()
    signal.alarm(0)


LONGEST = 300
"""Seconds after which a signal ends a child."""
SOUND = ("refused", "refused when used", "diverged", "simulated", "too large")


def tried(model: Model, block: list[Mutant]) -> list[tuple[Mutant, str]]:
    """What happened to each mutant; a child that a signal ends is followed by another one."""
    found: list[tuple[Mutant, str]] = []
    while len(found) < len(block):
        read, write = os.pipe()
        child = os.fork()
        if not child:
            signal.alarm(LONGEST)
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
    name: str, seed: int, cases: int = 0, seconds: float = 0.0
) -> tuple[Counter[str], list[tuple[Mutant, str]]]:
    """Try mutants of a scene until a number of them or the time is used up.

    Returns:
        How many ended in which way, and those that must not end so.
    """
    model = scene(name)
    use(model, Mutant((), "replace", SETTINGS))
    counted: Counter[str] = Counter()
    bad: list[tuple[Mutant, str]] = []
    source, start = mutants(model, seed), time.monotonic()
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
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counted, bad = run(options.scene, options.seed, options.cases, options.seconds)
    print(f"{counted.total():,} mutants of {options.scene} with seed {options.seed}: {dict(counted)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
