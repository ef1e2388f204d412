"""The defaults elements that apply to an element, by its kind and its defaults class, nearest first."""

from __future__ import annotations

from bisect import bisect_right
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
        self._parents: dict[str, str | None] = {}
        self._held: dict[str, dict[str, list[Node]]] = {}  # class -> key of a defaults element -> elements
        self._sources = _sources(form)
        if not form.defaults:
            return
        sections = [
            (node, section, row)
            for row, path in _holders(form)
            for node in _at(root, path, children)
            for section in _sections(node, children(node))
        ]
        for (node, section, row), stage in zip(sections, self._stages(sections), strict=True):
            self._add(node, section, row, stage)

    def _stages(self, sections: Sequence[tuple[Node, Sequence[Node], Element]]) -> list[str]:
        """For each section of the outermost class, the name of that class as it is after the section.

        A nested class begins as a copy of the one around it, without what later sections add to that. So what
        follows a section with nested classes is a class of its own, around which is the class before. The
        last one is UNNAMED; the others have names that no class of a document can have.
        """
        numbers, number = [], 0
        for node, section, _ in sections:
            numbers.append(number)
            number += any(child.TAG == node.TAG for child in section)
        last = numbers[-1] if numbers else 0
        names = [*(f"{each}\0" for each in range(last)), UNNAMED]
        if last:
            self._parents.update(zip(names, [None, *names[:-1]], strict=True))
        return [names[each] for each in numbers]

    def _add(self, outermost: Node, section: Sequence[Any], row: Element, stage: str) -> None:
        """Take in a section of the outermost defaults class, and the classes nested in it."""
        declares = next((a.field for a in row.attributes if a.defaults_class == "declares"), None)
        kinds = {child.tag: child.element for child in row.children}
        if declares is not None and getattr(outermost, declares):
            self._parents[getattr(outermost, declares)] = UNNAMED
        stack = [(section, stage)]
        while stack:
            children, name = stack.pop()
            held = self._held.setdefault(name, {})
            for child in children:
                key = kinds[child.TAG]
                if key == row.key:
                    nested = stage if declares is None else getattr(child, declares) or stage
                    if nested != stage:
                        self._parents.setdefault(nested, name)
                    stack.append((self._children(child), nested))
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
        """The class of which a class is a copy at first; None for the outermost."""
        return self._parents.get(name, None if name == UNNAMED else UNNAMED)

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
def _sources(form: Format) -> dict[str, list[str]]:
    """By the key of an element: the keys of the defaults elements that apply to it."""
    found: dict[str, list[str]] = {}
    for default in form.defaults:
        found.setdefault(default.target, []).append(default.source)
    return found


def _sections(node: Node, children: Sequence[Node]) -> list[list[Node]]:
    """The children of an element by the tags that they were read between: of several elements that are one,
    and of those of included files, each is a section.
    """
    found: list[list[Node]] = []
    last = None
    for child in children:
        source, at = child.source, last
        if (
            source is not None
            and child._position is not None
            and (source is node.source or source.include_stack)
        ):
            at = id(source), bisect_right(source.continued, child._position)
        if not found or at != last:
            found.append([])
        found[-1].append(child)
        last = at
    return found or [[]]


@cache
def _holders(form: Format) -> tuple[tuple[Element, tuple[str, ...]], ...]:
    """The kinds of elements of a format that contain defaults elements, each with the path of tags to the
    outermost of them.
    """
    sources = {row.source for row in form.defaults}
    found = []
    met = {form.root}
    queue: list[tuple[Element, tuple[str, ...]]] = [(form.elements[form.root], ())]
    for row, path in queue:
        if any(child.element in sources for child in row.children):
            found.append((row, path))
        for child in row.children:
            if sources and child.element not in met:
                met.add(child.element)
                queue.append((form.elements[child.element], (*path, child.tag)))
    return tuple(found)


def _at(root: Node, path: Iterable[str], children: Callable[[Node], Sequence[Any]]) -> list[Node]:
    """The elements at a path of tags."""
    nodes = [root]
    for tag in path:
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


def provider(attribute: Attribute | Text, row: Element) -> Attribute | None:
    """The attribute of a defaults element that provides an attribute: with the same name and forms."""
    same = (a for a in row.attributes if a.name == attribute.name and a.forms == attribute.forms)
    return next(same, None)
