"""The guide to documents in Python: its code runs and does what the guide says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polybody as pb
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")


def test_the_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "".join(re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))
    code = code.replace("examples/arm.xml", str(ROOT / "examples" / "arm.xml"))
    (tmp_path / "output").mkdir()
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(code, "docs/documents.md", "exec"), names)
    assert names["findings"] == []
    assert [node.TAG for node in names["removed"]] == ["site", "framepos"]
    assert pb.write(pb.read("output/arm.xml")) == names["text"]
    assert 'joint="left_first"' in names["text"]
