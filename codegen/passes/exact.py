"""Rotations by quarter turns, made exact.

A quaternion of a quarter turn has no exact parts, so its matrix has entries such as 2e-16 where 0 is meant.
Loops do not mind; straight-line code multiplies by every one of them.
"""

from __future__ import annotations

from typing import Any

from ..physics.values import Mat3
from ..staging.machines import Machine

ROUNDING = 1e-15


def exact_turns(m: Machine, t: Any) -> None:
    """Let entries of link_base that differ from 0, 1, -1 by rounding be that."""
    for k in m.links():
        t.link_base[k] = Mat3.unflat(iter([exact(x) for x in t.link_base[k].flat()]))


def exact(x: Any) -> Any:
    if not isinstance(x, float):
        return x
    whole = float(round(x))
    return whole if abs(x - whole) < ROUNDING else x
