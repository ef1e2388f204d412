"""`polybody check` and `polybody explain` as commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from polybody.cli import app
from polybody.diagnostics.catalogue import CATALOGUE
from typer.testing import CliRunner

from tests.waiting import PATIENCE

from .tools import body

BAD = body('dampin="1"')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "good.xml").write_text(body())
    (tmp_path / "sub" / "bad.xml").write_text(BAD)
    (tmp_path / "sub" / "notes.txt").write_text("nothing")
    return tmp_path


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_exit_codes(folder: Path) -> None:
    assert run("check", "good.xml") == (0, "1 file checked: nothing found\n", "")
    assert run("check", "sub/bad.xml", "--output-format", "concise")[0] == 1
    assert run("check", "sub/bad.xml", "--policy", "lenient")[0] == 0
    assert run("check", "none.xml")[0] == 1
    assert run("check")[0] == 2
    assert run("check", "good.xml", "--policy", "lax")[0] == 2
    assert run("check", "good.xml", "--output-format", "yaml")[0] == 2
    assert run("check", "good.xml", "--format-in", "y_yx")[0] == 2
    assert run("check", "*.nothing")[0] == 2
    assert run("check", "good.xml", "--format-in", "x_xy")[0] == 0


def test_files_folders_and_patterns(folder: Path) -> None:
    for arguments in ([str(folder)], [".", "good.xml"], ["good.xml", "sub/*.xml"], ["**/*.xml"]):
        code, out, _ = run("check", *arguments, "--output-format", "json")
        assert code == 1
        assert [d["code"] for d in json.loads(out)] == ["PB012"], arguments
    assert run("check", ".")[1].endswith("2 files checked: 1 error\n")
    (folder / "odd[1].xml").write_text(BAD)
    assert json.loads(run("check", "odd[1].xml", "--output-format", "json")[1])[0]["path"] == "odd[1].xml"


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("full", "sub/bad.xml:4:27: PB012 error: unknown attribute `dampin` on <body>\n   |\n 4 | <body"),
        ("concise", "sub/bad.xml:4:27: PB012 error: unknown attribute"),
        ("json", '[\n {\n  "path": "sub/bad.xml",\n  "line": 4,\n  "column": 27,'),
        ("sarif", '{\n "$schema": "https://'),
        ("github", "::error file=sub/bad.xml,line=4,endLine=4,col=27,endColumn=37,title=PB012::unknown"),
    ],
)
def test_output_formats(folder: Path, form: str, begins: str) -> None:
    code, out, _ = run("check", "sub/bad.xml", "--output-format", form)
    assert code == 1
    assert out.startswith(begins), out


def test_explain() -> None:
    code, out, _ = run("explain", "pb012")
    assert code == 0
    assert out.startswith("PB012: unknown attribute\nstrict: error")
    assert "For example:" in out
    code, out, _ = run("explain")
    assert [line.split()[0] for line in out.splitlines()] == list(CATALOGUE)
    assert run("explain", "PB999")[0] == 2
    for row in CATALOGUE:
        assert run("explain", row)[0] == 0


def test_a_check_imports_nothing_heavy(folder: Path) -> None:
    heavy = "import sys, runpy; sys.argv = ['polybody', 'check', 'good.xml']\n"
    heavy += "try: runpy.run_module('polybody', run_name='__main__')\n"
    heavy += (
        "except SystemExit: print([m for m in ('numpy', 'lxml', 'xmlschema', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", heavy], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.stdout.endswith("[]\n"), done


def test_a_folder_is_looked_through_for_models(tmp_path: Path) -> None:
    for name, text in {
        "package.xml": "<package><name>a</name></package>",
        "arm.launch.xml": "<launch/>",
        "schema.xml": '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>',
        "arm.xml": body(),
        "misspelt.xml": "<mujocoo/>",
        "cut.xml": "<mujoco",
    }.items():
        (tmp_path / name).write_text(text)
    code, out, _ = run("check", str(tmp_path), "--output-format", "concise")
    assert code == 1
    assert {Path(line.partition(":")[0]).name for line in out.splitlines()} == {"misspelt.xml", "cut.xml"}
    code, out, _ = run("check", str(tmp_path / "package.xml"), "--output-format", "concise")
    assert code == 1
    assert "PB007" in out
