"""Instances with separate parameters: the data derived from their Models for kernels and constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.constraints.attach import tables_of
from polybody.errors import ModelError
from polybody.model.model import Model
from polybody.programs.blocks import Blocks
from polybody.simulation.batch.memory import Memory


class OwnModels:
    """Caches data derived from the Models of instances with their parameters.

    Args:
        model: the Model that all instances start from.
        memory: contains the parameters.
        parameters: their names.
        kernels: whether a KernelModel is made for each instance, which the loop kernels need.
        tables: whether the constraints' data is made for each instance.
    """

    def __init__(
        self, model: Model, memory: Memory, parameters: tuple[str, ...], *, kernels: bool, tables: bool
    ) -> None:
        self.model, self.memory, self.parameters = model, memory, parameters
        self.kernels = [model.kernel] * memory.n if kernels else None
        self.tables = [tables_of(model)] * memory.n if tables else None
        self._known = self._present()
        self._impossible: set[int] = set()

    def refresh(self, blocks: Blocks) -> None:
        """Update data whose parameters have changed. Instances with invalid parameters count as failed."""
        present = self._present()
        same: dict[bytes, int] = {}
        for row in np.flatnonzero((present != self._known).any(axis=0)).tolist():
            first = same.setdefault(present[:, row].tobytes(), row)
            if self._change(row, first):
                self._impossible.discard(row)
            else:
                self._impossible.add(row)
        self._known = present
        if self.kernels is not None:
            blocks.change_models(self.kernels)
        if self.tables is not None:
            blocks.change_tables(self.tables)
        self.memory.failed[list(self._impossible)] = True

    def _change(self, row: int, first: int) -> bool:
        """Update the data of an instance, or share that of the first one with the same parameters. Returns
        whether these are valid.
        """
        if first in self._impossible and first != row:
            return False
        try:
            model = own_model(self.model, self.memory, self.parameters, row) if first == row else None
            if self.kernels is not None:
                self.kernels[row] = self.kernels[first] if model is None else model.kernel
            if self.tables is not None:
                self.tables[row] = self.tables[first] if model is None else tables_of(model)
        except ModelError:
            return False
        return True

    def _present(self) -> NDArray[Any]:
        return np.concatenate([self.memory.columns[name][:, : self.memory.n] for name in self.parameters])


def own_model(model: Model, memory: Memory, parameters: tuple[str, ...], row: int) -> Model:
    """The Model with an instance's parameters.

    Raises:
        ModelError: they are invalid.
    """
    if not parameters:
        return model
    return model.replace(**{name: memory.view(name)[row].astype(np.float64) for name in parameters})
