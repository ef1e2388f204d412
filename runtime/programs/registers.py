"""How many numbers this processor's registers hold."""

from __future__ import annotations

from functools import cache

from polybody.programs.key import cpu

WIDTHS = ((b"avx512f", 64), (b"avx2", 32))
"""Bytes that go with a feature; what has neither holds 16: SSE2, NEON."""


@cache
def width() -> int:
    """Bytes of a register."""
    features = cpu().lower().split()
    return next((size for feature, size in WIDTHS if feature in features), 16)
