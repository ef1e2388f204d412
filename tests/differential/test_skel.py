"""SKEL against DART: a file of what public ones do not have, and random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.amounts import some
from tests.differential import skel
from tests.differential.__main__ import main
from tests.differential.report import summary, text
from tests.oracles import dart
from tests.oracles.random_skel import SIZES, write_folder

OURS = Path(__file__).parent / "data" / "joints.skel"
FREE = OURS.with_name("free.skel")
"""Springs and dampers of free joints, different ones along each of DART's axes."""


def compared(paths: list[Path]) -> dict[str, dict]:
    found = skel.compare_files(paths, seed=1, workers=1, steps=100)
    report = summary(found, skel.TOLERANCES, engine=skel.ENGINE, seed=1)
    assert report["ok"], text(report)
    assert report["compared"] == len(paths), text(report)
    return {row["quantity"]: row for row in report["quantities"]}


def test_files_of_all_joints_actuators_springs_and_dampers() -> None:
    rows = compared([OURS, FREE])
    assert set(rows) == set(skel.TOLERANCES)
    assert all(row["files"] == 2 for row in rows.values())


def test_random_files(tmp_path: Path) -> None:
    every = write_folder(tmp_path / "random", count=24, seed=3)
    texts = "".join(path.read_text() for path in every)
    assert all(f'type="{kind}"' in texts for kind in SIZES)
    paths = some(every, 4)
    rows = compared(paths)
    assert all(row["files"] == len(paths) for row in rows.values())


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that DART crashes on is not compared, and one that polybody takes otherwise is a failure."""
    bad = OURS.read_text().replace('<body name="base"/>', '<body name="base"/>' + CRASH)
    (tmp_path / "crash.skel").write_text(bad)
    assert main(["skel", str(tmp_path), "--json", str(tmp_path / "report.json")]) == 0
    shown = capsys.readouterr().out
    assert "DART ends its process" in shown
    assert "0 of 0 files agree" in shown


CRASH = (
    '<body name="nowhere"><visualization_shape><geometry><sphere><radius>1</radius></sphere></geometry>'
    "</visualization_shape></body>"
)


def test_another_lowering_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison sees a mass that is wrong by a part in 10^8."""
    answer = dart.ask(OURS, seed=0, states=1, steps=1)
    answer.mass[0] *= 1 + 1e-8
    monkeypatch.setattr(dart, "ask", lambda *_, **__: answer)
    (found,) = skel.compare_files([OURS], seed=0, workers=1, steps=1)
    report = summary([found], skel.TOLERANCES, engine=skel.ENGINE, seed=0)
    assert [row["quantity"] for row in report["quantities"] if row["failures"]] == ["inertia"]
