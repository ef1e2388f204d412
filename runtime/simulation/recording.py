"""Recording of a simulation: states, poses, energies, and the work of dampers and other forces."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody import engine
from polybody.engine.constraint_rows import ConstraintRows
from polybody.engine.data import Data
from polybody.files import replacing
from polybody.generated.model import ElementType
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
    """(n,): work of the dampers of joints, tendons and flexes since the first instant, and the energy that
    springs lose when they yield, J."""
    medium: Reals
    """(n,): work of the surrounding medium since then, J."""
    driven: Reals
    """(n,): work of actuators, gravity compensation, bushings, springs of flexes, plugins and applied forces
    since then, J."""
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
        """The part of that change that is not explained by the work of dampers, medium, drives and
        constraints, J."""
        return self.change - sum(float(getattr(self, name)[-1]) for name in WORKS)

    @property
    def balanced(self) -> bool:
        """Whether the imbalance is at most a tenth of the largest energy that was exchanged.

        If not, the time step does not resolve the motion, such as impacts, and the works are not reliable.
        """
        exchanged = [np.ptp(each) for each in (*self.energy.T, *(getattr(self, name) for name in WORKS))]
        rounding = 1e-9 * float(np.abs(self.energy).max())
        return abs(self.imbalance) <= UNEXPLAINED * float(max(exchanged)) + rounding

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all arrays to a NumPy .npz file, under their names here. The file is written atomically.

        Raises:
            OSError: it cannot be written.
        """
        with replacing(path) as file:
            arrays: dict[str, Any] = {name: getattr(self, name) for name in KEPT}
            np.savez(file, **arrays, **dict[str, Any](self.columns))


WORKS = ("damped", "medium", "driven", "constrained")
"""The work of forces other than gravity and springs."""
UNEXPLAINED = 0.1
"""The largest share of the exchanged energy that a balance may leave unexplained."""
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

    The power of dampers, medium, actuators and applied forces is integrated at every step with the
    trapezoidal rule, whether the step is recorded or not. The work of prescribed motion is not included.

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
        self._works = dict.fromkeys(WORKS, 0.0)
        self._springs = (
            np.flatnonzero(sim.model.element_type == ElementType.spring) if sim.model.opt.elements_act else ()
        )
        self._power, self._stored = self._powers(), self._in_springs()
        self._frames: dict[str, list[Any]] = {name: [] for name in KEPT}
        self._columns: dict[str, list[Reals]] = {name: [] for name in columns if name not in KEPT}
        self._keep()

    def run(self, steps: int, progress: Callable[[int], object] | None = None) -> None:
        """Take ``steps`` steps; ``progress`` is called with the number of steps since the previous call.

        Raises:
            SimulationError: a step fails; the recording up to then is available.
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
        constrained, yields = bool(self.sim.model.opt.constrained), bool(self.sim.model.opt.yields)
        if not constrained and not yields and not self._others_act():
            self.sim.step(count)
            return
        data, half = self.sim.data, self.sim.model.opt.timestep / 2
        for _ in range(count):
            earlier, begun = data.qvel.copy(), (data.qpos.copy(), data.plastic.copy())
            self.sim.step()
            if yields:
                self._works["damped"] += self._lost(*begun)
            if constrained:  # forces of constraints jump from step to step
                self._works["constrained"] += half * float(data.qfrc_constraint @ (earlier + data.qvel))
            before, self._power = self._power, self._powers()
            for name, power in self._power.items():
                self._works[name] += half * (before[name] + power)
            stored, self._stored = self._stored, self._in_springs()
            self._works["driven"] += self._stored - stored  # it is part of the energy, not work

    def _lost(self, qpos: Reals, rest: Reals) -> float:
        """The change of the energy of springs that yielded in a step which began with this state, J."""
        data = self.sim.data
        now = data.qpos.copy(), data.plastic.copy()
        at_end = self._potential(*now) - self._potential(now[0], rest)
        at_start = self._potential(qpos, now[1]) - self._potential(qpos, rest)
        data.qpos[:], data.plastic[:] = now
        return (at_start + at_end) / 2

    def _potential(self, qpos: Reals, rest: Reals) -> float:
        data = self.sim.data
        data.qpos[:], data.plastic[:] = qpos, rest
        engine.energy(data.model, data)
        return float(data.energy[0])

    def _others_act(self) -> bool:
        """Whether any force other than gravity, springs and constraints acts."""
        model, data = self.sim.model, self.sim.data
        acts = (
            *(model.nactuator, model.nplugin, model.nflex),
            *(model.dof_damping.any(), model.tendon_damping.any()),
            *(model.opt.gravcomp_acts, model.opt.elements_act, model.opt.fluid_acts),
            *(data.qfrc_applied.any(), data.xfrc_applied.any()),
        )
        return any(acts)

    def _powers(self) -> dict[str, float]:
        """Power of the dampers, of the medium, and of all other forces except gravity, springs and
        constraints, W.
        """
        model, data = self.sim.model, self.sim.data
        if not self._others_act():
            return {"damped": 0.0, "medium": 0.0, "driven": 0.0}
        warm = data.qacc_warmstart.copy()  # recording changes no step
        engine.forward(model, data)
        data.qacc_warmstart = warm
        flexes = data.kernel.array("dof_flexspring") if model.nflex else 0.0  # the energy has edges alone
        held = data.qfrc_spring - flexes - data.qfrc_bias
        driving = data.qfrc_smooth - held - data.qfrc_damper - data.qfrc_fluid
        forces = {"damped": data.qfrc_damper, "medium": data.qfrc_fluid, "driven": driving}
        found = {name: float(force @ data.qvel) for name, force in forces.items()}
        if model.nflex:
            stretch = data.flexedge_length - model.flexedge_length0
            found["driven"] += float(model._column("flexedge_spring") * stretch @ data.flexedge_velocity)
        return found

    def _in_springs(self) -> float:
        """The part of the energy that springs between bodies hold, J."""
        model, data = self.sim.model, self.sim.data
        if not len(self._springs):
            return 0.0
        ends = [
            data.xpos[bodies] + np.einsum("nij,nj->ni", data.xmat.reshape(-1, 3, 3)[bodies], points)
            for bodies, points in (
                (model.element_body1id[self._springs], model.element_pos1[self._springs]),
                (model.element_body2id[self._springs], model.element_pos2[self._springs]),
            )
        ]
        stretch = np.linalg.norm(ends[1] - ends[0], axis=1) - model.element_length[self._springs]
        return float(0.5 * model.element_stiffness[self._springs, 0] @ stretch**2)

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
