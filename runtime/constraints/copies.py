"""What constraints read of many Models that differ in numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.base.copies import Copies, Own
from polybody.collision.copies import CollisionCopies, read
from polybody.collision.table import mix
from polybody.constraints.attach import tables_of
from polybody.constraints.solver import MODEL, PLACES
from polybody.model.model import Model
from polybody.model.variants import Variants, varying

Array = NDArray[Any]
NUMBERS = tuple(name for name, kind in MODEL if kind == "d")
"""Columns of numbers that constraints read."""


def read_by_constraints(model: Model, given: Collection[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The columns that constraints read and that vary if given ones do; and those that determine candidate
    pairs and vary.
    """
    columns = varying(model, given, [name for name, _ in MODEL])
    return columns, varying(model, given, read(model, given))


def differ(model: Model, given: Collection[str]) -> bool:
    """Whether Models that differ in given columns differ in what constraints read."""
    return any(read_by_constraints(model, given))


class TableCopies:
    """The constraints' data of many Models of the same tree.

    Args:
        model: a Model with that tree.
        n: number of Models.
        columns, touching: the columns in which they differ, as of :func:`read_by_constraints`.
    """

    def __init__(self, model: Model, n: int, columns: Collection[str], touching: Collection[str]) -> None:
        sizes = {name: model._column(name).size for name in NUMBERS if name in columns}
        own = {name: Own(PLACES[name], np.dtype(np.float64), size) for name, size in sizes.items() if size}
        self._names = tuple(own)
        self.collisions = CollisionCopies(model, n, touching) if touching and model.ngeom else None
        if self.collisions is not None:
            own["collision"] = Own(PLACES["collision"], np.dtype(np.uint64), 1, inside=True)
        self.copies = Copies(n, len(tables_of(model).struct), own)

    @property
    def bytes(self) -> int:
        """The memory that a Model needs."""
        return self.copies.bytes + (self.collisions.copies.bytes if self.collisions else 0)

    def put(self, rows: Array, known: Variants) -> None:
        """Set the data of some Models."""
        self.copies.put(rows, tables_of(known.model).struct)
        for name in self._names:
            self.copies[name][rows] = known[name].reshape(known.count, -1)
        if self.collisions is not None:
            collisions = self.collisions.copies.addresses[rows]
            self.collisions.put(rows, known.model, known)
            mix(collisions, known.model.npair)
            self.copies["collision"][rows, 0] = collisions
