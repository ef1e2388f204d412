"""URDF against Drake: files with every joint, force and root agree, and differences are detected."""

from __future__ import annotations

import warnings
from pathlib import Path

import polybody
import pytest
from polybody.lowering import lowered

from tests.amounts import some
from tests.differential import drake
from tests.differential.report import Comparison, summary, text
from tests.differential.urdf_models import MISREAD, MODELS, REFUSED
from tests.oracles import drake_plant
from tests.oracles.random_urdf import KINDS, write_folder

DATA = Path(__file__).parent / "data" / "urdf"


def test_every_file_agrees() -> None:
    paths = sorted(DATA.glob("*.urdf"))
    found = drake.compare_files(paths, seed=0, workers=2, steps=0)
    report = summary(found, drake.TOLERANCES, engine=drake.ENGINE, seed=0)
    assert report["ok"], text(report)
    assert not any(each.refused or each.skipped or each.withheld for each in found), text(report)
    assert all("acceleration" in each.measured for each in found)
    assert "with inertia that is replaced" in found[[path.stem for path in paths].index("heads")].notes


def test_random_files_agree(tmp_path: Path) -> None:
    every = write_folder(tmp_path / "random", count=30, seed=4)
    texts = "".join(path.read_text() for path in every)
    assert all(f'type="{kind}"' in texts for kind in KINDS)
    found = drake.compare_files(some(every, 5), seed=0, workers=2, steps=0)
    report = summary(found, drake.TOLERANCES, engine=drake.ENGINE, seed=0)
    assert report["ok"], text(report)
    assert not any(each.refused or each.skipped for each in found), text(report)


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_as_drake_has_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.urdf"
    path.write_text(MODELS[name])
    found = drake.compare(path, drake_plant.ask(path), {})
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert [found.refused, found.skipped, found.failure] == ["", "", ""]
    assert {"names", "start", "mass", "poses"} <= set(found.errors)


def errors(path: Path) -> list[int]:
    """The lines of the errors of a file; what only Drake rejects counts as an error."""
    with pytest.raises(polybody.ValidationError) as caught:
        drake.made_of(path, {})
    return [each.line for each in caught.value.diagnostics if each.severity == "error"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_drake_refuses_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    written, line = REFUSED[name]
    path = tmp_path / "model.urdf"
    path.write_text(written)
    with pytest.raises((RuntimeError, ValueError, SystemExit)):  # the last: a failed assertion
        drake_plant.ask(path)
    assert errors(path)[0] == line


@pytest.mark.parametrize("name", MISREAD)
def test_what_drake_reads_as_something_else_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    written, line = MISREAD[name]
    path = tmp_path / "model.urdf"
    path.write_text(written)
    assert errors(path)[0] == line
    drake_plant.ask(path)


@pytest.fixture(scope="module")
def answer() -> drake_plant.Answer:
    return drake_plant.ask(DATA / "bushing.urdf", seed=1)


@pytest.mark.parametrize(
    ("column", "factor", "wrong"),
    [
        ("element_torque_damping", 1.001, {"forces", "acceleration"}),
        ("element_pos2", 1.001, {"forces", "acceleration"}),
        (
            "body_ipos",
            1.001,
            {"centre", "inertia", "mass matrix", "bias", "gravity", "forces", "acceleration"},
        ),
    ],
)
def test_a_difference_is_found(
    answer: drake_plant.Answer, column: str, factor: float, wrong: set[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = lowered(polybody.read(DATA / "bushing.urdf"), disable=("constraint",))
    other = made.model.replace(**{column: getattr(made.model, column) * factor})
    result = Comparison("bushing.urdf")
    drake.compare_lowered(made._replace(model=other), answer, result)
    report = summary([result], drake.TOLERANCES, engine=drake.ENGINE, seed=0)
    assert {row["quantity"] for row in report["quantities"] if row["failures"]} == wrong
