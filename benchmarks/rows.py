"""What every benchmark reports, how it is written and how it is printed."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One comparison: microseconds of ours and of the peer, medians over rounds that ran both in turn.

    ``ratio`` is the median over the rounds of peer / ours (above 1: ours is faster), ``spread`` the range
    of that ratio over the rounds, divided by it.
    """

    work: str
    kernel: str
    model: str
    peer: str
    ours_us: float
    peer_us: float
    ratio: float
    spread: float


def compare(
    work: str, kernel: str, model: str, peer: str, ours: Sequence[float], theirs: Sequence[float]
) -> Row:
    """The row of paired measurements in microseconds, one pair a round."""
    ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
    ratio = statistics.median(ratios)
    return Row(
        work,
        kernel,
        model,
        peer,
        statistics.median(ours),
        statistics.median(theirs),
        ratio,
        (ratios[-1] - ratios[0]) / ratio,
    )


def table(rows: Sequence[Row], title: str) -> Table:
    shown = Table(title=title, title_justify="left")
    for name in ("work", "kernel", "model", "peer"):
        shown.add_column(name)
    for name in ("ours, us", "peer, us", "peer / ours", "spread"):
        shown.add_column(name, justify="right")
    for row in rows:
        shown.add_row(
            row.work,
            row.kernel,
            row.model,
            row.peer,
            f"{row.ours_us:.4g}",
            f"{row.peer_us:.4g}",
            f"{row.ratio:.2f}",
            f"{row.spread:.0%}",
        )
    return shown


def save(rows: Sequence[Row], path: Path) -> None:
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def main(measure: Callable[[argparse.Namespace], list[Row]], title: str, *flags: tuple[str, str]) -> None:
    """The command line of one benchmark: measure, print, and write the rows if asked to."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the rows there")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and the small sizes only")
    for flag, help_text in flags:
        parser.add_argument(flag, action="store_true", help=help_text)
    arguments = parser.parse_args()
    rows = measure(arguments)
    Console().print(table(rows, title))
    if arguments.json:
        save(rows, arguments.json)
