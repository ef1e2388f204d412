"""How the cost of a step grows with the number of bodies: ``python -m benchmarks.growth``.

With ``--markdown docs/benchmarks.md`` a plot is written next to that page: growth.svg.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.engine import STEP, Engine, Times, random_states
from benchmarks.kernels import fastest
from benchmarks.models.written import chain
from benchmarks.ours.loops import Loops
from benchmarks.ours.specialised import Lanes, Specialised
from benchmarks.peers.mujoco_peer import MuJoCo
from benchmarks.peers.pinocchio_peer import Pinocchio
from benchmarks.rows import Part, Row, compare, main

COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 400, 1000)
UNROLLED = 100  # largest number of degrees of freedom for which programs are compiled by default
ROUNDS = 3
PEERS: tuple[type[Engine], ...] = (MuJoCo, Pinocchio)


def measure_chain(count: int, rounds: int) -> list[Row]:
    model = chain(count)
    states = random_states(model)
    ours: tuple[type[Engine], ...] = (Loops, Specialised, Lanes) if count <= UNROLLED else (Loops,)
    times: dict[str, list[Times]] = {}
    with tempfile.TemporaryDirectory() as folder:
        engines = [kind(model, states, Path(folder) / kind.__name__) for kind in (*ours, *PEERS)]
        for _ in range(rounds):
            for engine in engines:
                times.setdefault(engine.label, []).append(engine.measure())
    name = f"chain of {count}"
    return [
        compare(
            STEP, kind.label, name, peer.label,
            fastest(times[kind.label], STEP), fastest(times[peer.label], STEP), nv=model.nv,
        )
        for kind in ours for peer in PEERS
    ]  # fmt: skip


def plot(rows: list[Row], path: Path) -> None:
    """Microseconds per step over the number of bodies, with logarithmic axes, one line per engine."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    lines: dict[str, dict[int, float]] = {}
    for row in rows:
        count = row.nv or 0
        lines.setdefault(f"polybody, {row.kernel}", {})[count] = row.ours_us
        lines.setdefault(row.peer, {})[count] = row.peer_us
    figure, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    for label, points in lines.items():
        style = "-o" if label.startswith("polybody") else "--"
        axes.loglog(list(points), list(points.values()), style, markersize=3, label=label)
    axes.set_xlabel("bodies in a chain of hinges")
    axes.set_ylabel("microseconds a step of one state")
    axes.grid(which="major", alpha=0.3)
    axes.legend(fontsize=8)
    mpl.rcParams["svg.hashsalt"] = "growth"  # the same numbers give the same file
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def exponent(rows: list[Row]) -> float:
    """Exponent of the power law by which the loop kernel's time grows with the number of bodies, from 100
    bodies on.
    """
    points = {row.nv or 0: row.ours_us for row in rows if row.kernel == Loops.label and (row.nv or 0) >= 100}
    return float(np.polyfit(np.log(list(points)), np.log(list(points.values())), 1)[0])


def measure(arguments: argparse.Namespace) -> list[Row]:
    counts = COUNTS[:6] if arguments.quick else COUNTS
    rows = [row for count in counts for row in measure_chain(count, ROUNDS)]
    if arguments.markdown:
        plot(rows, arguments.markdown.with_name("growth.svg"))
    if not arguments.quick:
        print(f"loop kernel: time grows with bodies to the power {exponent(rows):.2f} from 100 to 1000")
    return rows


PART = Part(
    "Time of a step by the number of bodies",
    measure,
    note="![Time of a step over the number of bodies](growth.svg)",
)

if __name__ == "__main__":
    main(PART)
