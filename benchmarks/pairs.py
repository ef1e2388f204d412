"""What it costs to find the contacts of two shapes, beside MuJoCo: random poses at which most pairs touch.

A time is that of a pass over many pairs, by their number. Ours ends with a copy of the contacts,
some .2 us a pair, which is most of what analytic pairs take here and is no part of a step.

    python -m benchmarks.pairs                 every pair of shapes
    python -m benchmarks.pairs mesh-mesh ...   some
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import mujoco
import numpy as np

from tests.collide import pairs

PAIRS = (*pairs.ANALYTIC, *pairs.CONVEX, *pairs.WITH_MESHES, *pairs.ON_TERRAIN, *pairs.DISTANT)
COUNT, POSES, REPEATS = 100, 3, 10


def best(call: Callable[[], object]) -> float:
    """The least time of a call, s."""
    least = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
    return least


def compare(pair: str, option: str) -> tuple[float, float]:
    """Of one pair our time and MuJoCo's, us, each with its whole pass over all pairs; in turns."""
    draw = np.random.default_rng(3)
    made, ours, theirs = pairs.scene(pair, COUNT, draw, option=option), 0.0, 0.0
    for _ in range(POSES):
        xpos, xmat = pairs.poses(made, draw)
        made.data.geom_xpos[:], made.data.geom_xmat[:] = xpos, xmat
        ours += best(lambda xpos=xpos, xmat=xmat: made.table.contacts(xpos, xmat))  # type: ignore[misc]
        theirs += best(lambda: mujoco.mj_collision(made.model, made.data))
    return 1e6 * ours / (COUNT * POSES), 1e6 * theirs / (COUNT * POSES)


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
