"""Reasons why a document cannot be compiled: findings at the elements, as many as possible in one run."""

from __future__ import annotations

from math import prod
from typing import Any

from polybody.base import Source
from polybody.counts import MAX_FLEX_ELEMENTS, OF_ATTRIBUTE, Count, counts_of
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import listed
from polybody.generated.formats.mjcf.tables.shared import CONTACT_PARAMETERS
from polybody.lowering.copies import MAX_COPIES, check_copies
from polybody.lowering.mjcf.elements import Spec

REFUSED = "PB063"
LATER = "PB064"
MAX_ASKED = 2_000_000
"""Maximum total number of elements that macros may examine for references to copies."""

LISTED = {row.name: row.forms[0] for row in CONTACT_PARAMETERS if row.forms[0].numbers}
"""The parameters of contacts whose numbers the format lists."""


class Unmade(Exception):
    """Why an element cannot be expanded: a message, and the attribute concerned."""

    def __init__(self, message: str, attribute: str | None = None) -> None:
        super().__init__(message)
        self.attribute = attribute


class Problems:
    """Collects problems, and counts the copies of macros, for a document and those that it attaches."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.missing = False
        """Whether an asset has no data, which has consequences for bodies that use it."""
        self._copied = self._asked = 0
        self._totals: dict[str, int] = {}  # of counts with a maximum sum

    def add(self, node: Any, message: str, attribute: str | None = None, hint: str | None = None) -> None:
        """Report that no Model can be created because of an element, or one of its attributes."""
        self._report(REFUSED, node, message, attribute, hint)

    def at(self, source: Source, position: int, message: str, hint: str) -> None:
        """Report that no Model can be created because of a tag that has no separate element."""
        self.findings.add(REFUSED, source.tag_span(position), message, hint=hint, source=source)

    def later(self, node: Any, message: str) -> None:
        """Report an element that is not supported yet."""
        self._report(LATER, node, message, None, None)

    def remark(self, node: Any, message: str, attribute: str | None = None) -> None:
        """Report an element without effect."""
        self._report("PB027", node, message, attribute, None)

    def _report(self, code: str, node: Any, message: str, attribute: str | None, hint: str | None) -> None:
        span = node.span if attribute is None else node.attribute_span(attribute)
        self.findings.add(code, span, message, hint=hint, source=node.source)

    def fits(self, spec: Spec, node: Any, count: int, attribute: str | None = None) -> bool:
        """Whether macros may create this many more elements, and examine all elements with references
        again.
        """
        if self._copied > MAX_COPIES or self._asked > MAX_ASKED:
            return False  # already reported
        self._copied += count
        self._asked += sum(map(len, spec.lists.values()))
        if self._copied > MAX_COPIES:
            self.add(node, f"the document makes more than {MAX_COPIES:,} copies of elements", attribute)
        elif self._asked > MAX_ASKED:
            self.add(node, "the document makes too many copies of elements that refer to others")
        else:
            check_copies(self._copied)
            return True
        return False

    def listed(self, node: Any, values: dict[str, Any], name: str) -> bool:
        """Whether a parameter of contacts is one of the numbers that are listed; another is reported."""
        form = LISTED[name]
        if values[name] in form.numbers:
            return True
        self.add(node, f"`{name}` is {values[name]}; it must be {listed(form)}", name)
        return False

    def counted(self, element: str, node: Any, values: dict[str, Any]) -> bool:
        """Whether the counts that an element requests are within their bounds; others are reported, and
        become 1.
        """
        fits = True
        for name, bound in counts_of(element):
            value = values.get(name)
            alone = bound.total is None or value == 0  # nothing is added up
            if value is not None and not (alone and type(value) is int and 0 <= value <= bound.most):
                fits &= self._count(node, values, name, bound)
        return fits

    def shaped(self, node: Any, points: int, elements: int, attribute: str) -> bool:
        """Whether the points and elements of all flexcomps are within their bounds; the points of those with
        `count` are counted there.
        """
        bound = OF_ATTRIBUTE["flexcomp/count"]
        for what, more, most in (
            (bound.what, points if attribute != "count" else 0, bound.total or bound.most),
            ("elements", elements, MAX_FLEX_ELEMENTS),
        ):
            total = self._totals[what] = self._totals.get(what, 0) + more
            if total > most:
                kind = "points" if what == bound.what else what
                self.add(node, f"the flexcomps have more than {most:,} {kind} together", attribute)
                return False
        return True

    def _count(self, node: Any, values: dict[str, Any], name: str, bound: Count) -> bool:
        several = isinstance(values[name], tuple)
        value = prod(values[name]) if several else values[name]
        total = self._totals.get(bound.what, 0)
        if value > 0:
            total = self._totals[bound.what] = total + value
        if value > bound.most:
            fault = f"`{name}` is {value:,}, more than {bound.most:,}"
        elif bound.least is not None and value < bound.least:
            fault = f"`{name}` is {value:,}, less than {bound.least:,}"
        elif bound.total is not None and total > bound.total:
            fault = f"`{name}` of all elements together is more than {bound.total:,}"
        else:
            return True
        self.add(node, fault, name)
        values[name] = (1,) * len(values[name]) if several else 1
        return False

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return self.findings.failed
