"""The code on the page about batches and in the example runs unchanged."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
    first, observing, second = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(first.replace("4096", "33"), names)
    assert names["batch"].qpos.shape == (33, 2)
    assert names["batch"].time == pytest.approx(1.0)
    exec(observing.replace("1000", "9"), names)
    model = names["batch"].model
    assert names["observation"].shape == (9, model.nq - 2 + model.nv + 6 * model.nbody)
    exec(second.replace("1000", "9"), names)
    assert names["data"].contact.pos.shape == (names["data"].ncon, 3)
    friction = names["humanoid"].geom_friction[0, 0]
    assert all(names["data"].model.geom_friction[:, 0] != friction)


def test_the_example() -> None:
    said = subprocess.run(
        [sys.executable, ROOT / "examples" / "domain_randomisation.py", "40"],
        check=True, capture_output=True, text=True, timeout=PATIENCE,
    ).stdout  # fmt: skip
    stood = re.search(r"(\d+) of 40 never fell in 10 s", said)
    assert stood
    assert 20 < int(stood[1]) < 40
    assert "those that fell" in said
