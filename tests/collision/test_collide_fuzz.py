"""Random scenes through the C of collision detection, compiled with sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.amounts import amount
from tests.collision.random_scenes import compiled, numbered, pairs
from tests.waiting import PATIENCE

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("fuzz"))


def scenes(program: Path, *words: str) -> int:
    """Draw scenes; returns the number of their contacts."""
    done = subprocess.run(
        [str(program), *words], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout.split()[2].replace(",", ""))


def test_random_scenes_break_no_rule(program: Path) -> None:
    assert scenes(program, str(amount(1_000_000, 8_000)), "1") > 1000


def test_scenes_of_every_two_shapes_break_no_rule(program: Path) -> None:
    cases = amount(1_000_000, 200)
    for pair in pairs():
        assert scenes(program, str(cases), "1", numbered(pair)) > cases // 10, pair
