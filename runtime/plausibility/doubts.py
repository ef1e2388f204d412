"""What a rule reports, and the elements of a document by the rows of its Model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from polybody.base import Node, Span, children_of
from polybody.model.model import Model

Row = tuple[str, int]
"""A row of a Model: its kind, such as "body", and its number."""


class Doubt(NamedTuple):
    """Something implausible."""

    at: Row | Node | None
    """What it is about; None is the document."""
    message: str
    hint: str
    attribute: str = ""
    """The attribute or child with the value, if one has it."""


def place_of(model: Model, row: Row) -> str:
    """Where a row is written, as path:line:column; for a kind without places, that of its body; "" if it is
    unknown.
    """
    kind, number = row
    if kind not in model.places and kind in ("geom", "joint"):
        owners = model.geom_bodyid if kind == "geom" else model.jnt_bodyid
        kind, number = "body", int(owners[number])
    places = model.places.get(kind, ())
    return places[number] if number < len(places) else ""


def elements(document: object, places: Iterable[str]) -> dict[str, Node]:
    """The elements at some places in a document and in the documents of the files that it includes."""
    wanted = {place for place in places if place}
    found: dict[str, Node] = {}
    roots = [document] if isinstance(document, Node) and wanted else []
    met = {id(document)}
    while roots and wanted:
        todo: list[Node] = [roots.pop()]
        while todo and wanted:
            node = todo.pop()
            if node.place in wanted:
                wanted.discard(node.place)
                found[node.place] = node
            content: Any = getattr(node, "content", None)
            if isinstance(content, Node) and id(content) not in met:
                met.add(id(content))
                roots.append(content)
            todo.extend(children_of(node))
    return found


def span_of(place: str) -> Span | None:
    """The place path:line:column as a span; None if it is unknown."""
    path, line, column = place.rsplit(":", 2) if place.count(":") > 1 else ("", "", "")
    if not (line.isdigit() and column.isdigit()):
        return None
    return Span(path, int(line), int(column), int(line), int(column) + 1)


def called(model: Model, kind: str, row: int) -> str:
    """A row as messages name it: "body `arm`", or "body 3" if it has no name."""
    from polybody.document.parser.value_faults import clip

    name = model.names[kind][row]
    return f"{kind} `{clip(name)}`" if name else f"{kind} {row}"


def listed(parts: list[str], most: int = 3) -> str:
    """Some parts of a sentence, of which those after the first few are only counted."""
    shown = ", ".join(parts[:most])
    return shown if len(parts) <= most else f"{shown} and {len(parts) - most} more"


Places = Mapping[str, Node]
