"""Code generation: everything in generated/, against xsdata's dataclasses from x_xy.xsd alone."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile

from benchmarks.rows import Row, compare, main

OURS = """
import time
start = time.perf_counter()
from polybody.codegen.generate import generate
generate()
print((time.perf_counter() - start) * 1e6)
"""
XSDATA = """
import sys, time
from pathlib import Path
start = time.perf_counter()
from benchmarks.xsdata_peer import SCHEMAS, generate
generate(SCHEMAS / "x_xy.xsd", Path(sys.argv[1]))
print((time.perf_counter() - start) * 1e6)
"""
ROUNDS = 5


def run(code: str) -> float:
    """What ``code`` prints last, run in a fresh interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, folder], check=True, capture_output=True, text=True
        )
    return float(done.stdout.split()[-1])


def measure(arguments: argparse.Namespace) -> list[Row]:
    pairs = [(run(OURS), run(XSDATA)) for _ in range(2 if arguments.quick else ROUNDS)]
    ours, theirs = zip(*pairs, strict=True)
    work = "generate, imports included"
    return [compare(work, "-", "all schemas; xsdata: x_xy only", "xsdata", ours, theirs)]


if __name__ == "__main__":
    main(measure, "Code generation")
