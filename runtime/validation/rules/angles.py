"""Angles that seem to be in another unit than the format reads them in."""

from __future__ import annotations

from functools import lru_cache
from math import pi

CLOSE = 2e-3
"""How near, in rad, a number comes to a part of a turn that was meant: 1.57, or 0.785."""
WHOLE = 1e-9
MOST_RADIANS = 4 * pi  # two turns, as far as a joint's bounds go that mean angles
MOST_DEGREES = 720.0
STEP = 5.0  # degrees
KNOWN = 4096  # numbers of which it was asked lately: documents repeat their bounds


@lru_cache(KNOWN)
def is_like_radians(value: float) -> bool:
    """Whether a number of degrees is a twelfth of half a turn in radians, or several, up to a whole turn."""
    if abs(value) > MOST_RADIANS:
        return False
    parts = round(abs(value) / (pi / 12))
    near = abs(abs(value) - parts * pi / 12) < CLOSE
    return near and 1 <= parts <= 24 and abs(value - round(value, 1)) > WHOLE


@lru_cache(KNOWN)
def is_like_degrees(value: float) -> bool:
    """Whether a number of radians is more than two turns, and a multiple of five."""
    return MOST_RADIANS < abs(value) <= MOST_DEGREES and abs(value / STEP - round(value / STEP)) < WHOLE
