"""The machine that traces an algorithm for one model: every index is visited, and constants are folded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from .calls import AFTER, CALL, STAGES, Stage
from .iterations import Iteration, called
from .machines import Visiting
from .scalars import Expr, Graph, cos, sin
from .value_classes import Value

Array = np.ndarray[Any, Any]


class Specialise(Visiting):
    """Traces algorithms for one model.

    Args:
        model: the model's columns. Their numbers are constants.
        values: the class of the values that a column holds, by its name; other columns hold numbers.
        named: columns of the model that remain inputs.
        instead: algorithms to trace instead of others.
        changing: columns whose initial numbers are needed after calls that overwrite them.
    """

    def __init__(
        self,
        model: Mapping[str, Array],
        values: Mapping[str, type[Value]],
        named: Collection[str] = (),
        instead: Mapping[Callable[..., None], Callable[..., None]] | None = None,
        changing: Collection[str] = (),
    ) -> None:
        super().__init__(model)
        self.model: dict[str, Array] = dict(model)
        self.graph = Graph()
        self.values, self.named, self.instead = values, frozenset(named), dict(instead or {})
        self.changing = frozenset(changing)
        self.tables = Tables(self)
        self.awaiting: list[str] = []  # stages without results, called with the next that has some
        self.memory: dict[tuple[str, int], Expr] = {}  # what was stored for calls, by column and index
        self.read: list[Expr] = []  # from memory that later calls may change
        self.unread: Mapping[str, Collection[int]] = {}  # indices of elements that calls do not read

    def call(self, f: Callable[..., None], *scalars: Any) -> None:
        super().call(self.instead.get(f, f), *scalars)

    def iterate(self, search: Iteration, *args: Any) -> Any:
        return called(search, *args)

    def opaque(self, name: str) -> None:
        """Sines and cosines of all coordinates, as far as they are used; or a stage of the solver."""
        if name in STAGES:
            self.awaiting.append(name)
            if STAGES[name].writes:
                self.ask()
            return
        if name != "sines":
            raise NotImplementedError(name)
        t = self.tables
        for a in self.coordinates():
            t.qsin[a], t.qcos[a] = sin(t.qpos[a]), cos(t.qpos[a])

    def ask(self) -> None:
        """Calls the solver for the pending stages: what they read is stored before, and what they write is
        read after the call.
        """
        asked = [STAGES[name] for name in self.awaiting]
        places: list[tuple[str, int]] = []
        scalars: list[Any] = []
        for column in dict.fromkeys(c for stage in asked for c in stage.reads):
            unread = self.unread.get(column, ())
            for place, x in self.results(column).items():
                if place in unread:
                    continue
                scalar = self.graph.lift(x)
                if scalar is not self.in_memory(column, place):
                    places.append((column, place))
                    scalars.append(scalar)
        node = self.graph.node(CALL, tuple(self.awaiting), tuple(places), *scalars, *self.read)
        self.memory.update(zip(places, scalars, strict=True))
        self.awaiting, self.read = [], [node]
        for stage in asked:
            self.leave(stage, node)

    def in_memory(self, column: str, place: int) -> Expr:
        """The value in memory: what was stored for a call, else what the last call wrote, else an input."""
        stored = self.memory.get((column, place))
        if stored is not None:
            return stored
        return self.input(column, place, getattr(self.tables, column).origin)

    def leave(self, stage: Stage, node: Expr) -> None:
        """The columns that a stage writes are read from memory after its call."""
        for column in stage.writes:
            cells = getattr(self.tables, column)
            cells.rows.clear()
            cells.origin = node
        self.memory = {place: x for place, x in self.memory.items() if place[0] not in stage.writes}

    def column(self, name: str) -> Cells:
        return Cells(self, name)

    def input(self, column: str, place: int, origin: Expr | None = None) -> Expr:
        """A number in memory, as written by the call `origin`."""
        if origin is None and column not in self.changing:
            return self.graph.node("input", column, place)
        node = self.graph.node(AFTER, column, place, *([] if origin is None else [origin]))
        self.read.append(node)
        return node

    def settle(self, *columns: str) -> None:
        """Makes what was stored in integer columns part of the model."""
        for name in columns:
            rows = getattr(self.tables, name).rows
            self.model[name] = np.array([rows.get(k, 0) for k in range(max(rows, default=-1) + 1)], np.int64)

    def results(self, column: str) -> dict[int, Any]:
        """The final values of a column: scalars by their index in its memory."""
        out: dict[int, Any] = {}
        for row, x in getattr(self.tables, column).rows.items():
            scalars = x.flat() if isinstance(x, Value) else [x]
            out |= {row * len(scalars) + k: s for k, s in enumerate(scalars)}
        return out


class Tables:
    """The columns by name, created on first access."""

    def __init__(self, machine: Specialise) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Cells:
        cells = self._machine.column(name)
        setattr(self, name, cells)
        return cells


class Cells:
    """A column: the last stored values; before that the model's constants, or inputs."""

    def __init__(self, machine: Specialise, name: str) -> None:
        self.machine, self.name = machine, name
        self.rows: dict[int, Any] = {}
        self.given = machine.model.get(name)
        self.origin: Expr | None = None  # the call that wrote what is in memory

    def row(self, key: Any) -> Any:
        if isinstance(key, tuple):
            i, k = key
            return self.machine.index("M_rowadr", i) + self.machine.index("dof_depth", k)
        return key

    def __getitem__(self, key: Any) -> Any:
        return self.load(self.row(key))

    def load(self, row: int) -> Any:
        if row not in self.rows:
            self.rows[row] = self.first(row)
        return self.rows[row]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.rows[self.row(key)] = value

    def first(self, row: int) -> Any:
        """The value of a row before anything is stored in it."""
        kind = self.machine.values.get(self.name)
        size = kind.size if kind else 1
        if self.given is None or self.name in self.machine.named:
            scalars = [self.machine.input(self.name, row * size + k, self.origin) for k in range(size)]
        else:
            scalars = np.reshape(self.given[row], -1).tolist()
        if len(scalars) != size:
            raise TypeError(f"{self.name} has {len(scalars)} numbers per row, not {size}")
        return kind.unflat(iter(scalars)) if kind else scalars[0]
