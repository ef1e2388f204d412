"""What README and the pages it names say is so: examples run, links lead somewhere, commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/compiled.md"]


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        exec(compile(block, "README.md", "exec"), names)
        assert names["simulation"].data.time == pytest.approx(10.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_links_and_paths_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    paths = [path for path in re.findall(r"`([\w.-]+/[\w./-]*)`", text) if not path.startswith("build/")]
    here = (ROOT / page).parent
    missing = [link for link in links if not (here / link).exists()]
    missing += [path for path in paths if not (ROOT / path).exists()]
    assert missing == []


def test_the_command_line_has_the_commands_it_shows() -> None:
    from polybody.cli import app
    from typer.main import get_command

    shown = set(
        re.findall(r"^    polybody (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert shown == set(get_command(app).commands)  # type: ignore[attr-defined]
