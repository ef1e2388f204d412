"""A compiled program for one model, called on a tree's columns."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from polybody.codegen import specialised
from polybody.codegen.specialised import Processor, Program, Request
from polybody.generated.kernels import layout

from tests.waiting import PATIENCE

from .trees import Array

CC = os.environ.get("CC", "cc")


def specialise(
    c: Mapping[str, Array], request: Request, processor: Processor = specialised.AVX512
) -> Program:
    """The program for a tree's columns."""
    return specialised.specialise(c, layout.KernelModel(c).sizes, layout.VALUES, request, processor)


class Compiled:
    """A compiled program; `call(kernel, arrays)` runs a kernel on columns by name."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        objects = []
        flags = ["-O1", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-Wall", "-Werror", "-fPIC"]
        for number, text in enumerate(self.program.texts):
            unit, made = folder / f"unit{number}.c", folder / f"unit{number}.o"
            unit.write_text(text, encoding="utf-8")
            subprocess.run([CC, *flags, "-c", "-o", made, unit], check=True, timeout=PATIENCE)
            objects.append(made)
        subprocess.run(
            [CC, "-shared", "-o", folder / "all.so", *objects, "-lm"], check=True, timeout=PATIENCE
        )
        self.library = ctypes.CDLL(str(folder / "all.so"))
        self.library.polybody_program.restype = ctypes.POINTER(Door)
        self.door = self.library.polybody_program().contents
        self.kernels = {k.name: (k, self.door.kernel[n]) for n, k in enumerate(self.program.kernels)}

    def call(self, name: str, arrays: Mapping[str, Array]) -> None:
        """Runs in place; arrays are C-contiguous and have the program's precision."""
        kernel, entry = self.kernels[name]
        columns = [arrays[c] for c in kernel.columns]
        assert [x.size for x in columns] == [s * self.door.lanes for s in kernel.sizes]
        pointers = (ctypes.c_void_p * len(columns))(*[x.ctypes.data for x in columns])
        entry.run(pointers)


class Specialised(Compiled):
    """The program for one model."""

    def __init__(self, c: Mapping[str, Array], request: Request, folder: Path) -> None:
        super().__init__(specialise(c, request), folder)


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
