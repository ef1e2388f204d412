"""Results at the current state of instances, and accelerations at the beginning of their last step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import Integrator
from polybody.model.model import Model
from polybody.programs.blocks import AGAIN, Blocks
from polybody.programs.load import Program
from polybody.simulation.batch.instances import Indices
from polybody.simulation.batch.memory import STATE, WARM, Memory
from polybody.simulation.batch.models import Addresses, OwnModels
from polybody.simulation.batch.pool import Pool

Reals = NDArray[Any]
LATE_PARAMETERS = {
    *("dof_damping", "dof_stiffness", "dof_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
}
"""Parameters that decide whether a step has forces at its end."""
FEWEST = 64
"""Smallest number of instances for which memory is allocated."""


def treats_late(model: Model, parameters: tuple[str, ...]) -> bool:
    """Whether a step computes accelerations only with the dampers and springs at its end."""
    if model.opt_constrained or model.opt_integrator == Integrator.RK4:
        return False
    return bool(model.opt_late) or not LATE_PARAMETERS.isdisjoint(parameters)


def single_stage(model: Model) -> Model:
    """The Model with an integrator that evaluates it once, at the state from which a step begins."""
    if model.opt_integrator != Integrator.RK4:
        return model
    return model.once("single stage", lambda: model.replace(opt_integrator=int(Integrator.Euler)))


class Evaluation:
    """Evaluates instances, in a memory of its own.

    A program takes a step there, of which only the results are kept; loop kernels only evaluate.

    Args:
        model: of a single stage, if there is a program.
        memory: of the batch.
        program: its step with all results; None: the loop kernels.
        made: makes the blocks of a program, a kernel, what it is given, a memory, a Model and addresses.
        external: whether forces act on bodies.
    """

    def __init__(
        self,
        model: Model,
        memory: Memory,
        program: Program | None,
        made: Callable[..., Blocks],
        *,
        external: bool,
    ) -> None:
        self.model, self.memory, self.program, self.external = model, memory, program, external
        self._made = made
        self._own: Memory | None = None
        self._blocks: Blocks | None = None
        self._addresses: Addresses = (None, None)

    def run(self, pool: Pool, chosen: Indices, models: OwnModels | None) -> None:
        """Write the results of the chosen instances to the batch's memory."""
        own, blocks = self._space(len(chosen), models)
        padded = np.concatenate([chosen, np.full(own.n - len(chosen), chosen[0])])
        given = [name for name in own.columns if self.memory.has(name) and name not in self.memory.results]
        past = ("history",) if self.memory.has("history") else ()
        for name in (*given, *past, "eq_active"):
            own.view(name)[...] = self.memory.view(name)[padded]
        own.time[: own.n] = self.memory.time[padded]
        own.failed[: own.n] = np.arange(own.n) >= len(chosen)
        for target, source in zip(self._addresses, models.addresses if models else (), strict=False):
            if target is not None and source is not None:
                target[:] = source[padded]
        blocks.begin(1)
        pool.run(blocks.work, -(-own.n // blocks.lanes), blocks.end)
        for name in (*self.memory.results, "qacc", WARM):
            self.memory.view(name)[chosen] = own.view(name)[: len(chosen)]

    def _space(self, count: int, models: OwnModels | None) -> tuple[Memory, Blocks]:
        """Memory for at least `count` instances, and its blocks."""
        if self._own is None or self._blocks is None or self._own.n < count:
            size = min(self.memory.n, max(FEWEST, 1 << (count - 1).bit_length()))
            lanes = 1 if self.program is None else self.program.lanes
            whole = self.memory
            names = whole.parameters, whole.results, whole.derived
            own = Memory(self.model, size, lanes, whole.dtype, *names)
            for name in whole.columns:
                own.add(name)
            known = models.addresses if models else (None, None)
            kernels, tables = (None if x is None else np.full(size, x[0], x.dtype) for x in known)
            self._addresses = kernels, tables
            given: dict[str, float | None] = dict(own.given)
            if self.program is None:
                given |= {name: None for name in STATE if name not in ("qacc", WARM)}
            kernel = "evaluate" if self.program is None else "step"
            self._blocks = self._made(self.program, kernel, given, own, self.model, self._addresses)
            self._own = own
        return self._own, self._blocks


class Accelerations:
    """Computes qacc at the beginning of the last step where a step computes only accelerations with forces at
    its end.

    Args:
        model: of all instances.
        memory: of the batch.
        mocap: mocap_pos and mocap_quat in the last step of each instance, if there are mocap bodies.
        workers: number of threads.
    """

    def __init__(self, model: Model, memory: Memory, mocap: Mapping[str, Reals], workers: int) -> None:
        self.memory, own = memory, memory.columns
        self._found = np.zeros_like(own["qacc"])
        columns = {"qpos": own["start_qpos"], "qvel": own["start_qvel"], "qacc": self._found}
        columns |= {name: own[name] for name in ("start_load", "dof_drive", "mocap_pos", "mocap_quat")}
        columns |= mocap
        self._count = len(memory.time)
        self._blocks = Blocks(
            model.kernel,
            columns,
            dict.fromkeys(name for name in columns if name != "qacc"),
            time=memory.time,
            failed=memory.failed,
            count=self._count,
            timestep=model.opt.timestep,
            limit=np.inf,
            workers=workers,
            kernel=AGAIN,
        )

    def run(self, pool: Pool, chosen: Indices) -> None:
        """Write qacc of the chosen instances to the batch's memory."""
        self._blocks.begin(0)
        pool.run(self._blocks.work, self._count, self._blocks.end)
        self.memory.columns["qacc"][:, chosen] = self._found[:, chosen]
