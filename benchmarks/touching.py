"""Steps with contacts: a program and the loops compared with MuJoCo, a batch with its rollout on one core.

The states are from MuJoCo's own trajectory with small random controls; both sides take ten steps from each.
A time is the mean over these states of the minimum of several repeats, alternating.

    python -m benchmarks.touching                 examples/humanoid.xml, Gymnasium's ant, humanoid and walker
    python -m benchmarks.touching FILE.xml ...
    python -m benchmarks.touching --other PYTHON also with the MuJoCo of another environment, such as the
    newest one
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import polybody as pb
from mujoco import rollout
from numpy.typing import NDArray

Reals = NDArray[np.float64]
ROOT = Path(__file__).parents[1]
REPEATS, STATES, EVERY, STRIDE, PUSH = 8, 250, 3, 10, 0.15
INSTANCES, STEPS = 256, 50


class State(NamedTuple):
    """The initial state of a step, and MuJoCo's vector for it."""

    qpos: Reals
    qvel: Reals
    act: Reals
    ctrl: Reals
    qacc_warmstart: Reals
    full: Reals


FIELDS = State._fields[:-1]


def files() -> list[Path]:
    """The models that anybody can install."""
    found = [ROOT / "examples" / "humanoid.xml"]
    gymnasium = importlib.util.find_spec("gymnasium")
    if gymnasium is not None and gymnasium.origin is not None:
        assets = Path(gymnasium.origin).parent / "envs" / "mujoco" / "assets"
        found += [assets / f"{name}.xml" for name in ("ant", "humanoid", "walker2d")]
    return [path for path in found if path.exists()]


def trajectory(engine: Any, count: int) -> list[State]:
    """States of MuJoCo's trajectory from the initial state, several steps apart."""
    data, draw, found = mujoco.MjData(engine), np.random.default_rng(0), []
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    low, high = np.where(engine.actuator_ctrllimited[:, None] > 0, engine.actuator_ctrlrange, [-1.0, 1.0]).T
    for step in range(count * EVERY):
        data.ctrl[:] = PUSH * draw.uniform(low, high)
        if step % EVERY == EVERY - 1:
            full = np.empty(mujoco.mj_stateSize(engine, kind))
            mujoco.mj_getState(engine, data, full, kind)
            own = {name: np.array(getattr(data, name)) for name in FIELDS}
            found.append(State(**own, full=full))
        mujoco.mj_step(engine, data)
    return found


class Other:
    """The MuJoCo of another environment, in a process of its own, alternating with the sides here."""

    def __init__(self, python: str, path: Path, states: list[State]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "states.npz"
        columns: dict[str, Any] = {
            name: np.array([getattr(each, name) for each in states]) for name in FIELDS
        }
        np.savez(file, **columns)
        command = [
            python,
            str(ROOT / "benchmarks" / "peers" / "other_mujoco.py"),
            str(path),
            str(file),
            str(STRIDE),
        ]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self._line()

    def microseconds(self, state: int) -> float:
        """Microseconds of a step from a state."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{state}\n")
        self.process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the MuJoCo of the other environment does not load this model")
        return line.strip()

    def close(self) -> None:
        """End the process."""
        self.process.communicate()
        self.folder.cleanup()


def single(engine: Any, model: pb.Model, states: list[State], other: Other | None) -> dict[str, float]:
    """Microseconds of a step with MuJoCo, a program, the loops, and another MuJoCo."""
    data = mujoco.MjData(engine)
    sides: dict[str, tuple[Any, Callable[[], object]]] = {
        "mujoco": (data, lambda: mujoco.mj_step(engine, data, STRIDE))
    }
    for kernels in ("specialized", "loop"):
        stepper = pb.Stepper(model, kernels, results=())
        sides[kernels] = (stepper.data, partial(stepper.step, STRIDE))
    least = {name: np.full(len(states), np.inf) for name in (*sides, *(["other"] if other else []))}
    for _ in range(REPEATS):
        for k, state in enumerate(states):
            for name, (memory, step) in sides.items():
                for field in FIELDS:
                    getattr(memory, field)[...] = getattr(state, field)
                start = time.perf_counter_ns()
                step()
                least[name][k] = min(least[name][k], (time.perf_counter_ns() - start) / 1e3 / STRIDE)
            if other:
                least["other"][k] = min(least["other"][k], other.microseconds(k))
    return {name: float(times.mean()) for name, times in least.items()}


def batch(engine: Any, model: pb.Model, states: list[State]) -> tuple[float, float]:
    """Microseconds of a step per state, with MuJoCo's rollout and with a batch, on one core."""
    data, chosen = mujoco.MjData(engine), [states[k % len(states)] for k in range(INSTANCES)]
    first, warm = np.array([each.full for each in chosen]), np.array([each.qacc_warmstart for each in chosen])
    controls = np.zeros((INSTANCES, STEPS, engine.nu))
    ours = pb.BatchStepper(model, INSTANCES, kernels="specialized")
    least = [np.inf, np.inf]
    for _ in range(REPEATS):
        start = time.perf_counter()
        rollout.rollout(engine, data, first, controls, initial_warmstart=warm)
        least[0] = min(least[0], time.perf_counter() - start)
        ours.reset()
        ours.qpos, ours.qvel = [each.qpos for each in chosen], [each.qvel for each in chosen]
        start = time.perf_counter()
        ours.step(STEPS)
        least[1] = min(least[1], time.perf_counter() - start)
    their, own = (1e6 * each / INSTANCES / STEPS for each in least)
    return their, own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--other", help="the Python of an environment with another MuJoCo")
    given = parser.parse_args()
    for path in given.files or files():
        engine, model = mujoco.MjModel.from_xml_path(str(path)), pb.load(path)
        engine.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        model = model.replace(opt_integrator="Euler")
        states = trajectory(engine, STATES)
        other = Other(given.other, path, states) if given.other else None
        times = single(engine, model, states, other)
        ratios = {name: times["mujoco"] / times[name] for name in ("specialized", "loop")}
        their, own = batch(engine, model, states)
        print(
            f"{path.stem}: MuJoCo {times['mujoco']:.2f} us, rollout {their:.2f} us; times as fast: ", end=""
        )
        print(
            f"program {ratios['specialized']:.2f}, loops {ratios['loop']:.2f}, batch {their / own:.2f}",
            flush=True,
        )
        if other:
            other.close()
            ours = times["other"] / times["specialized"]
            print(f"    MuJoCo {other.version}: {times['other']:.2f} us; times as fast: program {ours:.2f}")


if __name__ == "__main__":
    main()
