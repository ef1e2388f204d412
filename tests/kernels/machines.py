"""The machines on a tree's columns: arrays for the reference, a compiled specialised kernel."""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from polybody.codegen.context.kernels import SIZES, table
from polybody.codegen.passes.exact import exact_turns
from polybody.codegen.physics.links import prepare
from polybody.codegen.schema import SCHEMAS, load, tables
from polybody.codegen.staging.columns import Column
from polybody.codegen.staging.machines import Run, Specialise
from polybody.codegen.staging.straight import Straight, source, straight
from polybody.generated.kernels import layout

from .trees import Array

DTYPES = {"int": np.int32, "long": np.int64}


GIVEN = {name for name, *_ in layout.GIVEN}


@functools.cache
def kernel_columns() -> tuple[Column, ...]:
    every = [c for c in tables(load(SCHEMAS / "model.xsd")) if c.axis in SIZES]
    return tuple(table(c) for c in every if c.owner == "data" or c.role == "work" or c.name in GIVEN)


def sizes(c: Mapping[str, Array]) -> dict[str, int]:
    return {
        "one": 1, "body": len(c["body_parentid"]), "jnt": len(c["jnt_type"]), "link": len(c["jnt_type"]) + 1,
        "dof": len(c["dof_parentid"]), "q": len(c["qpos_spring"]), "M": int((c["dof_depth"] + 1).sum()),
    }  # fmt: skip


def zeros(column: Column, rows: int) -> Array:
    shape = () if isinstance(column.type, str) else (column.size,)
    return np.zeros((rows, *shape), DTYPES.get(column.type, np.float64))


def prepared(c: Mapping[str, Array]) -> dict[str, Array]:
    """A model's columns with those of the links, made by the reference machine."""
    n = sizes(c)
    model = {k.name: c[k.name] for k in kernel_columns() if k.role == "model"}
    model |= {k.name: zeros(k, n[k.axis]) for k in kernel_columns() if k.role == "prepared"}
    machine = Run([k for k in kernel_columns() if k.constant], model, {})
    prepare(machine, machine.tables)
    return model


class Reference:
    """The run machine: `call(algorithm)` executes it on the arrays in `data`."""

    def __init__(self, c: Mapping[str, Array]) -> None:
        n = sizes(c)
        self.model = prepared(c)
        self.data = {k.name: zeros(k, n[k.axis]) for k in kernel_columns() if not k.constant}
        self.machine = Run(kernel_columns(), self.model, self.data)

    def call(self, algorithm: Callable[..., None], *scalars: float) -> None:
        algorithm(self.machine, self.machine.tables, *scalars)


class Specialised:
    """An algorithm traced for one model and compiled; `call(arrays)` runs it on columns by name."""

    def __init__(
        self, c: Mapping[str, Array], algorithm: Callable[..., None], results: list[str], folder: Path
    ) -> None:
        machine = Specialise(kernel_columns(), exact_turns(prepared(c)))
        algorithm(machine, machine.tables)
        self.kernel: Straight = straight("kernel", machine, results)
        text, library = folder / "kernel.c", folder / "kernel.so"
        text.write_text(source([self.kernel]), encoding="utf-8")
        command = [os.environ.get("CC", "cc"), "-O1", "-fPIC", "-shared", "-o", library, text, "-lm"]
        subprocess.run(command, check=True, timeout=120)
        self.library = ctypes.CDLL(str(library))

    def call(self, arrays: Mapping[str, Array]) -> None:
        pointers = [arrays[c].ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for c in self.kernel.columns]
        self.library.kernel((ctypes.POINTER(ctypes.c_double) * len(pointers))(*pointers))
