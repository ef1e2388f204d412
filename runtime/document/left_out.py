"""What a document lacks because its caller maps URIs to nothing: reported once for each of these URIs."""

from __future__ import annotations

from typing import Any

from polybody.base import Node, children_of
from polybody.diagnostics import Findings
from polybody.document.access import access_of
from polybody.document.parser.value_faults import clip
from polybody.document.registry import format_of
from polybody.document.uris import file_fields

LEFT_OUT = "PB061"


def report_left_out(document: Node, findings: Findings) -> None:
    """Report the URIs that stand for nothing, each at the first element that needs it, with the number of
    elements that do.
    """
    declared = access_of(document.source).declared
    if None not in declared.uris.values():
        return
    counts: dict[str, list[Any]] = {}
    met, todo = {id(document)}, [document]
    while todo:
        root = todo.pop()
        fields = file_fields(format_of(root))
        inside: list[Any] = [root]
        while inside:
            node = inside.pop()
            for name in fields.get(type(node), ()):
                uri = declared.left_out(getattr(node, name) or "")
                if uri is not None:
                    counts.setdefault(uri, [node, 0])[1] += 1
            content: Any = getattr(node, "content", None)
            if isinstance(content, Node) and id(content) not in met:
                met.add(id(content))
                todo.append(content)
            inside.extend(reversed(children_of(node)))
    for uri, (node, count) in counts.items():
        what = "what 1 element names is" if count == 1 else f"what {count:,} elements name is"
        message = f"`{clip(uri)}` is mapped to nothing: {what} left out"
        findings.add(LEFT_OUT, node.span, message, source=node.source)
