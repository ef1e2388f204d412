"""Numbers that are zero but for rounding, made zero.

Frames are turned into one another by quaternions, and a quaternion of a quarter turn has no exact parts: an
offset along x comes out with 1e-17 along y. Loops do not mind; straight-line code computes with every number
that is not zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..physics.spatial import Inertia, Sym3, Vec3
from ..staging.machines import Machine

ROUNDING = 1e-15  # of the largest number beside it


def exact_zeros(m: Machine, t: Any) -> None:
    """Clean link_origin, body_linkpos, body_spatial."""
    for k in m.links():
        t.link_origin[k] = vector(t.link_origin[k])
    for b in m.bodies():
        t.body_linkpos[b] = vector(t.body_linkpos[b])
        t.body_spatial[b] = inertia(t.body_spatial[b])


def vector(v: Vec3) -> Vec3:
    return Vec3(*cleaned(v.flat(), v.flat()))


def inertia(s: Inertia) -> Inertia:
    return Inertia(s.mass, vector(s.h), Sym3(*cleaned(s.I.flat(), s.I.flat())))


def cleaned(scalars: Iterable[Any], beside: Iterable[Any]) -> list[Any]:
    """The scalars, constants among them that are rounding beside others being zero."""
    least = ROUNDING * max((abs(x) for x in beside if isinstance(x, float)), default=0.0)
    return [0.0 if isinstance(x, float) and abs(x) < least else x for x in scalars]
