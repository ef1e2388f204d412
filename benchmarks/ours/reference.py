"""The reference machine on a model's arrays: runs the text of the algorithms itself, number by number."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from polybody.codegen.context.kernels import table
from polybody.codegen.physics.links import prepare
from polybody.codegen.schema import SCHEMAS, load, tables
from polybody.codegen.staging.columns import AXES, Column, rows
from polybody.codegen.staging.machines import Numbers, Run
from polybody.generated.kernels import layout

Array = np.ndarray[Any, Any]
DTYPES = {"int": np.int32, "long": np.int64}
GIVEN = {name for name, *_ in layout.GIVEN}


@functools.cache
def kernel_columns() -> tuple[Column, ...]:
    every = [c for c in tables(load(SCHEMAS / "model.xsd")) if c.axis in AXES]
    return tuple(table(c) for c in every if c.owner == "data" or c.role == "work" or c.name in GIVEN)


def zeros(column: Column, count: int) -> Array:
    shape = () if isinstance(column.type, str) else (column.size,)
    return np.zeros((count, *shape), DTYPES.get(column.type, np.float64))


def prepared(c: Mapping[str, Array]) -> dict[str, Array]:
    """A model's columns with those of the links, computed by the reference machine."""
    n = rows(c)
    model = {k.name: c[k.name] for k in kernel_columns() if k.role == "model"}
    model |= {k.name: zeros(k, n[k.axis]) for k in kernel_columns() if k.role == "prepared"}
    machine = Run([k for k in kernel_columns() if k.constant], model, {})
    prepare(machine, machine.tables)
    return model


class Reference:
    """The run machine: `call(algorithm)` executes it on the arrays in `data`."""

    def __init__(self, c: Mapping[str, Array]) -> None:
        n = rows(c)
        self.model = prepared(c)
        self.data = {k.name: zeros(k, n[k.axis]) for k in kernel_columns() if not k.constant}
        self.machine = self.made()

    def made(self) -> Run:
        return Run(kernel_columns(), self.model, self.data)

    def call(self, algorithm: Callable[..., None], *scalars: float) -> None:
        algorithm(self.machine, self.machine.tables, *scalars)


class Counted(float):
    """A number that counts its operations; negation is free."""

    done = 0

    def __neg__(self) -> Counted:
        return Counted(float.__neg__(self))


def _counting(name: str) -> Callable[..., Counted]:
    operation = getattr(float, name)

    def counted(self: Counted, other: float) -> Counted:
        Counted.done += 1
        return Counted(operation(self, float(other)))

    return counted


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
    setattr(Counted, f"__{_name}__", _counting(f"__{_name}__"))


class Cells(Numbers):
    """Cells of an array that may contain objects."""

    def get(self, row: int) -> Any:
        found = self.array[row]
        return found.tolist() if isinstance(found, np.ndarray | np.generic) else found


class Counting(Run):
    """The same with numbers that count."""

    def __init__(
        self, columns: Iterable[Column], model: Mapping[str, Array], data: Mapping[str, Array]
    ) -> None:
        def counted(array: Array) -> Array:
            return np.vectorize(Counted, otypes=[object])(array) if array.dtype.kind == "f" else array

        model, data = ({name: counted(array) for name, array in owner.items()} for owner in (model, data))
        super().__init__(columns, model, data)
        self.data = data
        for cells in vars(self.tables).values():
            cells.__class__ = Cells

    def opaque(self, name: str) -> None:
        if name != "sines":
            raise NotImplementedError(name)
        for column, function in (("qsin", math.sin), ("qcos", math.cos)):
            angles = self.data["qpos"]
            Counted.done += len(angles)
            self.data[column][:] = [Counted(function(x)) for x in angles]


class CountingReference(Reference):
    """The same; numbers stored in `data` must count as well."""

    def made(self) -> Run:
        machine = Counting(kernel_columns(), self.model, self.data)
        self.data = machine.data
        return machine


def operations(
    columns: Mapping[str, Array], state: tuple[Array, Array], algorithm: Callable[..., None]
) -> int:
    """The number of operations of an algorithm's loops for a model: products, sums, quotients; a sine counts
    as one.
    """
    counting = CountingReference(columns)
    for name, values in zip(("qpos", "qvel"), state, strict=True):
        counting.data[name][:] = [Counted(x) for x in values]
    Counted.done = 0
    counting.call(algorithm)
    return Counted.done
