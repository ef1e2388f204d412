"""What programs are made for: which kernels, in which precision, for how many states at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """The same fields as the specialiser's own Request, which is made from it; part of a program's key."""

    kernels: tuple[str, ...]
    precision: str = "float64"
    lanes: int = 1
    """States per call; 1: a single state, else a batch."""
    named: tuple[str, ...] = ()
    """Columns of the Model that stay inputs instead of being folded in."""


STEP = Request(("step",))
"""What a Stepper needs."""
