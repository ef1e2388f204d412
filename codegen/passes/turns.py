"""Constant rotations as the elementary turns that they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..physics.turns import Turns, elementary
from ..staging.machines import Machine


def elementary_turns(m: Machine, t: Any) -> None:
    """Let link_base be Turns, where it is constant."""
    for k in m.links():
        scalars = t.link_base[k].flat()
        if all(isinstance(x, float) for x in scalars):
            t.link_base[k] = Turns(elementary(np.reshape(scalars, (3, 3))))
