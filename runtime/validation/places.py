"""Positions of elements in a document: the path from its root to each, as XPath."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from polybody.base import Node, children_of
from polybody.document.parser.messages import DEEPEST_XPATH, is_shown, step, xpath
from polybody.document.parser.value_faults import clip


def paths(root: Node, nodes: Iterable[Node]) -> dict[int, str]:
    """The XPaths of some nodes of a document, by their ids."""
    return {id(place.node): place.xpath() for place in places_of(root, nodes)}


def places_of(root: Node, nodes: Iterable[Node]) -> Iterator[Place]:
    """The positions of some nodes of a document or of the files that it includes, each in its own file."""
    wanted = {id(node) for node in nodes}
    roots = [root] if wanted else []
    met = {id(root)}
    for top in roots:  # which grow
        for place in places(top):
            if id(place.node) in wanted:
                wanted.remove(id(place.node))
                yield place
                if not wanted:
                    return
            content = getattr(place.node, "content", None)
            if isinstance(content, Node) and id(content) not in met:
                met.add(id(content))
                roots.append(content)


class Place:
    """An element, the path to it, and its index among elements of the same tag if there may be several."""

    __slots__ = ("above", "depth", "index", "node", "outer")

    def __init__(self, node: Node, index: int | None, above: Place | None) -> None:
        self.node, self.index, self.above = node, index, above
        self.depth: int = 1 if above is None else above.depth + 1
        # The last element whose step is in the XPath, before omitted steps.
        outer = above if above is None or above.depth <= DEEPEST_XPATH // 2 else above.outer
        self.outer: Place | None = outer

    def owner(self) -> str:
        """The innermost named element around this one, or itself, as `link `arm``; "" if there is none."""
        place: Place | None = self
        while place is not None:
            name = getattr(place.node, "name", None)
            if isinstance(name, str):
                return f"{place.node.TAG} `{clip(name)}`"
            place = place.above
        return ""

    def xpath(self) -> str:
        steps: list[str] = []
        place: Place | None = self
        while place is not None:
            if not is_shown(place.depth - 1, self.depth):
                place = self.outer
                continue
            steps.append(step(place.node.TAG, place.index))
            place = place.above
        return xpath(steps[::-1], self.depth)


def places(root: Node) -> Iterator[Place]:
    """The elements of a document in document order: an element is followed by its content."""
    place = Place(root, None, None)
    yield place
    open_places = [(place, iter(children_of(root)), dict[str, int]())]
    while open_places:
        above, left, counts = open_places[-1]
        node: Any = next(left, None)
        if node is None:
            open_places.pop()
            continue
        tag = node.TAG
        counts[tag] = counts.get(tag, 0) + 1
        many = above.node.CHILDREN.get(tag, ("", True))[1]
        place = Place(node, counts[tag] if many else None, above)
        yield place
        below = children_of(node)
        if below:
            open_places.append((place, iter(below), {}))
