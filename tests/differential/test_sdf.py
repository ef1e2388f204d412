"""SDFormat against Drake: one small file for what real files rarely have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential import drake
from tests.differential.report import summary
from tests.differential.sdf_models import MODELS
from tests.oracles import drake_plant


def agrees(path: Path) -> dict[str, float]:
    """Compare a file; returns the worst errors."""
    found = drake.compare(path, drake_plant.ask(path), {})
    report = summary([found], drake.TOLERANCES)
    wrong = [entry for row in report["quantities"] for entry in row["failures"]]
    assert not wrong and not found.refused and not found.skipped, (wrong, found.refused, found.skipped)
    return found.errors


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_as_drake_has_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(MODELS[name])
    assert {"mass", "poses"} <= set(agrees(path))
