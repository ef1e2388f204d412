"""Moves inertia without an effect on a link to its parent: what remains are base parameters.

A hinge rotates its link about z, a slide moves it along z. Inertia that is invariant under the joint's motion
can be assigned to the parent (Gautier and Khalil, IEEE Trans. Robotics and Automation 6, 1990). The equations
of motion do not change, but have fewer nonzero numbers. Poses and potential energy are computed from the
bodies and are not affected.
"""

from __future__ import annotations

from typing import Any

from ..physics.joints import Hinge, Slide
from ..physics.spatial import Inertia, Sym3, Vec3
from ..staging.machines import Machine
from .snap_zeros import cleaned, inertia


def base_parameters(m: Machine, t: Any) -> None:
    """link_spatial becomes the base parameters."""
    for k in m.links(backward=True):
        p = t.link_parentid[k]
        for kind in m.cases([Hinge, Slide], t.link_type[k]):
            own = inertia(t.link_spatial[k])  # before rounding errors become indistinguishable
            kept, moved = SHARES[kind](own)
            t.link_spatial[k] = kept
            for _ in m.when(p > 0):
                t.link_spatial[p] += moved.lifted(t.link_base[k], t.link_origin[k])


def of_hinge(s: Inertia) -> tuple[Inertia, Inertia]:
    """The base parameters of a hinge's link, and what is moved to the parent: mass, its moment along z, and a
    rod's inertia along z.
    """
    o, h, I = 0.0, s.h, s.I  # noqa: E741
    rod = (I.xx + I.yy - I.zz) * 0.5  # the integral of z z
    xx, xy, yy, xz, yz = cleaned([I.xx - rod, I.xy, I.yy - rod, I.xz, I.yz], I.flat())
    kept = Inertia(o, Vec3(h.x, h.y, o), Sym3(xx, xy, yy, xz, yz, xx + yy))
    return kept, Inertia(s.mass, Vec3(o, o, h.z), Sym3(rod, o, rod, o, o, o))


def of_slide(s: Inertia) -> tuple[Inertia, Inertia]:
    """A slide never rotates its link: the second moment is moved to the parent."""
    return Inertia(s.mass, s.h, Sym3.zero()), Inertia(0.0, Vec3.zero(), s.I)


SHARES = {Hinge: of_hinge, Slide: of_slide}
