"""The target of programs: a processor, and a C compiler with its flags."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from functools import cache

from polybody.errors import CompileError
from polybody.generated.kernels.interface import Processor
from polybody.programs.compiler import Compiler, find

FLAGS = (
    *("-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-slp-vectorize"),
    *("-fPIC", "-w"),
)
"""For straight-line code, as measured. -ffast-math is not used: it is no faster and changes the results."""
X86 = ("x86_64", "AMD64", "i686")


@dataclass(frozen=True, slots=True)
class Target:
    """The target of programs.

    Attributes:
        processor: the properties on which the C texts depend.
        features: of the processor, as the system lists them; used by the compiler.
        compiler: the compiler; None if there is none, and ``missing`` says why.
        flags: for compiling a text.
        linking: for linking the texts to a library.
    """

    processor: Processor
    features: str
    compiler: Compiler | None
    missing: str
    flags: tuple[str, ...]
    linking: tuple[str, ...]


def native() -> Target:
    """This machine in its current state, with the compiler that CC names. Starts no process."""
    compiler, missing = None, ""
    try:
        compiler = find()
    except CompileError as error:
        missing = str(error)
    features = cpu()
    apple = sys.platform == "darwin" and platform.machine() == "arm64"
    # A program's names refer to its own functions, whatever else the process has loaded.
    own = ("-Wl,-Bsymbolic",) if sys.platform.startswith("linux") else ()
    # Tuned for some processors with AVX-512, compilers would split square roots of eight lanes.
    wide = ("-mprefer-vector-width=512",) if "avx512f" in features.lower().split() else ()
    flags = ("-mcpu=native" if apple else "-march=native", *FLAGS, *wide)
    return Target(processor(features), features, compiler, missing, flags, ("-shared", *own))


def processor(features: str) -> Processor:
    """The vector registers that correspond to the features."""
    known = features.lower().split()
    if "avx512f" in known:
        return Processor(vector=64, registers=32)
    if "avx2" in known:
        return Processor(vector=32, registers=16)
    return Processor(vector=16, registers=16 if platform.machine() in X86 else 32)  # SSE2, NEON


@cache
def cpu() -> str:
    """System, architecture and the processor's features, as the system lists them."""
    facts = [sys.platform, platform.machine(), str(sys.maxsize)]
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            listed = (line.split() for line in file if line.lower().startswith(("flags", "features")))
            facts += next(listed, [])
    except OSError:
        facts.append(platform.processor())
    return " ".join(facts)
