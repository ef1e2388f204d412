"""The named element that a finding is about: the innermost one, such as a body, a link or a joint."""

from __future__ import annotations

from dataclasses import replace

from polybody.base import Node, children_of
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip

Below = dict[int, dict[str, list[Node]]]
"""The children of elements, by the id of the element and by tag."""


def name_owners(root: Node, findings: Findings) -> None:
    """Add to every finding the name of the innermost named element that it is about or inside."""
    path = None if root.source is None else root.source.path
    below: Below = {}
    for index, finding in enumerate(findings.items):
        if finding.xpath and not finding.about and path in (None, finding.path):
            owner = _owner(root, finding.xpath, below)
            if owner:
                findings.items[index] = replace(finding, about=owner)


def _owner(root: Node, xpath: str, below: Below) -> str:
    """The tag and name of the innermost named element on the path of an XPath."""
    first, *steps = xpath.split("/")[1:]
    found = _named(root) if first == root.TAG else ""
    node = root
    for step in steps if first == root.TAG else ():
        tag, _, number = step.partition("[")
        if id(node) not in below:
            kinds = below[id(node)] = {}
            for child in children_of(node):
                kinds.setdefault(child.TAG, []).append(child)
        alike = below[id(node)].get(tag, [])
        place = int(number[:-1]) - 1 if number else 0
        if place >= len(alike):
            break  # an attribute, an unknown element, or omitted steps
        node = alike[place]
        found = _named(node) or found
    return found


def _named(node: Node) -> str:
    name = getattr(node, "name", None)
    return f"{node.TAG} `{clip(name)}`" if isinstance(name, str) and name else ""
