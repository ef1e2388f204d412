"""Random documents against a second reading of the text and against Pinocchio."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.amounts import some
from tests.differential import openrave
from tests.differential.report import summary, text

from .random_documents import write


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_random_bodies(tmp_path: Path, seed: int) -> None:
    found = openrave.compare_files([write(tmp_path, seed)], seed=seed)
    assert not found[0].skipped
    assert found[0].measured
    report = summary(found, openrave.TOLERANCES, engine=openrave.ENGINE, seed=seed)
    assert report["ok"], text(report)
