"""MJCF with controls and sensors compared with MuJoCo: ``python -m benchmarks.moving``, or also with that of
another environment: ``python -m benchmarks.moving --other PYTHON``.

Steps of one simulation are compared with ``mj_step``, of many with ``mujoco.rollout`` on one thread, with the
same constant controls, without constraints. A round measures both in turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polybody as pb
from numpy.typing import NDArray

from benchmarks.engines import Peer, peers
from benchmarks.peers.mujoco_steps import microseconds
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
SENSORS = {"without sensors": (), "all sensors": ("sensordata",)}
Controls = NDArray[np.float64]
Timed = tuple[str, str, Callable[[], float], Callable[[], float]]




def loaded(path: Path, integrator: str, release: str, disable: tuple[str, ...]) -> pb.Model:
    """A model without what is disabled."""
    return pb.load(path, disable=disable, release=release).replace(opt_integrator=integrator)


def stepping(
    model: pb.Model, kernels: str, results: tuple[str, ...], controls: Controls
) -> Callable[[], object]:
    """STEPS steps of one simulation from the initial state."""
    sim = pb.Stepper(model, kernels, results=results)

    def run() -> None:
        sim.reset()
        sim.data.ctrl = controls
        sim.step(STEPS)

    return run


def batch(model: pb.Model, results: tuple[str, ...], controls: Controls) -> Callable[[], object]:
    """BATCH_STEPS steps of INSTANCES simulations, all recorded as by rollout."""
    many = pb.BatchStepper(model, INSTANCES, results=results)
    names = ("time", "qpos", "qvel", "act", *results)
    shapes = {"time": (), **{name: np.shape(getattr(pb.Data(model), name)) for name in names[1:]}}
    out = {name: np.empty((BATCH_STEPS, INSTANCES, *shapes[name])) for name in names}

    def run() -> None:
        many.reset(ctrl=controls)
        many.step(BATCH_STEPS, every=1, out=out)

    return run


def measure_model(name: str, path: Path, integrator: str, options: argparse.Namespace) -> list[Row]:
    """One row per kind of kernels and peer, with and without sensors."""
    rows = []
    rounds = 3 if getattr(options, "quick", False) else ROUNDS
    for sensing, results in SENSORS.items():
        disable = ("constraint",) if results else ("constraint", "sensor")
        with peers(path, integrator, disable, getattr(options, "other", None)) as found:
            for peer in found:
                model = loaded(path, integrator, peer.release, disable)
                controls = 0.2 * np.random.default_rng(0).uniform(-1, 1, model.nu)
                for work, kernels, ours, theirs in timed(peer, model, controls, results):
                    pairs = [(ours(), theirs()) for _ in range(rounds)]
                    mine, other = zip(*pairs, strict=True)
                    called = f"MuJoCo {peer.version}, {work}"
                    rows.append(
                        compare(f"step, {sensing}", kernels, name, called, mine, other, nv=model.nv)
                    )
    return rows


def timed(peer: Peer, model: pb.Model, controls: Controls, results: tuple[str, ...]) -> Iterator[Timed]:
    """What is compared: the peer's function, our kernels, and the times of both."""
    given, count = controls.tolist(), INSTANCES * BATCH_STEPS
    for kernels in ("loop", "specialized"):
        ours = partial(microseconds, stepping(model, kernels, results, controls), STEPS)
        yield "mj_step", kernels, ours, partial(peer.engine.steps, given, STEPS)
    ours = partial(microseconds, batch(model, results, controls), count)
    yield "rollout", "batch", ours, partial(peer.engine.rollout, given, INSTANCES, BATCH_STEPS, bool(results))


def measure(options: argparse.Namespace) -> list[Row]:
    models = [(name, *found) for name, found in MODELS.items() if selected(options, name)]
    return [row for name, path, way in models for row in measure_model(name, path, way, options)]


PART = Part(
    "MJCF with controls and sensors",
    measure,
    "Constraints are off on both sides. A batch records every step's state, and what the sensors measure.",
    selects=True,
)

if __name__ == "__main__":
    main(PART, values=(("--other", "the Python of an environment with another MuJoCo"),))
