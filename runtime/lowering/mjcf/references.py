"""References by name, and how macros that copy and rename change them.

A list element that refers to something in a copied subtree is copied with it. Which of its names then get the
prefix and suffix of the copy depends on its kind, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from polybody.lowering.mjcf.elements import LISTS, TREE_KINDS, Body, Element, Spec, Values
from polybody.lowering.mjcf.values import since

SAME_LISTS = {"xbody": "body"}
"""Kinds of objects whose names are in the list of another kind."""
FOLLOWERS = ("flex", "pair", "exclude", "tendon", "equality", "actuator", "sensor", "tuple")
"""Kinds that are copied with the objects that they refer to, in the order of copying."""
REMOVED = FOLLOWERS[1:-1]
"""Kinds that are removed with the objects that they refer to; as of 3.2.7, tuples are kept."""
UNCHANGED = ("flex",)
"""Kinds whose copies keep their names, as in MuJoCo 3.2.7."""


class Reference(NamedTuple):
    """A name of an object of some kind."""

    kind: str
    name: str

    def renamed(self, prefix: str, suffix: str) -> Reference:
        return Reference(self.kind, prefix + self.name + suffix)


WORLD = Reference("body", "world")


class Wrap(NamedTuple):
    """An element of a tendon's path."""

    tag: str
    """Its tag in the document: site, geom, pulley or joint."""
    name: str
    side: str
    number: float
    """A pulley's divisor, a joint's coefficient."""
    node: Any


class Names:
    """All objects of a Spec by kind and name; the last one if several have the same name."""

    def __init__(self, spec: Spec) -> None:
        self._found: dict[str, dict[str, Element]] = {kind: {} for kind in ("body", *TREE_KINDS, *LISTS)}
        self.add_tree(spec.world)
        for elements in spec.lists.values():
            self.add(elements)

    def add_tree(self, top: Body) -> None:
        """Add a body and all its descendants."""
        for body in top.walk():
            self.add([body])
            for parts in body.parts:
                self.add(parts)

    def add(self, elements: Iterable[Element]) -> None:
        """Add elements of any kind."""
        for element in elements:
            if element.name:
                self._found[element.kind][element.name] = element

    def remove_tree(self, top: Body) -> None:
        """Remove a body and all its descendants."""
        for body in top.walk():
            for element in (body, *(part for parts in body.parts for part in parts)):
                found = self._found[element.kind]
                if element.name and found.get(element.name) is element:
                    del found[element.name]

    def renew(self, kind: str, elements: Iterable[Element]) -> None:
        """Replace the elements of a kind."""
        self._found[kind] = {}
        self.add(elements)

    def find(self, kind: str, name: str) -> Element | None:
        """The object, or None."""
        return self._found.get(SAME_LISTS.get(kind, kind), {}).get(name)

    def known(self, reference: Reference) -> bool:
        """Whether there is such an object."""
        return self.find(*reference) is not None


def resolved(element: Element, prefix: str, suffix: str, names: Names) -> Values | None:
    """The values with references to a copy's objects, or None if the element is not concerned.

    With an empty prefix and suffix: the values unchanged, or None if a name does not exist.
    """
    values = element.values
    if element.kind == "tendon":
        path = _resolved_path(values["path"], prefix, suffix, names)
        return None if path is None else {"path": path}
    had: list[Reference] = values["references"]
    found = [reference.renamed(prefix, suffix) for reference in had]
    if len(found) == 2:
        # If only one of two is in the copy, the other reference is unchanged, if it may be.
        there = [names.known(reference) for reference in found]
        for each in range(2):
            if not there[each] and there[1 - each] and _stays(element, had[each]):
                found[each] = had[each]
    return {"references": found} if all(map(names.known, found)) else None


def _stays(element: Element, reference: Reference) -> bool:
    """Whether a copy of an element may refer to an object that is not copied."""
    if element.kind == "equality":
        return reference == WORLD and since("4.0")
    return element.kind in ("pair", "exclude", "sensor")


def _resolved_path(path: list[Wrap], prefix: str, suffix: str, names: Names) -> list[Wrap] | None:
    """A tendon's path over a copy's objects: at least one is the copy's, the others are unchanged.

    As of 3.2.7, a pulley counts as the copy's, and a geom without a side site never does, because MuJoCo
    looks up a site whose name consists of the prefix and suffix only.
    """
    found, own = [], 0
    later = since("3.3.0")
    for wrap in path:
        side = prefix + wrap.side + suffix if wrap.side or not later else ""
        renamed = wrap._replace(name=prefix + wrap.name + suffix, side=side)
        if _wraps(renamed, names):
            own += wrap.tag != "pulley" or not later
        elif _wraps(wrap, names):
            renamed = wrap
        else:
            return None
        found.append(renamed)
    return found if own or not path else None


def _wraps(wrap: Wrap, names: Names) -> bool:
    """Whether the object that a tendon wraps exists and is suitable."""
    if wrap.tag == "pulley":
        return wrap.number >= 0
    target = names.find(wrap.tag, wrap.name)
    if target is None:
        return False
    if wrap.tag != "geom":
        return True
    fit = target.values["type"].value in ("sphere", "cylinder")
    return fit and (not wrap.side or names.find("site", wrap.side) is not None)


def names_of(spec: Spec) -> Names:
    """The names of a Spec, which are maintained as it grows."""
    if spec.names is None:
        spec.names = Names(spec)
    names: Names = spec.names
    return names


def follow(
    target: Spec, source: dict[str, list[Element]], prefix: str, suffix: str, assets: str = ""
) -> int:
    """Copy the list elements that refer to copied objects, with new names, after the existing ones.

    assets: prefix of the materials of copied tendons.

    Returns:
        The number of copies.
    """
    names, count = names_of(target), 0
    for kind in FOLLOWERS:
        copies = []
        for element in source[kind]:
            values = resolved(element, prefix, suffix, names)
            if values is None:
                continue
            twin = element.copied()
            twin.values.update(values)
            if element.name and kind not in UNCHANGED:
                twin.values["name"] = prefix + element.name + suffix
            if assets and kind == "tendon" and element.values["material"]:
                twin.values["material"] = assets + element.values["material"]
            element.state = None
            copies.append(twin)
        target.lists[kind].extend(copies)
        names.add(copies)
        count += len(copies)
    return count


def forget(spec: Spec, gone: Body) -> None:
    """Remove the list elements that referred to objects of a removed body.

    Until 3.3.0 MuJoCo continues to look for tendons and actuators at the indices that they had before others
    were removed: elements that refer to the last ones of a shortened list are removed as well.
    """
    names = names_of(spec)
    removed = (*REMOVED, "tuple") if since("3.3.0") else REMOVED
    before = {
        kind: [resolved(element, "", "", names) is not None for element in spec.lists[kind]]
        for kind in removed
    }
    names.remove_tree(gone)
    shorter = []
    for kind in removed:
        had = spec.lists[kind]
        kept = [
            element
            for element, was in zip(had, before[kind], strict=True)
            if not was or resolved(element, "", "", names) is not None
        ]
        if len(kept) < len(had):
            ids = set(map(id, kept))
            there = kept if since("3.3.1") else [each for each in had[: len(kept)] if id(each) in ids]
            names.renew(kind, there)
            spec.lists[kind] = kept
            shorter.append(kind)
    for kind in shorter:
        names.renew(kind, spec.lists[kind])
