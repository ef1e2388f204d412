"""Findings about documents in memory: read from a text, changed, or made in Python.

A document is checked directly. Only if there are findings, a copy is made. In the copy, elements that were
not read have the positions of the text that would be written, and values are those that a reader would
produce.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from polybody.base import Attribute, Child, Element, Format, Node, Source, at_release
from polybody.diagnostics import Findings, Policy
from polybody.document.access import AUTO, access_of
from polybody.document.parser import messages
from polybody.document.parser.messages import ANY_CHILD, step
from polybody.document.parser.tables import table_of
from polybody.document.registry import format_of, home_of
from polybody.document.releases import as_release, require_releases
from polybody.document.sources import LIMITS, make_source
from polybody.validation.dropped import dropped
from polybody.validation.inspection import Inspection
from polybody.validation.places import paths
from polybody.validation.rule_check import check_rules

NAME = "<document>"
"""The name of a document that is not in a file."""
ReadSource = Callable[[Source, Format, Findings], Node | None]


class Examined(NamedTuple):
    """A document as its text would be read, usually the document itself, and the findings about it."""

    document: Node
    findings: Findings


def examine(document: Node, policy: Policy, read: ReadSource, release: str | None = None) -> Examined:
    """Check a document in memory.

    The document is written and read if reading its text could give other elements: if an element is in the
    document twice, an element without a schema has a tag or attribute of the format, a file has not been
    read, or the document is checked as another release.

    Args:
        read: reads a text and checks it, with separate findings.
        release: the release of the format as which the document is checked; by default its own.

    Raises:
        OptionError: the format has no such release.
        TypeError: an element has a class that is not allowed in its place.
        ValueError: the document contains something that cannot be written.
    """
    form = format_of(document)
    if release is not None:
        require_releases(form, release)
    if release is not None and form.releases:
        asked = AUTO if release == AUTO else as_release(form, release).version
        if asked != form.version:
            return _read_anew(document, form, Findings(policy, format=home_of(form)), read, asked)
    seen = Inspection(table_of(form), document, LIMITS)
    findings = Findings(policy, format=home_of(form))
    if seen.differs:
        return _read_anew(document, form, findings, read)
    if not (seen.faults or seen.replaced):
        absent = dropped(document, form, _contents(seen))
        check_rules(document, form, findings, absent, set(), _brings(seen))
        if not (findings.items and seen.unplaced):
            return Examined(document, findings)
        findings = Findings(policy, format=home_of(form))
    if seen.cut:
        _limit(seen, findings)
        return Examined(document, findings)
    return _examine_copy(document, form, seen, findings)


def _contents(seen: Inspection) -> list[Node]:
    """The content of other files in a document."""
    return [include.content for include in seen.includes if include.content is not None]


def _brings(seen: Inspection) -> bool:
    """Whether a document contains content of other files."""
    return bool(_contents(seen))


def _read_anew(
    document: Node, form: Format, findings: Findings, read: ReadSource, release: str = ""
) -> Examined:
    """Write a document and read it again, as a text in the folder of its file, or as that file if it was not
    edited; of a format with releases as ``release`` or that of the document.
    """
    from polybody.document.lossless import rewrite
    from polybody.document.writer import write

    old, text = document.source, rewrite(document, form) if release else None
    data = (write(document) if text is None else text).encode()
    path = NAME if old is None else str(Path(old.path).with_name(NAME))
    if old is not None and data == old.data:
        path = old.path
    access = access_of(old) if form.releases else None if old is None else old.access
    if form.releases and access is not None:
        access = access.as_release(release or form.version)
        form = at_release(form, form.releases[0]) if release == AUTO else form
    root = read(make_source(path, data, LIMITS, access=access), form, findings)
    return Examined(document if root is None else root, findings)


# --- a copy, as it would be read ----------------------------------------------------------------------------


def _examine_copy(document: Node, form: Format, seen: Inspection, findings: Findings) -> Examined:
    """Report the faults, and check the rules on the document that a reader would have produced."""
    twins = _copied(document, seen)
    twin = twins[id(document)]
    placed = _place(document, twins) if seen.unplaced or seen.removed else []
    fitted = _report(document, form, seen, twins, findings)
    replaced = [(node, field, fitted.get((id(node), field), value)) for node, field, value in seen.replaced]
    for node, field, value in replaced:
        setattr(twins[id(node)], field, value)
    for node, child in seen.removed:
        children = twins[id(node)].children
        children[:] = [other for other in children if other is not twins[id(child)]]
    if not findings.full:
        poisoned = {(id(twins[id(node)]), field) for node, field, value in replaced if value is None}
        poisoned |= dropped(twin, form, _contents(seen))
        unknown = [node for node, child in seen.removed if child.TAG not in node.CHILDREN]
        poisoned |= {(id(twins[id(node)]), ANY_CHILD) for node in unknown}
        rows = {row.cls: row for row in form.elements.values()}
        gone = [node for _, child in seen.removed for node in child.walk()]
        lost = {text for node in gone for text in _texts(node, rows[type(node)])}
        check_rules(twin, form, findings, poisoned, lost, _brings(seen))
    for node in placed:
        node._source = node._position = None
    return Examined(twin if seen.replaced or seen.removed else document, findings)


def _copied(document: Node, seen: Inspection) -> dict[int, Any]:
    """A copy of a document, including the content of its files; copies by the ids of the originals."""
    twins: dict[int, Any] = {}
    copy.deepcopy(document, twins)
    for include in seen.includes:
        if include.content is not None:
            twins[id(include)].content = copy.deepcopy(include.content, twins)
    return twins


def _place(document: Node, twins: dict[int, Any]) -> list[Node]:
    """Give copies of elements that were not read the positions of the written text; returns these elements.

    Raises:
        ValueError: the document cannot be written, even because of an element that is left out.
    """
    from polybody.document.writer import write_placed

    text, positions = write_placed(document)
    source = Source(NAME, text.encode())
    placed = []
    for node, position in zip(document.walk(), positions, strict=True):
        if node.source is None:
            twin = twins[id(node)]
            twin._source, twin._position = source, position
            placed.append(twin)
    return placed


def _texts(node: Any, row: Element) -> Iterable[str]:
    """The strings of an element's attributes, which may be names."""
    values = [getattr(node, attribute.field) for attribute in row.attributes if not attribute.leaf]
    yield from (value for value in values if isinstance(value, str))
    yield from (getattr(node, "attributes", None) or {}).values()


