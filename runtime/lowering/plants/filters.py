"""Pairs of links that do not collide: links that a joint connects, links of filter groups, pairs of an SRDF,
and the links of a model without self-collision, as in Gazebo or at the caller's request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, islice, product
from typing import Any

from polybody.assembly import gather
from polybody.lowering.plants.contacts import EVERY
from polybody.lowering.plants.plant import WELD, Apart, Plant

MAX_PAIRS = 250_000
"""A limit, because filter groups and lumped links can form pairs in the square of the document's length."""
ALL_BITS = 0x7FFFFFFF
MAX_FAMILIES = 30
"""The most models that get a contact bit each; all other links share one more bit."""


class TooManyPairsError(Exception):
    """There are too many excluded pairs; ``node`` is the element that exceeds the limit."""

    def __init__(self, node: Any) -> None:
        super().__init__(
            f"more than {MAX_PAIRS:,} pairs of links are excluded from contact, which exceeds the limit"
        )
        self.node = node


def excluded(plant: Plant) -> dict[tuple[int, int], Any]:
    """Pairs of links that do not collide, the smaller row first, with the elements that exclude them.

    Models without self-collision get contact bits instead if the document itself uses none.

    Raises:
        TooManyPairsError: there are more than `MAX_PAIRS`, repetitions included.
    """
    pairs: dict[tuple[int, int], Any] = {}
    said = chain(_jointed(plant), _grouped(plant), plant.apart, _related(plant))
    for one, other, node in islice(said, MAX_PAIRS):
        if one != other:
            pairs[(one, other) if one < other else (other, one)] = node
    for _, _, node in said:
        raise TooManyPairsError(node)
    return pairs


def _jointed(plant: Plant) -> Iterable[Apart]:
    """Pairs of links that a joint connects; in Gazebo also the links lumped with either of them."""
    moving = [j for j in plant.joints if j.parent and j.child and j.kind is not WELD]
    if not any(gather.values(plant.joints, "lumped")):
        return [(joint.parent, joint.child, joint.node) for joint in moving]
    bodies = _lumps(plant)
    return (
        (one, other, joint.node)
        for joint in moving
        for one, other in product(bodies[joint.parent], bodies[joint.child])
    )


def _lumps(plant: Plant) -> list[list[int]]:
    """For each link: the links that Gazebo merges with it into one body, itself included."""
    bodies = [[row] for row in range(len(plant.links))]
    for joint in plant.joints:
        if joint.lumped:
            few, many = sorted((bodies[joint.parent], bodies[joint.child]), key=len)
            if few is not many:
                many += few
                for row in few:
                    bodies[row] = many
    return bodies


def _grouped(plant: Plant) -> Iterator[Apart]:
    """Pairs of links that filter groups exclude."""
    groups = {group.name: group for group in plant.groups}
    members: dict[str, set[int]] = {}

    def collected(name: str) -> set[int]:
        if name not in members:
            members[name] = set()
            todo, seen = [name], {name}
            while todo:
                group = groups[todo.pop()]
                members[name].update(group.links)
                new = [inner for inner in group.groups if inner in groups and inner not in seen]
                seen.update(new)
                todo += new
        return members[name]

    for group in plant.groups:
        for ignored in group.ignored:
            if ignored in groups:
                own, others = collected(group.name), collected(ignored)
                for one, other in combinations(own, 2) if own == others else product(own, others):
                    yield one, other, group.node


def _related(plant: Plant) -> Iterator[Apart]:
    """Pairs of links of an instance without self-collision, unless contact bits exclude them. If the caller
    excludes self-collision, the instances of a robot with nested models are one.
    """
    if plant.self_collide:
        return
    never = plant.self_collide is False
    members: dict[int | str, list[int]] = {}
    for row, touches in enumerate(gather.values(plant.links, "touches_own")):
        link = plant.links[row] if row and (never or not touches) else None
        if link is not None and any(geom.contype for geom in link.geoms):
            members.setdefault(plant.robot(link.instance) if never else link.instance, []).append(row)
    families = [rows for rows in members.values() if len(rows) > 1]
    if families and not _parted_by_bits(plant, families):
        for rows in families:
            for one, other in combinations(rows, 2):
                yield one, other, plant.links[other].node


def _parted_by_bits(plant: Plant, families: list[list[int]]) -> bool:
    """Give each family a bit with which its own links do not collide; False if the document has bits."""
    geoms = [geom for link in plant.links for geom in link.geoms if geom.contype]
    if len(families) > MAX_FAMILIES or any((g.contype, g.conaffinity) != (EVERY, EVERY) for g in geoms):
        return False
    for geom in geoms:
        geom.contype, geom.conaffinity = 1, ALL_BITS
    for number, rows in enumerate(families, 1):
        for geom in (geom for row in rows for geom in plant.links[row].geoms if geom.contype):
            geom.contype, geom.conaffinity = 1 << number, ALL_BITS ^ 1 << number
    return True
