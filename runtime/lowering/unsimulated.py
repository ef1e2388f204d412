"""What a document holds that no simulation takes part of, as its format's schema says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Status
from polybody.base.children import found_below
from polybody.diagnostics import Findings
from polybody.document.registry import format_of


@dataclass(slots=True)
class _Kind:
    first: Node
    attribute: str  # "" for the element itself
    reason: str
    count: int = 0


class _Parsed(NamedTuple):
    """What of the elements of a class is only parsed."""

    row: Element
    whole: bool
    attributes: tuple[Attribute, ...]
    values_of: Callable[[Node], Any]
    """The values of the attributes of an element: a tuple, or the value of a single one."""


def report_unsimulated(
    document: Node, findings: Findings, taken: frozenset[tuple[str, str]] = frozenset()
) -> None:
    """Add a finding for each kind of element and attribute that is only parsed, where it stands first.

    Args:
        document: as read.
        findings: where the findings go.
        taken: tags with attributes ("" for the element itself) that are taken this time all the same.
    """
    kinds: dict[tuple[str, str], _Kind] = {}
    parsed, classes = _looked_at(format_of(document))
    for node in found_below(document, classes):
        row, whole, attributes, values_of = parsed[type(node)]
        if whole:
            _count(kinds, taken, row, node, "", row.reason)
        elif (values := values_of(node)) is not None and values != (None,) * len(attributes):
            for attribute in attributes:
                if getattr(node, attribute.field) is not None:
                    _count(kinds, taken, row, node, attribute.name, attribute.reason)
    for (key, _), kind in kinds.items():
        node, name = kind.first, kind.attribute
        what = f"`{name}` of <{node.TAG}>" if name else f"<{node.TAG}>"
        times = "once" if kind.count == 1 else f"{kind.count} times"
        findings.add(
            "PB061",
            node.attribute_span(name) if name else node.span,
            f"{what} is read but not simulated (written {times}): {kind.reason}",
            xpath=f"/{key}" + (f"/@{name}" if name else ""),
            source=node.source,
        )


def _count(
    kinds: dict[tuple[str, str], _Kind],
    taken: frozenset[tuple[str, str]],
    row: Element,
    node: Node,
    attribute: str,
    reason: str,
) -> None:
    if (node.TAG, attribute) not in taken:
        kinds.setdefault((row.key, attribute), _Kind(node, attribute, reason)).count += 1


@cache
def _looked_at(form: Format) -> tuple[Mapping[type[Node], _Parsed], dict[type, bool]]:
    """What of elements is only parsed, by their classes; and of all classes that hold such elements at any
    depth, or are such, whether they are.
    """
    found = {row.cls: _parsed(row) for row in form.elements.values()}
    chosen = {form.elements[key].cls for key in (form.root, *form.roots)}
    chosen |= {cls for cls, (_, whole, attributes, _) in found.items() if whole or attributes}
    chosen |= {
        cls for cls, (row, *_) in found.items() if row.wraps or row.include
    }  # these hold what others do
    count = 0
    while count != len(chosen):
        count = len(chosen)
        for cls, (row, *_) in found.items():
            below = (form.elements.get(child.element) for child in row.children)
            if any(child is not None and child.cls in chosen for child in below):
                chosen.add(cls)
    return found, {cls: found[cls].whole or bool(found[cls].attributes) for cls in chosen}


def _parsed(row: Element) -> _Parsed:
    whole = row.status is Status.PARSED
    attributes = () if whole else tuple([a for a in row.attributes if a.status is Status.PARSED])
    values_of = attrgetter(*[attribute.field for attribute in attributes]) if attributes else _no_values
    return _Parsed(row, whole, attributes, values_of)


def _no_values(node: Node) -> None:
    """What an element says in no attribute at all."""
