"""How a step's cost grows with contacts and with bodies that touch: ``python -m benchmarks.contacts_growth``.

It measures two families of scenes at rest on a plane: one free body with a growing number of spheres in
contact, and a growing number of free spheres with one contact each. ``--plot docs/contacts-growth.svg`` plots
both.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import polybody as pb
from rich.console import Console

from benchmarks.rows import Row, compare, table

COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
RADIUS, PITCH, DEPTH = 0.05, 0.11, 1e-4
"""Radius and spacing of the spheres on a grid, m, and their initial penetration into the plane, m."""
ROUNDS, ENOUGH = 5, 0.02
"""Rounds in which the sides alternate, and the least time in seconds that a side measures."""
SETTLING = 50
"""Steps before the state that is measured."""


def _places(count: int) -> list[tuple[float, float]]:
    side = int(np.ceil(np.sqrt(count)))
    return [(PITCH * (k % side), PITCH * (k // side)) for k in range(count)]


def one_body(count: int) -> str:
    """A free body with this many spheres on a plane."""
    spheres = "".join(
        f'<geom pos="{x:.2f} {y:.2f} 0" size="{RADIUS}" density="50"/>' for x, y in _places(count)
    )
    return _scene(f'<body pos="0 0 {RADIUS - DEPTH}"><freejoint/>{spheres}</body>')


def many_bodies(count: int) -> str:
    """This many free spheres on a plane."""
    return _scene(
        "".join(
            f'<body pos="{x:.2f} {y:.2f} {RADIUS - DEPTH}"><freejoint/><geom size="{RADIUS}"/></body>'
            for x, y in _places(count)
        )
    )


def _scene(bodies: str) -> str:
    return f"""<mujoco><option solver="Newton"/><size memory="1G"/><worldbody>
      <geom type="plane" size="20 20 .1"/>{bodies}</worldbody></mujoco>"""


SCENES: dict[str, tuple[Callable[[int], str], int]] = {
    "contacts of one body": (one_body, 2000),
    "bodies with a contact each": (many_bodies, 2000),
}
"""Texts of scenes, and the largest number for which they are measured."""


def measure(label: str, count: int) -> list[Row]:
    """Steps from the settled state: the loops and, if programs are compiled, a program, compared with
    MuJoCo.
    """
    text = SCENES[label][0](count)
    engine = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(engine)
    mujoco.mj_step(engine, data, SETTLING)
    start = {name: np.array(getattr(data, name)) for name in ("qpos", "qvel", "qacc_warmstart")}
    model = pb.lower(pb.read("scene.xml", text=text))
    sides: dict[str, tuple[object, Callable[[], object]]] = {
        "MuJoCo": (data, lambda: mujoco.mj_step(engine, data))
    }
    for kernels in ("loop", "specialized") if model.nv <= 60 else ("loop",):
        stepper = pb.Stepper(model, kernels, results=())
        sides[kernels] = (stepper.data, stepper.step)
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, (memory, step) in sides.items():
            times[name].append(_least(memory, step, start))
    theirs = times.pop("MuJoCo")
    peer = f"MuJoCo {mujoco.__version__}"
    return [
        compare("step", name, f"{count} {label}", peer, ours, theirs, nv=model.nv)
        for name, ours in times.items()
    ]


def _least(memory: object, step: Callable[[], object], start: dict[str, np.ndarray]) -> float:
    """The shortest time of a step from the state, us."""
    least, begun = np.inf, time.perf_counter()
    while time.perf_counter() - begun < ENOUGH:
        for name, values in start.items():
            getattr(memory, name)[...] = values
        before = time.perf_counter_ns()
        step()
        least = min(least, (time.perf_counter_ns() - before) / 1e3)
    return float(least)


def plot(rows: dict[str, list[Row]], path: Path) -> None:
    """Microseconds per step over the number of contacts, with logarithmic axes; one plot per family."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    figure, places = pyplot.subplots(1, len(rows), figsize=(9.6, 4.0), layout="constrained", sharey=True)
    for axes, (label, measured) in zip(places, rows.items(), strict=True):
        lines: dict[str, dict[int, float]] = {}
        for row in measured:
            count = int(row.model.split()[0])
            lines.setdefault(f"polybody, {row.kernel}", {})[count] = row.ours_us
            lines.setdefault(row.peer, {})[count] = row.peer_us
        for name, points in lines.items():
            style = "-o" if name.startswith("polybody") else "--"
            axes.loglog(list(points), list(points.values()), style, markersize=3, label=name)
        axes.set_xlabel(label)
        axes.grid(which="major", alpha=0.3)
        axes.legend(fontsize=8)
    places[0].set_ylabel("microseconds a step of one state")
    mpl.rcParams["svg.hashsalt"] = "contacts"  # the same numbers give the same file
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--plot", type=Path, help="write the picture here")
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="contacts up to which is measured")
    given = parser.parse_args()
    found: dict[str, list[Row]] = {}
    for label, (_, most) in SCENES.items():
        counts = [count for count in COUNTS if count <= min(most, given.most)]
        found[label] = [row for count in counts for row in measure(label, count)]
        Console(width=160).print(table(found[label], label))
    if given.plot:
        plot(found, given.plot)


if __name__ == "__main__":
    main()
