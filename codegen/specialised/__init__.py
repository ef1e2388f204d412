"""Programs made for one model: its columns and a request to C text behind a small versioned ABI.

    program = specialise(columns, Request(("step",)))
    program.text                             # compile it; polybody_program() is its one door

What is made and how is described in docs/specialised.md.
"""

from __future__ import annotations

from .program import Kernel, ModelTooLarge, Program, Request, specialise

__all__ = ["Kernel", "ModelTooLarge", "Program", "Request", "specialise"]
