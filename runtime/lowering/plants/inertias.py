"""Inertias as in Drake: which impossible inertias it replaces, and by what.

Drake 1.51 checks the inertia tensor about the centre of mass: its principal moments must not be negative and
none may exceed the sum of the others, within 16 times the machine precision of half their sum, or of 1 kg m^2
if that is less. Otherwise it uses, with a warning, the inertia of a solid ball of water at the same centre of
mass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.lowering.plants.plant import Tensor
from polybody.rotations.poses import ORIGIN, Vector
from polybody.validation.checker import is_surely_inertia

PRECISION = 16 * float(np.finfo(float).eps)
TINY = 1e-8
"""kg m^2: moments greater than this that Drake tolerates are also within a Model's tolerance."""
WATER = 1000.0
"""kg/m^3"""
REPLACED = "PB047"


def fault(mass: float, inertia: Sequence[float]) -> str | None:
    """Why a mass, kg, and moments xx yy zz xy xz yz, kg m^2, are impossible for a body, or None."""
    if not math.isfinite(mass) or mass < 0:
        return f"its mass is {mass:g} kg"
    if not any(inertia):
        return None
    if mass == 0:
        return "it has moments of inertia and no mass"
    xx, yy, zz, xy, xz, yz = inertia
    slack = PRECISION * max(1.0, half_trace(inertia))
    if xy == xz == yz == 0.0:
        low, middle, high = sorted((xx, yy, zz))
    elif _clearly_sound(inertia, slack):
        return None
    else:
        low, middle, high = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    if low < -slack:
        return f"its smallest principal moment of inertia is {low:.9g} kg m^2, which is negative"
    if high > low + middle + slack:
        return (
            f"its principal moment of inertia {high:.9g} is greater than the sum of the others, {low:.9g} "
            f"and {middle:.9g}"
        )
    return None


def _clearly_sound(inertia: Sequence[float], slack: float) -> bool:
    """Whether the density's second moments S = tr(I)/2 - I are positive definite beyond rounding errors.

    This is equivalent to the triangle inequality of the principal moments; checked by the leading minors of
    S.
    """
    half = half_trace(inertia)
    a, b, c = half - inertia[0], half - inertia[1], half - inertia[2]
    p, q, r = (-value for value in inertia[3:])
    second = a * b - p * p
    third = a * (b * c - r * r) - p * (p * c - q * r) + q * (p * r - b * q)
    margin = max(1e-9 * half, slack)
    return a > margin and second > margin * half and third > margin * half * half


def half_trace(inertia: Sequence[float]) -> float:
    """The largest possible moment for the trace, kg m^2."""
    return (inertia[0] + inertia[1] + inertia[2]) / 2


def realisable(inertia: Tensor) -> Tensor:
    """The nearest possible moments, for moments so small that Drake accepts any values."""
    xx, yy, zz, xy, xz, yz = inertia
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    low, middle, high = np.maximum(moments, 0.0).tolist()
    if high <= low + middle and moments[0] >= 0:
        return inertia
    (xx, xy, xz), (_, yy, yz), (*_, zz) = (axes * [low, middle, min(high, low + middle)]) @ axes.T
    return float(xx), float(yy), float(zz), float(xy), float(xz), float(yz)


def water_ball(mass: float) -> tuple[float, float]:
    """Mass, kg, and moment of inertia, kg m^2, of the sphere that Drake uses instead."""
    kept = mass if math.isfinite(mass) and mass > 0 else 1.0
    radius = math.cbrt(3 * kept / (4 * math.pi * WATER))
    return kept, 0.4 * kept * radius * radius


def sound(
    name: str, mass: float, centre: Vector, inertia: Tensor, node: Node | None, findings: Findings
) -> tuple[float, Vector, Tensor]:
    """Mass, centre of mass and central inertia as in Drake; replaced values are reported.

    Args:
        name: of the link, for the finding.
        mass, centre, inertia: as given, kg, m and kg m^2: xx yy zz xy xz yz about the centre, in link axes.
        node: the element that gives them.
        findings: receives the finding.
    """
    if 0 < mass < math.inf and TINY < half_trace(inertia) < math.inf and is_surely_inertia(*inertia):
        return mass, centre, inertia
    if mass == 0 and not any(inertia):
        return 0.0, ORIGIN, inertia
    wrong = fault(mass, inertia)
    if wrong is None:
        return mass, centre, inertia if half_trace(inertia) > TINY else realisable(inertia)
    kept, moment = water_ball(mass)
    given = ", ".join(f"{value:g}" for value in inertia)
    message = (
        f"link `{name}` cannot have this inertia: {wrong}. Instead of mass {mass:g} kg and moments ({given}) "
        f"kg m^2 it has those of a ball of water, as in Drake: {kept:g} kg, {moment:g} kg m^2 about each axis"
    )
    span, source = (None, None) if node is None else (node.span, node.source)
    hint = "write the moments with more digits" if wrong.startswith("its principal") else None
    findings.add(REPLACED, span, message, hint=hint, source=source)
    return kept, centre, (moment, moment, moment, 0.0, 0.0, 0.0)
