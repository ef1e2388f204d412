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
from polybody.codegen.physics.links import prepare
from polybody.codegen.schema import SCHEMAS, load, tables
from polybody.codegen.specialised import Request, specialise
from polybody.codegen.staging.columns import Column
from polybody.codegen.staging.machines import Run
from polybody.generated.kernels import layout

from .trees import Array

CC = os.environ.get("CC", "cc")
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
    """A program of one model, compiled; `call(kernel, arrays)` runs a kernel on columns by name."""

    def __init__(self, c: Mapping[str, Array], request: Request, folder: Path) -> None:
        self.program = specialise(c, request)
        objects = []
        flags = ["-O1", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-Wall", "-Werror", "-fPIC"]
        for number, text in enumerate(self.program.texts):
            unit, made = folder / f"unit{number}.c", folder / f"unit{number}.o"
            unit.write_text(text, encoding="utf-8")
            subprocess.run([CC, *flags, "-c", "-o", made, unit], check=True, timeout=300)
            objects.append(made)
        subprocess.run([CC, "-shared", "-o", folder / "all.so", *objects, "-lm"], check=True, timeout=60)
        self.library = ctypes.CDLL(str(folder / "all.so"))
        self.library.polybody_program.restype = ctypes.POINTER(Door)
        self.door = self.library.polybody_program().contents
        self.kernels = {k.name: (k, self.door.kernel[n]) for n, k in enumerate(self.program.kernels)}

    def call(self, name: str, arrays: Mapping[str, Array]) -> None:
        """In place; arrays are C-contiguous and of the program's precision."""
        kernel, entry = self.kernels[name]
        columns = [arrays[c] for c in kernel.columns]
        assert [x.size for x in columns] == [s * self.door.lanes for s in kernel.sizes]
        pointers = (ctypes.c_void_p * len(columns))(*[x.ctypes.data for x in columns])
        entry.run(pointers)


class Entry(ctypes.Structure):
    """PbKernel."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("run", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("ncolumn", ctypes.c_int),
        ("column", ctypes.POINTER(ctypes.c_char_p)),
        ("size", ctypes.POINTER(ctypes.c_int)),
    )


class Door(ctypes.Structure):
    """PbProgram."""

    _fields_ = (
        ("abi", ctypes.c_int),
        ("lanes", ctypes.c_int),
        ("bytes", ctypes.c_int),
        ("nkernel", ctypes.c_int),
        ("key", ctypes.c_char_p),
        ("kernel", ctypes.POINTER(Entry)),
    )
