"""Values of a text that were ignored with a warning: the document lacks them, which is no fault later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from polybody.base import Format, Node
from polybody.diagnostics import Findings
from polybody.diagnostics.catalogue import severity
from polybody.document.includes import SPLICE

Fields = set[tuple[int, str]]
"""Fields of elements: the id of the element, and the field."""


def note_dropped(root: Node, form: Format, poisoned: Fields, findings: Findings) -> None:
    """Remember, in the sources of a document that was just read, the invalid values that the format's engine
    ignores.

    Args:
        root: the document.
        form: its format.
        poisoned: the fields with invalid values.
        findings: those about the document.
    """
    refused = {
        (found.path, found.line, found.column)
        for found in findings.items
        if severity(found.code, "warn", findings.format, found.xpath) == "error"
    }
    fields: dict[int, list[str]] = {}
    for node_id, field in poisoned:
        fields.setdefault(node_id, []).append(field)
    rows = {row.cls: row for row in form.elements.values()}
    for node in _with_files(root, form):
        for row in rows[type(node)].attributes if id(node) in fields else ():
            span = node.value_span(row) if row.field in fields[id(node)] else None
            if span is not None and (span.path, span.line, span.column) not in refused:
                node._source.dropped.add((node._position, row.field))  # type: ignore[union-attr, arg-type]


def dropped(root: Node, form: Format, contents: Iterable[Node]) -> Fields:
    """The fields of a document that have no value because it was ignored.

    Args:
        root: the document.
        form: its format.
        contents: the content of other files in it.
    """
    sources = {id(node.source): node.source for node in (root, *contents) if node.source is not None}
    fields: dict[tuple[int, int], list[str]] = {}
    for key, source in sources.items():
        for position, field in source.dropped:
            fields.setdefault((key, position), []).append(field)
    if not fields:
        return set()
    return {
        (id(node), field)
        for node in _with_files(root, form)
        if node._position is not None
        for field in fields.get((id(node.source), node._position), ())
        if getattr(node, field) is None
    }


def _with_files(root: Node, form: Format) -> Iterator[Node]:
    """The elements of a document, and those of the files that take the place of some of them."""
    carriers = {row.cls for row in form.elements.values() if row.include == SPLICE}
    waiting = [root]
    while waiting:
        for node in waiting.pop().walk():
            yield node
            content = getattr(node, "content", None) if type(node) in carriers else None
            if content is not None:
                waiting.append(content)
