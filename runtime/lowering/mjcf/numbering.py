"""Numbering of all elements, and lookup by kind and name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from polybody.assembly.columns import Columns
from polybody.lowering.mjcf.elements import LISTS, TREE_KINDS, Body, Element, Spec, names_of
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import SAME_LISTS, Reference
from polybody.suggest import did_you_mean

NAMELESS = ("mesh", "hfield", "material")
"""Kinds of assets that need a name, either their own or that of their file."""


class Numbered:
    """All elements of a Spec by kind, in the order of their numbers."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self.bodies: list[Body] = []
        self.parts: dict[str, list[Element]] = {}
        self.owners: dict[str, list[int]] = {}
        self._found: dict[str, dict[str, Element]] = {}
        self.widths: dict[str, int] = {}
        self.number()

    def number(self) -> None:
        """Number all elements in their current order."""
        self.bodies = list(self.spec.world.walk())
        self.parts = {kind: [] for kind in TREE_KINDS}
        self.owners = {kind: [] for kind in TREE_KINDS}
        for number, body in enumerate(self.bodies):
            body.id = number
            for kind, parts in zip(TREE_KINDS, body.parts, strict=True):
                if parts:
                    self.parts[kind].extend(parts)
                    self.owners[kind].extend([number] * len(parts))
        for elements in (*self.parts.values(), *self.spec.lists.values()):
            for number, element in enumerate(elements):
                element.id = number
        self._found.clear()

    def release(self) -> None:
        """Remove the references of bodies to their parents when they are no longer needed: cycles are freed
        late.
        """
        for body in self.bodies:
            body.parent = None

    def elements(self, kind: str) -> list[Element]:
        """The elements of a kind."""
        if kind == "body":
            return list(self.bodies)
        return self.parts[kind] if kind in self.parts else self.spec.lists.get(kind, [])

    def check_names(self) -> None:
        """Check that names are unique for each kind, and that assets have names."""
        for kind in ("body", *TREE_KINDS, *LISTS):
            elements = self.elements(kind)
            names = names_of(elements)
            if len(set(names)) == len(names) and ("" not in names or kind not in NAMELESS):
                continue
            first: dict[str, Element] = {}
            for element, name in zip(elements, names, strict=True):
                if name and first.setdefault(name, element) is not element:
                    other = first[name].node.span
                    where = "" if other is None else f", at {other}"
                    self.problems.add(
                        element.node, f"the name `{name}` is already used by another {kind}{where}", "name"
                    )
                elif not name and kind in NAMELESS:
                    self.problems.add(element.node, f"a {kind} needs `name`")

    def find(self, kind: str, name: str) -> Element | None:
        """An element by name, or None."""
        kind = SAME_LISTS.get(kind, kind)
        if kind not in self._found:
            elements = self.elements(kind)
            self._found[kind] = {
                name: element for name, element in zip(names_of(elements), elements, strict=True) if name
            }
        return self._found[kind].get(name)

    def resolve(self, element: Element, reference: Reference, attribute: str | None = None) -> Element | None:
        """The object of a reference, or None after a finding."""
        found = self.find(*reference)
        if found is None:
            kind = SAME_LISTS.get(reference.kind, reference.kind)
            hint = did_you_mean(reference.name, self._found.get(kind, {}))
            self.problems.add(
                element.node, f"there is no {reference.kind} `{reference.name}`", attribute, hint
            )
        return found


Maker = TypeVar("Maker", bound=Callable[..., Columns])


def of_lists(*kinds: str) -> Callable[[Maker], Maker]:
    """Decorator for functions that create the columns of these lists: if all of them are empty, the result is
    cached.
    """

    def kept(make: Maker) -> Maker:
        nothing: Columns = {}

        @wraps(make)
        def columns(numbered: Numbered, *others: Any) -> Columns:
            lists, widths = numbered.spec.lists, numbered.widths
            for kind in kinds:
                if lists[kind] or widths.get(kind):
                    return make(numbered, *others)
            if not nothing:
                nothing.update(make(numbered, *others))
                for column in nothing.values():
                    column.flags.writeable = False
            return dict(nothing)

        return cast("Maker", columns)

    return kept
