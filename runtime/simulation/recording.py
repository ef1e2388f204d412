"""Recording of a simulation: states, poses, energies, and the work of dampers and other forces."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody import engine
from polybody.model.constraint_rows import ConstraintRows
from polybody.model.data import Data
from polybody.simulation.stepper import RECORDED, Stepper
from polybody.suggest import did_you_mean

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
    """(n,): work of the dampers since the first instant, J; never positive."""
    driven: Reals
    """(n,): work of actuators, gravity compensation and applied forces since then, J."""
    constrained: Reals
    """(n,): work of constraints, including contacts, since then, J."""
    ncon: NDArray[np.int64]
    """(n,): number of contacts."""
    contact_pos: Reals
    """(sum of ncon, 3): positions of contacts in the world, m, one instant after another."""
    contact_force: Reals
    """(sum of ncon, 3): forces of contacts on their second geoms, in world axes, N."""
    contact_geom: NDArray[np.int32]
    """(sum of ncon, 2): the rows of both geoms; -1 for a flex."""
    columns: Mapping[str, Reals] = field(default_factory=dict)
    """Other requested columns of a Data, each (n, ...)."""

    @property
    def change(self) -> float:
        """Change of the mechanical energy from the first instant to the last, J."""
        return float(self.energy[-1].sum() - self.energy[0].sum())

    @property
    def imbalance(self) -> float:
        """The part of that change that is not explained by the work of dampers, drives and constraints, J."""
        return self.change - float(self.damped[-1]) - float(self.driven[-1]) - float(self.constrained[-1])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all arrays to a NumPy .npz file, under their names here."""
        with Path(path).open("wb") as file:
            arrays: dict[str, Any] = {name: getattr(self, name) for name in KEPT}
            np.savez(file, **arrays, **dict[str, Any](self.columns))


PIECE = 1000
"""Maximum number of steps between two reports of progress."""
TOUCHING = ("contact_pos", "contact_force", "contact_geom")
"""Rows of contacts, as many as there are."""
KEPT = tuple(each.name for each in fields(Trajectory) if each.name != "columns")


def _check_column(data: Data, name: str) -> None:
    """Raise a ValueError unless a Data has a column of this name, and its size never changes."""
    if name in KEPT:
        return
    value = getattr(data, name, None)
    if hasattr(ConstraintRows, name) and isinstance(value, np.ndarray):
        kept = ", ".join(TOUCHING)
        raise ValueError(
            f"{name!r} cannot be recorded: its size may change in each step; of contacts, {kept} are recorded"
        )
    if not isinstance(value, np.ndarray | float):
        close = did_you_mean(name, RECORDED)
        hint = f"; {close}" if close else ", such as sensordata, actuator_force or site_xpos"
        raise ValueError(f"a simulation has no column {name!r} that can be recorded{hint}")


class Recorder:
    """Steps a simulation and records every ``every``-th instant, including the first and the last one.

    The power of dampers, actuators and applied forces is integrated at every step with the trapezoidal rule,
    whether the step is recorded or not.

    Args:
        sim: the simulation; it continues from its current state.
        every: number of steps between two recorded instants.
        columns: other columns of a Data to record, such as "actuator_force" or "qM".

    Raises:
        ValueError: ``every`` is less than 1, or a Data has no such column.
    """

    def __init__(self, sim: Stepper, every: int = 1, columns: Sequence[str] = ()) -> None:
        if every < 1:
            raise ValueError(f"every must be at least 1, got {every}")
        for name in columns:
            _check_column(sim.data, name)
        self.sim, self.every = sim, every
        self._damping = sim.model.dof_damping
        self._works = {"damped": 0.0, "driven": 0.0, "constrained": 0.0}
        self._power = self._powers()
        self._frames: dict[str, list[Any]] = {name: [] for name in KEPT}
        self._columns: dict[str, list[Reals]] = {name: [] for name in columns if name not in KEPT}
        self._keep()

    def run(self, steps: int, progress: Callable[[int], object] | None = None) -> None:
        """Take ``steps`` steps; ``progress`` is called with the number of steps since the previous call.

        Raises:
            SimulationError: a step would become NaN or infinite; the recording up to then is available.
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
        """The recording so far."""
        columns = {name: np.array(frames) for name, frames in self._columns.items()}
        kept: dict[str, Any] = {
            name: np.concatenate(frames) if name in TOUCHING else np.array(frames)
            for name, frames in self._frames.items()
        }
        return Trajectory(**kept, columns=columns)

    def _advance(self, count: int) -> None:
        constrained = bool(self.sim.model.opt.constrained)
        if not constrained and not self._drives() and not self._damping.any():
            self.sim.step(count)
            return
        data, half = self.sim.data, self.sim.model.opt.timestep / 2
        for _ in range(count):
            earlier = data.qvel.copy()
            self.sim.step()
            if constrained:  # forces of constraints jump from step to step
                self._works["constrained"] += half * float(data.qfrc_constraint @ (earlier + data.qvel))
            before, self._power = self._power, self._powers()
            for name, power in self._power.items():
                self._works[name] += half * (before[name] + power)

    def _drives(self) -> bool:
        """Whether any force other than gravity, springs and dampers acts."""
        model, data = self.sim.model, self.sim.data
        acts = (
            model.nu
            or model.opt.gravcomp_acts
            or model.opt.elements_act
            or data.qfrc_applied.any()
            or data.xfrc_applied.any()
        )
        return bool(acts)

    def _powers(self) -> dict[str, float]:
        """Power of the dampers, and of all other forces except gravity and springs, W."""
        model, data = self.sim.model, self.sim.data
        found = {"damped": -float(self._damping @ (data.qvel * data.qvel)), "driven": 0.0}
        if self._drives():
            engine.forward(model, data)
            driving = data.qfrc_smooth + data.qfrc_bias - data.qfrc_spring - data.qfrc_damper
            found["driven"] = float(driving @ data.qvel)
        return found

    def _keep(self) -> None:
        data = self.sim.data
        if self._columns:
            engine.forward(data.model, data)
        engine.energy(data.model, data)
        engine.forward_kinematics(data.model, data)
        for name, work in self._works.items():
            self._frames[name].append(work)
        self._frames["time"].append(data.time)
        for name in ("qpos", "qvel", "xpos", "xquat", "energy"):
            self._frames[name].append(getattr(data, name).copy())
        self._frames["ncon"].append(data.ncon)
        contacts = data.contact
        forces = [engine.contact_force(data.model, data, row)[:3] for row in range(data.ncon)]
        turned = np.einsum("ni,nij->nj", np.reshape(forces, (-1, 3)), contacts["frame"].reshape(-1, 3, 3))
        self._frames["contact_pos"].append(contacts["pos"].copy())
        self._frames["contact_force"].append(turned)
        self._frames["contact_geom"].append(contacts["geom"].copy())
        for name, frames in self._columns.items():
            frames.append(np.array(getattr(data, name)))
