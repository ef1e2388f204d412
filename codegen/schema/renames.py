"""Renamed parts of a schema: declared by the new schema, or equal except for the name.

A schema declares a rename by listing the old name among the aliases or misspellings of the new one
(``pb:alias``, ``pb:aliasOf``, ``pb:mistaken``). Otherwise, a removed and an added part are considered renamed
if they differ only in the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .model import Attribute, Child, Element, Schema


class Renamed(NamedTuple):
    """The new name of a part, and whether the schema declares the rename."""

    name: str
    said: bool


def attributes(old: Sequence[Attribute], new: Sequence[Attribute]) -> dict[str, Renamed]:
    """The new names of removed attributes that were renamed."""
    gone = [a for a in old if a.name not in {b.name for b in new}]
    fresh = [b for b in new if b.name not in {a.name for a in old}]
    found: dict[str, Renamed] = {}
    for said, same in ((True, _is_said), (False, _is_alike)):
        for before in [a for a in gone if a.name not in found]:
            after = next((b for b in fresh if same(before, b)), None)
            if after is not None:
                fresh.remove(after)
                found[before.name] = Renamed(after.name, said)
    return found


def children(old: Element, new: Element, rows: tuple[dict[str, Element], ...]) -> dict[str, Renamed]:
    """The new tags of removed children that were renamed.

    rows: the elements of the old and of the new schema by their keys.
    """
    gone = [a for a in old.children if a.tag not in {b.tag for b in new.children}]
    fresh = [b for b in new.children if b.tag not in {a.tag for a in old.children}]
    found: dict[str, Renamed] = {}

    def of(schema: int, cls: str, among: Sequence[Child]) -> list[Child]:
        return [child for child in among if rows[schema][child.element].cls == cls]

    for child in gone:
        cls = rows[0][child.element].cls
        new_ones = of(1, cls, fresh)
        if child.tag not in found and len(of(0, cls, gone)) == len(new_ones) == 1:
            found[child.tag] = Renamed(new_ones[0].tag, False)
    return found


def keys(old: Schema, new: Schema) -> dict[str, str]:
    """The keys of old elements that changed because their tags, or those of their ancestors, did."""
    rows = tuple({element.key: element for element in schema.elements} for schema in (old, new))
    waiting = list(zip(old.roots, new.roots, strict=False))
    met = dict(waiting)
    while waiting:
        before, after = waiting.pop(0)
        renamed = children(rows[0][before], rows[1][after], rows)
        below = {child.tag: child.element for child in rows[1][after].children}
        for child in rows[0][before].children:
            tag = renamed[child.tag].name if child.tag in renamed else child.tag
            if tag in below and child.element not in met:
                met[child.element] = below[tag]
                waiting.append((child.element, below[tag]))
    return {before: after for before, after in met.items() if before != after}


def _is_said(old: Attribute, new: Attribute) -> bool:
    return old.name in (*new.aliases, *new.mistaken)


def _is_alike(old: Attribute, new: Attribute) -> bool:
    alike: dict[str, Any] = {
        "name": "",
        "field": "",
        "aliases": (),
        "mistaken": (),
        "doc": "",
        "place": old.place,
    }
    return replace(old, **alike) == replace(new, **alike)
