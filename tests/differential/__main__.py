"""Compare a folder of files with its format's engine and print the report; exit with code 1 if anything
failed.

    python -m tests.differential x_xy DIR [--json OUT] [--seed 0] [--workers 2] [--steps 100] [--limit N]

`python -m tests.oracles.random_x_xy DIR --count 200` writes random files for it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from tests.differential.report import summary, text

FORMATS = ("mjcf", "mjcf_parting", "openrave", "sdf", "skel", "urdf", "urdf_pinocchio", "x_xy")
"""Each names a module of this package with ENGINE, SUFFIX, TOLERANCES and compare_files, optionally a
table.
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.differential", description=__doc__.split("\n")[0])
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the report there as JSON")
    parser.add_argument("--seed", type=int, default=0, help="of the random states")
    parser.add_argument("--workers", type=int, default=2, help="processes that run the engine")
    parser.add_argument("--steps", type=int, default=100, help="length of trajectories")
    parser.add_argument("--policy", choices=("warn", "lenient"), default="warn", help="under which to load")
    parser.add_argument("--limit", type=int, help="only so many files, in order of name")
    args = parser.parse_args(arguments)
    comparer = importlib.import_module(f"tests.differential.{args.format}")
    paths = sorted(args.folder.rglob(f"*{comparer.SUFFIX}"))[: args.limit]
    if not paths:
        parser.error(f"no {comparer.SUFFIX} files in {args.folder}")
    more = {} if args.policy == "warn" else {"policy": args.policy}
    found = comparer.compare_files(paths, seed=args.seed, workers=args.workers, steps=args.steps, **more)
    for comparison in found:
        comparison.file = str(Path(comparison.file).relative_to(args.folder))
    report = summary(found, comparer.TOLERANCES, format=args.format, engine=comparer.ENGINE, seed=args.seed)
    print(text(report))
    if hasattr(comparer, "table"):
        print(comparer.table(found))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
