"""Fuzz for some minutes; failing cases are minimised and stored.

    python -m tests.fuzz --minutes 60 --format mjcf --seed 7
    python -m tests.fuzz --again fuzz-found/0a1b2c     run a stored case again

Exit code 1 if a case failed. The cases depend on the seed alone: the same seed and formats give the same
cases in the same order.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from pathlib import Path

from .cases import FORMATS, Case, make
from .child import Child
from .minimise import minimised


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to try (default 1)")
    parser.add_argument("--cases", type=int, default=0, help="how many to try at most; 0: no bound")
    parser.add_argument("--format", choices=FORMATS, help="of one format; otherwise of all in turn")
    parser.add_argument("--seed", type=int, help="what draws; otherwise the time")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="where what is found is kept")
    parser.add_argument("--again", type=Path, help="try a case that was kept")
    options = parser.parse_args()
    if options.again:
        return again(options.again)
    seed = int(time.time()) if options.seed is None else options.seed
    formats = (options.format,) if options.format else FORMATS
    tried, found = fuzz(formats, seed, 60 * options.minutes, options.cases, options.found)
    print(f"{tried:,} cases of {', '.join(formats)} with seed {seed}: {len(found)} found")
    for signature, folder in found.items():
        print(f"  {signature}: {folder}")
    return 1 if found else 0


def fuzz(
    formats: tuple[str, ...], seed: int, seconds: float, most: int, folder: Path
) -> tuple[int, dict[str, Path]]:
    """Run cases until the time or their number is used up; returns the failures by signature, each with its
    folder.
    """
    end = time.monotonic() + seconds
    found: dict[str, Path] = {}
    tried = 0
    child = Child()
    try:
        while time.monotonic() < end and not 0 < most <= tried:
            name = formats[tried % len(formats)]
            case = make(name, random.Random(f"{seed} {name} {tried}"))
            signature = child.verdict(case)
            tried += 1
            if signature and signature not in found:
                small = minimised(case, signature, child.verdict)
                found[signature] = keep(small, signature, folder, f"{name}, seed {seed}, case {tried - 1}")
                print(f"{signature}: {found[signature]}", file=sys.stderr, flush=True)
    finally:
        child.close()
    return tried, found


def keep(case: Case, signature: str, folder: Path, origin: str) -> Path:
    """Write a case into a folder of its own."""
    place = folder / hashlib.sha256(signature.encode()).hexdigest()[:12]
    for name, data in case.files.items():
        path = place / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    about = {"signature": signature, "files": list(case.files), "policy": case.policy, "made": case.made}
    (place / "about.json").write_text(json.dumps(about | {"origin": origin}, indent=1))
    return place


def kept(place: Path) -> Case:
    """A stored case."""
    about = json.loads((place / "about.json").read_text())
    files = {name: (place / "files" / name).read_bytes() for name in about["files"]}
    return Case(files, about["policy"], about["made"])


def again(place: Path) -> int:
    child = Child()
    signature = child.verdict(kept(place))
    child.close()
    print(signature or "nothing found")
    return 1 if signature else 0


if __name__ == "__main__":
    sys.exit(main())
