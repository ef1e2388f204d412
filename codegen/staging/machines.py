"""The interface of machines for algorithms, and the machine that runs them.

An algorithm is a function of a machine m and its tables t. It

* iterates only through m.bodies, m.joints, m.links, m.climb, m.dofs, m.ancestors, m.chains, m.chain,
  m.rows_of(axis), m.alike(axis), and m.repeat(times);
* reads and writes only t.column[row]; the mass matrix as t.qM[i, k], k an ancestor of i or i itself;
* branches on kinds by m.cases(rows, code), on indices by m.when(condition), on data by where(test, a, b);
* changes values in a loop only in tables or in m.locals(name=first, ...);
* uses iterative methods by m.iterate(search, ...), see iterations.py;
* calls other algorithms by m.call(f, *scalars), and what cannot be traced by m.opaque(name).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from .columns import Column, rows
from .iterations import Iteration, looped
from .scalars import Expr
from .value_classes import Value


class Machine(Protocol):
    """The interface of a machine for algorithms."""

    def bodies(self, backward: bool = False) -> Iterable[Any]: ...
    def rows_of(self, axis: str, first: Any = 0, count: Any = None) -> Iterable[Any]: ...
    def alike(self, axis: str) -> Iterable[Any]:
        """All rows of an axis. Each visit only stores in its own rows; several may be visited together."""
        ...

    def joints(self, b: Any, backward: bool = False) -> Iterable[Any]: ...
    def links(self, backward: bool = False) -> Iterable[Any]: ...
    def climb(self, k: Any) -> Iterable[Any]: ...
    def dofs(self, k: Any = None, backward: bool = False) -> Iterable[Any]: ...
    def coordinates(self) -> Iterable[Any]: ...
    def repeat(self, times: int) -> Iterable[Any]: ...
    def ancestors(self, i: Any, itself: bool = False, nearest_first: bool = False) -> Iterable[Any]: ...
    def chains(self, i: Any) -> Iterable[Any]:
        """A degree of freedom and all its ancestors, chain by chain: for each chain the last one, from which
        all indices down to dof_chainadr belong to it; none if i is -1.
        """
        ...

    def chain(self, first: Any, last: Any) -> Iterable[Any]:
        """Degrees of freedom from one to another, each of which is the parent of the next."""
        ...

    def cases(self, rows: Sequence[Any], code: Any) -> Iterable[Any]: ...
    def when(self, condition: Any) -> Iterable[None]: ...
    def saving(self, condition: Any) -> Iterable[None]:
        """A branch like when() that changes nothing if the condition is false. If the condition depends on
        data, straight-line code executes it in any case.
        """
        ...

    def locals(self, **first: Any) -> Any: ...
    def iterate(self, search: Iteration, *args: Any) -> Any:
        """The result of an iterative method."""
        ...

    def call(self, f: Callable[..., None], *scalars: Any) -> None: ...
    def opaque(self, name: str) -> None: ...


class Visiting:
    """Iterators over plain numbers, for one model's columns."""

    tables: Any

    def __init__(self, model: Mapping[str, np.ndarray]) -> None:
        self.model = model
        self.rows = rows(model)

    def index(self, column: str, row: int) -> int:
        """An entry of an integer column."""
        return int(self.model[column][row])

    def bodies(self, backward: bool = False) -> Iterable[int]:
        every = range(1, self.rows["body"])
        return reversed(every) if backward else every

    def rows_of(self, axis: str, first: int = 0, count: int | None = None) -> Iterable[int]:
        """Rows of an axis, one by one: all from `first` on, or `count` of them."""
        return range(first, self.rows[axis] if count is None else first + count)

    def alike(self, axis: str) -> Iterable[int]:
        return self.rows_of(axis)

    def joints(self, b: int, backward: bool = False) -> Iterable[int]:
        first = self.index("body_jntadr", b)
        every = [first + n for n in range(self.index("body_jntnum", b))]
        return reversed(every) if backward else every

    def links(self, backward: bool = False) -> Iterable[int]:
        every = range(1, self.rows["link"])
        return reversed(every) if backward else every

    def climb(self, k: int) -> Iterator[int]:
        while (parent := self.index("link_parentid", k)) > 0:
            yield k
            k = parent

    def dofs(self, k: int | None = None, backward: bool = False) -> Iterable[int]:
        if k is None:
            every = list(range(self.rows["dof"]))
        else:
            first = self.index("link_dofadr", k)
            every = [first + n for n in range(self.index("link_dofnum", k))]
        return reversed(every) if backward else every

    def coordinates(self) -> Iterable[int]:
        return range(self.rows["q"])

    def repeat(self, times: int) -> Iterable[int]:
        return range(times)

    def ancestors(self, i: int, itself: bool = False, nearest_first: bool = False) -> Iterable[int]:
        path = [i] if itself else []
        while (i := self.index("dof_parentid", i)) >= 0:
            path.append(i)
        return path if nearest_first else reversed(path)

    def chains(self, i: int) -> Iterator[int]:
        while i >= 0:
            yield i
            i = self.index("dof_chainparentid", i)

    def chain(self, first: int, last: int) -> Iterable[int]:
        return range(first, last + 1)

    def cases(self, rows: Sequence[Any], code: int) -> Iterable[Any]:
        return [r for r in rows if r.code == code]

    def when(self, condition: Any) -> Iterable[None]:
        if isinstance(condition, Expr):
            raise TypeError("a branch on data: use where()")
        return [None] if condition else []

    def saving(self, condition: Any) -> Iterable[None]:
        return [None] if isinstance(condition, Expr) else self.when(condition)

    def locals(self, **first: Any) -> Any:
        return SimpleNamespace(**first)

    def iterate(self, search: Iteration, *args: Any) -> Any:
        return looped(self, search, *args)

    def call(self, f: Callable[..., None], *scalars: Any) -> None:
        f(self, self.tables, *scalars)

    def opaque(self, name: str) -> None:
        raise NotImplementedError(name)


