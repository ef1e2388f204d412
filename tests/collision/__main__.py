"""Compare contacts of random pairs of shapes with MuJoCo's at the same poses.

    python -m tests.collision --cases 100000              every pair of shapes that has a collision function
    python -m tests.collision --pair box-box --show 3     one pair, with the first cases that differ

Exit code 1 if a case differs although MuJoCo's own answer is stable under a change of the pose by one ulp.
"""

from __future__ import annotations

import argparse
import sys

from .compare import compare
from .pairs import ANALYTIC, CONVEX, DISTANT, ON_TERRAIN, WITH_MESHES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.collision", description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000, help="of each pair (default 10,000)")
    parser.add_argument("--pair", action="append", help="as sphere-box; otherwise all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0, help="what all lengths are multiplied by")
    parser.add_argument(
        "--accuracy",
        type=float,
        help="of dist and pos, as parts of the scale (default 1e-12; convex pairs 1e-6, distances 1e-8)",
    )
    parser.add_argument("--show", type=int, default=0, help="how many cases that differ to show")
    options = parser.parse_args()
    bad = 0
    print(f"{'pair':18} {'cases':>10} {'touching':>10} {'worst':>9} {'unstable':>9} {'skew':>5} {'wrong':>6}")
    for pair in options.pair or (*ANALYTIC, *CONVEX, *WITH_MESHES, *ON_TERRAIN, *DISTANT):
        accuracy = options.accuracy or (1e-12 if pair in ANALYTIC else 1e-8 if pair in DISTANT else 1e-6)
        tally = compare(pair, options.cases, options.seed, accuracy, options.scale)
        bad += len(tally.wrong)
        counts = (
            f"{tally.cases:10,} {tally.touching:10,} {tally.worst:9.1e} {tally.unstable:9,} {tally.skew:5,}"
        )
        print(f"{pair:18} {counts} {len(tally.wrong):6,}", flush=True)
        for text in tally.wrong[: options.show]:
            print(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
