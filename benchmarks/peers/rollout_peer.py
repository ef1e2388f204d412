"""MuJoCo's own batch call, ``mujoco.rollout``, on one thread."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from benchmarks.batches import INSTANCES, STEPS, instances, seconds_of
from benchmarks.engine import BATCH, Engine, Reals, Times, run, write_states
from benchmarks.peers.mujoco_peer import compile_model

if TYPE_CHECKING:
    from polybody import Model


class Rollout(Engine):
    """STEPS steps of INSTANCES states in one call, recording every step's state as rollout does."""

    label = "MuJoCo 3.2.7, rollout"

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        mujoco.mj_saveModel(compile_model(model), str(folder / "model.mjb"), None)
        write_states(folder / "states", *instances(states))

    def measure(self) -> Times:
        files = [self.folder / name for name in ("model.mjb", "states", "after")]
        return run(sys.executable, "-m", __name__, *files)

    def accelerations(self) -> Reals:
        """Velocities after one step, one row per state."""
        return np.fromfile(self.folder / "after").reshape(INSTANCES, self.model.nv)


def main(model_file: str, states_file: str, after: str) -> None:
    from mujoco import rollout

    model = mujoco.MjModel.from_binary_path(model_file)
    data = mujoco.MjData(model)
    numbers = np.fromfile(states_file)
    q, v = numbers[: INSTANCES * model.nq], numbers[INSTANCES * model.nq :]
    physics = mujoco.mjtState.mjSTATE_FULLPHYSICS
    initial = np.zeros((INSTANCES, mujoco.mj_stateSize(model, physics)))
    initial[:, 1 : 1 + model.nq] = q.reshape(INSTANCES, -1)
    initial[:, 1 + model.nq :] = v.reshape(INSTANCES, -1)
    once = np.zeros((INSTANCES, 1, initial.shape[1]))
    rollout.rollout(model, data, initial, nstep=1, state=once)
    once[:, 0, 1 + model.nq :].tofile(after)
    space = np.zeros((INSTANCES, STEPS, initial.shape[1]))
    models = [model] * INSTANCES

    def roll() -> None:
        rollout.rollout(models, [data], initial, nstep=STEPS, skip_checks=True, state=space)

    print(f"{BATCH} {seconds_of(roll) / (INSTANCES * STEPS) * 1e6:.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