class Cells:
    """A column with the interface that algorithms use."""

    def __init__(self, machine: Visiting, column: Column) -> None:
        self.machine, self.column = machine, column

    def row(self, key: Any) -> int:
        if isinstance(key, tuple):
            i, k = key
            return int(self.machine.model["M_rowadr"][i] + self.machine.model["dof_depth"][k])
        return int(key)

    def __getitem__(self, key: Any) -> Any:
        scalars = self.get(self.row(key))
        return scalars if isinstance(self.column.type, str) else self.column.type.unflat(iter(scalars))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.set(self.row(key), value.flat() if isinstance(value, Value) else value)

    def get(self, row: int) -> Any:
        raise NotImplementedError

    def set(self, row: int, scalars: Any) -> None:
        raise NotImplementedError


class Numbers(Cells):
    """A column in a NumPy array of shape (rows,) or (rows, scalars)."""

    def __init__(self, machine: Visiting, column: Column, array: np.ndarray) -> None:
        super().__init__(machine, column)
        self.array = array

    def get(self, row: int) -> Any:
        return self.array[row].tolist()

    def set(self, row: int, scalars: Any) -> None:
        self.array[row] = scalars


class Run(Visiting):
    """The readable reference: executes an algorithm on NumPy arrays, number by number."""

    def __init__(
        self, columns: Iterable[Column], model: Mapping[str, np.ndarray], data: Mapping[str, np.ndarray]
    ) -> None:
        super().__init__(model)
        arrays = {c: model[c.name] if c.constant else data[c.name] for c in columns}
        self.tables = SimpleNamespace(**{c.name: Numbers(self, c, a) for c, a in arrays.items()})

    def opaque(self, name: str) -> None:
        if name != "sines":
            raise NotImplementedError(name)
        angles = self.tables.qpos.array
        self.tables.qsin.array[:] = [math.sin(x) for x in angles]
        self.tables.qcos.array[:] = [math.cos(x) for x in angles]
