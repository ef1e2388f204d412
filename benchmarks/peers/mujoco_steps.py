"""Steps with MuJoCo, timed: in the benchmark's own process, or with the MuJoCo of another environment.

It imports nothing from this repository. As a program, it answers calls of the methods of `Engine`, which it
reads from standard input, a JSON list ``[name, arguments...]`` on each line:

    PYTHON mujoco_steps.py MODEL.xml INTEGRATOR FLAG...
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

SECONDS = 0.02
"""Seconds for which a call is repeated."""
FIELDS = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart")
"""The initial state of a step."""
PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS


def microseconds(call: Callable[[], object], count: int) -> float:
    """Microseconds for each of ``count`` parts of a call, which is repeated for SECONDS untimed and then
    timed.

    A call may take 30 times as long on one side. A call of 1 ms after the other side's 60 ms takes up to
    twice as long as the fourth one, presumably because of the contents of the caches.
    """
    repeated(call)
    calls, seconds = repeated(call)
    return seconds / calls / count * 1e6


def repeated(call: Callable[[], object]) -> tuple[int, float]:
    """The number of calls within SECONDS, and the time that they took."""
    calls, start = 0, time.perf_counter()
    while True:
        call()
        calls += 1
        if (seconds := time.perf_counter() - start) > SECONDS:
            return calls, seconds


class Engine:
    """A model of MuJoCo, with an integrator and disabled flags. All times are microseconds per step."""

    def __init__(self, path: str, integrator: str, *disable: str) -> None:
        self.model = mujoco.MjModel.from_xml_path(path)
        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        for flag in disable:
            self.model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
        self.data = mujoco.MjData(self.model)
        self.columns: dict[str, Any] = {}

    def version(self) -> str:
        """MuJoCo's."""
        return str(mujoco.mj_versionString())

    def states(self, file: str) -> None:
        """Read the states for `step_from` and `rollout_from`: an .npz file with FIELDS."""
        with np.load(file) as columns:
            self.columns = {name: columns[name] for name in FIELDS}

    def step_from(self, state: int, steps: int) -> float:
        """The time of steps from one of the states."""
        for name, rows in self.columns.items():
            getattr(self.data, name)[...] = rows[state]
        start = time.perf_counter_ns()
        mujoco.mj_step(self.model, self.data, steps)
        return (time.perf_counter_ns() - start) / 1e3 / steps

    def rollout_from(self, instances: int, steps: int) -> float:
        """The time of a rollout from the states, repeated for all instances, without controls."""
        chosen = {name: rows[np.arange(instances) % len(rows)] for name, rows in self.columns.items()}
        first = np.array([self._physics(*row) for row in zip(*chosen.values(), strict=True)])
        controls, warm = np.zeros((instances, steps, self.model.nu)), chosen["qacc_warmstart"]
        start = time.perf_counter()
        rollout.rollout(self.model, self.data, first, controls, initial_warmstart=warm)
        return 1e6 * (time.perf_counter() - start) / instances / steps

    def _physics(self, *state: Any) -> Any:
        mujoco.mj_resetData(self.model, self.data)
        for name, value in zip(FIELDS, state, strict=True):
            getattr(self.data, name)[...] = value
        full = np.empty(mujoco.mj_stateSize(self.model, PHYSICS))
        mujoco.mj_getState(self.model, self.data, full, PHYSICS)
        return full

    def steps(self, controls: list[float], steps: int) -> float:
        """The time of steps from the initial state with constant controls."""

        def run() -> None:
            mujoco.mj_resetData(self.model, self.data)
            self.data.ctrl[:] = controls
            mujoco.mj_step(self.model, self.data, steps)

        return microseconds(run, steps)

    def rollout(self, controls: list[float], instances: int, steps: int, sensing: bool) -> float:
        """The time of a rollout from the initial state with constant controls; it records every state, and
        what sensors measure on request.
        """
        mujoco.mj_resetData(self.model, self.data)
        full = np.empty(mujoco.mj_stateSize(self.model, PHYSICS))
        mujoco.mj_getState(self.model, self.data, full, PHYSICS)
        first = np.tile(full, (instances, 1))
        inputs = np.broadcast_to(controls, (instances, steps, self.model.nu)).copy()
        space: dict[str, Any] = {"state": np.empty((instances, steps, first.shape[1]))}
        if sensing:
            space["sensordata"] = np.empty((instances, steps, self.model.nsensordata))
        models = [self.model] * instances

        def run() -> None:
            rollout.rollout(models, [self.data], first, inputs, nstep=steps, skip_checks=True, **space)

        return microseconds(run, instances * steps)


def main(path: str, integrator: str, *disable: str) -> None:
    """Answer calls until standard input ends."""
    engine = Engine(path, integrator, *disable)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(getattr(engine, name)(*arguments)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
