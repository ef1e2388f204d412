"""The rules about Models: a row for each code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from polybody.plausibility import contacts, inertias, overlaps, ranges, stepping, twins, units
from polybody.plausibility.doubts import Doubt
from polybody.plausibility.facts import Facts


class Rule(NamedTuple):
    """A rule about Models."""

    code: str
    find: Callable[[Facts], Iterator[Doubt]]
    needs: tuple[str, ...] = ()
    """Numbers of rows that must not be zero, by the names of a Model's sizes."""
    unless: tuple[str, ...] = ()
    """Codes of findings of which its own would be consequences."""


RULES: tuple[Rule, ...] = (
    Rule("PB052", stepping.massless, ("nv",), unless=("PB062",)),
    Rule("PB062", stepping.undetermined, ("nv",), unless=("PB052",)),
    Rule("PB121", stepping.unsimulated, ("nbody",)),
    Rule("PB068", units.doubted, ("nv",)),
    Rule("PB111", inertias.defaults, ("nv",)),
    Rule("PB112", inertias.placeholders, ("nv",), unless=("PB068", "PB111")),
    Rule("PB110", inertias.out_of_proportion, ("nv", "ngeom"), unless=("PB068", "PB111", "PB112")),
    Rule("PB113", units.rotations),
    Rule("PB065", units.bounds, ("njnt",)),
    Rule("PB114", units.controls, ("nu", "njnt")),
    Rule("PB115", twins.differing, ("nv",)),
    Rule("PB066", ranges.nothing_allowed, ("nv",)),
    Rule("PB116", ranges.keys, ("nkey",)),
    Rule("PB117", ranges.initial, ("njnt",)),
    Rule("PB118", overlaps.initial, ("nv", "ngeom")),
    Rule("PB122", overlaps.unsearched, ("nv", "ngeom")),
    Rule("PB119", contacts.masks, ("nv", "ngeom")),
    Rule("PB120", contacts.too_stiff, ("nv", "ngeom")),
)
"""In the order in which they are applied."""
