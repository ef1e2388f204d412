"""Steps of every MJCF file of a folder: the loops and MuJoCo alternate, from the same initial state.

    python -m benchmarks.folder DIR                      every file, the slowest ratio first
    python -m benchmarks.folder DIR --only 22_humanoids --rounds 12
    python -m benchmarks.folder DIR --below 1.15 --rounds 12 --again 4

Both sides start at the first keyframe, or the initial state, with constant random controls. A time is the
minimum of the CPU times of several rounds. Files with a ratio below `--below` are measured again, with
`--again` times as many rounds. Files that MuJoCo or polybody reject, and those in which nothing moves, are
skipped.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import polybody as pb

STEPS, SECONDS, PUSH = 200, 0.05, 0.15
"""Largest number of steps in a round, the approximate duration of a round in MuJoCo in seconds, and the
magnitude of controls.
"""
TIMEOUT = 60.0
STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart")


class Times(NamedTuple):
    """Microseconds per step, and the size of the model."""

    mujoco: float
    polybody: float
    nv: int
    rows: int

    @property
    def ratio(self) -> float:
        """How many times as fast polybody is."""
        return self.mujoco / self.polybody


def timed(advance: Callable[[int], object], steps: int) -> float:
    """Microseconds of CPU time per step."""
    start = time.process_time_ns()
    advance(steps)
    return (time.process_time_ns() - start) / 1e3 / steps


def measure(path: Path, rounds: int) -> Times | None:
    """Both sides' minimal times; None if one rejects the file or nothing moves."""
    try:
        engine = mujoco.MjModel.from_xml_path(str(path))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stepper = pb.Stepper(pb.load(path, policy="warn", format="mjcf"), "loop", results=())
    except (ValueError, pb.ValidationError, pb.ModelError):
        return None
    if not engine.nv:
        return None
    data, ours = mujoco.MjData(engine), stepper.data
    low, high = np.where(engine.actuator_ctrllimited[:, None] > 0, engine.actuator_ctrlrange, [[-1.0, 1.0]]).T
    control = PUSH * np.random.default_rng(0).uniform(low, high)

    def begin() -> None:
        mujoco.mj_resetData(engine, data)
        if engine.nkey:
            mujoco.mj_resetDataKeyframe(engine, data, 0)
        data.ctrl[:] = control
        ours.reset()
        for name in STATE:
            getattr(ours, name)[...] = getattr(data, name)

    begin()
    steps = int(max(1, min(STEPS, 1e6 * SECONDS / timed(lambda n: mujoco.mj_step(engine, data, n), 5))))
    least, rows = [np.inf, np.inf], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(rounds):
            begin()
            least[0] = min(least[0], timed(lambda n: mujoco.mj_step(engine, data, n), steps))
            least[1] = min(least[1], timed(stepper.step, steps))
            rows = max(rows, int(data.nefc))
    return Times(least[0], least[1], engine.nv, rows)


def send(pipe: Any, path: Path, rounds: int) -> None:
    """Runs in a process of its own: engines may crash."""
    try:
        pipe.send(measure(path, rounds))
    except pb.SimulationError as error:
        pipe.send(str(error))


def each(paths: list[Path], rounds: int) -> Iterator[tuple[Path, Times]]:
    """Every file that both sides step."""
    context = get_context("fork")
    for path in paths:
        own, other = context.Pipe(duplex=False)
        process = context.Process(target=send, args=(other, path, rounds))
        process.start()
        other.close()
        found: Times | str | None = None
        try:
            found = own.recv() if own.poll(TIMEOUT) else f"no answer in {TIMEOUT:g} s"
        except EOFError:
            found = "MuJoCo crashes"
        finally:
            process.kill()
            process.join()
        if isinstance(found, str):
            print(f"{path}: {found}")
        elif found is not None:
            yield path, found


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.folder", description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="files whose path has this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--below", type=float, default=1.15, help="ratios that are measured again")
    parser.add_argument("--again", type=int, default=4, help="with how many times the rounds")
    options = parser.parse_args()
    paths = [path for path in sorted(options.folder.rglob("*.xml")) if options.only in str(path)]
    found = dict(each(paths, options.rounds))
    if options.again:
        close = [path for path, times in found.items() if times.ratio < options.below]
        found |= dict(each(close, options.again * options.rounds))
    for path, times in sorted(found.items(), key=lambda item: item[1].ratio):
        print(
            f"{times.ratio:6.2f}  {path.relative_to(options.folder)}: nv {times.nv}, rows {times.rows}, "
            f"MuJoCo {times.mujoco:.2f} us, loops {times.polybody:.2f} us"
        )
    ratios = [times.ratio for times in found.values()]
    if ratios:
        slower = sum(ratio < 1 for ratio in ratios)
        print(f"{len(ratios)} files, {slower} slower than MuJoCo, median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
