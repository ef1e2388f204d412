"""Keep a humanoid on its feet with a linear-quadratic regulator, linearised by differences of a batch.

    python examples/lqr.py

The state and the controls of the humanoid are changed by a little in each direction, up and down, one change
in each instance of a batch. One step of all instances gives the matrices of x' = A x + B u. With these,
Newton's method first finds a pose and controls with which the humanoid stands still; then they give the
regulator. Without it the humanoid falls, because its servos do not depend on its balance.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polybody as pb
from numpy.typing import NDArray

Reals = NDArray[np.float64]
MODEL = Path(__file__).with_name("humanoid.xml")
SMALL = 1e-6  # of a change
CROUCH = {"hip_swing": -0.4, "knee": 0.8, "ankle": -0.4}  # rad
SINK = 1.5e-3  # m, of the soles in the floor
MOST, STILL, STRIDE, RANK = 60, 1e-10, 0.05, 1e-9  # steps, m/s and rad/s, m and rad, relative
DOUBLINGS = 14
PUSHES, SECONDS, FALLEN = (0.0, 0.1, -0.1, 0.3, -0.3), 5.0, 0.6  # m/s, s, m


class Differences:
    """The derivatives of a step of a Model, by central differences of one batch."""

    def __init__(self, model: pb.Model) -> None:
        self.model, self.size = model, 2 * model.nv + model.nu
        self.batch = pb.BatchStepper(model, 2 * self.size)
        self.change = SMALL * np.concatenate([np.eye(self.size), -np.eye(self.size)])
        self.state = np.empty_like(self.batch.get_state())

    def matrices(self, data: pb.Data) -> tuple[Reals, Reals]:
        """A (2 nv, 2 nv) and B (2 nv, nu) of x' = A x + B u, for deviations from the state and controls of a
        simulation: x is the change of the positions, as velocities for a unit of time, and of the velocities.
        """
        model, batch = self.model, self.batch
        moved, faster, pushed = np.split(self.change, [model.nv, 2 * model.nv], axis=1)
        self.state[:] = data.get_state()  # with the start of the solver
        batch.set_state(self.state)
        batch.qpos = pb.integrate_pos(model, data.qpos, moved, 1.0)
        batch.qvel = data.qvel + faster
        batch.ctrl = data.ctrl + pushed
        batch.step()
        up, down = np.split(batch.qpos, 2)
        positions = pb.differentiate_pos(model, down, up)
        up, down = np.split(batch.qvel, 2)
        both = np.hstack([positions, up - down]).T / (2 * SMALL)
        return both[:, : 2 * model.nv], both[:, 2 * model.nv :]


def crouched(model: pb.Model) -> pb.Data:
    """A simulation at rest with bent knees and the soles on the floor, its servos asked for that pose."""
    data = pb.Data(model)
    for joint, angle in CROUCH.items():
        for side in ("left", "right"):
            data.joint(f"{side}_{joint}").qpos[:] = angle
    for actuator, joint in enumerate(model.actuator_trnid[:, 0]):
        data.ctrl[actuator] = data.qpos[model.jnt_qposadr[joint]]
    pb.forward(model, data)
    data.qpos[2] -= data.geom("left_sole").xpos[2] - model.geom("left_sole").size[2] + SINK
    return data


def stand(model: pb.Model, differences: Differences) -> pb.Data:
    """A simulation that stands still: Newton's method for positions and controls with which a step from rest
    ends at rest. Of all solutions of the linear equations, each iteration takes the shortest.
    """
    data = crouched(model)
    for tries in range(MOST):
        pb.forward(model, data)
        after = data.copy()
        pb.step(model, after)
        if np.abs(after.qvel).max() < STILL:
            print(f"stands still after {tries} of Newton's iterations")
            return data
        a, b = differences.matrices(data)
        slopes = np.hstack([a[model.nv :, : model.nv], b[model.nv :]])
        way = -np.linalg.lstsq(slopes, after.qvel, rcond=RANK)[0]
        way *= min(1.0, STRIDE / np.abs(way).max())
        data.qpos = pb.integrate_pos(model, data.qpos, way[: model.nv], 1.0)
        data.ctrl += way[model.nv :]
    raise RuntimeError("found no pose in which the humanoid stands still")


def gains(a: Reals, b: Reals, q: Reals, r: Reals) -> Reals:
    """K of the control u = -K x that minimises the sum of x^T q x + u^T r u, by doubling: each iteration
    considers twice as many steps (Anderson, Second-order Convergent Algorithms for the Steady-state Riccati
    Equation, International Journal of Control 28, 1978).
    """
    forward, spread, cost = a, b @ np.linalg.solve(r, b.T), q
    for _ in range(DOUBLINGS):
        mixed = np.linalg.inv(np.eye(len(a)) + spread @ cost)
        forward, spread, cost = (
            forward @ mixed @ forward,
            spread + forward @ mixed @ spread @ forward.T,
            cost + forward.T @ cost @ mixed @ forward,
        )
    return np.asarray(np.linalg.solve(r + b.T @ cost @ b, b.T @ cost @ a), dtype=np.float64)


def upright(still: pb.Data, k: Reals | None, push: float) -> float:
    """The time for which a pushed humanoid stands, at most SECONDS; without K its controls are constant."""
    model, data = still.model, still.copy()
    data.qvel[0] += push
    steps = round(SECONDS / model.opt.timestep)
    for step in range(steps):
        if k is not None:
            change = pb.differentiate_pos(model, still.qpos, data.qpos)
            data.ctrl = still.ctrl - k @ np.concatenate([change, data.qvel])
        pb.step(model, data)
        if data.qpos[2] < FALLEN:
            return step * model.opt.timestep
    return SECONDS


def main() -> None:
    model = pb.load(MODEL)
    differences = Differences(model)
    still = stand(model, differences)
    begun = time.perf_counter()
    a, b = differences.matrices(still)
    took = time.perf_counter() - begun
    print(f"A {a.shape} and B {b.shape} of {differences.batch.n} steps in {took * 1e3:.2f} ms")
    weights = np.repeat([100.0, 1.0], model.nv)
    k = gains(a, b, np.diag(weights), np.eye(model.nu))
    print(f"largest eigenvalue {radius(a):.4f}, with the regulator {radius(a - b @ k):.4f}")
    for push in PUSHES:
        alone, regulated = upright(still, None, push), upright(still, k, push)
        print(f"pushed by {push:+.2f} m/s: stands {alone:.2f} s, with the regulator {regulated:.2f} s")


def radius(matrix: Reals) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max())


if __name__ == "__main__":
    main()
