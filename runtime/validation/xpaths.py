"""XPaths of findings for which only line and column are known. They are inside a start tag, so the element is
known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from polybody.base import COLUMN_BITS, Node
from polybody.diagnostics import Diagnostic, Findings
from polybody.document.parser.value_faults import clip
from polybody.validation.places import Place, places

_NAME = re.compile(rb"[^\s=/<>\"']+(?=\s*=)")


def locate(root: Node, findings: Findings) -> None:
    """Add the XPath of the element or attribute to every finding in the document's start tags, the name of
    what it is about, and its severity there.
    """
    for index, xpath, about in _found(root, findings.items):
        findings.place(index, xpath, about)


def located(root: Node, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Add XPath and name to findings that have none; severities are unchanged."""
    items = list(findings)
    for index, xpath, about in _found(root, items):
        items[index] = replace(items[index], xpath=xpath, about=items[index].about or about)
    return tuple(items)


def _found(root: Node, findings: Sequence[Diagnostic]) -> Iterator[tuple[int, str, str]]:
    """The index, XPath and name of each finding without XPath."""
    bare = [index for index, finding in enumerate(findings) if not finding.xpath]
    wanted: dict[str, list[int]] = {}  # the positions of findings, by file
    for index in bare:
        wanted.setdefault(findings[index].path, []).append(_position(findings[index]))
    if not wanted:
        return
    sorted_positions = {path: sorted(set(positions)) for path, positions in wanted.items()}
    # For each interval between two positions, the last element that begins in it.
    nearest: dict[tuple[str, int], Place] = {}
    for place in places(root):
        source, position = place.node.source, place.node._position
        positions = None if source is None else sorted_positions.get(source.path)
        if source is None or positions is None or position is None:
            continue
        stretch = bisect_left(positions, position)
        if stretch == len(positions):
            continue
        key = source.path, stretch
        known = nearest.get(key)
        if known is None or (known.node._position or 0) < position:
            nearest[key] = place
    for index in bare:
        finding = findings[index]
        stretch = bisect_left(sorted_positions[finding.path], _position(finding))
        while stretch >= 0 and (finding.path, stretch) not in nearest:
            stretch -= 1
        if stretch >= 0:
            place = nearest[finding.path, stretch]
            yield index, place.xpath() + _attribute(finding, place.node), place.owner()


def _position(finding: Diagnostic) -> int:
    return finding.line << COLUMN_BITS | (finding.column - 1)


def _attribute(finding: Diagnostic, node: Node) -> str:
    """The step to the attribute at which a finding is; "" if it is at the element."""
    if node.source is None or node._position == _position(finding):
        return ""
    match = _NAME.match(node.source.data, node.source.offset(finding.line, finding.column - 1))
    return "" if match is None else f"/@{clip(match[0].decode('utf-8', 'replace'))}"
