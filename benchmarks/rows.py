"""The results that every benchmark reports, and how they are written and printed."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import wrap

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One comparison: microseconds of ours and of the peer, medians over rounds that run both in turn.

    ``ratio`` is the median over the rounds of peer / ours (above 1: ours is faster), ``spread`` the range
    of that ratio over the rounds, divided by it. ``nv`` is the model's degrees of freedom, if it has any.
    """

    work: str
    kernel: str
    model: str
    peer: str
    ours_us: float
    peer_us: float
    ratio: float
    spread: float
    nv: int | None = None


def compare(
    work: str,
    kernel: str,
    model: str,
    peer: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    nv: int | None = None,
) -> Row:
    """The row of paired measurements in microseconds, one pair per round."""
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
        nv,
    )


def selected(options: argparse.Namespace, model: str) -> bool:
    """Whether --only selects a model."""
    return getattr(options, "only", "") in model


def means(rows: Sequence[Row], models: Sequence[str]) -> list[Row]:
    """Geometric means over ``models``, one row for every work, kernel and peer with a row for each model."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.model in models:
            groups.setdefault((row.work, row.kernel, row.peer), []).append(row)
    mean = statistics.geometric_mean
    return [
        Row(
            work,
            kernel,
            f"geometric mean of {len(models)}",
            peer,
            mean(row.ours_us for row in group),
            mean(row.peer_us for row in group),
            mean(row.ratio for row in group),
            statistics.median(row.spread for row in group),
        )
        for (work, kernel, peer), group in groups.items()
        if len(group) == len(models)
    ]


HEADINGS = ("work", "kernel", "model", "nv", "peer", "ours, us", "peer, us", "peer / ours", "spread")
WORDS = 5  # of the headings; the rest are numbers


def cells(row: Row) -> tuple[str, ...]:
    numbers = (f"{row.ours_us:.4g}", f"{row.peer_us:.4g}", f"{row.ratio:.2f}", f"{row.spread:.0%}")
    nv = "" if row.nv is None else str(row.nv)
    return (row.work, row.kernel, row.model, nv, row.peer, *numbers)


def table(rows: Sequence[Row], title: str) -> Table:
    shown = Table(title=title, title_justify="left")
    for heading in HEADINGS:
        shown.add_column(heading, justify="left" if heading in HEADINGS[:WORDS] else "right")
    for row in rows:
        shown.add_row(*cells(row))
    return shown


@dataclass(frozen=True)
class Part:
    """One benchmark: its name, the function that measures its rows, the text above them on the page, and
    whether the option --only selects its models.
    """

    title: str
    measure: Callable[[argparse.Namespace], list[Row]]
    note: str = ""
    selects: bool = False


def page(sections: Sequence[tuple[Part, list[Row]]], command: str) -> str:
    """The rows as a Markdown page that states on which machine they were measured and how to repeat it."""
    lines = ["# Benchmark results", "", *wrap(HOW.format(command=command, machine=machine()), 110), ""]
    for part, rows in sections:
        lines += [f"## {part.title}", ""]
        lines += [*part.note.splitlines(), ""] if part.note else []
        lines += [f"| {' | '.join(HEADINGS)} |", "|---" * WORDS + "|--:" * (len(HEADINGS) - WORDS) + "|"]
        lines += [f"| {' | '.join(cells(row))} |" for row in rows] + [""]
    return "\n".join(lines)


HOW = """Written by `{command}` on {machine}. Times are in microseconds: medians over rounds.
In each round all engines are timed one after the other, with fresh copies of the binaries; *spread* is the
range of the ratio over the rounds, divided by the ratio. Ratios can be compared between machines, times
cannot. Engines are compared only if they compute the same accelerations. [How speed is measured](kernels.md)
describes what is timed."""


def machine() -> str:
    """Processor, its current load, compiler and Python."""
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        processor = next(line.split(":")[1].strip() for line in facts.splitlines() if "model name" in line)
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    command = [os.environ.get("CC", "cc"), "--version"]
    compiler = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]
    load = f"{os.cpu_count()} cores with a load of {os.getloadavg()[0]:.1f}"
    return f"{processor} ({load}), {compiler}, Python {platform.python_version()}"


def pin_to_one_core() -> None:
    """Bind this process and all its children to one core, the last that it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def save(rows: Sequence[Row], path: Path) -> None:
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def main(
    *parts: Part, flags: Sequence[tuple[str, str]] = (), values: Sequence[tuple[str, str]] = ()
) -> None:
    """The command line of one or several benchmarks: measure, print, and write the rows if requested."""
    parser = argparse.ArgumentParser(description="; ".join(part.title for part in parts))
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the rows there")
    parser.add_argument("--markdown", type=Path, metavar="OUT", help="write a page with the tables there")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and the small sizes only")
    if all(part.selects for part in parts):
        parser.add_argument("--only", default="", metavar="TEXT", help="only models with TEXT in their names")
    for flag, help_text in flags:
        parser.add_argument(flag, action="store_true", help=help_text)
    for option, help_text in values:
        parser.add_argument(option, help=help_text)
    arguments = parser.parse_args()
    pin_to_one_core()
    console = Console()
    wide = console if console.is_terminal else Console(width=150)
    package = __name__.partition(".")[0]
    command = f"python -m {package if len(parts) > 1 else parts[0].measure.__module__}"
    sections: list[tuple[Part, list[Row]]] = []
    for part in parts:
        rows = part.measure(arguments)
        sections.append((part, rows))
        wide.print(table(rows, part.title))
        if arguments.json:  # after every part, so that nothing is lost if a later one fails
            save([row for _, measured in sections for row in measured], arguments.json)
        if arguments.markdown:
            text = page(sections, f"{command} --markdown {arguments.markdown}")
            arguments.markdown.write_text(text, encoding="utf-8")
