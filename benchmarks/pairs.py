"""The cost of finding the contacts of two shapes, compared with MuJoCo, at random poses at which most pairs
touch.

A time is the CPU time of a loop over many pairs divided by their number; both engines alternate and use
preallocated memory. MuJoCo's pass tests only the explicit pairs, as ours does.

    python -m benchmarks.pairs                 every pair of shapes
    python -m benchmarks.pairs mesh-mesh ...   some pairs
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import mujoco
import numpy as np
from polybody.collision.table import CONTACT

from tests.collision import pairs

MAX_TOUCHES = 50
"""Contacts of one pair."""
PAIRS = (*pairs.ANALYTIC, *pairs.CONVEX, *pairs.WITH_MESHES, *pairs.ON_TERRAIN, *pairs.DISTANT)
NONE = np.zeros(0)
COUNT, POSES = 100, 5
ROUNDS, SHARE = 12, 1e-3
"""Alternations of both engines, and the duration of one, s."""


def least_times(*calls: Callable[[], object]) -> list[float]:
    """The shortest CPU time of each call, s, over rounds in which each is called many times in turn."""
    counts = []
    for call in calls:
        call()
        start = time.process_time()
        call()
        counts.append(max(1, round(SHARE / max(time.process_time() - start, 1e-6))))
    least = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for k, (call, count) in enumerate(zip(calls, counts, strict=True)):
            start = time.process_time()
            for _ in range(count):
                call()
            least[k] = min(least[k], (time.process_time() - start) / count)
    return least


def compare(pair: str, option: str) -> tuple[float, float]:
    """Our time and MuJoCo's for one pair, us, each with its complete loop over all pairs, alternating."""
    draw = np.random.default_rng(3)
    made, sums = pairs.scene(pair, COUNT, draw, option=option), np.zeros(2)
    work = np.empty(made.table.work_bytes, np.uint8)
    space = np.empty(MAX_TOUCHES * COUNT * CONTACT.itemsize, np.uint8)
    for _ in range(POSES):
        xpos, xmat = pairs.poses(made, draw)
        made.data.geom_xpos[:], made.data.geom_xmat[:] = xpos, xmat
        places, orientations = xpos.ravel(), xmat.ravel()
        sums += least_times(
            lambda at=places, turned=orientations: made.table.fill(at, turned, NONE, work, space),  # type: ignore[misc]
            lambda: mujoco.mj_collision(made.model, made.data),
        )
    ours, theirs = 1e6 * sums / (COUNT * POSES)
    return float(ours), float(theirs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairs", description=__doc__)
    parser.add_argument("pair", nargs="*", help="as box-mesh")
    parser.add_argument("--native", action="store_true", help="with the flag nativeccd")
    options = parser.parse_args()
    flag = "<flag nativeccd='enable'/>" if options.native else ""
    print("| pair | polybody, us | MuJoCo, us | times as fast |\n|---|---|---|---|")
    for pair in options.pair or PAIRS:
        ours, theirs = compare(pair, flag)
        print(f"| {pair} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} |", flush=True)


if __name__ == "__main__":
    main()
