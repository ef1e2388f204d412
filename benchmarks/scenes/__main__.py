"""``python -m benchmarks.scenes``: the tables of docs/contacts.md, as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.scenes import ours, peers
from benchmarks.scenes.documents import BALL, BAR, BLOCK, DROPPED, LENGTH, LINKAGES, MASS, STACK

MU = {"urdf": 0.3, "sdf": 0.3, "skel": 1.0, "openrave": 0.3, "mjcf": 0.3}
"""SKEL has no friction: DART's is 1."""
ENGINES: tuple[tuple[str, Callable[..., peers.Peer], tuple[str, ...]], ...] = (
    ("Drake", peers.drake, ("urdf", "sdf")),
    ("DART", peers.dart, ("skel",)),
    ("MuJoCo", peers.mujoco, ("mjcf",)),
)
SLIDES = 2.0
"""m/s."""


class Table(NamedTuple):
    """A scene: its title, the measured quantities, and who measures them."""

    title: str
    columns: dict[str, str]
    """Headings of the measured quantities, by name."""
    ours: Callable[[str], dict[str, float]]
    theirs: Callable[[Callable[..., peers.Peer], str], dict[str, float]]


TABLES = (
    Table(
        "Sliding block",
        {"distance": "slides, m", "creep": "creeps in 1 s, m", "depth": "depth, m"},
        lambda form: ours.slide(form, BLOCK, MU[form], SLIDES),
        lambda make, form: peers.slide(make(form, BLOCK, MU[form]), BLOCK[0].height, MU[form], SLIDES),
    ),
    Table(
        "Stack of three boxes",
        {"sunk": "sinks in, m", "drift": "drifts, m", "speed": "speed at the end, m/s"},
        lambda form: ours.stack(form, STACK),
        lambda make, form: peers.stack(make(form, STACK, 1.0), STACK),
    ),
    Table(
        "Rolling sphere",
        {"speed": "rolls at, m/s", "slip": "slip, m/s"},
        lambda form: ours.roll(form, BALL, MU[form]),
        lambda make, form: peers.roll(make(form, BALL, MU[form]), BALL[0].size[0]),
    ),
    Table(
        "Falling ball",
        {"share": "share of its speed", "depth": "depth, m"},
        lambda form: ours.bounce(form, DROPPED),
        lambda make, form: peers.bounce(make(form, DROPPED, 1.0), DROPPED[0].size[0]),
    ),
)


def swing(angle: float = 1.0, seconds: float = 2.0) -> float:
    """Angles of the linkage's cranks: those of a pendulum, since the bar does not rotate (RK4 at 10 us)."""
    inertia = 2 * MASS * LENGTH**2 / 3 + BAR * LENGTH**2
    pull = (2 * MASS * LENGTH / 2 + BAR * LENGTH) * ours.GRAVITY / inertia
    state, step = np.array([angle, 0.0]), 1e-4

    def rate(x: Any) -> Any:
        return np.array([x[1], -pull * np.sin(x[0])])

    for _ in range(round(seconds / step)):
        a = rate(state)
        b = rate(state + step / 2 * a)
        c = rate(state + step / 2 * b)
        d = rate(state + step * c)
        state = state + step / 6 * (a + 2 * b + 2 * c + d)
    return float(state[0])


def rows(table: Table, alone: bool) -> Iterator[str]:
    """A table's lines."""
    yield f"### {table.title}\n"
    yield "| | " + " | ".join(table.columns.values()) + " |"
    yield "|---" * (len(table.columns) + 1) + "|"
    for form in ours.FORMATS:
        yield _row(f"polybody, {form}", table, table.ours(form))
    for name, make, forms in () if alone else ENGINES:
        for form in forms:
            yield _row(f"{name}, {form}", table, table.theirs(make, form))


def _row(name: str, table: Table, figures: dict[str, float]) -> str:
    return f"| {name} | " + " | ".join(f"{figures[key]:.5g}" for key in table.columns) + " |"


def main() -> None:
    """Print all tables."""
    alone = "--ours" in sys.argv[1:]
    print(
        f"Theory: the block slides {SLIDES**2 / 2 / 0.3 / ours.GRAVITY:.5g} m "
        f"({SLIDES**2 / 2 / ours.GRAVITY:.5g} m in skel), the sphere rolls at {5 / 7:.5g} m/s, "
        f"the cranks are at {swing():.5g} rad.\n"
    )
    for table in TABLES:
        for line in rows(table, alone):
            print(line, flush=True)
        print()
    print("### Linkage\n\n| | gap, m | angle after 2 s, rad |\n|---|---|---|")
    for form in LINKAGES:
        figures = ours.linkage(form)
        print(f"| polybody, {form} | {figures['gap']:.2g} | {figures['angle']:.5g} |")
    print("\n### Bounce of Gazebo\n\n| restitution_coefficient | share of its speed |\n|---|---|")
    for share in (0.0, 0.2, 0.5, 0.8, 1.0):
        said = (
            f"<bounce><restitution_coefficient>{share}</restitution_coefficient>"
            "<threshold>0.01</threshold></bounce>"
        )
        figures = ours.bounce("sdf", DROPPED, said, meaning="gazebo")
        print(f"| {share} | {figures['share']:.3f} |")


if __name__ == "__main__":
    main()
