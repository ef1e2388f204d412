"""Draw random scenes of every pair of shapes and find their contacts by C compiled with sanitizers (fuzz.c).

    python -m tests.collide.random_scenes --cases 1000000 --seed 1
    python -m tests.collide.random_scenes --pair sphere-box --pair mesh-sdf

Contacts must be finite, have right-handed frames and be as deep as a slow search finds; exit code 1 if one is
not.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SHAPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-function", "-Wno-psabi")
UNPAIRED = ("plane-plane", "plane-hfield", "hfield-hfield", "hfield-sdf")
"""Shapes that never collide with each other."""
AT_ONCE = 10_000
"""Scenes of a pair that one process draws."""


def pairs() -> list[str]:
    """Every pair of shapes that has a collision function, the shape of the lower type first."""
    found = (f"{one}-{other}" for i, one in enumerate(SHAPES) for other in SHAPES[i:])
    return [pair for pair in found if pair not in UNPAIRED]


def compiled(folder: Path) -> Path:
    """Compile the program in a folder.

    Raises:
        AssertionError: the compiler fails or warns.
    """
    program = folder / "fuzz"
    folders = [f"-I{ROOT / 'runtime'}", f"-I{ROOT / 'tests/collide'}"]
    command = [os.environ.get("CC", "cc"), "-std=c99", "-O1", "-g1", *WARNINGS, *SANITIZED, *folders]
    command += [str(ROOT / "tests/collide/fuzz.c"), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return program


def numbered(pair: str) -> str:
    """Two shapes as arguments of fuzz.c: the digits of their types."""
    return "".join(str(SHAPES.index(shape)) for shape in pair.split("-"))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.collide.random_scenes", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--cases", type=int, default=10_000, help="scenes of each pair (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first scene; the others have the next")
    parser.add_argument(
        "--pair", action="append", choices=pairs(), metavar="PAIR", help="as sphere-box; otherwise all"
    )
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for pair in options.pair or pairs():
            for first in range(0, options.cases, AT_ONCE):
                count = min(AT_ONCE, options.cases - first)
                command = [str(program), str(count), str(options.seed + first), numbered(pair)]
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
                bad += done.returncode != 0
                print(f"{pair}: {(done.stdout + done.stderr).strip()}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
