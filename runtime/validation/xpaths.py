"""XPaths of findings that know only their line and column: they lie in a start tag, so in an element."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from polybody.base import COLUMN_BITS, Node
from polybody.diagnostics import Diagnostic, Findings
from polybody.document.parser.value_faults import clip
from polybody.validation.report import paths

_NAME = re.compile(rb"[^\s=/<>\"']+(?=\s*=)")


def locate(root: Node, findings: Findings) -> None:
    """Give every finding in the document's start tags the XPath of its element or attribute."""
    bare = [place for place, finding in enumerate(findings.items) if not finding.xpath]
    if not bare:
        return
    starts: dict[str, list[tuple[int, Node]]] = {}
    for node in root.walk():
        if node.source is not None and node._position is not None:
            starts.setdefault(node.source.path, []).append((node._position, node))
    for tags in starts.values():
        tags.sort(key=lambda tag: tag[0])
    found = {}
    for place in bare:
        finding = findings.items[place]
        tags = starts.get(finding.path, [])
        index = bisect_right(tags, _position(finding), key=lambda tag: tag[0])
        if index:
            found[place] = tags[index - 1][1]
    steps = paths(root, found.values())
    for place, node in found.items():
        finding = findings.items[place]
        xpath = steps.get(id(node), "") + _attribute(finding, node)
        findings.items[place] = replace(finding, xpath=xpath)


def _position(finding: Diagnostic) -> int:
    return finding.line << COLUMN_BITS | (finding.column - 1)


def _attribute(finding: Diagnostic, node: Node) -> str:
    """The step to the attribute at which a finding points, or nothing where it points at the element."""
    if node.source is None or node._position == _position(finding):
        return ""
    match = _NAME.match(node.source.data, node.source.offset(finding.line, finding.column - 1))
    return "" if match is None else f"/@{clip(match[0].decode('utf-8', 'replace'))}"
