"""URDF against Drake 1.51."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.differential import drake
from tests.differential.drake import ENGINE, TOLERANCES, table
from tests.differential.report import Comparison

__all__ = ["ENGINE", "SUFFIX", "TOLERANCES", "compare_files", "table"]
SUFFIX = ".urdf"


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Compare each file, at random states; no trajectories, for Drake's steps are others."""
    return drake.compare_files(paths, format="urdf", seed=seed, workers=workers, packages={})
