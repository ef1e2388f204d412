"""Random documents compared with an independent reader of the text and with Pinocchio."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.amounts import some
from tests.differential import openrave
from tests.differential.report import summary, text

from . import random_scenes
from .random_documents import write


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_random_bodies(tmp_path: Path, seed: int) -> None:
    agrees(write(tmp_path, seed), seed)


@pytest.mark.parametrize("seed", some(range(200), 12))
def test_random_environments(tmp_path: Path, seed: int) -> None:
    agrees(random_scenes.write(tmp_path, seed), seed)


def agrees(path: Path, seed: int) -> None:
    found = openrave.compare_files([path], seed=seed)
    assert not found[0].skipped
    assert found[0].measured
    report = summary(found, openrave.TOLERANCES, engine=openrave.ENGINE, seed=seed)
    assert report["ok"], text(report)
