"""Masks that let nothing touch, and contacts that are too stiff for the time step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from polybody.model.flags import DISABLE
from polybody.model.touching import is_off
from polybody.plausibility.doubts import Doubt, called
from polybody.plausibility.facts import Facts

STIFFEST = 2.0
"""Maximum natural frequency times the time step of an explicit integrator (leapfrog) of a spring."""
SLACK = 1e-6
USUAL = (0.0, 1e6, 1e9, 1e12)
"""N/m: the stiffness of shapes without one of their own, by format."""


def masks(facts: Facts) -> Iterator[Doubt]:
    """Shapes with masks of contacts that match no other shape, nor a shape with the default masks."""
    model = facts.model
    if model.npair or model.nflex or is_off(model.columns, "contact") or is_off(model.columns, "constraint"):
        return
    seek, accept = model.geom_contype, model.geom_conaffinity
    touching = (seek | accept) != 0
    all_seek, all_accept = _shared(model, seek), _shared(model, accept)
    alone = touching & ((seek & all_accept) == 0) & ((accept & all_seek) == 0)
    alone &= ((seek | accept) & 1) == 0
    rows = np.flatnonzero(alone)
    if len(rows):
        first = int(rows[0])
        count = "1 shape" if len(rows) == 1 else f"{len(rows)} shapes"
        message = (
            f"the masks of {count} match no other shape, first contype {seek[first]} and conaffinity "
            f"{accept[first]} of {called(model, 'geom', first)}"
        )
        hint = "two shapes touch if contype of one and conaffinity of the other have a bit in common"
        yield Doubt(("geom", first), message, hint, "contype")


def _shared(model: Any, masks: Any) -> Any:
    """For each geom, the bits of the geoms of other bodies."""
    once = np.zeros(model.nbody, np.int64)
    np.bitwise_or.at(once, model.geom_bodyid, masks)
    bits = (once[:, None] >> np.arange(32)) & 1
    others = bits.sum(axis=0) - bits > 0
    return (others << np.arange(32)).sum(axis=1)[model.geom_bodyid]


def too_stiff(facts: Facts) -> Iterator[Doubt]:
    """The stiffest reference of contacts, if the time step cannot resolve it."""
    model = facts.model
    step = float(model.opt_timestep)
    seek, accept = model.geom_contype, model.geom_conaffinity
    touching = ((seek & _shared(model, accept)) | (accept & _shared(model, seek))) != 0
    touching |= (seek & 1) != 0  # shapes of a model into which this one is put
    worst = _worst(model.geom_solref, touching & (model.geom_stiffness <= 0), step)
    kind, solref = "geom", model.geom_solref
    if worst is None and model.npair:
        kind, solref = "pair", model.pair_solref
        worst = _worst(solref, np.ones(model.npair, bool), step)
    if worst is not None:
        row, shortest = worst
        first, second = solref[row].tolist()
        what = f"{called(model, kind, row)}: `solref` {first:g} {second:g}"
        if first > 0:
            safe = not int(model.opt_disableflags) & DISABLE["refsafe"]
            effect = "is raised to that" if safe else "makes contacts unstable"
            message = f"{what} has a time constant below two time steps of {step:g} s, and {effect}"
            hint = f'write solref="{2 * step:g} {second:g}", or a timestep of at most {first / 2:.3g}'
        else:
            message = f"{what} is too stiff for the time step of {step:g} s: contacts are unstable"
            hint = f"use a timestep of at most {shortest:.2g}, or softer contacts"
        yield Doubt((kind, row), message, hint, "solref")
    yield from _springs(facts, step)


def _worst(solref: Any, judged: Any, step: float) -> tuple[int, float] | None:
    """The row with the shortest time, and the longest time step that it allows; None if all are stable."""
    first, second = solref.T
    direct = first < 0
    with np.errstate(divide="ignore", invalid="ignore"):
        spring = STIFFEST / np.sqrt(np.maximum(-first, 1e-300))
        damper = STIFFEST / np.maximum(-second, 1e-300)
        longest = np.where(direct, np.minimum(spring, damper), first / 2)
    longest = np.where(judged & (first != 0), longest, np.inf)
    if not len(longest) or not longest.min() < step * (1 - SLACK):
        return None
    row = int(longest.argmin())
    return row, float(longest[row])


def _springs(facts: Facts, step: float) -> Iterator[Doubt]:
    """A given stiffness of a shape that its body's mass and the time step cannot resolve."""
    model = facts.model
    stiffness, owner = model.geom_stiffness, model.geom_bodyid
    mass = model.body_subtreemass[model.body_weldid[owner]]
    judged = (stiffness > 0) & ~np.isin(stiffness, USUAL) & facts.moves[owner] & (mass > 0)
    judged &= (model.geom_contype | model.geom_conaffinity) != 0
    if not judged.any():
        return
    fast = np.where(judged, np.sqrt(stiffness / np.where(mass > 0, mass, 1.0)), 0.0)
    row = int(fast.argmax())
    if fast[row] * step > STIFFEST:
        message = (
            f"{called(model, 'geom', row)}: a stiffness of {stiffness[row]:.3g} N/m under {mass[row]:.3g} kg "
            f"is too stiff for the time step of {step:g} s"
        )
        soft = (STIFFEST / step) ** 2 * float(mass[row])
        hint = f"use a time step of at most {STIFFEST / float(fast[row]):.2g} s, or at most {soft:.2g} N/m"
        yield Doubt(("geom", row), message, hint)
