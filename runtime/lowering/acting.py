"""What a document has that acts and that no Model can be made of yet, according to its format's schema.

Such elements and attributes have the status ``later``. An element acts where it is, outside of classes of
defaults; an attribute where its effective value is another than its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Status
from polybody.diagnostics import Findings
from polybody.document.includes import SPLICE
from polybody.document.resolver import Resolved

Lacks = Callable[[Enum], bool]
"""Whether a keyword has no meaning for Models yet."""


class _Later(NamedTuple):
    """What may act in elements of a class."""

    row: Element
    attributes: tuple[Attribute, ...]
    worded: tuple[Attribute, ...]
    """Attributes whose values are keywords."""


def report_acting(
    document: Node,
    form: Format,
    findings: Findings,
    lacks: Lacks,
    code: str = "PB064",
    before: str = "",
) -> None:
    """Add a finding for each kind of element, attribute and keyword that acts and cannot be simulated yet, at
    its first occurrence, in the files that a document includes, too.

    Args:
        document: as read.
        form: the tables of its release.
        findings: receives the findings.
        lacks: whether a keyword has no meaning for Models yet.
        code, before: the code of the findings, and the beginning of their messages.
    """
    alike: dict[tuple[str, str], list[tuple[Node, Node, Attribute | Element]]] = {}
    for node, holder, row, word in _acting(document, form, lacks):
        name = row.name if isinstance(row, Attribute) else ""
        alike.setdefault((node.TAG, f"{name}={word}" if word else name), []).append((node, holder, row))
    for (tag, said), found in alike.items():
        _, holder, row = found[0]
        name, _, word = said.partition("=")
        what = f"`{name}` of <{tag}>" if name else f"<{tag}>"
        times = "" if len(found) == 1 else f" (written {len(found)} times)"
        reason = "this keyword is read and checked only" if word else row.reason
        what = f"{before}{f'`{word}` for ' if word else ''}{what}"
        span = holder.attribute_span(name) if name else holder.span
        findings.add(code, span, f"{what} is not simulated{times}: {reason}", source=holder.source)


def _acting(
    document: Node, form: Format, lacks: Lacks
) -> Iterator[tuple[Node, Node, Attribute | Element, str]]:
    """The elements, those that give the value, the rows concerned, and keywords."""
    later = _later(form)
    lenders = {form.elements[each.source].cls for each in form.defaults}
    loaders = {row.cls for row in form.elements.values() if row.include and row.include != SPLICE}
    roots = [document]
    while roots:  # the document and the models that it attaches, at any depth
        resolved = Resolved(roots.pop(), form)
        waiting = [resolved.expanded]
        while waiting:
            node: Any = waiting.pop()
            if type(node) in lenders:
                continue
            waiting += reversed(list(node.children))
            if type(node) in loaders and isinstance(node.content, Node):
                roots.append(node.content)
            if type(node) in later:
                yield from _of(node, later[type(node)], resolved, lacks)


def _of(
    node: Node, later: _Later, resolved: Resolved, lacks: Lacks
) -> Iterator[tuple[Node, Node, Attribute | Element, str]]:
    if later.row.status is Status.LATER:
        yield node, node, later.row, ""
        return
    for attribute in later.attributes:
        found = resolved.value(node, attribute.name)
        if found.node is not None and found.value != attribute.default:
            yield node, found.node, attribute, ""
    for attribute in later.worded:
        found = resolved.value(node, attribute.name)
        words = found.value if isinstance(found.value, tuple) else (found.value,)
        for word in words:
            if found.node is not None and isinstance(word, Enum) and lacks(word):
                yield node, found.node, attribute, str(word.value)


@cache
def _later(form: Format) -> dict[type[Node], _Later]:
    """What may act, by classes of elements."""
    found = {}
    for row in form.elements.values():
        attributes = tuple([each for each in row.attributes if each.status is Status.LATER])
        worded = tuple([each for each in row.attributes if any(f.enum is not None for f in each.forms)])
        if row.status is Status.LATER or attributes or worded:
            found[row.cls] = _Later(row, attributes, worded)
    return found
