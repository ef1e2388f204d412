"""A simulation recorded: states, poses, energies, and what the dampers took."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from polybody import engine
from polybody.simulation.stepper import Stepper

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """n instants of a simulation; SI units, MuJoCo's names."""

    time: Reals
    """(n,), s."""
    qpos: Reals
    """(n, nq)."""
    qvel: Reals
    """(n, nv)."""
    xpos: Reals
    """(n, nbody, 3): origins of the bodies in the world, m."""
    xquat: Reals
    """(n, nbody, 4): orientations of the bodies in the world, w first."""
    energy: Reals
    """(n, 2): potential and kinetic, J."""
    damped: Reals
    """(n,): work that the dampers did since the first instant, J; never positive."""

    @property
    def change(self) -> float:
        """By how much the mechanical energy grew from the first instant to the last, J."""
        return float(self.energy[-1].sum() - self.energy[0].sum())

    @property
    def imbalance(self) -> float:
        """The part of that change that the dampers' work does not account for, J."""
        return self.change - float(self.damped[-1])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all arrays to a NumPy .npz file, under their names here."""
        with Path(path).open("wb") as file:
            np.savez(file, **{name: getattr(self, name) for name in KEPT})


PIECE = 1000
"""How many steps pass at most between two reports of progress."""
KEPT = tuple(field.name for field in fields(Trajectory))


class Recorder:
    """Steps a simulation and keeps every ``every``-th instant, the first and the last one included.

    The dampers' power is integrated at every step by the trapezoidal rule, kept or not.

    Args:
        sim: the simulation; it goes on from where it is.
        every: how many steps lie between two instants that are kept.
    """

    def __init__(self, sim: Stepper, every: int = 1) -> None:
        if every < 1:
            raise ValueError(f"every {every}th instant cannot be kept")
        self.sim, self.every = sim, every
        self._damping = sim.model.dof_damping
        self._damps = bool(self._damping.any())
        self._work = 0.0
        self._power = self._damper_power()
        self._frames: dict[str, list[Reals | float]] = {name: [] for name in KEPT}
        self._keep()

    def run(self, steps: int, progress: Callable[[int], object] | None = None) -> None:
        """Take ``steps`` steps; ``progress`` is called with how many more were taken.

        Raises:
            SimulationError: a step would have left the finite numbers; what was kept so far can still be had.
        """
        left = steps
        while left > 0:
            count = min(self.every, left)
            for start in range(0, count, PIECE):
                piece = min(PIECE, count - start)
                self._advance(piece)
                if progress is not None:
                    progress(piece)
            self._keep()
            left -= count

    @property
    def trajectory(self) -> Trajectory:
        """What was kept so far."""
        return Trajectory(**{name: np.array(frames) for name, frames in self._frames.items()})

    def _advance(self, count: int) -> None:
        if not self._damps:
            self.sim.step(count)
            return
        half = self.sim.model.opt.timestep / 2
        for _ in range(count):
            self.sim.step()
            before, self._power = self._power, self._damper_power()
            self._work += half * (before + self._power)

    def _damper_power(self) -> float:
        velocity = self.sim.data.qvel
        return -float(self._damping @ (velocity * velocity))

    def _keep(self) -> None:
        data = self.sim.data
        engine.energy(data.model, data)
        engine.forward_kinematics(data.model, data)
        self._frames["damped"].append(self._work)
        self._frames["time"].append(data.time)
        for name in ("qpos", "qvel", "xpos", "xquat", "energy"):
            self._frames[name].append(getattr(data, name).copy())
