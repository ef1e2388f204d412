"""URDF against Drake 1.51 (see `drake.py`)."""

from __future__ import annotations

from tests.differential.drake import ENGINE, TOLERANCES, compare_files, table

SUFFIX = ".urdf"
__all__ = ["ENGINE", "SUFFIX", "TOLERANCES", "compare_files", "table"]
