"""Sets numbers to zero that are nonzero only due to rounding.

Frames are transformed by quaternions, and the components of the quaternion of a rotation by 90 degrees are
not exact: a rotated offset along x may have 1e-17 along y. This does not matter for loops, but straight-line
code computes with every nonzero number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..physics.spatial import Inertia, Sym3, Vec3
from ..staging.machines import Machine

ROUNDING = 1e-15  # relative to the largest associated number


def snap_zeros(m: Machine, t: Any) -> None:
    """Applies this to link_origin, body_linkpos, body_spatial."""
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
    """The scalars, with constants set to zero that are rounding errors relative to those in `beside`."""
    least = ROUNDING * max((abs(x) for x in beside if isinstance(x, float)), default=0.0)
    return [0.0 if isinstance(x, float) and abs(x) < least else x for x in scalars]
