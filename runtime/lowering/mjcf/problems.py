"""Reasons why a document cannot be compiled: findings at the elements, as many as possible in one run."""

from __future__ import annotations

from typing import Any

from polybody.base import Source
from polybody.diagnostics import Findings
from polybody.lowering.mjcf.elements import Spec

REFUSED = "PB063"
LATER = "PB064"
MOST = 1_000_000
"""Maximum number of items of a kind that one element may request."""
LEAST = {"nuserdata": 0}
"""Minimum number of items that can be requested without a default."""
MOST_COPIES = 250_000
"""Maximum total number of elements that macros may make."""
MOST_ASKED = 2_000_000
"""Maximum total number of elements that macros may examine for references to copies."""


class Unmade(Exception):
    """Why an element cannot be expanded: a message, and the attribute concerned."""

    def __init__(self, message: str, attribute: str | None = None) -> None:
        super().__init__(message)
        self.attribute = attribute


class Problems:
    """Collects problems, and counts the copies of macros, for a document and those that it attaches."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._copied = self._asked = 0

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
        if self._copied > MOST_COPIES or self._asked > MOST_ASKED:
            return False  # already reported
        self._copied += count
        self._asked += sum(map(len, spec.lists.values()))
        if self._copied > MOST_COPIES:
            self.add(node, f"the document makes more than {MOST_COPIES:,} copies of elements", attribute)
        elif self._asked > MOST_ASKED:
            self.add(node, "the document makes too many copies of elements that refer to others")
        else:
            return True
        return False

    def enough(self, node: Any, values: dict[str, Any], name: str) -> None:
        """Check that a number of requested items is within bounds; otherwise it becomes 1."""
        if values[name] is None or LEAST.get(name, values[name]) <= values[name] <= MOST:
            return
        bound = f"more than {MOST:,}" if values[name] > MOST else f"less than {LEAST[name]}"
        self.add(node, f"`{name}` is {values[name]:,}, {bound}", name)
        values[name] = 1

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return self.findings.failed
