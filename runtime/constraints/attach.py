"""Attaches a constraint solver to the kernels of a simulation."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.collision import READ, collision_table, ray_table
from polybody.collision.table import CONTACT
from polybody.constraints.facts import facts
from polybody.constraints.solver import DATA, DTYPES, MODEL, ModelTables, Solver
from polybody.model.derived import depends_on
from polybody.model.model import Model

__all__ = ["CONTACT", "attach", "reads", "tables_of"]


def attach(model: Model, kernel: Any, eq_active: NDArray[np.uint8]) -> None:
    """Let kernels solve the constraints of a Model, and measure distances of geoms.

    Args:
        model: the Model.
        kernel: the kernels' memory of one simulation, which stores the solver.
        eq_active: which equalities are active, (neq,); read in every step.
    """
    columns = {name: kernel.array(name) for name in DATA}
    kernel.attach(Solver(tables_of(model), columns, eq_active))


def tables_of(model: Model) -> ModelTables:
    """The data of a Model that constraints read; computed once.

    Raises:
        ModelError: as in :func:`collision_table`.
    """
    return model.once("constraint tables", lambda: _tables(model))


def _tables(model: Model) -> ModelTables:
    table = ray_table if model.opt_measures_geoms else collision_table
    collisions = table(model) if model.ngeom or model.nflex else None
    columns = {name: _contiguous(model._column(name), kind) for name, kind in MODEL}
    return ModelTables(columns, facts(model), collisions)


def _contiguous(column: NDArray[Any], kind: str) -> NDArray[Any]:
    return np.ascontiguousarray(column, dtype=DTYPES[kind]).reshape(-1)


@cache
def reads() -> frozenset[str]:
    """The given columns from which this data is derived."""
    return frozenset().union(*(depends_on(name) for name in (*(name for name, _ in MODEL), *READ)))
