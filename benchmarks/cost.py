"""What checking documents costs when they grow: ``python -m benchmarks.cost``.

Documents of n and of 4 n pieces, in shapes that tempt a reader to look at a part again for every other part.
Of processor time, four times the document may take at most five times as much: what grows with the square
takes sixteen. Exit code 1 where one takes more. ``--markdown docs/cost.md`` writes the table.
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
"""Of the larger document, unless there is none so large."""
MANY = 640_000
"""Likewise, where the smaller document takes less than `ENOUGH`."""
ENOUGH = 0.1
"""Seconds. What takes less fits into caches, and into memory that the process has from the round before; what
is four times as large does not, and takes longer for each piece, as all larger ones do.
"""
TIMES = 4
"""How many times as large it is."""
MOST = 5.0
"""How many times as long it may take."""
ROUNDS = 5
LEAST = 0.002
"""Seconds below which a time says nothing about growth: what the smaller takes is not less."""
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
    """What the check of a shape costs: seconds of processor time, of the smaller and the larger document."""

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
    """Every shape's."""
    for group, shapes in GROUPS.items():
        for name, shape in shapes.items():
            if only in f"{group} {name}":
                yield cost(group, name, shape, rounds, pieces)


def cost(group: str, name: str, shape: Shape, rounds: int, pieces: int) -> Cost:
    """One shape's, in a process of its own; with more pieces where these take little."""
    found = measured(group, name, shape, rounds, pieces)
    most = min(MANY, shape.most or MANY)
    if pieces < PIECES or most <= found.pieces or not LEAST < found.small < ENOUGH:
        return found
    return measured(group, name, shape, rounds, most)


def measured(group: str, name: str, shape: Shape, rounds: int, pieces: int) -> Cost:
    """What documents of so many pieces cost, and of a quarter of them."""
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
