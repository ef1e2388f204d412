"""Elements of a document that are not simulated, according to its format's schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Status
from polybody.base.children import found_below
from polybody.diagnostics import Findings
from polybody.diagnostics.warned import remarks_are_read
from polybody.document.registry import format_of

_Kind = tuple[type[Node], str]
"""The class and the tag of an element."""


class _Parsed(NamedTuple):
    """The elements and attributes of a class and a tag that are only parsed."""

    row: Element
    whole: bool
    attributes: tuple[tuple[Attribute, Callable[[Node], Any]], ...]
    """With a function that gives the value on an element."""


def report_unsimulated(
    document: Node, findings: Findings, taken: frozenset[tuple[str, str]] = frozenset()
) -> None:
    """Add a remark for each kind of element and attribute that is only parsed, at its first occurrence.

    Args:
        document: as read.
        findings: receives the findings.
        taken: tags with attributes ("" for the element itself) that are used nevertheless.
    """
    if not remarks_are_read():
        return
    parsed, classes = _looked_at(format_of(document))
    alike: dict[_Kind, list[Node]] = {}
    for node in found_below(document, classes):
        alike.setdefault((type(node), node.TAG), []).append(node)
    for kind, nodes in alike.items():
        if kind not in parsed:
            continue
        row, whole, attributes = parsed[kind]
        if whole:
            _report(nodes, row, "", row.reason, taken, findings)
        for attribute, value_of in attributes:
            values = list(map(value_of, nodes))
            if values.count(None) < len(values):
                written = [node for node, value in zip(nodes, values, strict=True) if value is not None]
                _report(written, row, attribute.name, attribute.reason, taken, findings)


def _report(
    nodes: list[Node],
    row: Element,
    name: str,
    reason: str,
    taken: frozenset[tuple[str, str]],
    findings: Findings,
) -> None:
    """Add a finding about elements of a class, or about an attribute that they give."""
    first = nodes[0]
    if (first.TAG, name) in taken:
        return
    what = f"`{name}` of <{first.TAG}>" if name else f"<{first.TAG}>"
    times = "once" if len(nodes) == 1 else f"{len(nodes)} times"
    findings.add(
        "PB061",
        first.attribute_span(name) if name else first.span,
        f"{what} is read but not simulated (written {times}): {reason}",
        xpath=f"/{row.key}" + (f"/@{name}" if name else ""),
        source=first.source,
    )


@cache
def _looked_at(form: Format) -> tuple[Mapping[_Kind, _Parsed], dict[type, bool]]:
    """What is only parsed, by class and tag of elements; and for all classes that contain such elements at
    any depth, or are such, whether they are. Elements that no schema describes have one class.
    """
    rows = list(form.elements.values())
    found = {(row.cls, row.tag): _parsed(row) for row in rows}
    marked = {cls for (cls, _), (_, whole, attributes) in found.items() if whole or attributes}
    chosen = {form.elements[key].cls for key in (form.root, *form.roots)} | marked
    chosen |= {
        row.cls for row in rows if row.wraps or row.include
    }  # these contain the same elements as others
    count = 0
    while count != len(chosen):
        count = len(chosen)
        for row in rows:
            below = (form.elements.get(child.element) for child in row.children)
            if any(child is not None and child.cls in chosen for child in below):
                chosen.add(row.cls)
    return found, {cls: cls in marked for cls in chosen}


def _parsed(row: Element) -> _Parsed:
    whole = row.status is Status.PARSED
    parsed = [] if whole else [each for each in row.attributes if each.status is Status.PARSED]
    return _Parsed(row, whole, tuple([(each, attrgetter(each.field)) for each in parsed]))
