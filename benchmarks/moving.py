"""MJCF with controls and sensors compared with MuJoCo: ``python -m benchmarks.moving``.

Steps of one simulation are compared with ``mj_step``, of many with ``mujoco.rollout`` on one thread, with the
same constant controls, without constraints. A round measures both in turn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody as pb
from mujoco import rollout
from numpy.typing import NDArray
from polybody.generated.model import Integrator

from benchmarks.rows import Part, Row, compare, main, selected

HERE = Path(__file__).resolve().parent
MODELS = {
    "humanoid, 21 motors": (HERE / "models" / "humanoid.xml", "Euler"),
    "humanoid, 21 motors, implicitfast": (HERE / "models" / "humanoid.xml", "implicitfast"),
    "arm, 4 servos": (HERE.parent / "examples" / "arm.xml", "Euler"),
    "arm, 8 muscles around shapes": (HERE / "models" / "muscles.xml", "Euler"),
    "fish in water, 8 servos": (HERE / "models" / "fish.xml", "Euler"),
}
"""Files, and the integrators of both sides."""
STEPS, INSTANCES, BATCH_STEPS = 2000, 1024, 20
ROUNDS = 7
SECONDS = 0.02
"""Seconds for which a call is repeated on each side."""
SENSORS = {"without sensors": (), "all sensors": ("sensordata",)}
Controls = NDArray[np.float64]


@dataclass(frozen=True)
class Sides:
    """One model on both sides, and its controls."""

    model: pb.Model
    peer: Any
    controls: Controls


def sides(path: Path, integrator: str, sensing: bool) -> Sides:
    """Both sides without constraints; sensors are enabled or disabled on both."""
    off = ("constraint",) if sensing else ("constraint", "sensor")
    peer = mujoco.MjModel.from_xml_path(str(path))
    for flag in off:
        peer.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
    peer.opt.integrator = Integrator[integrator]
    controls = 0.2 * np.random.default_rng(0).uniform(-1, 1, peer.nu)
    model = pb.load(path, disable=off).replace(opt_integrator=integrator)
    return Sides(model, peer, controls)


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


def stepping(both: Sides, kernels: str, results: tuple[str, ...]) -> Callable[[], object]:
    """STEPS steps of one simulation from the initial state."""
    sim = pb.Stepper(both.model, kernels, results=results)

    def run() -> None:
        sim.reset()
        sim.data.ctrl = both.controls
        sim.step(STEPS)

    return run


def their_steps(both: Sides) -> Callable[[], object]:
    data = mujoco.MjData(both.peer)

    def run() -> None:
        mujoco.mj_resetData(both.peer, data)
        data.ctrl[:] = both.controls
        mujoco.mj_step(both.peer, data, STEPS)

    return run


def batch(both: Sides, results: tuple[str, ...]) -> Callable[[], object]:
    """BATCH_STEPS steps of INSTANCES simulations, all recorded as by rollout."""
    many = pb.BatchStepper(both.model, INSTANCES, results=results)
    names = ("time", "qpos", "qvel", "act", *results)
    shapes = {"time": (), **{name: np.shape(getattr(pb.Data(both.model), name)) for name in names[1:]}}
    out = {name: np.empty((BATCH_STEPS, INSTANCES, *shapes[name])) for name in names}

    def run() -> None:
        many.reset(ctrl=both.controls)
        many.step(BATCH_STEPS, every=1, out=out)

    return run


def their_batch(both: Sides, results: tuple[str, ...]) -> Callable[[], object]:
    data, physics = mujoco.MjData(both.peer), mujoco.mjtState.mjSTATE_FULLPHYSICS
    first = np.zeros((INSTANCES, mujoco.mj_stateSize(both.peer, physics)))
    first[:, 1 : 1 + both.peer.nq] = both.peer.qpos0
    controls = np.broadcast_to(both.controls, (INSTANCES, BATCH_STEPS, both.peer.nu)).copy()
    space: dict[str, Any] = {"state": np.empty((INSTANCES, BATCH_STEPS, first.shape[1]))}
    if results:
        space["sensordata"] = np.empty((INSTANCES, BATCH_STEPS, both.peer.nsensordata))
    models = [both.peer] * INSTANCES

    def run() -> None:
        rollout.rollout(models, [data], first, controls, nstep=BATCH_STEPS, skip_checks=True, **space)

    return run


def measure_model(name: str, path: Path, integrator: str, rounds: int) -> list[Row]:
    """One row per kind of kernels, with and without sensors."""
    rows = []
    for sensing, results in SENSORS.items():
        both = sides(path, integrator, bool(results))
        work = f"step, {sensing}"
        for kernels in ("loop", "specialized"):
            ours, theirs = stepping(both, kernels, results), their_steps(both)
            pairs = [(microseconds(ours, STEPS), microseconds(theirs, STEPS)) for _ in range(rounds)]
            rows.append(_row(work, kernels, name, "MuJoCo 3.2.7, mj_step", pairs, both))
        count = INSTANCES * BATCH_STEPS
        many, peers = batch(both, results), their_batch(both, results)
        pairs = [(microseconds(many, count), microseconds(peers, count)) for _ in range(rounds)]
        rows.append(_row(work, "batch", name, "MuJoCo 3.2.7, rollout", pairs, both))
    return rows


def _row(
    work: str, kernels: str, model: str, peer: str, pairs: list[tuple[float, float]], both: Sides
) -> Row:
    ours, theirs = zip(*pairs, strict=True)
    return compare(work, kernels, model, peer, ours, theirs, nv=both.model.nv)


def measure(options: argparse.Namespace) -> list[Row]:
    rounds = 3 if getattr(options, "quick", False) else ROUNDS
    models = [(name, *found) for name, found in MODELS.items() if selected(options, name)]
    return [row for name, path, way in models for row in measure_model(name, path, way, rounds)]


PART = Part(
    "MJCF with controls and sensors",
    measure,
    "Constraints are off on both sides. A batch records every step's state, and what the sensors measure.",
    selects=True,
)

if __name__ == "__main__":
    main(PART)
