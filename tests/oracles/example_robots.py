"""Which robots of example-robot-data load and step under which policy.

python -m tests.oracles.example_robots
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import polybody as pb
from polybody.diagnostics import Policy

ROBOTS = "cmeel.prefix/share/example-robot-data/robots"
POLICIES: tuple[Policy, ...] = ("warn", "lenient")
STEPS = 20


def folder() -> Path:
    """Where the robots are installed."""
    return next(path for place in sys.path if (path := Path(place, ROBOTS)).is_dir())


def outcome(path: Path, policy: Policy) -> str:
    """The outcome for a file: rejected, loaded, or stepped."""
    try:
        model = pb.load(path, policy=policy)
    except pb.ValidationError as error:
        return f"refused: {next(each for each in error.diagnostics if each.severity == 'error').message}"
    data = pb.Data(model)
    try:
        pb.step(model, data, STEPS)
    except pb.ModelError as error:
        return f"loaded, not stepped: {str(error)[:60]}"
    return "stepped" if np.isfinite(data.qpos).all() else "not finite"


def main() -> None:
    """Print a line for each file that was not stepped, and the counts."""
    warnings.simplefilter("ignore", pb.ModelWarning)
    paths = sorted([*folder().rglob("*.urdf"), *folder().rglob("*.sdf")])
    for policy in POLICIES:
        found = {path: outcome(path, policy) for path in paths}
        for path, what in found.items():
            if what != "stepped":
                print(f"{policy:8} {path.name:32} {what}")
        print(policy, dict(Counter(what.partition(":")[0] for what in found.values())), len(paths), "files")


if __name__ == "__main__":
    main()
