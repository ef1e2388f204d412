"""Left and right parts that should mirror each other and differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from polybody.plausibility.doubts import Doubt, called
from polybody.plausibility.facts import Facts
from polybody.rotations.arrays import matrix

SIDES = {
    "left": "right",
    "l": "r",
    "lf": "rf",
    "fl": "fr",
    "lh": "rh",
    "hl": "hr",
    "rl": "rr",
    "bl": "br",
    "lb": "rb",
    "lm": "rm",
    "ml": "mr",
}
"""Words for left parts in names, and those for their twins."""
_WORD = re.compile(r"left|Left|LEFT|(?<![A-Za-z])(?:[lL]|[fhbmrFHBMR][lL]|[lL][fhbmFHBM])(?![a-z])")
PLACED = 0.02
"""Tolerance of mirrored positions, relative to their distance from the parent."""
MASS, MOMENT, MATRIX, RANGE = 0.1, 0.5, 0.2, 0.02
"""Relative differences of masses, moments of inertia, mirrored inertia matrices and widths of ranges; those
of exports from CAD are less.
"""
ASIDE = 0.05
"""Distance of a centre of mass from the plane between both sides, relative to that from their root."""


def differing(facts: Facts) -> Iterator[Doubt]:
    """Pairs of bodies by name and mirrored position that differ in mass, inertia or limits."""
    model = facts.model
    rows = {name: row for row, name in enumerate(model.names["body"]) if name}
    for left, one in rows.items():
        other = rows.get(twin_of(left), 0)
        if (
            not other
            or not (facts.moves[one] and facts.moves[other])
            or not _mirrored(model, rows, one, other)
        ):
            continue
        faults = list(_differences(facts, one, other))
        if faults:
            message = f"{called(model, 'body', one)} and its twin {called(model, 'body', other)} differ: "
            yield Doubt(("body", other), message + "; ".join(faults), "mirror one, or rename one")


def twin_of(name: str) -> str:
    """The name of the right part that belongs to a left one; "" for other names."""
    found = _WORD.sub(_other, name)
    return "" if found == name else found


def _other(match: re.Match[str]) -> str:
    word = match[0]
    other = SIDES[word.lower()]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def _mirrored(model: Any, rows: dict[str, int], one: int, other: int) -> bool:
    """Whether the parents are the same body or twins, and the distances from them equal."""
    above, beside = int(model.body_parentid[one]), int(model.body_parentid[other])
    if above != beside and rows.get(twin_of(model.names["body"][above])) != beside:
        return False
    here, there = (float(np.linalg.norm(model.body_pos[body])) for body in (one, other))
    return abs(here - there) <= PLACED * max(here, there) + 1e-4


def _differences(facts: Facts, one: int, other: int) -> Iterator[str]:
    model = facts.model
    masses = float(model.body_mass[one]), float(model.body_mass[other])
    if _apart(*masses) > MASS:
        yield f"masses of {masses[0]:.4g} and {masses[1]:.4g} kg"
    else:
        moments = np.sort(model.body_inertia[[one, other]], axis=1)
        worst = int(np.argmax([_apart(a, b) for a, b in moments.T]))
        if _apart(*moments[:, worst]) > MOMENT:
            yield f"principal moments of {moments[0, worst]:.3g} and {moments[1, worst]:.3g} kg m^2"
        elif (apart := _unmirrored(facts, one, other)) > MATRIX:
            yield f"mirrored, their inertia matrices differ by {100 * apart:.0f} % of the greatest element"
    joints = (np.flatnonzero(model.jnt_bodyid == body).tolist() for body in (one, other))
    for a, b in zip(*joints, strict=False):
        if model.jnt_type[a] != model.jnt_type[b] or not (model.jnt_limited[a] and model.jnt_limited[b]):
            continue
        (low, high), (least, most) = model.jnt_range[a].tolist(), model.jnt_range[b].tolist()
        if _apart(high - low, most - least) > RANGE:
            yield f"ranges from {low:.4g} to {high:.4g} and from {least:.4g} to {most:.4g}"


def _unmirrored(facts: Facts, one: int, other: int) -> float:
    """The greatest difference between two inertia matrices, one of them mirrored, relative to the greatest
    element; 0 if it is unknown whether the initial pose mirrors the bodies.
    """
    model, data = facts.model, facts.data
    if data is None:
        return 0.0
    above = model.body_parentid
    root, beside = int(above[one]), int(above[other])
    while root != beside:  # a parent has a lower number than its children
        root, beside = (int(above[root]), beside) if root > beside else (root, int(above[beside]))
    turn = data.xmat[root].reshape(3, 3).T
    centres, origins = ((place[[one, other]] - data.xpos[root]) @ turn.T for place in (data.xipos, data.xpos))
    size = float(np.linalg.norm(centres, axis=1).max())
    near = PLACED * size + 1e-4
    mirrors = [
        mirror
        for axis, mirror in enumerate(1.0 - 2.0 * np.eye(3))
        if abs(centres[0, axis]) > ASIDE * size
        and all(np.abs(left * mirror - right).max() <= near for left, right in (centres, origins))
    ]
    if len(mirrors) != 1:
        return 0.0
    axes = turn @ data.xmat[[one, other]].reshape(2, 3, 3) @ matrix(model.body_iquat[[one, other]])
    left, right = np.einsum("nij,nj,nkj->nik", axes, model.body_inertia[[one, other]], axes)
    greatest = max(np.abs(left).max(), np.abs(right).max(), 1e-12)
    return float(np.abs(left * np.outer(mirrors[0], mirrors[0]) - right).max() / greatest)


def _apart(a: float, b: float) -> float:
    """The difference of two numbers, relative to the greater."""
    return abs(a - b) / max(abs(a), abs(b), 1e-12)
