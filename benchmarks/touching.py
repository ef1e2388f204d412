"""Steps with contacts: a program, the loops and a batch compared with MuJoCo and its rollout on one core.

The states are from MuJoCo's own trajectory with small random controls; both sides take ten steps from each.
A time is the mean over these states of the minimum of several repeats, alternating.

    python -m benchmarks.touching                 examples/humanoid.xml, Gymnasium's ant, humanoid and walker
    python -m benchmarks.touching FILE.xml ...
    python -m benchmarks.touching --other PYTHON  also beside the MuJoCo of another environment, such as 4.0;
                                                  beside it, models are simulated as 4.0
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody as pb
from numpy.typing import NDArray

from benchmarks.engines import Peer, peers
from benchmarks.peers.mujoco_steps import FIELDS

States = dict[str, NDArray[np.float64]]
"""The initial states of steps, by field."""
ROOT = Path(__file__).parents[1]
REPEATS, STATES, EVERY, STRIDE, PUSH = 8, 250, 3, 10, 0.15
INSTANCES, STEPS = 256, 50


def files() -> list[Path]:
    """The models that anybody can install."""
    found = [ROOT / "examples" / "humanoid.xml"]
    gymnasium = importlib.util.find_spec("gymnasium")
    if gymnasium is not None and gymnasium.origin is not None:
        assets = Path(gymnasium.origin).parent / "envs" / "mujoco" / "assets"
        found += [assets / f"{name}.xml" for name in ("ant", "humanoid", "walker2d")]
    return [path for path in found if path.exists()]


def trajectory(engine: Any, count: int) -> States:
    """States of MuJoCo's trajectory from the initial state, several steps apart."""
    data, draw = mujoco.MjData(engine), np.random.default_rng(0)
    found: dict[str, list[Any]] = {name: [] for name in FIELDS}
    low, high = np.where(engine.actuator_ctrllimited[:, None] > 0, engine.actuator_ctrlrange, [-1.0, 1.0]).T
    for step in range(count * EVERY):
        data.ctrl[:] = PUSH * draw.uniform(low, high)
        if step % EVERY == EVERY - 1:
            for name in FIELDS:
                found[name].append(np.array(getattr(data, name)))
        mujoco.mj_step(engine, data)
    return {name: np.array(rows) for name, rows in found.items()}


def stepping(model: pb.Model, kernels: str, states: States) -> Callable[[int, int], float]:
    """The microseconds of a step, of some from one of the states."""
    stepper = pb.Stepper(model, kernels, results=())

    def step_from(state: int, steps: int) -> float:
        for name in FIELDS:
            getattr(stepper.data, name)[...] = states[name][state]
        start = time.perf_counter_ns()
        stepper.step(steps)
        return (time.perf_counter_ns() - start) / 1e3 / steps

    return step_from


def single(models: list[tuple[Peer, pb.Model]], states: States) -> list[dict[str, float]]:
    """Microseconds of a step with each peer, and with a program and loops as that peer."""
    sides = [
        {
            "peer": peer.engine.step_from,
            "program": stepping(model, "specialized", states),
            "loops": stepping(model, "loop", states),
        }
        for peer, model in models
    ]
    count = len(states["qpos"])
    least = [{name: np.full(count, np.inf) for name in side} for side in sides]
    for _ in range(REPEATS):
        for state in range(count):
            for side, best in zip(sides, least, strict=True):
                for name, step_from in side.items():
                    best[name][state] = min(best[name][state], step_from(state, STRIDE))
    return [{name: float(times.mean()) for name, times in best.items()} for best in least]


def batch(models: list[tuple[Peer, pb.Model]], states: States) -> list[dict[str, float]]:
    """Microseconds of a step per state, with the rollout of each peer and with a batch as that peer."""
    chosen = np.arange(INSTANCES) % len(states["qpos"])
    ours = [pb.BatchStepper(model, INSTANCES, kernels="specialized") for _, model in models]
    least = [{"peer": np.inf, "batch": np.inf} for _ in models]
    for _ in range(REPEATS):
        for (peer, _), many, best in zip(models, ours, least, strict=True):
            best["peer"] = min(best["peer"], peer.engine.rollout_from(INSTANCES, STEPS))
            many.reset()
            many.qpos, many.qvel = states["qpos"][chosen], states["qvel"][chosen]
            start = time.perf_counter()
            many.step(STEPS)
            best["batch"] = min(best["batch"], 1e6 * (time.perf_counter() - start) / INSTANCES / STEPS)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--other", help="the Python of an environment with another MuJoCo")
    given = parser.parse_args()
    for path in given.files or files():
        with peers(path, "Euler", (), given.other) as found, tempfile.TemporaryDirectory() as folder:
            states = trajectory(found[0].engine.model, STATES)
            file = str(Path(folder) / "states.npz")
            np.savez(file, **states)  # type: ignore[arg-type]  # its keywords are names of arrays
            models = []
            for peer in found:
                peer.engine.states(file)
                model = pb.load(path, release=peer.release).replace(opt_integrator="Euler")
                models.append((peer, model))
            for peer, one, many in zip(found, single(models, states), batch(models, states), strict=True):
                times = f"MuJoCo {peer.version} {one['peer']:.2f} us, rollout {many['peer']:.2f} us"
                ratios = [f"{name} {one['peer'] / one[name]:.2f}" for name in ("program", "loops")]
                ratios.append(f"batch {many['peer'] / many['batch']:.2f}")
                print(f"{path.stem}: {times}; times as fast: {', '.join(ratios)}", flush=True)


if __name__ == "__main__":
    main()
