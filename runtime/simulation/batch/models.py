"""Instances with separate parameters: the data derived from their Models for kernels and constraints."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.collision.copies import WRITTEN, unbounded
from polybody.constraints.attach import tables_of
from polybody.constraints.copies import TableCopies, read_by_constraints
from polybody.engine.variants import NUMBERS, TOGETHER, Derivations, KernelCopies
from polybody.errors import ModelError
from polybody.generated.kernels.layout import GIVEN
from polybody.model.model import Model
from polybody.model.variants import (
    DISCRETE,
    TELLING,
    Variants,
    invalid,
    kinds,
    sources,
    unit_vectors,
    varying,
)
from polybody.simulation.batch.memory import Memory
from polybody.simulation.batch.pool import Pool

Array = NDArray[Any]
Addresses = tuple[Array | None, Array | None]
"""Of instances' structs for the loop kernels, and of their tables for constraints; None: all share one."""
AT_ONCE = 256
"""Number of instances whose derived columns are computed at a time."""
SINGLE = 1e-6
"""By how much the length of a unit vector in single precision may differ from 1."""
MOUNTED = frozenset(name for name in NUMBERS if name.startswith(("cam_", "light_")))
"""Columns of cameras and lights."""
SHOWING = frozenset(("cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "sensordata"))
"""Results that depend on them."""
FACTS = frozenset(
    ("dof_frictionloss", "tendon_frictionloss", "geom_surfacevel", "geom_adhesion", "pair_adhesion")
)
"""Parameters on which facts about the constraints depend, besides derived columns."""


class OwnModels:
    """Data derived from the Models of instances with their parameters.

    Attributes:
        kernels: the addresses of the instances' structs for the loop kernels, (n,) of uint64; or None.
        tables: the addresses of their tables for the constraints; or None.
        one_by_one: the parameters for which each instance builds its Model, which takes milliseconds.

    Args:
        model: the Model that all instances start from.
        memory: contains the parameters.
        parameters: their names.
        kernels: whether instances need structs for the loop kernels.
        tables: whether they need tables for the constraints.
        derived: columns of the memory that follow from the parameters.
        pool: the threads that may be used.
    """

    def __init__(
        self,
        model: Model,
        memory: Memory,
        parameters: tuple[str, ...],
        *,
        kernels: bool,
        tables: bool,
        derived: tuple[str, ...] = (),
        pool: Pool,
    ) -> None:
        model = as_stored(model, memory, parameters)
        self.model, self.memory, self.parameters, self.derived = model, memory, parameters, derived
        self.kernels = _same(memory.n, model.kernel.address) if kernels else None
        self.tables = _same(memory.n, tables_of(model).address) if tables else None
        for name in derived:
            memory.view(name)[...] = model._column(name)
        self._known = {name: np.array(self._present(name)) for name in parameters}
        self._impossible = np.zeros(memory.n, dtype=bool)
        self._kept = np.full(memory.n, model, dtype=object)  # own what the structs point to
        self.one_by_one = tuple(name for name in parameters if self._unsupported(name))
        self._together = None if self.one_by_one else Together(self, pool)

    @property
    def addresses(self) -> Addresses:
        """Those of the structs for the loop kernels, and of the tables."""
        return self.kernels, self.tables

    @property
    def impossible(self) -> NDArray[np.bool_]:
        """Which instances have invalid parameters, (n,)."""
        return self._impossible

    def refresh(self) -> None:
        """Update data whose parameters have changed. Instances with invalid parameters count as failed."""
        changed = self._changed()
        if changed.size:
            try:
                self._derive(changed)
            except BaseException:  # such as KeyboardInterrupt: the next call updates them
                for known in self._known.values():
                    known[:, changed] = ~known[:, changed]
                raise
        self.memory.failed[: self.memory.n][self._impossible] = True

    def _derive(self, changed: Array) -> None:
        self._impossible[changed] = False
        if self._together is not None:
            self._together.update(changed)
        else:
            for row in changed.tolist():
                self._impossible[row] = not self._update(row)

    def refuse(self, rows: Array) -> None:
        """Count instances as failed because of their parameters, until these change."""
        self._impossible[rows] = True

    def keep(self, rows: Array, model: Model) -> None:
        """Keep a Model as long as the data of some instances point to its columns."""
        self._kept[rows] = model

    def values(self, rows: Array) -> dict[str, Array]:
        """The parameters of some instances, (rows, ...)."""
        return {name: given(self.model, self.memory, name, rows) for name in self.parameters}

    def _update(self, row: int) -> bool:
        """Build the Model of one instance; returns whether its parameters are valid."""
        try:
            model = own_model(self.model, self.memory, self.parameters, row)
            if self.kernels is not None:
                self.kernels[row] = model.kernel.address
            if self.tables is not None:
                self.tables[row] = tables_of(model).address
            for name in self.derived:
                self.memory.view(name)[row] = model._column(name)
        except ModelError:
            return False
        self._kept[row] = model
        return True

    def _changed(self) -> Array:
        """The instances whose parameters have changed; compared bit by bit, since NaN differs from itself."""
        found = np.zeros(self.memory.n, dtype=bool)
        for name, known in self._known.items():
            found |= (self._present(name) != known).any(axis=0)
        changed = np.flatnonzero(found)
        for name, known in self._known.items() if changed.size else ():
            known[:, changed] = self._present(name)[:, changed]
        return changed

    def _present(self, name: str) -> Array:
        """A parameter as whole numbers of the same bits, (scalars, n)."""
        column = self.memory.columns[name][:, : self.memory.n]
        return column.view(np.uint64 if column.dtype == np.float64 else np.uint32)

    def _unsupported(self, name: str) -> bool:
        """Whether a column that depends on a parameter cannot be computed for all instances at once."""
        columns = varying(self.model, (name,), [each for each, *_ in GIVEN])
        if self.tables is not None:
            read, touching = read_by_constraints(self.model, (name,))
            if not touching <= WRITTEN:
                return True
            columns |= read
        return not columns <= TOGETHER | DISCRETE | {name}


class Together:
    """Computes the data of many instances at once, in threads.

    Args:
        own: the data.
        pool: the threads.
    """

    def __init__(self, own: OwnModels, pool: Pool) -> None:
        self._own, self._pool = own, pool
        model, n = own.model, own.memory.n
        of_kernels = varying(model, own.parameters, [name for name, *_ in GIVEN])
        of_tables, touching = frozenset[str](), frozenset[str]()
        if own.tables is not None:
            of_tables, touching = read_by_constraints(model, own.parameters)
        wanted = of_tables | touching | frozenset(own.derived)
        if own.kernels is not None:
            wanted |= of_kernels
        self._derivations = Derivations(model, own.parameters, wanted & TOGETHER, pool.threads)
        self._late = sorted(wanted & TOGETHER)
        self._varying = (of_kernels | of_tables | touching) - DISCRETE
        self._kernels = None
        if own.kernels is not None or self._derivations.weighs:
            several = n if own.kernels is not None else min(n, AT_ONCE)
            self._kernels = KernelCopies(model, several, of_kernels)
        self._tables = None if own.tables is None else TableCopies(model, n, of_tables, touching)
        discrete = (of_kernels | of_tables) & DISCRETE
        told = frozenset().union(*(sources(model, name) for name in discrete)) | FACTS
        self._telling = told & frozenset(own.parameters) & TELLING.keys()
        self._bounded = not touching.isdisjoint(("geom_size", "geom_rbound"))
        self._models: weakref.WeakValueDictionary[bytes, Model] = weakref.WeakValueDictionary()
        start = {name: model._column(name)[None] for name in own.parameters}
        self._models[self._kinds(Variants(model, 1, start))[0].tobytes()] = model

    @property
    def bytes(self) -> int:
        """The memory that an instance whose parameters have changed needs."""
        of_kernels = self._kernels.copies.bytes if self._kernels and self._own.kernels is not None else 0
        return of_kernels + (self._tables.bytes if self._tables else 0)

    def update(self, rows: Array) -> None:
        """Update the data of some instances."""
        known = Variants(self._own.model, len(rows), self._own.values(rows))
        wrong = invalid(known, self._own.parameters)
        self._own.refuse(rows[wrong])
        rows, known = rows[~wrong], _part(known, ~wrong)
        for model, which in self._by_kind(rows, known):
            for first in range(0, len(which), AT_ONCE):
                some = which[first : first + AT_ONCE]
                self._put(rows[some], Variants(model, len(some), _part(known, some).own, self._varying))

    def _by_kind(self, rows: Array, known: Variants) -> Iterator[tuple[Model, Array]]:
        """The Models that have the discrete columns of the instances, and the places of these in `rows`."""
        if not len(rows):
            return
        found = self._kinds(known)
        different, kind = found[:1], np.zeros(len(rows), np.intp)
        if (found != found[0]).any():
            different, kind = np.unique(found, axis=0, return_inverse=True)
        for number in range(len(different)):
            which = np.flatnonzero(kind.reshape(-1) == number)
            key = different[number].tobytes()
            model = self._models.get(key)
            if model is None:
                own, first = self._own, int(rows[which[0]])
                model = own_model(own.model, own.memory, own.parameters, first)
                self._models[key] = model
            yield model, which

    def _kinds(self, known: Variants) -> Array:
        found = kinds(known, self._telling)
        if self._bounded:
            found = np.hstack([found, unbounded(known.model, known).astype(np.uint8)])
        return np.ascontiguousarray(found)

    def _put(self, rows: Array, known: Variants) -> None:
        """Set the data of some instances of one kind."""
        own, structs = self._own, np.zeros(0, np.uint64)
        self._derivations.early(known)
        if self._kernels is not None:
            places = rows if own.kernels is not None else np.arange(len(rows))
            self._kernels.put(places, known)
            structs = self._kernels.copies.addresses[places]
        self._derivations.add(known, structs, self._pool.run)
        if own.kernels is not None and self._kernels is not None:
            self._kernels.fill(rows, known, self._late)
            own.kernels[rows] = structs
        for name in own.derived:
            own.memory.view(name)[rows] = known.own[name]
        if self._tables is not None and own.tables is not None:
            self._tables.put(rows, known)
            own.tables[rows] = self._tables.copies.addresses[rows]
        own.keep(rows, known.model)


def derived_inputs(model: Model, parameters: tuple[str, ...], results: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that follow from parameters and that a program with these results has as inputs; it computes
    body_spatial.
    """
    unread = {*parameters, "body_spatial"}
    if SHOWING.isdisjoint(results):
        unread |= MOUNTED
    return tuple(sorted(varying(model, parameters, NUMBERS) - unread))


def own_model(model: Model, memory: Memory, parameters: tuple[str, ...], row: int) -> Model:
    """The Model with an instance's parameters.

    Raises:
        ModelError: they are invalid.
    """
    if not parameters:
        return model
    return model.replace(**{name: given(model, memory, name, np.array([row]))[0] for name in parameters})


def as_stored(model: Model, memory: Memory, parameters: tuple[str, ...]) -> Model:
    """The Model with its parameters in the precision of the memory, so that instances with equal parameters
    have equal data, whether these have changed or not.
    """
    if memory.dtype == np.float64:
        return model
    try:
        return own_model(model, memory, parameters, 0)
    except ModelError:  # too large for single precision: all instances will fail
        return model


def given(model: Model, memory: Memory, name: str, rows: Array) -> Array:
    """A parameter of some instances, (rows, ...), in double precision. Unit vectors in single precision,
    which have length 1 to 1e-7, get length 1.
    """
    found = memory.view(name)[rows].astype(np.float64)
    if memory.dtype == np.float32:
        for vectors in unit_vectors(model, name, found):
            length = np.linalg.norm(vectors, axis=-1, keepdims=True)
            np.divide(vectors, length, out=vectors, where=np.abs(length - 1) < SINGLE)
    return found


def _same(n: int, address: int) -> NDArray[np.uint64]:
    return np.full(n, address, dtype=np.uint64)


def _part(known: Variants, which: Array) -> Variants:
    values = {name: array[which] for name, array in known.own.items()}
    return Variants(known.model, len(np.arange(known.count)[which]), values)
