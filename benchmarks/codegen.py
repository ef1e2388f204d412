"""Code generation: everything in generated/, compared with xsdata's dataclasses from x_xy.xsd alone."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile

from benchmarks.rows import Part, Row, compare, main

OURS = """
import time
start = time.perf_counter()
from polybody.codegen.generate import SCHEMAS, generate, generate_package
{call}
print((time.perf_counter() - start) * 1e6)
"""
CALLS = {
    "x_xy: documents, reader": 'generate_package(SCHEMAS / "x_xy.xsd")',
    "everything; xsdata: x_xy": "generate()",
}
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
    """The last line that ``code`` prints in a fresh interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, folder], check=True, stdout=subprocess.PIPE, text=True
        )
    return float(done.stdout.split()[-1])


def measure(arguments: argparse.Namespace) -> list[Row]:
    rows = []
    for model, call in CALLS.items():
        pairs = [(run(OURS.format(call=call)), run(XSDATA)) for _ in range(2 if arguments.quick else ROUNDS)]
        ours, theirs = zip(*pairs, strict=True)
        rows.append(compare("generate, imports included", "-", model, "xsdata", ours, theirs))
    return rows


PART = Part("Code generation", measure)

if __name__ == "__main__":
    main(PART)
