"""Which numbers of a Model, of an instance of a batch or of a state change, and how the Model is made."""

from __future__ import annotations

import math
import pickle
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polybody as pb
from polybody.generated.model import TABLES, Column
from polybody.model.model import Model
from polybody.simulation.batch.memory import parameters

LARGEST = 2**31 - 1
WORK = (
    *("opt_iterations", "opt_ls_iterations", "opt_noslip_iterations"),
    *("opt_ccd_iterations", "opt_sdf_initpoints", "opt_sdf_iterations"),
)
"""Columns whose numbers only say how much is computed: large ones take long."""
MUCH = 200
GIVEN: dict[str, tuple[str, Column]] = {
    column.name: (table.tag, column) for table in TABLES for column in table.columns if column.role == "model"
}
COLUMNS = {name: found for name, found in GIVEN.items() if found[1].dtype in ("int32", "uint8")}
REALS = tuple(name for name, (_, column) in GIVEN.items() if column.dtype == "float64")
EXTREME = (math.nan, math.inf, -math.inf, 0.0, -1.0, 1e-300, 1e9, -1e9, 1e18, 1e300, -1e300, 1.7e308)
STATE = (
    *("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat"),
    *("qacc_warmstart", "eq_active"),
)
"""What every instance of a batch has of its own, besides parameters."""
SETTINGS = tuple(product(("Newton", "CG", "PGS"), ("pyramidal", "elliptic"), ("dense", "sparse")))
CODES = {
    name: {str(m.name): int(m) for m in c.codes} for name, (_, c) in COLUMNS.items() if c.codes is not None
}
Change = tuple[str, int | None, float]
"""A column, the place in it (None: everywhere), the number."""
Draw = random.Random


class Mutant(NamedTuple):
    """Numbers that are changed, and how the Model is made and used."""

    changes: tuple[Change, ...]
    """Of the Model."""
    made: str = "replace"
    """How the Model is made, a key of MAKERS."""
    settings: tuple[tuple[str, str, str], ...] = ()
    """Solvers, cones and Jacobians with which it is stepped."""
    kernels: str = "loop"
    own: tuple[Change, ...] = ()
    """Of the parameters and the state of one instance of a batch."""
    precision: str = "float64"


# --- which numbers ----------------------------------------------------------------------------------------


def numbers(model: Model, name: str, size: int) -> list[float]:
    """Numbers for a column: invalid ones, and valid ones that mean something else."""
    column = GIVEN[name][1]
    if column.dtype == "float64":
        return list(EXTREME)
    tables = sorted({model.nbody, model.njnt, model.ngeom, model.nsite, model.nsensor, model.nv, size})
    found = [-1, -2, 0, 1, 2, 3, 5, 7, *tables, *(n - 1 for n in tables), 1000, 10**6, LARGEST]
    found += [-(10**6), -LARGEST - 1]
    if column.codes is not None:
        found += [int(code) for code in column.codes] + [max(map(int, column.codes)) + 1]
    if name.endswith("flags"):
        found += [1 << bit for bit in range(20)]
    for bound in (column.minimum, column.maximum):
        found += [] if bound is None else [int(bound) - 1, int(bound), int(bound) + 1]
    if name in WORK:
        found = [number for number in found if number <= MUCH]
    if column.dtype == "uint8":
        found = [number for number in found if 0 <= number < 256] + [255]
    return [number for number in sorted(set(found)) if -LARGEST - 1 <= number <= LARGEST]


def places(size: int) -> tuple[int | None, ...]:
    """The first number, the last one, all of them."""
    return {1: (None,), 0: ()}.get(size, (0, size - 1, None))


def single(model: Model, names: tuple[str, ...] = tuple(COLUMNS)) -> list[Change]:
    """All changes of one place in a column."""
    found: list[Change] = []
    for name in names:
        size = int(np.size(getattr(model, name)))
        found += product((name,), places(size), numbers(model, name, size))
    return found


def of_instances(model: Model) -> list[Change]:
    """All changes of a parameter or of the state of an instance."""
    found = single(model, tuple(name for name in parameters() if name in REALS))
    state = pb.Data(model)
    for name in STATE:
        values = (0, 1, 255) if name == "eq_active" else EXTREME
        found += product((name,), places(int(np.size(getattr(state, name)))), values)
    return found


# --- which mutants ----------------------------------------------------------------------------------------


