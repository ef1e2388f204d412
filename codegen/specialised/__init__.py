"""Programs for one model: from its columns and a request to C text with a small versioned ABI.

    program = specialise(columns, sizes, values, Request(("step",)))
    program.texts                            # compile them; their only entry point is polybody_program()

See docs/specialised.md.

kernels         the kernels of the program for one model
"""

from __future__ import annotations

from ..staging.interface import AVX512, Processor, Request
from .program import Kernel, ModelTooLarge, Program, acting, specialise, stores_late

__all__ = [
    "AVX512",
    "Kernel",
    "ModelTooLarge",
    "Processor",
    "Program",
    "Request",
    "acting",
    "specialise",
    "stores_late",
]
