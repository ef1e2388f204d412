"""Programs made for one model: its columns and a request to C text behind a small versioned ABI.

    program = specialise(columns, sizes, Request(("step",)))
    program.text                             # compile it; polybody_program() is its one door

What is made and how is described in docs/specialised.md.
"""

from __future__ import annotations

from ..staging.interface import AVX512, Processor, Request
from .program import Kernel, ModelTooLarge, Program, specialise

__all__ = ["AVX512", "Kernel", "ModelTooLarge", "Processor", "Program", "Request", "specialise"]
