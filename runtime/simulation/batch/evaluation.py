"""Results at the current state of instances, and accelerations at the beginning of their last step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from polybody.generated.model import Integrator
from polybody.model.model import Model
from polybody.programs.blocks import AGAIN, Blocks
from polybody.programs.load import Program
from polybody.simulation.batch.instances import Indices
from polybody.simulation.batch.memory import Memory
from polybody.simulation.batch.models import OwnModels
from polybody.simulation.batch.pool import Pool

LATE_PARAMETERS = {"dof_damping", "dof_stiffness"}
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
    """Evaluates instances: a step from copies of their states, of which only the results are kept.

    Args:
        model: of a single stage.
        memory: of the batch.
        program: its step with all results; None: the loop kernels.
        made: makes the blocks of a program, a kernel, what it is given, a memory and a Model.
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

    def run(self, pool: Pool, chosen: Indices, models: OwnModels | None) -> None:
        """Write the results of the chosen instances to the batch's memory."""
        own, blocks = self._space(len(chosen))
        padded = np.concatenate([chosen, np.full(own.n - len(chosen), chosen[0])])
        given = [name for name in own.columns if self.memory.has(name) and name not in self.memory.results]
        for name in (*given, "eq_active"):
            own.view(name)[...] = self.memory.view(name)[padded]
        own.time[: own.n] = self.memory.time[padded]
        own.failed[: own.n] = np.arange(own.n) >= len(chosen)
        if models is not None and models.tables is not None:
            blocks.change_tables([models.tables[row] for row in padded.tolist()])
        if models is not None and models.kernels is not None:
            blocks.change_models([models.kernels[row] for row in padded.tolist()])
        blocks.begin(1)
        pool.run(blocks.work, -(-own.n // blocks.lanes))
        warm = [name for name in ("qacc_warmstart",) if self.memory.has(name)]
        for name in (*self.memory.results, "qacc", *warm):
            self.memory.view(name)[chosen] = own.view(name)[: len(chosen)]

    def _space(self, count: int) -> tuple[Memory, Blocks]:
        """Memory for at least `count` instances, and its blocks."""
        if self._own is None or self._blocks is None or self._own.n < count:
            size = min(self.memory.n, max(FEWEST, 1 << (count - 1).bit_length()))
            lanes = 1 if self.program is None else self.program.lanes
            parameters = [name for name in self.memory.given if name in self.model.columns]
            self._own = Memory(self.model, size, lanes, self.memory.dtype, parameters, self.memory.results)
            for name in self.memory.columns:
                self._own.add(name)
            self._blocks = self._made(self.program, "step", self._own.given, self._own, self.model)
        return self._own, self._blocks


class Accelerations:
    """Computes qacc at the beginning of the last step where a step computes only accelerations with forces at
    its end.

    Args:
        model: of all instances.
        memory: of the batch.
        workers: number of threads.
    """

    def __init__(self, model: Model, memory: Memory, workers: int) -> None:
        self.memory, own = memory, memory.columns
        self._found = np.zeros_like(own["qacc"])
        columns = {"qpos": own["start_qpos"], "qvel": own["start_qvel"], "qacc": self._found}
        columns |= {name: own[name] for name in ("start_load", "dof_drive", "mocap_pos", "mocap_quat")}
        self._count = len(memory.time)
        self._blocks = Blocks(
            [model.kernel],
            columns,
            dict.fromkeys(name for name in columns if name != "qacc"),
            time=memory.time,
            failed=memory.failed,
            count=self._count,
            timestep=model.opt.timestep,
            workers=workers,
            kernel=AGAIN,
        )

    def run(self, pool: Pool, chosen: Indices) -> None:
        """Write qacc of the chosen instances to the batch's memory."""
        self._blocks.begin(0)
        pool.run(self._blocks.work, self._count)
        self.memory.columns["qacc"][:, chosen] = self._found[:, chosen]
