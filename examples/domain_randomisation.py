"""Does one controller balance every pendulum? Many carts with different masses, dampers and initial states.

    python examples/domain_randomisation.py [INSTANCES]

The mass and the centre of mass of the pole on each cart, and the friction of the bearings, are not known
exactly. All are controlled by the same linear law, 50 times a second. A pole that falls is counted and reset.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polybody as pb

MODEL = Path(__file__).with_name("inv_pendulum.xml")
GAINS = np.array([2.0, 45.0, 4.0, 12.0])  # N per m and rad of cart and pole, and per m/s and rad/s
STRONGEST = 8.0  # N
START, FALLEN = 0.4, 0.8  # rad
SECONDS, EVERY = 10.0, 2


def main(n: int) -> None:
    random = np.random.default_rng(0)
    model = pb.load(MODEL)
    varied = ("body_mass", "body_ipos", "body_inertia", "dof_damping")
    with pb.BatchStepper(model, n, threads=2, parameters=varied) as batch:
        print(f"{batch!r}: {batch.reason}")
        heavier = random.uniform(0.5, 2.0, (n, 1))
        batch.parameters["body_mass"][...] *= heavier
        batch.parameters["body_inertia"][...] *= heavier[:, :, np.newaxis]
        batch.parameters["body_ipos"][:, 2, 0] *= random.uniform(0.8, 1.2, n)
        batch.parameters["dof_damping"][...] = random.uniform(0.0, 0.2, (n, 2))
        batch.qpos[:, 1] = random.uniform(-START, START, n)

        fallen = np.zeros(n, int)
        steps = round(SECONDS / model.opt.timestep)
        begun = time.perf_counter()
        for _ in range(steps // EVERY):
            push = np.hstack([batch.qpos, batch.qvel]) @ GAINS
            batch.qfrc_applied[:, 0] = np.clip(push, -STRONGEST, STRONGEST)
            batch.step(EVERY)
            lost = batch.failed | (np.abs(batch.qpos[:, 1]) > FALLEN)
            if lost.any():
                fallen += lost
                start = np.zeros((int(lost.sum()), 2))
                start[:, 1] = random.uniform(-START, START, len(start))
                batch.reset(lost, qpos=start)
        took = time.perf_counter() - begun

    stood = fallen == 0
    print(f"{n * steps / took / 1e6:.1f} million steps per second, the law included")
    print(f"{stood.sum()} of {n} never fell in {SECONDS:.0f} s")
    if not stood.all():
        light, heavy = heavier[stood].mean(), heavier[~stood].mean()
        print(f"those weigh {light:.2f} times what the model says, those that fell {heavy:.2f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
