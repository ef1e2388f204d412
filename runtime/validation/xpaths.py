"""XPaths of findings that know only their line and column: they lie in a start tag, so in an element."""

from __future__ import annotations

import re
from bisect import bisect_left

from polybody.base import COLUMN_BITS, Node
from polybody.diagnostics import Diagnostic, Findings
from polybody.document.parser.value_faults import clip
from polybody.validation.places import Place, places

_NAME = re.compile(rb"[^\s=/<>\"']+(?=\s*=)")


def locate(root: Node, findings: Findings) -> None:
    """Give every finding in the document's start tags the XPath of its element or attribute, and with it the
    severity that it has there.
    """
    bare = [index for index, finding in enumerate(findings.items) if not finding.xpath]
    wanted: dict[str, list[int]] = {}  # the positions of findings, by their file
    for index in bare:
        finding = findings.items[index]
        wanted.setdefault(finding.path, []).append(_position(finding))
    if not wanted:
        return
    sorted_positions = {path: sorted(set(positions)) for path, positions in wanted.items()}
    # Of each stretch between two of them, the last element that begins in it.
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
        finding = findings.items[index]
        stretch = bisect_left(sorted_positions[finding.path], _position(finding))
        while stretch >= 0 and (finding.path, stretch) not in nearest:
            stretch -= 1
        if stretch >= 0:
            place = nearest[finding.path, stretch]
            xpath = place.xpath() + _attribute(finding, place.node)
            findings.place(index, xpath)


def _position(finding: Diagnostic) -> int:
    return finding.line << COLUMN_BITS | (finding.column - 1)


def _attribute(finding: Diagnostic, node: Node) -> str:
    """The step to the attribute at which a finding points, or nothing where it points at the element."""
    if node.source is None or node._position == _position(finding):
        return ""
    match = _NAME.match(node.source.data, node.source.offset(finding.line, finding.column - 1))
    return "" if match is None else f"/@{clip(match[0].decode('utf-8', 'replace'))}"
