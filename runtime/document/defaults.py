"""Which defaults elements fill an element: by its kind and its defaults class, the nearest first."""

from __future__ import annotations

from collections.abc import Iterator

from polybody.base import Attribute, Element, Format, Node, Text, children_of

UNNAMED = ""
"""The class of elements that name none; the outermost class, whatever its name."""


class Filling:
    """The defaults elements of one document."""

    def __init__(self, form: Format, root: Node) -> None:
        self.form = form
        self._parents: dict[str, str] = {}
        self._held: dict[str, dict[str, list[Node]]] = {}  # class -> key of a defaults element -> elements
        for holder in dict.fromkeys(row.source.rpartition("/")[0] for row in form.defaults):
            row = form.elements[holder]
            for node in _outermost(root, holder):
                self._add(node, row)

    def _add(self, outermost: Node, row: Element) -> None:
        """Take in a defaults class and those nested in it."""
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
            for child in children_of(node):
                key = kinds[child.TAG]
                if key == row.key:
                    stack.append((child, name))
                else:
                    held.setdefault(key, []).append(child)

    @property
    def empty(self) -> bool:
        """Whether nothing is filled."""
        return not any(self._held.values())

    @property
    def classes(self) -> list[str]:
        """The classes that fill anything, UNNAMED first."""
        return list(dict.fromkeys([UNNAMED, *self._held, *self._parents]))

    def chain(self, key: str, name: str) -> tuple[Node, ...]:
        """The elements that fill those of a kind in a class: what later ones of a class say counts."""
        sources = [row.source for row in self.form.defaults if row.target == key]
        found: list[Node] = []
        met = set()
        while name not in met:
            met.add(name)
            held = self._held.get(name, {})
            here = [node for source in sources for node in held.get(source, ())]
            found.extend(sorted(here, key=lambda node: node._position or 0, reverse=True))
            name = self._parents.get(name, UNNAMED)
        return tuple(found)


def _outermost(root: Node, key: str) -> Iterator[Node]:
    nodes = [root]
    for tag in key.split("/")[1:]:
        nodes = [child for node in nodes for child in children_of(node) if tag == child.TAG]
    return iter(nodes)


def lent(attribute: Attribute | Text, row: Element) -> Attribute | None:
    """The attribute of a defaults element that fills one: of the same name, with the same forms."""
    same = (a for a in row.attributes if a.name == attribute.name and a.forms == attribute.forms)
    return next(same, None)
