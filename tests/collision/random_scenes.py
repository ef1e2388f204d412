"""Draw random scenes of every pair of shapes and find their contacts by C compiled with sanitizers (fuzz.c).

    python -m tests.collision.random_scenes --cases 1000000 --seed 1
    python -m tests.collision.random_scenes --pair sphere-box --pair mesh-sdf

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
WIDE = ("-DLANES=8", "-mavx512f", "-mavx512dq", "-mavx512vl", "-ffp-contract=off")
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-function", "-Wno-psabi")
UNPAIRED = ("plane-plane", "plane-hfield", "hfield-hfield", "hfield-sdf")
"""Shapes that never collide with each other."""
AT_ONCE = 10_000
"""Scenes of a pair that one process draws."""


def pairs() -> list[str]:
    """Every pair of shapes that has a collision function, the shape of the lower type first."""
    found = (f"{one}-{other}" for i, one in enumerate(SHAPES) for other in SHAPES[i:])
    return [pair for pair in found if pair not in UNPAIRED]


def compiled(folder: Path, level: str = "-O1", lanes: int = 4) -> Path:
    """Compile the program in a folder. With the level -O2 scenes take half of the time, compiling twice.
    Searches of eight lanes need a processor with AVX-512.

    Raises:
        AssertionError: the compiler fails or warns.
    """
    program = folder / "fuzz"
    folders = [f"-I{ROOT / folder}" for folder in ("runtime/native", "generated/kernels", "tests/collision")]
    command = [os.environ.get("CC", "cc"), "-std=c99", level, "-g1", *WARNINGS, *SANITIZED, *folders]
    command += WIDE if lanes == 8 else ()
    command += [str(ROOT / "tests/collision/fuzz.c"), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return program


def numbered(pair: str) -> str:
    """Two shapes as arguments of fuzz.c: the digits of their types."""
    return "".join(str(SHAPES.index(shape)) for shape in pair.split("-"))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.collision.random_scenes", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--cases", type=int, default=10_000, help="scenes of each pair (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first scene; the others have the next")
    parser.add_argument(
        "--pair", action="append", choices=pairs(), metavar="PAIR", help="as sphere-box; otherwise all"
    )
    parser.add_argument(
        "--lanes", type=int, default=4, choices=(4, 8), help="how many pairs are searched at a time"
    )
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder), "-O2", options.lanes)
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
