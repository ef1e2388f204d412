"""Lengths and masses that seem to be in another unit: millimetres, grams, kg mm^2.

Values of the same robot are compared: radii of gyration with the extents of shapes, masses with the volumes
of shapes, and extents of shapes with the distances between joints. Placeholders, such as a box of a
millimetre or moments of 1, are common. Therefore medians are compared, and only a factor of some hundreds is
reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from polybody.lowering.plants.extents import Sizes, distances, sizes_of, spreads
from polybody.model.model import Model

SPREAD = 0.45
"""The radius of gyration of a typical part, divided by its greatest distance from the centre of mass."""
TOO_GREAT, TOO_SMALL = 1 / 180, 350.0
"""A ratio between these does not suggest another unit."""
BEYOND = 100.0
"""A ratio that exceeds them by more than this factor is not explained by a unit, either."""
FAR = 5.0
"""m; a smaller shape is assumed not to be in mm."""
DENSE = 5e4
"""kg/m^3; more than twice the density of any metal."""
APART = 100.0
"""The greatest plausible distance between joints, divided by the extents of the shapes on both sides."""


HUGE, AIR = 3.0, 11.0
"""m, and kg/m^3 in a cube of the radius of gyration, which is 9 times the density of a ball."""
GRAVITY_IN_MM = 1000.0
"""m/s^2: a document with more gravity is in mm on purpose."""


class Doubt(NamedTuple):
    """A quantity that seems to be in another unit."""

    body: int
    """The row of the first body concerned."""
    message: str
    hint: str


def doubts(model: Model) -> Iterator[Doubt]:
    """Quantities of a Model of one robot or scene that seem to be in another unit."""
    sizes = sizes_of(model)
    whole = _whole(model, sizes)
    if whole is not None or not model.ngeom:
        yield from () if whole is None else (whole,)
        return
    ratio = spreads(sizes.spread, sizes.reach, SPREAD)
    middle = _median(ratio.values()) if ratio else 1.0
    if TOO_SMALL < middle < TOO_SMALL * BEYOND:
        yield Doubt(
            next(body for body in ratio if ratio[body] > TOO_SMALL),
            f"moments of inertia are those of bodies about {_rounded(middle)} times as large as the shapes",
            "moments are in kg m^2, lengths in m",
        )
    elif TOO_GREAT / BEYOND < middle < TOO_GREAT:
        yield Doubt(
            next(body for body in ratio if ratio[body] < TOO_GREAT),
            f"shapes are about {_rounded(1 / middle)} times as large as bodies with these moments of inertia",
            "lengths are in m; for a mesh in mm write `scale` 0.001 0.001 0.001",
        )
    else:
        reaches = sizes.reach
        for body in [b for b, each in ratio.items() if each < TOO_GREAT and reaches[b] > FAR][:1]:
            times = SPREAD * sizes.reach[body] / sizes.spread[body]
            yield Doubt(
                body,
                f"its shapes reach {sizes.reach[body]:.3g} m from its centre of mass; its moments of inertia "
                f"are those of a body about {_rounded(times)} times smaller",
                "lengths are in m; for a mesh in mm write `scale` 0.001 0.001 0.001",
            )
        yield from _masses(sizes, middle)
    yield from _joints(model, sizes)


def _whole(model: Model, sizes: Sizes) -> Doubt | None:
    """A robot whose lengths are all in mm: masses and joints are as far apart as in no machine, and it is
    lighter than air.
    """
    heavy = [body for body, spread in enumerate(sizes.spread) if spread > 0]
    spread = _median(sizes.spread[body] for body in heavy) if heavy else 0.0
    if spread <= HUGE or float(np.linalg.norm(model.opt_gravity)) > GRAVITY_IN_MM:
        return None
    apart = np.linalg.norm(model.body_pos[np.unique(model.jnt_bodyid)], axis=1)
    distance = _median(apart[apart > 0].tolist()) if apart.any() else 0.0
    mass = _median(sizes.mass[body] for body in heavy)
    if distance <= HUGE or mass / spread**3 >= AIR:
        return None
    return Doubt(
        heavy[0],
        f"moments of inertia distribute masses of {mass:.3g} kg over {spread:.3g} m, and joints are "
        f"{distance:.3g} m apart: the robot is lighter than air",
        "lengths are in m, masses in kg and moments in kg m^2, not in mm, g and g mm^2",
    )


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
    if len(ratio) > 1 and APART < (middle := _median(ratio.values())) < APART * BEYOND:
        yield Doubt(
            next(iter(ratio)),
            f"joints are about {_rounded(middle)} times as far from each other as the shapes between "
            "them reach",
            "positions and shapes are in m",
        )


def _rounded(number: float) -> str:
    """The number, rounded to two digits, without an exponent."""
    return f"{float(f'{number:.2g}'):.0f}"


def _median(values: Iterable[float]) -> float:
    """The median; those of numpy and of the standard library import more than a check does."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
