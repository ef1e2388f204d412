"""Rotations by quarter turns, made exact.

A quaternion of a quarter turn has no exact parts, so its matrix has entries such as 2e-16 where 0 is meant.
Loops do not mind; straight-line code multiplies by every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

ROUNDING = 1e-15
ROTATIONS = ("link_base",)


def exact_turns(model: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """The columns, with entries of rotations that differ from 0, 1, -1 by rounding set to that."""
    columns = dict(model)
    for name in ROTATIONS:
        whole = np.round(columns[name])
        columns[name] = np.where(np.abs(columns[name] - whole) < ROUNDING, whole, columns[name])
    return columns
