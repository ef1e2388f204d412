"""A sample of files with engines' verdicts, and the command that checks a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from polybody.diagnostics.catalogue.documents import mjcf

from tests.acceptance.__main__ import main
from tests.oracles.loading import refusal
from tests.reading.test_policies import LET_PASS, REFUSED

FORMATS = ("mjcf", "urdf", "sdf", "skel")
"""Formats whose engine starts quickly; ring takes seconds."""
LOADED_WITHOUT_A_MEANING = ("urdf, a number",)
"""Rejected here, although the engine loads them: it reads an invalid number."""


def samples(rows: dict[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """The format and the text of each sample of a format whose engine is used."""
    return [
        (name.partition(",")[0], text)
        for name, (_, text) in rows.items()
        if name.partition(",")[0] in FORMATS and name not in LOADED_WITHOUT_A_MEANING
    ]


@pytest.mark.parametrize(("form", "text"), samples(LET_PASS))
def test_engines_take_what_warn_lets_pass(form: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"m.{'xml' if form == 'mjcf' else form}"
    path.write_text(text)
    assert refusal(form, path) is None


@pytest.mark.parametrize(("form", "text"), samples(REFUSED))
def test_engines_refuse_what_is_an_error_under_warn(form: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"m.{'xml' if form == 'mjcf' else form}"
    path.write_text(text)
    assert refusal(form, path) is not None


def test_the_command_lists_where_policy_and_engine_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.xml").write_text(mjcf('<geom size="1"/>'))
    (tmp_path / "bad.xml").write_text(mjcf('<geom size="-1"/>'))
    (tmp_path / "nan.xml").write_text(mjcf('<geom size="1" pos="0 0 nan"/>'))
    (tmp_path / "package.xml").write_text("<package/>")
    report = tmp_path / "report.json"
    assert main(["mjcf", str(tmp_path), "--json", str(report)]) == 1
    assert "3 files, of which the engine loads 2; 1 of these are accepted (50.0%)" in capsys.readouterr().out
    found = json.loads(report.read_text())
    assert [row["file"] for row in found["refused here, loaded by the engine"]] == ["nan.xml"]
    assert found["accepted here, refused by the engine"] == []
    (tmp_path / "nan.xml").unlink()
    assert main(["mjcf", str(tmp_path)]) == 0
