"""Constant rotations as products of elementary rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..physics.elementary_rotations import Turns, elementary
from ..physics.spatial import Inertia, Mat3
from ..staging.machines import Machine


def factor_rotations(m: Machine, t: Any) -> None:
    """link_base becomes Turns, and link_spatial is recomputed with them."""
    for k in m.links():
        t.link_base[k] = turns_of(t.link_base[k])
        t.link_spatial[k] = Inertia.zero()
    for b in m.bodies():
        k = t.body_linkid[b]
        for _ in m.when(k > 0):
            turn = turns_of(t.body_linkquat[b].matrix())
            t.link_spatial[k] += t.body_spatial[b].lifted(turn, t.body_linkpos[b])


def turns_of(R: Mat3) -> Any:
    """The same rotation as Turns if it is constant."""
    scalars = R.flat()
    if all(isinstance(x, float) for x in scalars):
        return Turns(elementary(np.reshape(scalars, (3, 3))))
    return R