def endless(draw: Draw, changes: list[Change]) -> Iterator[Change]:
    """Each of the changes in random order, again and again."""
    while True:
        draw.shuffle(changes)
        yield from tuple(changes)


def accepted(model: Model, change: Change) -> bool:
    """Whether a Model with this change can be made."""
    try:
        by_replace(model, Mutant((change,)))
    except pb.ModelError:
        return False
    return True


class Pairs:
    """Draws pairs of changes. Most changes are refused, and a pair with one of them shows nothing else, so
    three of four are of changes that are accepted one by one; and half of the pairs are of the same rows.
    """

    def __init__(self, model: Model, draw: Draw) -> None:
        self.draw = draw
        self.all: list[Change] = []
        self.sound: list[Change] = []
        self.model = model

    def add(self, change: Change) -> None:
        """Add a change of which pairs are made."""
        self.all.append(change)
        if accepted(self.model, change):
            self.sound.append(change)

    def pair(self) -> tuple[Change, Change]:
        """Two changes, of different columns where there are any."""
        known = self.sound if self.sound and self.draw.random() < 0.75 else self.all
        first = self.draw.choice(known)
        others = [other for other in known if other[0] != first[0]] or known
        beside = [other for other in others if GIVEN[other[0]][0] == GIVEN[first[0]][0]]
        if beside and self.draw.random() < 0.5:
            others = [other for other in beside if other[1] == first[1]] or beside
        return first, self.draw.choice(others)


def mutants(model: Model, seed: int, programs: float = 0.02) -> Iterator[Mutant]:
    """Mutants without end: integers of the Model one at a time and in pairs, of which some also with a real
    number, and numbers of one instance of a batch, in turn. They depend on the seed alone.

    Args:
        model: what is changed.
        seed: what draws.
        programs: share of the mutants of a Model that compiled programs simulate, each of which takes a
            compilation.
    """
    draw = random.Random(seed)
    ones, reals = endless(draw, single(model)), endless(draw, single(model, REALS))
    own, pairs = endless(draw, of_instances(model)), Pairs(model, draw)

    def made(*changes: Change) -> Mutant:
        kernels = "specialized" if draw.random() < programs else "loop"
        return Mutant(changes, draw.choice(tuple(MAKERS)), tuple(draw.sample(SETTINGS, 2)), kernels)

    while True:
        change = next(ones)
        pairs.add(change)
        yield made(change)
        yield made(*pairs.pair())
        real = next(reals)
        yield made(real) if draw.random() < 0.5 else made(draw.choice(pairs.all), real)
        changes = tuple(next(own) for _ in range(draw.choice((1, 1, 2))))
        kernels = "specialized" if draw.random() < 0.3 else "loop"
        precision = draw.choice(("float64", "float32"))
        yield Mutant((), "replace", (draw.choice(SETTINGS),), kernels, changes, precision)


# --- how they are made ------------------------------------------------------------------------------------


def put(values: Any, place: int | None, number: float) -> None:
    """Set one number of an array, or all of them."""
    if place is None:
        values[...] = number
    else:
        values[np.unravel_index(place, values.shape)] = number


def changed(model: Model, mutant: Mutant) -> dict[str, Any]:
    """The columns with the changes."""
    found: dict[str, Any] = {}
    for name, place, number in mutant.changes:
        values = np.array(found.get(name, model.given()[name]), dtype=GIVEN[name][1].dtype)
        put(values, place, number)
        found[name] = values
    return found


def by_replace(model: Model, mutant: Mutant) -> Model:
    return model.replace(**changed(model, mutant))


def by_npz(model: Model, mutant: Mutant) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.npz"
        np.savez(path, **saved(model) | changed(model, mutant))
        return Model.load(path)


@cache
def saved(model: Model) -> dict[str, Any]:
    """The arrays of the file of a Model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.npz"
        model.save(path)
        with np.load(path) as archive:
            return dict(archive)


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


def rewritten(text: str, name: str, place: int | None, number: float) -> str:
    """The XML of a Model with a number changed; a number that is no code is written as it is."""
    tag, column = GIVEN[name]
    words = {code: word for word, code in CODES.get(name, {}).items()}
    word = {0: "false", 1: "true"}.get(int(number)) if column.flag else None
    word = word or (words.get(int(number)) if words else None)
    word = word or {"nan": "NaN", "inf": "INF", "-inf": "-INF"}.get(repr(number), repr(number))
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
