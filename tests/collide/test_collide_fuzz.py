"""Random scenes through the C of collision detection, compiled with sanitizers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.amounts import amount
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fuzz") / "fuzz"
    sources = [f"-I{ROOT / 'runtime'}", str(ROOT / "tests/collide/fuzz.c")]
    command = [
        os.environ.get("CC", "cc"),
        "-std=c99",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Wno-unused-function",
    ]
    done = subprocess.run(
        [*command, *SANITIZED, *sources, "-o", str(path), "-lm"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return path


def test_random_scenes_break_no_rule(program: Path) -> None:
    cases = str(amount(1_000_000, 8_000))
    done = subprocess.run(
        [str(program), cases, "1"], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[2].replace(",", "")) > 1000
