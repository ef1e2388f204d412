"""Lengths and masses that seem to be in another unit: millimetres, grams, kg mm^2.

What a robot says of its bodies is compared with itself: how far mass is spread, by the moments of inertia,
with how far shapes reach, masses with the volumes of shapes, shapes with the distances of joints.
Placeholders (a box of a millimetre, moments of 1) are common, so that medians count, and only errors of some
hundred times.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from polybody.lowering.plants.extents import Sizes, distances, sizes_of, spreads
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


def doubts(model: Model) -> Iterator[Doubt]:
    """What of a Model of one robot or scene seems to be in another unit."""
    if not model.ngeom:
        return
    sizes = sizes_of(model)
    ratio = spreads(sizes.spread, sizes.reach, SPREAD)
    middle = median(ratio.values()) if ratio else 1.0
    if TOO_SMALL < middle < TOO_SMALL * BEYOND:
        yield Doubt(
            next(body for body in ratio if ratio[body] > TOO_SMALL),
            f"moments of inertia distribute the masses {_rounded(middle)} times as far as the shapes extend",
            "moments are in kg m^2, lengths in m",
        )
    elif TOO_GREAT / BEYOND < middle < TOO_GREAT:
        yield Doubt(
            next(body for body in ratio if ratio[body] < TOO_GREAT),
            f"shapes extend {_rounded(1 / middle)} times as far as moments of inertia distribute the masses",
            "lengths are in m; for a mesh in mm write `scale` 0.001 0.001 0.001",
        )
    else:
        reaches = sizes.reach
        for body in [b for b, each in ratio.items() if each < TOO_GREAT and reaches[b] > FAR][:1]:
            times = SPREAD * sizes.reach[body] / sizes.spread[body]
            yield Doubt(
                body,
                f"its shapes extend {sizes.reach[body]:.3g} m, about {_rounded(times)} times as far as its "
                "moments of inertia distribute its mass",
                "lengths are in m; for a mesh in mm write `scale` 0.001 0.001 0.001",
            )
        yield from _masses(sizes, middle)
    yield from _joints(model, sizes)


def _masses(sizes: Sizes, middle: float) -> Iterator[Doubt]:
    masses = sizes.mass
    shaped = [body for body, volume in enumerate(sizes.volume) if volume > 0]
    held = sum([masses[body] for body in shaped])
    density = held / max(sum(sizes.volume), 1e-300)
    if held > sum(sizes.mass) / 2 and density > DENSE and 1 / 30 < middle < 30:
        yield Doubt(
            next(body for body in shaped if sizes.mass[body] > 0),
            f"masses are {_rounded(density)} kg per cubic metre of the bounding boxes of the shapes, about "
            f"{_rounded(density / 1000)} times those of water",
            "masses are in kg, moments of inertia in kg m^2, lengths in m",
        )


def _joints(model: Model, sizes: Sizes) -> Iterator[Doubt]:
    ratio = distances(model, sizes.reach)
    if len(ratio) > 1 and APART < (middle := median(ratio.values())) < APART * BEYOND:
        yield Doubt(
            next(iter(ratio)),
            f"joints are about {_rounded(middle)} times as far from each other as the shapes between "
            "them reach",
            "positions and shapes are in m",
        )


def _rounded(number: float) -> str:
    """Two digits of it, without an exponent."""
    return f"{float(f'{number:.2g}'):.0f}"
