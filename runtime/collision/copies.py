"""Candidate pairs of many Models that differ in numbers, such as frictions."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.base.copies import Copies, Own
from polybody.collision.pairs import (
    EXPLICIT_FIRST,
    HUGE,
    READ,
    bounds,
    collision_table,
    explicit_manners,
    override,
    overrides,
    reaches,
    sums,
)
from polybody.collision.table import PLACES
from polybody.generated.kernels.contract.records import CANDIDATE, COLLIDER, MANNER
from polybody.generated.model import ShapeType
from polybody.model.model import Model

Values = Mapping[str, NDArray[Any]]
Rows = NDArray[Any]
MIXED = (
    *("margin", "gap", "solmix", "solref", "solimp", "friction", "adhesion"),
    *("stiffness", "damping", "dissipation"),
)
"""Columns of geoms from which the parameters of their contacts are mixed."""
REACHES = frozenset(
    ("geom_size", "geom_rbound", "geom_margin", "geom_gap", "pair_margin", "pair_gap", "opt_o_margin")
)
"""Columns that determine how far candidates reach."""
OVERRIDING = ("opt_o_margin", "opt_o_friction", "opt_o_solref", "opt_o_solimp")
EXPLICIT = frozenset(
    f"pair_{name}" for name in ("margin", "gap", "friction", "solref", "solreffriction", "solimp", "adhesion")
).union(OVERRIDING)
"""Columns that determine the contact parameters of explicit pairs."""
WRITTEN = EXPLICIT.union(
    (f"geom_{name}" for name in (*MIXED, "size", "rbound")),
    ("opt_timestep", "opt_ccd_tolerance", "body_invweight0"),
)
"""Columns that copies may have of their own."""
OF_SHAPES = frozenset(("geom_aabb", "mesh_scale", "mesh_pos", "mesh_quat", "mesh_vert"))
"""Columns that only shapes given by a distance have other data from."""


def unbounded(model: Model, known: Values) -> Rows:
    """Which geoms are treated as infinite in each Model, (n, ngeom)."""
    return bounds(model.geom_type, known["geom_rbound"], known["geom_size"]) >= HUGE


def read(model: Model, parameters: Collection[str] = ()) -> frozenset[str]:
    """The columns of READ that determine candidates of a Model, and of others that differ in some columns."""
    unused: set[str] = set()
    if not (model.geom_type == ShapeType.sdf).any():
        unused |= OF_SHAPES
    if not model.nflex:
        unused |= {"body_pos", "body_quat"}
    if not (model.geom_stiffness > 0).any() and "geom_stiffness" not in parameters:
        unused.add("body_invweight0")
    return frozenset(READ) - unused


class CollisionCopies:
    """The candidate pairs of many Models of the same tree.

    Args:
        model: a Model with that tree.
        n: number of Models.
        varying: the columns in which they differ, among WRITTEN.
    """

    def __init__(self, model: Model, n: int, varying: Collection[str]) -> None:
        table = collision_table(model)
        self._varying = frozenset(varying)
        self._mixed = [name for name in MIXED if f"geom_{name}" in self._varying]
        self._reaches = not self._varying.isdisjoint(REACHES)
        words = {"geom": (COLLIDER, model.ngeom), "manner": (MANNER, model.npair + len(table.listed))}
        if self._reaches:
            words["listed"] = (CANDIDATE, len(table.listed))
        own = {name: Own(PLACES[name], dtype, count) for name, (dtype, count) in words.items()}
        for name in ("timestep", "tolerance"):
            own[name] = Own(PLACES[name], np.dtype(np.float64), 1, inside=True)
        own["o_manner"] = Own(PLACES["o_manner"], MANNER, 1, inside=True)
        self.copies = Copies(n, len(table.struct), own)

    def put(self, rows: Rows, model: Model, known: Values) -> None:
        """Set the data of some copies, except what :func:`mix` computes.

        Args:
            rows: which copies.
            model: a Model like theirs except for the numbers.
            known: their columns by name, (rows, ...).
        """
        table = collision_table(model)
        listed, struct = _indexed(model)
        copies = self.copies
        copies.put(rows, struct)
        geoms = np.tile(table.geoms, (len(rows), 1))
        for name in self._mixed:
            geoms[name] = known[f"geom_{name}"]
        if "body_invweight0" in self._varying:
            geoms["weight"] = known["body_invweight0"][:, model.geom_bodyid, 0]
        if not self._varying.isdisjoint(("geom_size", "geom_rbound")):
            geoms["size"] = known["geom_size"]
            geoms["bound"] = bounds(model.geom_type, known["geom_rbound"], known["geom_size"])
        copies["geom"][rows] = geoms
        self._put_options(rows, model, known)
        if self._reaches:
            own = np.tile(listed, (len(rows), 1))
            own["reach"] = reaches(table.listed, geoms, known, overrides(model), sums(model))
            copies["listed"][rows] = own

    def _put_options(self, rows: Rows, model: Model, known: Values) -> None:
        copies = self.copies
        if "opt_timestep" in self._varying:
            copies["timestep"][rows, 0] = known["opt_timestep"]
        if "opt_ccd_tolerance" in self._varying:
            copies["tolerance"][rows, 0] = known["opt_ccd_tolerance"]
        if self._varying.isdisjoint(EXPLICIT):
            copies["manner"][rows, : model.npair] = collision_table(model).manners[: model.npair]
            return
        instead = np.zeros((len(rows), 1), MANNER)
        override(instead, {name: known[name][:, None] for name in OVERRIDING})
        copies["o_manner"][rows] = instead
        explicit = np.zeros((len(rows), model.npair), MANNER)
        explicit["dim"] = model.pair_dim
        explicit_manners(explicit, known, instead if overrides(model) else None, sums(model))
        copies["manner"][rows, : model.npair] = explicit


def _indexed(model: Model) -> tuple[Rows, bytes]:
    """The candidates of a Model, each with parameters of its own, and a Collision of them; found once."""

    def find() -> tuple[Rows, bytes]:
        table, place = collision_table(model), PLACES["listed"]
        listed = np.array(table.listed)
        mixed = listed["order"] >= EXPLICIT_FIRST
        listed["manner"][mixed] = model.npair + np.flatnonzero(mixed)
        struct = bytearray(table.struct)
        struct[place : place + 8] = listed.ctypes.data.to_bytes(8, sys.byteorder)
        return listed, bytes(struct)

    return model.once("candidates with parameters of their own", find)
