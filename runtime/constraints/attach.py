"""The solver of a simulation, made for the kernels that step it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.collision import collision_table, ray_table
from polybody.collision.table import CONTACT
from polybody.constraints.facts import facts
from polybody.constraints.solver import DTYPES, MODEL, Solver
from polybody.model.model import Model

__all__ = ["CONTACT", "attach"]


def attach(model: Model, kernel: Any, eq_active: NDArray[np.uint8]) -> None:
    """Let kernels solve the constraints of a Model, and measure geoms in space.

    Args:
        model: what is simulated.
        kernel: the kernels' memory of one simulation, which keeps the solver.
        eq_active: which equalities hold, (neq,); looked at in every step.
    """
    tables = model.once("constraint tables", lambda: _tables(model))
    table = ray_table if model.opt_measures_geoms else collision_table
    collisions = table(model) if model.ngeom or model.nflex else None
    kernel.array("qM")  # makes the columns of the mass matrix
    kernel.attach(Solver(tables, facts(model), kernel.arrays, collisions, eq_active))


def _tables(model: Model) -> dict[str, NDArray[Any]]:
    """The columns of the Model that constraints depend on, as C reads them."""
    return {name: _contiguous(model._column(name), kind) for name, kind in MODEL}


def _contiguous(column: NDArray[Any], kind: str) -> NDArray[Any]:
    return np.ascontiguousarray(column, dtype=DTYPES[kind]).reshape(-1)
