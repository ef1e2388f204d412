"""The code on the page about batches and in the example runs unchanged."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code.replace("4096", "33"), names)
    assert names["batch"].qpos.shape == (33, 2)  # type: ignore[attr-defined]
    assert names["batch"].time == pytest.approx(1.0)  # type: ignore[attr-defined]


def test_the_example() -> None:
    said = subprocess.run(
        [sys.executable, ROOT / "examples" / "domain_randomisation.py", "40"],
        check=True, capture_output=True, text=True, timeout=PATIENCE,
    ).stdout  # fmt: skip
    stood = re.search(r"(\d+) of 40 never fell in 10 s", said)
    assert stood
    assert 20 < int(stood[1]) < 40
    assert "those that fell" in said
