"""Lengths and masses that seem to be in another unit: millimetres, grams, kg mm^2.

What a robot says of its bodies is compared with itself: how far mass is spread, by the moments of inertia,
with how far shapes reach, masses with the volumes of shapes, shapes with the distances of joints.
Placeholders (a box of a millimetre, moments of 1) are common, so that medians count, and only errors of some
hundred times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import ShapeType
from polybody.model.model import Model

SPREAD = 0.45
"""Radius of gyration of a usual part, by how far it reaches from its centre of mass."""
TOO_GREAT, TOO_SMALL = 1 / 180, 350.0
"""Between these the ratio of the one to the other is no sign of another unit."""
BEYOND = 100.0
"""How much farther than that is no unit's doing, either."""
FAR = 5.0
"""m: a shape of a robot that is not that large is not in mm."""
DENSE = 5e4
"""kg/m^3: more than twice that of any metal."""
APART = 100.0
"""Distance of joints, by the size of the shapes on both sides."""


class Doubt(NamedTuple):
    """What seems to be in another unit."""

    body: int
    """The row of the first body that it is about."""
    message: str
    hint: str


class _Sizes(NamedTuple):
    """Of each body: mass, radius of gyration, reach and volume of its shapes; 0 without."""

    mass: NDArray[np.float64]
    spread: NDArray[np.float64]
    reach: NDArray[np.float64]
    volume: NDArray[np.float64]


def doubts(model: Model) -> Iterator[Doubt]:
    """What of a Model of one robot or scene seems to be in another unit."""
    if not model.ngeom:
        return
    sizes = _sizes(model)
    compared = np.flatnonzero((sizes.spread > 0) & (sizes.reach > 0))
    ratio = sizes.spread[compared] / (SPREAD * sizes.reach[compared])
    middle = _median(ratio) if len(compared) else 1.0
    if TOO_SMALL < middle < TOO_SMALL * BEYOND:
        yield Doubt(
            int(compared[ratio > TOO_SMALL][0]),
            f"moments of inertia distribute the masses {_rounded(middle)} times as far as the shapes extend",
            "moments are in kg m^2, lengths in m",
        )
    elif TOO_GREAT / BEYOND < middle < TOO_GREAT:
        yield Doubt(
            int(compared[ratio < TOO_GREAT][0]),
            f"shapes extend {_rounded(1 / middle)} times as far as moments of inertia distribute the masses",
            "lengths are in m; for a mesh in mm write `scale` 0.001 0.001 0.001",
        )
    else:
        large = compared[(ratio < TOO_GREAT) & (sizes.reach[compared] > FAR)]
        for body in large[:1].tolist():
            times = SPREAD * sizes.reach[body] / sizes.spread[body]
            yield Doubt(
                body,
                f"its shapes extend {sizes.reach[body]:.3g} m, about {_rounded(times)} times as far as its "
                "moments of inertia distribute its mass",
                "lengths are in m; for a mesh in mm write `scale` 0.001 0.001 0.001",
            )
        yield from _masses(sizes, middle)
    yield from _joints(model, sizes)


def _masses(sizes: _Sizes, middle: float) -> Iterator[Doubt]:
    shaped = sizes.volume > 0
    total, held = float(sizes.mass.sum()), float(sizes.mass[shaped].sum())
    density = held / max(float(sizes.volume.sum()), 1e-300)
    if held > total / 2 and density > DENSE and 1 / 30 < middle < 30:
        yield Doubt(
            int(np.flatnonzero(shaped & (sizes.mass > 0))[0]),
            f"masses are {_rounded(density)} kg per cubic metre of the bounding boxes of the shapes, about "
            f"{_rounded(density / 1000)} times those of water",
            "masses are in kg, moments of inertia in kg m^2, lengths in m",
        )


def _joints(model: Model, sizes: _Sizes) -> Iterator[Doubt]:
    parent = model.body_parentid
    near = sizes.reach + sizes.reach[parent]
    single = np.bincount(model.jnt_bodyid, minlength=model.nbody) == 1
    moved = single & (parent > 0) & (sizes.reach > 0) & (sizes.reach[parent] > 0)
    apart = np.linalg.norm(model.body_pos, axis=1)
    moved &= apart > 0
    if moved.sum() > 1:
        ratio = apart[moved] / near[moved]
        middle = _median(ratio)
        if APART < middle < APART * BEYOND:
            yield Doubt(
                int(np.flatnonzero(moved)[0]),
                f"joints are about {_rounded(middle)} times as far from each other as the shapes between "
                "them reach",
                "positions and shapes are in m",
            )


def _median(numbers: NDArray[np.float64]) -> float:
    """Of numbers that are not NaN."""
    found = sorted(numbers.tolist())
    half = len(found) // 2
    middle: float = found[half] if len(found) % 2 else (found[half - 1] + found[half]) / 2
    return middle


def _rounded(number: float) -> str:
    """Two digits of it, without an exponent."""
    return f"{float(f'{number:.2g}'):.0f}"


def _sizes(model: Model) -> _Sizes:
    body = model.geom_bodyid
    solid = np.flatnonzero((body > 0) & (model.geom_type != ShapeType.plane))
    owner = body[solid]
    reach, volume = np.zeros(model.nbody), np.zeros(model.nbody)
    apart = model.geom_pos[solid] - model.body_ipos[owner]
    away = np.sqrt(np.einsum("ni,ni->n", apart, apart))
    np.maximum.at(reach, owner, away + model.geom_rbound[solid])
    np.maximum.at(volume, owner, 8 * model.geom_aabb[solid, 3:].prod(axis=1))
    mass = model.body_mass
    heavy = np.where(mass > 0, mass, np.inf)
    return _Sizes(mass, np.sqrt(model.body_inertia.sum(axis=1) / (2 * heavy)), reach, volume)
