"""What a document lacks because its caller maps URIs to nothing: reported once for each of these URIs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polybody.base import Node, children_of
from polybody.diagnostics import Findings
from polybody.document.access import access_of
from polybody.document.notations import Document, Part
from polybody.document.parser.value_faults import clip
from polybody.document.registry import format_of
from polybody.document.uris import file_fields

LEFT_OUT = "PB061"


def report_left_out(document: Node | Document, findings: Findings) -> None:
    """Report the URIs that stand for nothing, each at the first element that needs it, with the number of
    elements that do.
    """
    declared = access_of(document.source).declared
    if None not in declared.uris.values():
        return
    counts: dict[str, list[Any]] = {}
    met, todo = {id(document)}, [document]
    while todo:
        for part, reference in _references(todo.pop()):
            uri = declared.left_out(reference or "")
            if uri is not None:
                counts.setdefault(uri, [part, 0])[1] += 1
            content: Any = getattr(part, "content", None)
            if isinstance(content, Node | Document) and id(content) not in met:
                met.add(id(content))
                todo.append(content)
    for uri, (part, count) in counts.items():
        what = "what 1 element names is" if count == 1 else f"what {count:,} elements name is"
        message = f"`{clip(uri)}` is mapped to nothing: {what} left out"
        path, about = (part.path, part.about) if isinstance(part, Part) else ("", "")
        findings.add(LEFT_OUT, part.span, message, source=part.source, xpath=path, about=about)


def _references(document: Any) -> Iterator[tuple[Any, str | None]]:
    """The elements of a document, or its directives, that may have files, and what they name."""
    if isinstance(document, Document):
        parts = getattr(document, "directives", ())
        yield from ((part, part.file) for part in parts if hasattr(part, "file"))
        return
    fields = file_fields(format_of(document))
    inside: list[Any] = [document]
    while inside:
        node = inside.pop()
        named = fields.get(type(node), ())
        yield from ((node, getattr(node, name)) for name in named)
        if not named and getattr(node, "content", None) is not None:
            yield node, None
        inside.extend(reversed(children_of(node)))
