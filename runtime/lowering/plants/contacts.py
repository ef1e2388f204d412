"""How the shapes of a plant touch: as Drake's point contact, or as Gazebo's with ODE, as far as rows have it.

Drake: the force of a contact is k x (1 + d x') by its depth x. Springs of two shapes are in series, the
dissipation d is the mean of both, weighted by the share of the depth that each has, and friction is
2 a b / (a + b). Shapes without numbers have those of `geometry::DefaultProximityProperties`.

Gazebo: `kp` and `kd` are a spring and a damper (ODE's ERP and CFM are h kp / (h kp + kd) and 1 / (h kp +
kd)), springs are in series, dampers add, and the smaller friction and the smaller bounce of two shapes count
(`ODEPhysics::Collide`). Torsional friction is 3 pi / 16 of a coefficient and the radius of the patch of
contact (Gazebo's tutorial on it); of two shapes the smaller coefficient and the greater radius count. As ODE
bounds the speed at which overlap is undone, nothing but `bounce` makes a thing rebound: dampers that make an
impact inelastic are added to the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from polybody.lowering.assembly import Geom

STIFFNESS, DISSIPATION = 1e6, 50.0
"""N/m and s/m, of Drake's shapes that say nothing."""
MOST_RATIO = 20.0
"""A damping ratio of contacts with inelastic impacts."""
KP, KD = 1e12, 1.0
"""N/m and N s/m, of Gazebo's shapes that say nothing."""
EVERY = 0xFFFF
"""Bits of contact of Gazebo's shapes that say nothing."""
TORSIONAL = 4
"""Directions of a contact with torsional friction."""


def as_drake(geoms: Iterable[Geom]) -> None:
    """Give shapes that say nothing Drake's stiffness and dissipation."""
    for geom in geoms:
        geom.stiffness = STIFFNESS if geom.stiffness is None else geom.stiffness
        geom.dissipation = DISSIPATION if geom.dissipation is None else geom.dissipation


def as_gazebo(geoms: Iterable[Geom]) -> None:
    """Give shapes that say nothing Gazebo's spring and damper, and torsional friction that is not the smaller
    one of two.
    """
    geoms = list(geoms)
    torsional = [float(geom.friction[1]) for geom in geoms if geom.condim == TORSIONAL]
    for geom in geoms:
        if torsional and geom.condim != TORSIONAL:
            geom.friction = (geom.friction[0], max(torsional), geom.friction[2])
        geom.stiffness = KP if geom.stiffness is None else geom.stiffness
        geom.damping = KD if geom.damping is None else geom.damping
        geom.dissipation = dissipation(0.0) if geom.dissipation is None else geom.dissipation


def torsion(coefficient: float, radius: float) -> float:
    """Torsional friction, m, of a patch of contact of a radius, m."""
    return 3 * math.pi / 16 * coefficient * radius


def dissipation(restitution: float) -> float:
    """The dissipation, s/m, of a contact that gives back a share of the speed.

    A spring and a damper of ratio sin b, which only push, give back exp(-tan(b) (pi - 2 b)), those of ratio
    cosh u exp(-2 u coth(u)). The Model's ratio of a dissipation d is 2 d / (3 pi sqrt(1 + 16 d / (9 pi^2))).
    At MOST_RATIO an impact is over within a time step, and 0.0006 of the speed is left.
    """
    loss = -math.log(min(max(restitution, 1e-6), 1.0))
    if loss < 2.0:
        ratio = math.sin(_root(lambda b: math.tan(b) * (math.pi - 2 * b), loss, math.pi / 2))
    else:
        ratio = math.cosh(_root(lambda u: 2 * u / math.tanh(u) if u else 2.0, loss, 20.0))
    square = min(ratio, MOST_RATIO) ** 2
    return 2 * square + math.sqrt(16 * square**2 + 9 * math.pi**2 * square) / 2


def _root(function: Callable[[float], float], value: float, high: float) -> float:
    """Where a growing function has a value, between 0 and ``high``."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < value:
            low = middle
        else:
            high = middle
    return low
