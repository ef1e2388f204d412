"""``python -m benchmarks``: every benchmark, one table of ratios."""

from __future__ import annotations

import argparse

from benchmarks import codegen, kernels, reading
from benchmarks.rows import Row, main


def measure(arguments: argparse.Namespace) -> list[Row]:
    return [row for part in (kernels, reading, codegen) for row in part.measure(arguments)]


if __name__ == "__main__":
    main(measure, "polybody and its peers (times in microseconds)", *kernels.FLAGS)
