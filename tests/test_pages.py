"""Every Python example of every page runs beside the folder examples/, whose files the pages name."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import polybody as pb
import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
TESTED_ELSEWHERE = {
    "batch": "tests/runtime/test_batch_example.py",
    "documents": "tests/reading/test_guide.py",
    "own-schema": "tests/codegen/test_own_schema_pages.py",
    "spec-change": "tests/codegen/test_spec_change.py",
    "tasks": "tests/reading/test_tasks.py",
}
PRELUDE = {
    "plugins": ("xml", "sprung.xml"),
    "directives": ("yaml", "scene.dmd.yaml"),
    "getting-started": ("xml", "pendulum.xml"),
}
"""A block of the page that is a file for its examples: its language and the file's name."""


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = [(len(indent), code) for indent, kind, code in BLOCK.findall(text) if kind == language]
    return [re.sub(rf"^ {{{indent}}}", "", code, flags=re.MULTILINE) for indent, code in found]


PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md") if blocks(path.stem, "python"))


def prepare(page: str, folder: Path) -> None:
    """The files that a page refers to: those of examples/, and one that the page itself shows."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    if page in PRELUDE:
        language, name = PRELUDE[page]
        (folder / name).write_text(blocks(page, language)[0].replace("dampng", "damping"), encoding="utf-8")


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
@pytest.mark.parametrize("page", [page for page in PAGES if page not in TESTED_ELSEWHERE])
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POLYBODY_KERNELS", "loop")
    names: dict[str, Any] = {}
    exec(compile("\n".join(blocks(page, "python")), f"docs/{page}.md", "exec"), names)
    assert names["pb"] is pb


@pytest.mark.parametrize("page", TESTED_ELSEWHERE)
def test_other_tests_read_their_page(page: str) -> None:
    text = (ROOT / TESTED_ELSEWHERE[page]).read_text(encoding="utf-8")
    assert f"{page}.md" in text or "tools import snippets" in text


def test_what_checking_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report on the first page, as the command prints it."""
    from click.testing import CliRunner
    from polybody.cli import app

    monkeypatch.chdir(tmp_path)
    text = blocks("getting-started", "xml")[0]
    Path("pendulum.xml").write_text(text, encoding="utf-8")
    run = CliRunner().invoke
    result = run(app, ["check", "pendulum.xml"])
    assert result.exit_code == 1
    assert result.output == blocks("getting-started", "text")[0]
    assert run(app, ["fix", "pendulum.xml"]).exit_code == 0
    assert run(app, ["check", "pendulum.xml"]).exit_code == 0
