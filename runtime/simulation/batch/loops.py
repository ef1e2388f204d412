"""Instances with parameters of their own under the loop kernels: a KernelModel for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.model.model import Model
from polybody.programs.blocks import Blocks
from polybody.simulation.batch.memory import Memory


class Loops:
    """Keeps the KernelModels of the instances as their parameters say; made only where there are any."""

    def __init__(self, model: Model, memory: Memory, parameters: tuple[str, ...]) -> None:
        self.model, self.memory, self.parameters = model, memory, parameters
        self.kernels = [model.kernel] * memory.n
        self._known = self._present()
        self._impossible: set[int] = set()

    def refresh(self, blocks: Blocks) -> None:
        """Make anew what no longer fits; instances whose parameters cannot be have failed."""
        present = self._present()
        changed = np.flatnonzero((present != self._known).any(axis=0)).tolist()
        for row in changed:
            try:
                self.kernels[row] = own_model(self.model, self.memory, self.parameters, row).kernel
                self._impossible.discard(row)
            except ModelError:
                self._impossible.add(row)
        self._known = present
        blocks.change_models(self.kernels)
        self.memory.failed[list(self._impossible)] = True

    def _present(self) -> NDArray[Any]:
        return np.concatenate([self.memory.columns[name][:, : self.memory.n] for name in self.parameters])


def own_model(model: Model, memory: Memory, parameters: tuple[str, ...], row: int) -> Model:
    """The Model with an instance's parameters.

    Raises:
        ModelError: they cannot be.
    """
    if not parameters:
        return model
    return model.replace(**{name: memory.view(name)[row].astype(np.float64) for name in parameters})
