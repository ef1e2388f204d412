"""Hand-written programs: a point on a rail with a spring, in any precision and number of lanes."""

from __future__ import annotations

import os
import shlex
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from polybody.generated.kernels.interface import ABI

from tests.waiting import PATIENCE

FACE = """
#include <stddef.h>
typedef struct { const char *name; void (*run)(void *const *column); int ncolumn; const char *const *column;
                 const int *size; } PbKernel;
typedef struct { int abi, lanes, bytes, nkernel; const char *key; const PbKernel *kernel; } PbProgram;
"""
SPRING = """
static void step(void *const *column)
{
    real *q = column[0], *v = column[1], *a = column[3];
    const real *f = column[2];
    for (int l = 0; l < LANES; l++) {
        a[l] = f[l] - STIFFNESS * q[l];
        v[l] = v[l] + TIMESTEP * a[l];
        q[l] = q[l] + TIMESTEP * v[l];
    }
}
static void twice(void *const *column)
{
    for (int l = 0; l < LANES; l++) ((real *)column[1])[l] = 2 * ((const real *)column[0])[l];
}
static const char *const names[] = {"qpos", "qvel", "qfrc_applied", "qacc"}, *const pair[] = {"qpos", "qacc"};
static const int sizes[] = {1, 1, 1, 1};
static const PbKernel kernels[] = {{"step", step, 4, names, sizes}, {"twice", twice, 2, pair, sizes}};
"""
TABLE = """
static const PbProgram program = {ABI, LANES, sizeof(real), 2, "spring", kernels};
const PbProgram *polybody_program(void) { return &program; }
"""


@cache
def folder() -> Path:
    """Where this process stores the libraries that it compiles."""
    return Path(mkdtemp(prefix="polybody-programs-"))


@cache
def compiled(text: str, name: str = "program") -> Path:
    """C code compiled to a library."""
    place = Path(mkdtemp(dir=folder()))
    source, library = place / f"{name}.c", place / f"{name}.so"
    source.write_text(text)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run(
        [*compiler, "-O1", "-fPIC", "-shared", "-o", str(library), str(source)],
        check=True,
        timeout=PATIENCE,
    )
    return library


def spring(
    *, lanes: int = 1, real: str = "double", timestep: float = 0.01, stiffness: float = 4.0, abi: int = ABI
) -> Path:
    """The library of the point on a rail."""
    defines = f"typedef {real} real;\nenum {{ LANES = {lanes}, ABI = {abi} }};\n"
    defines += f"static const real TIMESTEP = {timestep!r}, STIFFNESS = {stiffness!r};\n"
    return compiled(FACE + defines + SPRING + TABLE, "spring")
