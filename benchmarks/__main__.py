"""``python -m benchmarks``: every benchmark, with one table of ratios each."""

from __future__ import annotations

from benchmarks import building, calls, codegen, growth, kernels, moving, peak, reading
from benchmarks.rows import main

if __name__ == "__main__":
    parts = (
        *(kernels.PART, moving.PART, calls.PART, growth.PART, peak.PART, building.PART, reading.PART),
        codegen.PART,
    )
    main(*parts, flags=kernels.FLAGS)
