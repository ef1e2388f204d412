"""Step every MJCF file of a folder 1,000 times in both engines, and report what fails in polybody but not in
MuJoCo.

    python -m tests.differential.thousand DIR [--steps 1000] [--only model/plugin] [--seconds 120]

A file passes if no step yields NaN or infinities and every warning is one that MuJoCo gives as well. A file
that MuJoCo rejects, or that polybody rejects by name, is listed. Exit code 1 if a file fails.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import polybody as pb
from polybody.errors import ModelError, SimulationError

AT_ONCE = 20
"""Steps between two checks of the clock."""


def stepped(advance: Callable[[int], object], steps: int, seconds: float) -> int:
    """Advance until the steps or the time are used up; returns the number of steps."""
    start, done = time.process_time(), 0
    while done < steps and time.process_time() - start < seconds:
        count = min(AT_ONCE, steps - done)
        advance(count)
        done += count
    return done


def of_mujoco(path: Path, steps: int, seconds: float) -> str:
    """MuJoCo's warnings; "refused" if it does not load the file."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return "refused"
    data = mujoco.MjData(model)
    stepped(lambda count: mujoco.mj_step(model, data, count), steps, seconds)
    found = [mujoco.mjtWarning(i).name[8:] for i in range(len(data.warning)) if data.warning[i].number]
    return " ".join(found)


def of_ours(path: Path, steps: int, seconds: float) -> tuple[str, int]:
    """polybody's warnings or failure, "" for none; and the number of steps."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # findings of the document
            model = pb.load(path)
            data = pb.Data(model)
            pb.forward(model, data)
    except (pb.ValidationError, ModelError) as error:
        return "refused: " + str(error).partition("\n")[0][:150], 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            done = stepped(lambda count: pb.step(model, data, count), steps, seconds)
        except SimulationError as error:
            return "fails: " + str(error)[:150], 0
    if not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()):
        return "fails: NaN or infinity", done
    return " ".join(sorted({str(each.message)[:150] for each in caught})), done


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.differential.thousand", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=120.0, help="of CPU time for a file in each engine")
    parser.add_argument("--only", default="", help="files whose path has this")
    options = parser.parse_args()
    failed = 0
    for path in sorted(options.folder.rglob("*.xml")):
        name = str(path.relative_to(options.folder))
        if options.only not in name:
            continue
        theirs = of_mujoco(path, options.steps, options.seconds)
        ours, done = of_ours(path, options.steps, options.seconds)
        bad = bool(ours) and not theirs and not ours.startswith("refused")
        failed += bad
        print(
            f"{'FAIL' if bad else 'ok':4} {done:5} {name}: {ours or '-'} | MuJoCo: {theirs or '-'}",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
