"""Contact parameters of the shapes of a plant: those of Drake's point contact, or of Gazebo with ODE, as far
as the Model can represent them.

Drake: the force of a contact of depth x is k x (1 + d x'). Springs of two shapes are in series, the
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

from polybody.assembly.parts import Geom

STIFFNESS, DISSIPATION = 1e6, 50.0
"""N/m and s/m, Drake's defaults of shapes."""
MAX_RATIO = 20.0
"""The damping ratio of contacts with inelastic impacts."""
KP, KD = 1e12, 1.0
"""N/m and N s/m, Gazebo's defaults of shapes."""
EVERY = 0xFFFF
"""Gazebo's default contact bits of shapes."""
TORSIONAL = 4
"""Directions of a contact with torsional friction."""


def as_drake(geoms: Iterable[Geom]) -> None:
    """Set Drake's stiffness and dissipation for shapes without their own."""
    for geom in geoms:
        geom.stiffness = STIFFNESS if geom.stiffness is None else geom.stiffness
        geom.dissipation = DISSIPATION if geom.dissipation is None else geom.dissipation


def as_gazebo(geoms: Iterable[Geom]) -> None:
    """Set Gazebo's spring and damper for shapes without their own. Shapes without torsional friction get the
    largest value, so that the other shape's is the minimum of a pair.
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
    """Torsional friction, m, of a contact patch with a given radius, m."""
    return 3 * math.pi / 16 * coefficient * radius


def dissipation(restitution: float) -> float:
    """The dissipation, s/m, of a contact that restores a given fraction of the speed.

    A spring and a damper that only push restore exp(-tan(b) (pi - 2 b)) for a damping ratio of sin b, and
    exp(-2 u coth(u)) for one of cosh u. The Model's damping ratio for a dissipation d is 2 d / (3 pi sqrt(1 +
    16 d / (9 pi^2))). At MAX_RATIO an impact ends within a time step, and 0.0006 of the speed remains.
    """
    loss = -math.log(min(max(restitution, 1e-6), 1.0))
    if loss < 2.0:
        ratio = math.sin(_root(lambda b: math.tan(b) * (math.pi - 2 * b), loss, math.pi / 2))
    else:
        ratio = math.cosh(_root(lambda u: 2 * u / math.tanh(u) if u else 2.0, loss, 20.0))
    square = min(ratio, MAX_RATIO) ** 2
    return 2 * square + math.sqrt(16 * square**2 + 9 * math.pi**2 * square) / 2


def _root(function: Callable[[float], float], value: float, high: float) -> float:
    """The argument between 0 and ``high`` at which an increasing function has a given value."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < value:
            low = middle
        else:
            high = middle
    return low
