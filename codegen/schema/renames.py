"""What has another name in a new schema: the new one says so, or all but the name is the same.

A schema says so by the old name among the other or the wrong spellings of the new one (``pb:alias``,
``pb:aliasOf``, ``pb:mistaken``). Else one thing that is gone and one that is new are the same if nothing
but the name tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .model import Attribute, Child, Element, Schema


class Renamed(NamedTuple):
    """The name that something has now, and whether the schema says so."""

    name: str
    said: bool


def attributes(old: Sequence[Attribute], new: Sequence[Attribute]) -> dict[str, Renamed]:
    """Of attributes that are gone, by their names, those that have another name now."""
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
    """Of children that are gone, by their tags, those that have another tag now.

    rows: the elements of the old and of the new schema by their keys.
    """
    gone = [a for a in old.children if a.tag not in {b.tag for b in new.children}]
    fresh = [b for b in new.children if b.tag not in {a.tag for a in old.children}]
    found = {a.tag: Renamed(b.tag, True) for a in gone for b in fresh if a.tag in b.aliases}

    def of(schema: int, cls: str, among: Sequence[Child]) -> list[Child]:
        return [child for child in among if rows[schema][child.element].cls == cls]

    for child in gone:
        cls = rows[0][child.element].cls
        new_ones = of(1, cls, fresh)
        if child.tag not in found and len(of(0, cls, gone)) == len(new_ones) == 1:
            found[child.tag] = Renamed(new_ones[0].tag, False)
    return found


def keys(old: Schema, new: Schema) -> dict[str, str]:
    """The keys of old elements that are known under others, as they or what they are in have other tags."""
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
