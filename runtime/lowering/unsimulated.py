"""What a document holds that no simulation takes part of, as its format's schema says."""

from __future__ import annotations

from dataclasses import dataclass

from polybody.base import Node, Status
from polybody.diagnostics import Findings
from polybody.document.registry import format_of


@dataclass(slots=True)
class _Kind:
    first: Node
    attribute: str  # "" for the element itself
    reason: str
    count: int = 0


def report_unsimulated(
    document: Node, findings: Findings, taken: frozenset[tuple[str, str]] = frozenset()
) -> None:
    """Add a finding for each kind of element and attribute that is only parsed, where it stands first.

    Args:
        document: as read.
        findings: where the findings go.
        taken: tags with attributes ("" for the element itself) that are taken this time all the same.
    """
    rows = {row.cls: row for row in format_of(document).elements.values()}
    parsed = {cls: [a for a in row.attributes if a.status is Status.PARSED] for cls, row in rows.items()}
    kinds: dict[tuple[str, str], _Kind] = {}
    for node in document.walk():
        row = rows[type(node)]
        if row.status is Status.PARSED:
            found = [("", row.reason)]
        else:
            found = [(a.name, a.reason) for a in parsed[type(node)] if getattr(node, a.field) is not None]
        for attribute, reason in found:
            if (node.TAG, attribute) in taken:
                continue
            kinds.setdefault((row.key, attribute), _Kind(node, attribute, reason)).count += 1
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
