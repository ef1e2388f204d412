"""SDFormat against Drake 1.51."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.differential import drake
from tests.differential.drake import ENGINE, TOLERANCES, table
from tests.differential.report import Comparison

__all__ = ["ENGINE", "SUFFIX", "TOLERANCES", "compare_files", "table"]
SUFFIX = ".sdf"
REPOSITORIES = {
    "drake_models": "RobotLocomotion+models",
    "drake": "RobotLocomotion+drake",
    "box_model": "RobotLocomotion+drake/multibody/parsing/test/box_package",
}
"""Packages whose folders have other names where files of several repositories are collected."""


def compare_files(paths: Sequence[Path], *, seed: int, workers: int, steps: int) -> list[Comparison]:
    """Compare each file, at random states; no trajectories, for Drake's steps are others."""
    packages = packages_above(paths)
    return drake.compare_files(
        paths, format="sdf", seed=seed, workers=workers, packages=packages, policy="warn"
    )


def packages_above(paths: Sequence[Path]) -> dict[str, str]:
    """The packages that are beside the repositories that files are of."""
    found: dict[str, str] = {}
    for above in {above for path in paths for above in path.absolute().parents}:
        for name, place in REPOSITORIES.items():
            if (above / place).is_dir():
                found.setdefault(name, str(above / place))
    return found
