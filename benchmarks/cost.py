"""How the cost of checking documents grows with their size: ``python -m benchmarks.cost``.

It checks documents of n and of 4 n pieces, with structures that could make a reader scan a part again for
every other part. A document four times as large may take at most five times the processor time; quadratic
cost would take sixteen times. Exit code 1 if one takes more. ``--markdown docs/cost.md`` writes the table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.rows import machine
from benchmarks.shapes import GROUPS, Shape

PIECES = 160_000
"""Pieces of the larger document, unless documents are limited to fewer."""
MANY = 640_000
"""The same if the smaller document takes less than `ENOUGH`."""
ENOUGH = 0.1
"""Seconds. A check that takes less uses caches and memory that the process has from the previous round; a
document four times as large exceeds these and takes longer per piece, as all larger ones do.
"""
TIMES = 4
"""How many times as large the larger document is."""
MOST = 5.0
"""How many times as long it may take."""
ROUNDS = 5
LEAST = 0.002
"""Seconds below which a time is meaningless for growth; the smaller document is taken to need at least
this.
"""
RUN = """
import gc, json, sys, time
import polybody

paths = json.loads(sys.argv[1])
best = {path: float("inf") for path in paths}
for _ in range(1 + int(sys.argv[2])):
    for path in paths:  # in turns: what else the machine does slows both
        gc.collect()
        begun = time.process_time()
        polybody.check(path)
        best[path] = min(best[path], time.process_time() - begun)
print(*best.values())
"""


class Cost(NamedTuple):
    """Cost of checking a shape: seconds of processor time for the smaller and for the larger document."""

    group: str
    shape: str
    pieces: int
    size: int
    small: float
    large: float

    @property
    def ratio(self) -> float:
        """How many times as long the larger takes."""
        return self.large / max(self.small, LEAST)


def costs(rounds: int = ROUNDS, only: str = "", pieces: int = PIECES) -> Iterator[Cost]:
    """The costs of all shapes."""
    for group, shapes in GROUPS.items():
        for name, shape in shapes.items():
            if only in f"{group} {name}":
                yield cost(group, name, shape, rounds, pieces)


def cost(group: str, name: str, shape: Shape, rounds: int, pieces: int) -> Cost:
    """The cost of a shape, measured in a process of its own, with more pieces if these take little time."""
    found = measured(group, name, shape, rounds, pieces)
    most = min(MANY, shape.most or MANY)
    if pieces < PIECES or most <= found.pieces or not LEAST < found.small < ENOUGH:
        return found
    return measured(group, name, shape, rounds, most)


def measured(group: str, name: str, shape: Shape, rounds: int, pieces: int) -> Cost:
    """The cost of documents with this many pieces, and with a quarter of them."""
    most = min(pieces, shape.most or pieces)
    with tempfile.TemporaryDirectory() as folder:
        paths, size = [], 0
        for count in (most // TIMES, most):
            place = Path(folder) / str(count)
            place.mkdir()
            files = shape.make(count)
            for file, text in files.items():
                (place / file).write_bytes(text.encode("utf-8", "surrogateescape"))
            paths.append(str(place / next(iter(files))))
            size = sum(map(len, files.values()))
        command = [sys.executable, "-c", RUN, json.dumps(paths), str(rounds)]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    small, large = map(float, done.stdout.split())
    return Cost(group, name, most, size, small, large)


def markdown(rows: list[Cost]) -> str:
    """The page of results."""
    worst = max(rows, key=lambda row: row.ratio)
    head = f"""# Checking time and document size

Written by `python -m benchmarks.cost --markdown docs/cost.md` on {machine()}.

The time of a check should be proportional to the size of the document. Each row is a document of n parts
whose structure could cause quadratic time, for instance by comparing every part with every other. The ratio
is the CPU time for n parts divided by that for n/{TIMES} parts. The goal is a ratio of at most {MOST:g};
quadratic time would give {TIMES**2}. The largest ratio is {worst.ratio:.1f}, of "{worst.shape}".
Times below {LEAST * 1000:g} ms are counted as {LEAST * 1000:g} ms.

If n/{TIMES} parts take less than {ENOUGH * 1000:g} ms, n is {MANY:,}, or the largest permitted
number: documents that fit into the processor's caches take less time per part.

| group | structure | parts | kB | n/{TIMES}, ms | n, ms | ratio | us per part |
|---|---|--:|--:|--:|--:|--:|--:|
"""
    lines = (
        f"| {row.group} | {row.shape} | {row.pieces:,} | {row.size / 1000:,.0f} | {row.small * 1e3:.1f} | "
        f"{row.large * 1e3:.1f} | {row.ratio:.1f} | {row.large / row.pieces * 1e6:.1f} |"
        for row in rows
    )
    return head + "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost")
    parser.add_argument("--markdown", type=Path, help="also write the page of results")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of which the fastest counts")
    parser.add_argument("--only", default="", help="shapes with this in their names")
    options = parser.parse_args()
    table = Table("group", "shape", "pieces", "n/4, ms", "n, ms", "ratio", "us a piece")
    rows = []
    for row in costs(options.rounds, options.only):
        rows.append(row)
        shown = (f"{row.small * 1e3:.1f}", f"{row.large * 1e3:.1f}", f"{row.ratio:.1f}")
        table.add_row(row.group, row.shape, f"{row.pieces:,}", *shown, f"{row.large / row.pieces * 1e6:.1f}")
    Console().print(table)
    if options.markdown:
        options.markdown.write_text(markdown(rows))
    return 1 if any(row.ratio > MOST for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
