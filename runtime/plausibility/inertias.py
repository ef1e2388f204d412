"""Moments of inertia that do not fit the shapes of their body, defaults and placeholders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from polybody.base import Node
from polybody.plausibility.doubts import Doubt, called, elements, listed, place_of
from polybody.plausibility.facts import Facts, Flags
from polybody.rotations.arrays import matrix

TOO_GREAT, TOO_SMALL = 3.0, 2e-4
"""Moments of a body relative to the greatest that its mass can have within its shapes: those of a solid are a
third of that, and shapes may be incomplete; a small motor in a long part makes them smaller.
"""
MATTERS = 0.3
"""Fraction of the moments of all that is fixed to a body; its own do not matter if they are less."""
SOLID = 1 / 3
"""Moments of a solid box relative to the greatest."""
ALIKE = 3
"""A number of bodies that have the same moments by chance in no robot."""
DIFFERENT = 1.5
"""A ratio of masses or sizes of parts that cannot have equal moments."""


def out_of_proportion(facts: Facts) -> Iterator[Doubt]:
    """Bodies whose moments cannot be those of their mass within their shapes."""
    model = facts.model
    mass, bound = model.body_mass, facts.greatest
    judged = facts.moves & facts.shaped & (mass > 0) & (bound > 0).all(axis=1) & ~facts.assumed
    if not judged.any():
        return
    turn = matrix(model.body_iquat)
    moments = np.einsum("nij,nj,nij->ni", turn, model.body_inertia, turn)
    times = np.divide(moments, mass[:, None] * bound, out=np.zeros_like(bound), where=judged[:, None])
    whole = np.divide(moments.sum(axis=1), mass * bound.sum(axis=1), out=np.ones(len(mass)), where=judged)
    great = judged & (times.max(axis=1) > TOO_GREAT)
    odd = great | (judged & (whole < TOO_SMALL) & (whole > 0))
    for body in np.flatnonzero(odd & _matters(facts, odd)).tolist():
        axis = int(times[body].argmax())
        if great[body]:
            what = f"{_rounded(float(times[body, axis]))} times the greatest that"
        else:
            what = f"1/{_rounded(1 / float(whole[body]))} of the greatest that"
        own, usual = float(moments[body, axis]), SOLID * float(mass[body] * bound[body, axis])
        message = (
            f"{called(model, 'body', body)}: its moment of inertia of {own:.3g} kg m^2 is {what} "
            f"{mass[body]:.3g} kg within its shapes can have"
        )
        yield Doubt(("body", body), message, f"a solid of that size has about {usual:.1g} kg m^2")


def _matters(facts: Facts, odd: Flags) -> Flags:
    """Whether the moments of bodies are a considerable part of those of all that is fixed to them."""
    model = facts.model
    if not odd.any() or facts.data is None:
        return odd
    weld, place = model.body_weldid, facts.data.xipos
    mass = np.bincount(weld, model.body_mass, model.nbody)
    sums = np.stack([np.bincount(weld, model.body_mass * row, model.nbody) for row in place.T], axis=1)
    centre = sums / np.maximum(mass, 1e-300)[:, None]
    own = model.body_inertia.sum(axis=1) / 2
    away = model.body_mass * ((place - centre[weld]) ** 2).sum(axis=1)
    return np.asarray(own >= MATTERS * np.bincount(weld, own + away, model.nbody)[weld])


def placeholders(facts: Facts) -> Iterator[Doubt]:
    """The same round moments for most bodies, although masses or sizes differ."""
    model = facts.model
    there = (model.body_mass > 0) & (model.body_inertia > 0).all(axis=1) & ~facts.assumed
    heavy = np.flatnonzero(facts.moves & there)
    if len(heavy) < ALIKE:
        return
    moments = model.body_inertia[heavy]
    equal = (np.ptp(moments, axis=1) <= 1e-9 * moments[:, 0]) & _round(moments[:, 0])
    values, counts = np.unique(moments[equal, 0], return_counts=True)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        same = heavy[equal & (moments[:, 0] == value)]
        if count < ALIKE or 2 * count < len(heavy):
            continue
        if not any(_vary(each[same]) for each in (model.body_mass, facts.size)):
            continue
        names = listed([called(model, "body", body) for body in same.tolist()])
        message = f"{count} of {len(heavy)} moving bodies have moments of {value:g} kg m^2, whatever their "
        message += f"mass and size: {names}"
        yield Doubt(("body", int(same[0])), message, "compute them from masses and shapes")


def _vary(values: Any) -> bool:
    known = values[values > 0]
    return len(known) > 1 and bool(known.max() > DIFFERENT * known.min())


def _round(values: Any) -> Any:
    """Which numbers have one significant digit."""
    size = 10.0 ** np.floor(np.log10(np.maximum(values, 1e-300)))
    return np.abs(values / size - np.rint(values / size)) < 1e-9


def defaults(facts: Facts) -> Iterator[Doubt]:
    """Moving links of SDFormat with the default inertia, 1 kg and 1 kg m^2, though their shapes are small."""
    if facts.format != "sdf":
        return
    model = facts.model
    unit = (model.body_inertia == 1.0).all(axis=1) & facts.moves & facts.shaped
    great = (model.body_mass[:, None] * facts.greatest * TOO_GREAT < 1.0).all(axis=1)
    rows = np.flatnonzero(unit & great).tolist()
    places = {row: place_of(model, ("body", row)) for row in rows}
    nodes = elements(facts.document, places.values())
    for row in rows:
        node: Any = nodes.get(places[row])
        inertial = getattr(node, "inertial", None)
        if not isinstance(node, Node) or getattr(inertial, "inertia", None) is not None:
            continue
        missing = "<inertia> in its <inertial>" if inertial is not None else "<inertial>"
        usual = SOLID * float((model.body_mass[row] * facts.greatest[row]).mean())
        message = f"{called(model, 'body', row)} has no {missing}, so its moments are 1 kg m^2, although its "
        message += f"shapes have a diagonal of only {facts.size[row]:.3g} m"
        yield Doubt(inertial or node, message, f"a solid of that size has about {usual:.1g} kg m^2")


def _rounded(number: float) -> str:
    """The number with two digits, without an exponent unless it is huge."""
    value = float(f"{number:.2g}")
    return f"{value:.0f}" if value < 1e7 else f"{value:.0e}"
