"""Shapes that overlap at the initial pose."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from polybody.collision.pairs import contacts
from polybody.document.registry import format_named
from polybody.document.robots import srdf_files
from polybody.model.touching import first_pair, is_off
from polybody.plausibility.doubts import Doubt, called
from polybody.plausibility.facts import Facts

DEEP = 1e-3
"""m: less is the depth at which things rest, or rounding."""
MANY, MOST = 5000, 500_000
"""Number of bodies above which it is not looked first whether any can touch, and maximum number of pairs of
shapes.
"""
SHOWN = 3
"""Number of pairs that a message names, deepest first."""


def initial(facts: Facts) -> Iterator[Doubt]:
    """Pairs of bodies whose shapes overlap at the initial pose; once for all pairs."""
    model, data = facts.model, _placed(facts)
    if data is None or _crowded(model, data.geom_xpos):
        return
    found = contacts(model, data.geom_xpos, data.geom_xmat, data.flexvert_xpos if model.nflex else ())
    geoms = found["geom"]
    deep = (found["dist"] < -DEEP) & (geoms >= 0).all(axis=1)
    bodies = np.sort(model.geom_bodyid[geoms[deep]], axis=1)
    deepest: dict[tuple[int, int], tuple[float, int]] = {}
    for (one, other), depth, row in zip(
        bodies.tolist(), found["dist"][deep].tolist(), np.flatnonzero(deep).tolist(), strict=True
    ):
        deepest[one, other] = min(deepest.get((one, other), (0.0, -1)), (depth, row))
    if not deepest:
        return
    worst = sorted(deepest.items(), key=lambda each: (round(each[1][0], 6), each[0]))  # ties by number
    said = [_pair(model, *pair, -depth) for pair, (depth, _) in worst[:SHOWN]]
    count = len(worst)
    pairs = "1 pair of bodies overlaps" if count == 1 else f"{count} pairs of bodies overlap"
    more = ", deepest " if count > SHOWN else ": "
    message = f"{pairs} at the initial pose{more}{', '.join(said)}"
    (one, other), (_, row) = worst[0]
    at = ("geom", int(geoms[row].max()))
    yield Doubt(at, message, _hint(facts, one, other) + _srdf(facts))


def unsearched(facts: Facts) -> Iterator[Doubt]:
    """Whether so many shapes may overlap that it is not looked for."""
    data = _placed(facts)
    if data is not None and _crowded(facts.model, data.geom_xpos):
        message = f"overlaps at the initial pose are not looked for: over {MOST:,} pairs of shapes may touch"
        yield Doubt(None, message, "move the shapes apart")


def _placed(facts: Facts) -> Any:
    """The initial state; None if no shapes can touch in it, or if it is unknown."""
    off = is_off(facts.model.columns, "contact") or not _can_touch(facts.model)
    return None if off else facts.data


def _can_touch(model: Any) -> bool:
    """Whether there may be two bodies that can touch."""
    return bool(model.npair) or model.nbody > MANY or first_pair(model.columns) is not None


def _crowded(model: Any, place: Any) -> bool:
    """Whether so many shapes are at the same place that a check cannot compare all of them."""
    bounded = (model.geom_rbound > 0) & ((model.geom_contype | model.geom_conaffinity) != 0)
    radius, place = model.geom_rbound[bounded], place[bounded]
    fewest = len(radius) ** 2
    for along in place.T if fewest > MOST else ():
        ends = np.sort(along + radius)
        begun = np.searchsorted(np.sort(along - radius), ends, side="right")
        fewest = min(fewest, int(begun.sum()) - len(ends) * (len(ends) + 1) // 2)
    return fewest > MOST


def _pair(model: Any, one: int, other: int, depth: float) -> str:
    names = " and ".join(_name(model, body) for body in (one, other))
    steady = float(f"{1000 * depth:.9g}")  # so that noise does not decide how half a digit is rounded
    return f"{names} by {steady:.3g} mm"


def _name(model: Any, body: int) -> str:
    return called(model, "body", body).removeprefix("body ") if model.names["body"][body] else f"body {body}"


def _hint(facts: Facts, one: int, other: int) -> str:
    """How to exclude the deepest pair in the document's format."""
    scopes, names = zip(
        *(facts.model.names["body"][body].rpartition("::")[::2] for body in (one, other)), strict=True
    )
    apart = "move them apart"
    if not one or not all(names) or scopes[0] != scopes[1]:
        return apart  # an exclude is written inside a model, where names have no scopes
    write = _EXCLUDES.get(facts.format)
    if write is None:
        return apart
    written = write.format(*map(escape, names), drake=_declaration(facts))
    return f"{apart}, or exclude their contact: {written}"


def _declaration(facts: Facts) -> str:
    """The declaration of Drake's prefix, if the document has none."""
    source = facts.document.source
    uri = format_named(facts.format).prefixes.get("drake")
    return "" if uri is None or (source and b"xmlns:drake" in source.data) else f' xmlns:drake="{uri}"'


def _srdf(facts: Facts) -> str:
    """A hint at the SRDF beside a URDF, which lists pairs of links that may overlap, unless it was given."""
    if facts.format != "urdf" or "srdf" in facts.options or facts.document.source is None:
        return ""
    found = srdf_files(facts.document.source)
    return f"; there is an SRDF: `--srdf {found[0]}`, or `srdf=`, reads it" if found else ""


_GROUP = (
    '<drake:collision_filter_group name="{0}_{1}"{drake}><drake:member link="{0}"/><drake:member link="{1}"/>'
    '<drake:ignored_collision_filter_group name="{0}_{1}"/></drake:collision_filter_group>'
)
_EXCLUDES = {
    "mjcf": '<contact><exclude body1="{0}" body2="{1}"/></contact>',
    "urdf": _GROUP,
    "sdf": (
        '<drake:collision_filter_group name="{0}_{1}"{drake}><drake:member>{0}</drake:member>'
        "<drake:member>{1}</drake:member><drake:ignored_collision_filter_group>{0}_{1}</drake:ignored_collision_filter_group>"
        "</drake:collision_filter_group>"
    ),
    "openrave": "<adjacent>{0} {1}</adjacent>",
}
"""What excludes the contact of two bodies, by format."""
