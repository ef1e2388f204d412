"""How our contacts of random pairs differ from MuJoCo's at the same poses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import pairs

ACCURACY = 1e-12
ORTHONORMAL = 1e-13
NUDGES, MORE_NUDGES = 12, 200
"""How many perturbed poses are tried for every case that differs, and for those still undecided after
these.
"""
PARAMETERS = ("includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "exclude")


@dataclass
class Tally:
    """Result of a comparison, counted in cases: pairs of geoms at one pose."""

    cases: int = 0
    touching: int = 0
    worst: float = 0.0
    """Largest difference of dist, pos or frame between lists of the same contacts."""
    unstable: int = 0
    """Cases outside the tolerance in which MuJoCo's own list changes as much by one ulp of the pose."""
    skew: int = 0
    """Cases in which MuJoCo's own frames are not orthonormal: a capsule perpendicular to a tilted plane."""
    wrong: list[str] = field(default_factory=list)
    """Other cases outside the tolerance."""


def by_pair(rows: NDArray[Any], count: int, geom1: NDArray[Any]) -> list[NDArray[Any]]:
    """The contacts of each explicit pair."""
    owner = np.full(int(geom1.max()) + 1, -1) if len(geom1) else np.zeros(0, int)
    owner[geom1] = np.arange(count)
    number = owner[rows["geom"][:, 0]]
    starts = np.searchsorted(number, np.arange(count + 1))
    return [rows[starts[row] : starts[row + 1]] for row in range(count)]


def compare(pair: str, cases: int, seed: int, accuracy: float = ACCURACY, scale: float = 1.0) -> Tally:
    """Compare random cases of two shapes; ``accuracy`` is relative to ``scale``, m."""
    draw, tally = np.random.default_rng([seed, *map(ord, pair)]), Tally()
    while tally.cases < cases:
        made = pairs.scene(pair, min(100, cases - tally.cases), draw, scale)
        first = np.minimum(made.model.pair_geom1, made.model.pair_geom2)
        count = len(first)
        for _ in range(min(50, -(-(cases - tally.cases) // count))):
            xpos, xmat = pairs.poses(made, draw)
            ours, theirs = made.table.contacts(xpos, xmat), pairs.peer(made, xpos, xmat)
            tally.cases += count
            tally.touching += len(np.unique(theirs["geom"][:, 0]))
            if not within(ours, theirs, accuracy, scale, tally):
                judge(made, xpos, xmat, ours, theirs, accuracy, scale, draw, tally)
    return tally


def within(ours: NDArray[Any], theirs: NDArray[Any], accuracy: float, scale: float, tally: Tally) -> bool:
    """Whether two lists agree; if so, the largest difference is recorded."""
    found = pairs.apart(ours, theirs, scale)
    if found > accuracy or any(not np.array_equal(ours[name], theirs[name]) for name in PARAMETERS):
        return False
    tally.worst = max(tally.worst, found)
    return True


def judge(
    made: pairs.Scene,
    xpos: pairs.Reals,
    xmat: pairs.Reals,
    ours: NDArray[Any],
    theirs: NDArray[Any],
    accuracy: float,
    scale: float,
    draw: np.random.Generator,
    tally: Tally,
) -> None:
    """Which pairs of a scene differ, and whether MuJoCo itself is stable there."""
    first = made.table.listed["geom"][:, 0]
    count = len(first)
    nudged = [
        by_pair(pairs.peer(made, *pose), count, first) for pose in pairs.nudges(xpos, xmat, draw, NUDGES)
    ]
    for row, (own, other) in enumerate(
        zip(by_pair(ours, count, first), by_pair(theirs, count, first), strict=True)
    ):
        if within(own, other, accuracy, scale, tally):
            continue
        frames = other["frame"].reshape(-1, 3, 3)
        if np.abs(frames @ frames.transpose(0, 2, 1) - np.eye(3)).max(initial=0) > ORTHONORMAL:
            tally.skew += 1
            continue
        if max(pairs.apart(each[row], other, scale) for each in nudged) > accuracy / 10:
            tally.unstable += 1
            continue
        # a search that ends at another corner in one of a hundred such poses
        more = (pairs.peer(made, *pose) for pose in pairs.nudges(xpos, xmat, draw, MORE_NUDGES))
        if any(pairs.apart(by_pair(each, count, first)[row], other, scale) > accuracy / 10 for each in more):
            tally.unstable += 1
            continue
        geoms = made.table.listed["geom"][row]
        tally.wrong.append(
            f"differs by {pairs.apart(own, other, scale):.3g}: {len(own)} of ours, {len(other)} of MuJoCo's\n"
            f"  sizes {made.model.geom_size[geoms].tolist()}\n  margin {made.table.manners['margin'][row]}\n"
            f"  at {xpos[geoms].tolist()}\n  turned {xmat[geoms].tolist()}"
        )