# --- faults as findings -------------------------------------------------------------------------------------


def _limit(seen: Inspection, findings: Findings) -> None:
    kind, node = seen.faults[-1]
    deep = f"elements nested deeper than {LIMITS.depth:,}"
    what = deep if kind == "deep" else f"more than {LIMITS.elements:,} elements"
    messages.limit(findings, node.span, node.source, what)


def _report(
    document: Node, form: Format, seen: Inspection, twins: dict[int, Any], findings: Findings
) -> dict[tuple[int, str], Any]:
    """Turn faults into findings; returns the values that are used although the policy only accepts them, by
    the element's id and the field.
    """
    where: dict[int, str] = {}
    for root in (document, *_contents(seen)):
        where |= paths(root, (fault[1] for fault in seen.faults if id(fault[1]) not in where))
    reporter = _Reporter(form, twins, where, findings)
    for kind, node, *details in seen.faults:
        if findings.full:
            break
        _REPORTS[kind](reporter, node, *details)
    return reporter.fitted


class _Reporter:
    """A method for each kind of fault of an Inspection, which refers to elements of the original document."""

    def __init__(
        self, form: Format, twins: dict[int, Any], where: dict[int, str], findings: Findings
    ) -> None:
        """twins: copies, with positions; where: XPaths; both by the ids of elements."""
        self.form, self.twins, self.where, self.findings = form, twins, where, findings
        self.fitted: dict[tuple[int, str], Any] = {}
        self.rows = {row.cls: row for row in form.elements.values()}

    def of(self, node: Node) -> tuple[Any, str, Element]:
        """The copy of an element, its XPath and its row."""
        return self.twins[id(node)], self.where[id(node)], self.rows[type(node)]

    def value(self, node: Node, row: Any, text: str) -> None:
        twin, where, element = self.of(node)
        if row is element.text:
            used = messages.bad_text(self.findings, twin, where, element, text)
            if used is not None:
                self.fitted[id(node), "text"] = used
        elif row.leaf:
            span, below = self.leaf(twin, where, row)
            messages.bad_leaf(self.findings, span, twin.source, below, row, text)
        else:
            messages.bad_value(self.findings, twin, where, self.form, element, row, row.name, text)

    def leaf(self, twin: Node, where: str, row: Attribute) -> tuple[Any, str]:
        """The position of a leaf of an element, and its XPath."""
        return twin.child_span(row.name, *row.aliases), f"{where}/{step(row.name, None)}"

    def unsupported(self, node: Node, element: Element, row: Attribute | None) -> None:
        twin, where = self.twins[id(node)], self.where[id(node)]
        if row is not None and row.leaf:
            span, below = self.leaf(twin, where, row)
            messages.unsupported_leaf(self.findings, span, twin.source, below, row)
        else:
            messages.unsupported(self.findings, twin, where, element, row)

    def undeclared(self, node: Node, row: Attribute | None, prefix: str) -> None:
        twin, where, _ = self.of(node)
        span, name = twin.span, node.TAG
        if row is not None and row.leaf:
            (span, where), name = self.leaf(twin, where, row), row.name
        elif row is not None:
            span, where, name = twin.attribute_span(row.name), f"{where}/@{row.name}", row.name
        messages.undeclared(self.findings, span, twin.source, where, name, prefix, self.form)

    def dated(self, node: Node, row: Attribute, early: bool) -> None:
        twin, where, _ = self.of(node)
        span, what = twin.span, f"`{row.name}`"
        if row.leaf:
            span, where = self.leaf(twin, where, row)
            what = f"<{row.name}>"
        messages.dated(self.findings, span, twin.source, where, self.form, row, what, early)

    def dated_child(self, node: Node, row: Child, child: Node, early: bool) -> None:
        _, where, _ = self.of(node)
        twin, what = self.twins[id(child)], f"<{child.TAG}>"
        where = f"{where}/{step(child.TAG, None)}"
        messages.dated(self.findings, twin.span, twin.source, where, self.form, row, what, early)

    def many(self, node: Node, row: Child, child: Node, first: Node | None) -> None:
        _, where, element = self.of(node)
        twin, before = self.twins[id(child)], None if first is None else self.twins[id(first)]
        where = f"{where}/{step(child.TAG, None)}"
        messages.too_many(self.findings, twin.span, twin.source, where, element, row, before)

    def few(self, node: Node, row: Child, count: int) -> None:
        messages.too_few(self.findings, *self.of(node), row, count)

    def content(self, node: Node) -> None:
        messages.content(self.findings, *self.of(node))

    def unknown(self, node: Node, child: Any) -> None:
        _, where, element = self.of(node)
        twin, where = self.twins[id(child)], f"{where}/{step(child.tag, None)}"
        prefix = child.tag.partition(":")[0]
        if prefix in self.form.templates:
            advice = self.form.templates[prefix]
            messages.template(self.findings, twin.span, twin.source, where, child.tag, advice)
        else:
            messages.unknown_element(
                self.findings, twin.span, twin.source, where, self.form, element, child.tag
            )

    def version(self, root: Node, row: Attribute, text: str) -> None:
        messages.version(self.findings, self.twins[id(root)], self.form, row, text)


_REPORTS: dict[str, Callable[..., None]] = {
    "value": _Reporter.value,
    "unsupported": _Reporter.unsupported,
    "undeclared": _Reporter.undeclared,
    "dated": _Reporter.dated,
    "dated_child": _Reporter.dated_child,
    "many": _Reporter.many,
    "few": _Reporter.few,
    "content": _Reporter.content,
    "unknown": _Reporter.unknown,
    "version": _Reporter.version,
}
"""The methods by kind of fault."""
