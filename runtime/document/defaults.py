"""The defaults elements that apply to an element, by its kind and its defaults class, nearest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from polybody.base import Attribute, Element, Exclusive, Format, Ignored, Node, Text, children_of

UNNAMED = ""
"""The class of elements without a class: the outermost class, whatever its name."""


class Filling:
    """The defaults elements of one document.

    children: returns the children of an element, including those of included files if these are to be
    considered.
    """

    def __init__(
        self, form: Format, root: Node, children: Callable[[Node], Sequence[Any]] = children_of
    ) -> None:
        self.form, self._children = form, children
        self._order: dict[int, int] = {}  # by the id of a defaults element: the number of earlier ones
        self._parents: dict[str, str] = {}
        self._held: dict[str, dict[str, list[Node]]] = {}  # class -> key of a defaults element -> elements
        self._sources: dict[
            str, list[str]
        ] = {}  # key of an element -> keys of the defaults elements that apply to it
        for default in form.defaults:
            self._sources.setdefault(default.target, []).append(default.source)
        for row, way in _holders(form):
            for node in _at(root, way, children):
                self._add(node, row)

    def _add(self, outermost: Node, row: Element) -> None:
        """Add a defaults class and those nested in it."""
        declares = next((a.field for a in row.attributes if a.defaults_class == "declares"), None)
        kinds = {child.tag: child.element for child in row.children}
        stack = [(outermost, UNNAMED)]
        while stack:
            node, parent = stack.pop()
            name = UNNAMED if node is outermost or declares is None else getattr(node, declares) or UNNAMED
            if node is outermost and declares is not None and getattr(node, declares):
                self._parents[getattr(node, declares)] = UNNAMED
            elif name != UNNAMED:
                self._parents.setdefault(name, parent)
            held = self._held.setdefault(name, {})
            for child in self._children(node):
                key = kinds[child.TAG]
                if key == row.key:
                    stack.append((child, name))
                else:
                    held.setdefault(key, []).append(child)
                    self._order[id(child)] = len(self._order)

    @property
    def empty(self) -> bool:
        """Whether there are no defaults."""
        return not any(self._held.values())

    def known(self, name: str) -> str:
        """The class of this name if it has defaults, otherwise UNNAMED."""
        return name if name in self._held or name in self._parents else UNNAMED

    def around(self, name: str) -> str | None:
        """The class in which a class is nested; None for the outermost."""
        return None if name == UNNAMED else self._parents.get(name, UNNAMED)

    def held(self, key: str, name: str) -> list[Node]:
        """The elements of one class that apply to those of a kind; the last one, which takes precedence,
        first.
        """
        held = self._held.get(name, {})
        here = [node for source in self._sources.get(key, ()) for node in held.get(source, ())]
        return sorted(here, key=lambda node: self._order[id(node)], reverse=True)

    def chain(self, key: str, name: str) -> tuple[Node, ...]:
        """The elements of a class that apply to those of a kind, nearest first."""
        found: list[Node] = []
        around: str | None = name
        while around is not None:
            found.extend(self.held(key, around))
            around = self.around(around)
        return tuple(found)


@cache
def _holders(form: Format) -> tuple[tuple[Element, tuple[str, ...]], ...]:
    """The kinds of elements of a format that contain defaults elements, each with the path of tags to the
    outermost of them.
    """
    sources = {row.source for row in form.defaults}
    found = []
    met = {form.root}
    queue: list[tuple[Element, tuple[str, ...]]] = [(form.elements[form.root], ())]
    for row, way in queue:
        if any(child.element in sources for child in row.children):
            found.append((row, way))
        for child in row.children:
            if sources and child.element not in met:
                met.add(child.element)
                queue.append((form.elements[child.element], (*way, child.tag)))
    return tuple(found)


def _at(root: Node, way: Iterable[str], children: Callable[[Node], Sequence[Any]]) -> list[Node]:
    """The elements at a path of tags."""
    nodes = [root]
    for tag in way:
        nodes = [child for node in nodes for child in children(node) if tag == child.TAG]
    return nodes


def hiding(row: Element, name: str) -> list[str]:
    """The attributes that hide a farther one of this name: those that are mutually exclusive with it, except
    those that are ignored if it is given. An `euler` of a defaults class has no effect if the element has an
    `axisangle`.
    """
    groups = [rule.names for rule in row.rules if isinstance(rule, Exclusive) and rule.written]
    others = {other for group in groups if name in group for other in group if other != name}
    for rule in row.rules:
        if isinstance(rule, Ignored) and rule.when.name == name and not rule.when.values:
            others.difference_update(rule.names)
    return sorted(others & {attribute.name for attribute in row.attributes})


def lent(attribute: Attribute | Text, row: Element) -> Attribute | None:
    """The attribute of a defaults element that provides an attribute: with the same name and forms."""
    same = (a for a in row.attributes if a.name == attribute.name and a.forms == attribute.forms)
    return next(same, None)
