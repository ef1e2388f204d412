"""Every column of every machine, for random robots and for model files of every format."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.model.observable import OBSERVABLE

from tests.amounts import amount, full

from . import __main__ as command
from . import trees
from .comparing import NEXT, compare
from .files import FORMATS, packages, shipped, written
from .movers import KINDS, Kind, Single
from .quick import quickly

LOOPS = tuple(kind for kind in KINDS if not kind.compiled)
PROGRAMS = tuple(kind for kind in KINDS if kind.compiled)
MOST = 12
"""Degrees of freedom of the largest model of a sample."""
FILES = 20
"""Models of each format: up to FROM_PACKAGES files, and random ones."""
FROM_PACKAGES = 12
EVERY = 10
"""In a sample, every tenth file is also compared with a program, whose build takes most of the time."""


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    with quickly():
        yield


def machines(number: int) -> tuple[Kind, ...]:
    """The machines for a model: in a sample only one of those that are compiled, by turns."""
    return KINDS if full else (*LOOPS, PROGRAMS[number % len(PROGRAMS)])


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        yield


def loaded(path: Path) -> pb.Model | None:
    """A Model that can be stepped and is not too large for this test."""
    try:
        model = pb.load(path, policy="lenient", packages=packages())
        pb.Stepper(model, "loop").step(1)
    except (pb.ValidationError, pb.ModelError, pb.SimulationError):
        return None
    return model if model.nv and (full or model.nv <= MOST) else None


@pytest.mark.long
@pytest.mark.parametrize("seed", range(amount(200, 20)))
def test_random_robots(seed: int, tmp_path: Path) -> None:
    """Of every format, with every integrator."""
    suffix = trees.SUFFIXES[seed // 2 % len(trees.SUFFIXES) if seed % 2 else 0]
    path = tmp_path / f"robot{suffix}"
    path.write_text(trees.document(seed, suffix), encoding="utf-8")
    model = pb.load(path, policy="lenient").replace(opt_integrator=trees.INTEGRATORS[seed % 4])
    answer = compare(model, seed, machines(seed // 4))
    assert not answer.differences, "\n".join(answer.differences)
    assert len(answer.columns) > (25 if seed % 4 < 3 else 5)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_files(form: str, tmp_path: Path) -> None:
    """Of this repository, of installed packages and random ones."""
    own = shipped(form)[:FROM_PACKAGES]
    paths = iter([*own, *(written(form, tmp_path, seed) for seed in range(4 * FILES))])
    first, compared_ones, differences = FORMATS.index(form), 0, []
    while compared_ones < FILES:
        model = loaded(next(paths))
        if model is None:
            continue
        turn, rest = divmod(compared_ones, EVERY)
        kinds = machines(first + turn) if full or rest == 0 else LOOPS
        answer = compare(model, 0, kinds, states=1, steps=(2,))
        differences += [f"{model.name}: {each}" for each in answer.differences]
        compared_ones += 1
    assert not differences, "\n".join(differences)


SMALL = {"qfrc_adhesion", "qfrc_damper", "qfrc_element", "qfrc_fluid", "qfrc_gravcomp"}
"""Columns that are 0 or small in the random robots of a test."""


class Wrong(Single):
    """A Stepper all of whose columns are off by a small part of themselves."""

    def found(self) -> list[dict[str, np.ndarray]]:
        return [{name: x * (1 + 1e-9) for name, x in each.items()} for each in super().found()]


@pytest.mark.parametrize("seed", [0, 12])
def test_wrong_columns_are_found(seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each that has numbers that are not small for their kind; with seed 12 robots touch."""
    path = tmp_path / "robot.xml"
    path.write_text(trees.mjcf(seed), encoding="utf-8")
    model = pb.load(path)
    monkeypatch.setattr(Kind, "make", lambda kind, model, count: Wrong(model, "loop", OBSERVABLE))
    answer = compare(model, 0, [Kind("wrong")], states=1, steps=(1,))
    found = {each.removeprefix("wrong: ").partition("[")[0] for each in answer.differences}
    small = {name for name in answer.columns if name.startswith(NEXT)} | SMALL
    if seed == 0:
        small |= {"cfrc_ext", "qfrc_constraint"}
    assert answer.columns - found <= small, answer.columns - found - small
    assert not answer.rounding


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    sample = Path(__file__).parents[1] / "samples" / "pendulum.urdf"
    assert command.main([str(sample), "--format", "urdf"]) == 0
    said = capsys.readouterr().out
    assert "1 of 1 files compared" in said
    assert "0 files differ" in said
    for kind in KINDS:
        assert f"{kind.name}: 1 files" in said
