"""The bodies of a document, for `polybody info` of a file from which no Model can be made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from polybody.base import Node, children_of
from polybody.cli.streams import console
from polybody.escaping import printable
from rich.text import Text

BODIES = ("body", "link")
"""Tags of bodies in all formats."""
MASSES = (("mass",), ("inertial", "mass"), ("inertia", "mass"), ("mass", "total"))
"""Where the mass of a body is given: paths of fields from the body on."""
MOST = 200
"""Maximum number of lines that are shown."""


class Row(NamedTuple):
    """A body of a document. Its mass is None if the document does not give it."""

    name: str
    parent: str | None
    mass: float | None


def rows(document: Node) -> list[Row]:
    """The bodies of a document, in document order, with the masses that are given in it.

    A parent is the enclosing body, or the one that a joint names.
    """
    parents = dict(_joined(document))
    found: list[Row] = []
    waiting: list[tuple[Node, str | None]] = [(document, None)]
    while waiting:
        node, around = waiting.pop()
        inside = around
        if node.TAG in BODIES and (name := _name(node)) is not None:
            found.append(Row(name, parents.get(name, around), _mass(node)))
            inside = name
        waiting += [(child, inside) for child in reversed(children_of(node))]
    return found


def facts(document: Node) -> list[dict[str, Any]]:
    """The bodies as `info --json` prints them."""
    return [row._asdict() for row in rows(document)]


def show(document: Node) -> None:
    """Print a tree, a line for each body: name and mass; nothing without bodies."""
    out = console(highlight=False, soft_wrap=True)
    found = rows(document)
    if not found:
        return
    below: dict[str | None, list[Row]] = {}
    names = {row.name for row in found}
    for row in found:
        parent = row.parent if row.parent in names and row.parent != row.name else None
        below.setdefault(parent, []).append(row)
    masses = [row.mass for row in found if row.mass is not None]
    given = f"with {sum(masses):g} kg of explicit mass" if masses else "without explicit mass"
    count = "1 body" if len(found) == 1 else f"{len(found)} bodies"
    out.print(f"  no Model could be made; the document has {count} {given}")
    stack = [(row, 1) for row in reversed(below.get(None, []))]
    met: set[str] = set()
    for _ in range(MOST):
        if not stack:
            return
        row, depth = stack.pop()
        mass = "" if row.mass is None else f"  {row.mass:g} kg"
        out.print(Text(f"{'    ' * min(depth, 24)}{printable(row.name) or 'a body without a name'}{mass}"))
        if row.name not in met:
            stack += [(child, depth + 1) for child in reversed(below.get(row.name, []))]
        met.add(row.name)
    if stack:
        out.print(Text(f"    ... more than {MOST} bodies", "dim"))


def _name(node: Node) -> str | None:
    """The name of a body, "" if it has none; None for an element that only refers to a body."""
    if not hasattr(node, "name"):
        return None
    return node.name if isinstance(node.name, str) else ""


def _joined(document: Node) -> Iterator[tuple[str, str]]:
    """Child and parent of each joint that names both, or the two bodies that it lists."""
    for node in document.walk():
        if node.TAG.rpartition(":")[2] != "joint":
            continue
        ends = [_word(getattr(node, field, None)) for field in ("child", "parent")]
        if not all(ends):
            listed = getattr(node, "body", None)
            ends = [_word(each) for each in listed[::-1]] if isinstance(listed, list) else []
        if len(ends) == 2 and ends[0] and ends[1]:
            yield ends[0], ends[1]


def _word(value: Any) -> str:
    """A name that is given as an attribute, as an element's text or in its attribute `link`."""
    for field in ("text", "link"):
        inner = getattr(value, field, None)
        inner = inner[0] if isinstance(inner, tuple) and len(inner) == 1 else inner
        if isinstance(inner, str):
            return inner
    return value if isinstance(value, str) else ""


def _mass(body: Node) -> float | None:
    """The mass that a body gives; else the sum of the masses of its shapes, if any is given."""
    for path in MASSES:
        value: Any = body
        for field in path:
            value = getattr(value, field, None)
        value = getattr(value, "value", getattr(value, "text", value))
        if isinstance(value, int | float):
            return float(value)
    shapes = getattr(body, "geom", None)
    masses = [mass for each in shapes or [] if isinstance(mass := getattr(each, "mass", None), int | float)]
    return float(sum(masses)) if masses else None
