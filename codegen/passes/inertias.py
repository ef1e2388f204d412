"""Inertias of bodies from mass, centre and principal moments, if these remain inputs of a program."""

from __future__ import annotations

from typing import Any

from ..physics.spatial import Inertia, Sym3, Vec3
from ..staging.machines import Machine

SOURCES = frozenset(("body_mass", "body_ipos", "body_iquat", "body_inertia"))


def inertias(m: Machine, t: Any) -> None:
    """Computes body_spatial from its input columns (parallel-axis theorem)."""
    for b in m.bodies():
        o, moments = 0.0, t.body_inertia[b]
        central = Inertia(t.body_mass[b], Vec3.zero(), Sym3(moments.x, o, moments.y, o, o, moments.z))
        t.body_spatial[b] = central.lifted(t.body_iquat[b].matrix(), t.body_ipos[b])
