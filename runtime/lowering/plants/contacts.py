"""How the shapes of a plant touch: as Drake's point contact, or as Gazebo's with ODE, as far as rows have it.

Drake: the force of a contact is k x (1 + d x') by its depth x. Springs of two shapes are in series, the
dissipation d is the mean of both, weighted by the share of the depth that each has, and friction is
2 a b / (a + b). Shapes without numbers have those of `geometry::DefaultProximityProperties`.

Gazebo: `kp` and `kd` are a spring and a damper (ODE's ERP and CFM are h kp / (h kp + kd) and 1 / (h kp +
kd)), springs are in series, dampers add, and the smaller friction and the smaller bounce of two shapes
count (`ODEPhysics::Collide`). As ODE bounds the speed at which overlap is undone, nothing but `bounce`
makes a thing rebound: dampers are critical at least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from polybody.lowering.assembly import Geom

STIFFNESS, DISSIPATION = 1e6, 50.0
"""N/m and s/m, of Drake's shapes that say nothing."""
KP, KD = 1e12, 1.0
"""N/m and N s/m, of Gazebo's shapes that say nothing."""


def as_drake(geoms: Iterable[Geom]) -> None:
    """Give shapes that say nothing Drake's stiffness and dissipation."""
    for geom in geoms:
        geom.stiffness = STIFFNESS if geom.stiffness is None else geom.stiffness
        geom.dissipation = DISSIPATION if geom.dissipation is None else geom.dissipation


def as_gazebo(geoms: Iterable[Geom]) -> None:
    """Give shapes that say nothing Gazebo's spring and damper."""
    for geom in geoms:
        geom.stiffness = KP if geom.stiffness is None else geom.stiffness
        geom.damping = KD if geom.damping is None else geom.damping
        geom.dissipation = dissipation(0.0) if geom.dissipation is None else geom.dissipation


def dissipation(restitution: float) -> float:
    """The dissipation, s/m, of a contact that gives back a share of the speed.

    A spring and a damper of ratio sin b, which only push, give back exp(-tan(b) (pi - 2 b)); at the ratio 1,
    more than which is not taken here, e^-2. The Model's ratio of a dissipation d is
    2 d / (3 pi sqrt(1 + 16 d / (9 pi^2))).
    """
    loss = -math.log(min(max(restitution, math.exp(-2.0)), 1.0))
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if math.tan(middle) * (math.pi - 2 * middle) < loss:
            low = middle
        else:
            high = middle
    square = math.sin(low) ** 2
    root = math.sqrt(16 * square**2 + 9 * math.pi**2 * square)
    return 2 * square + root / 2
