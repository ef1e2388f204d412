"""What keeps a document from being compiled: findings at the elements, as many as there are in one run."""

from __future__ import annotations

from typing import Any

from polybody.diagnostics import Findings

REFUSED = "PB063"
LATER = "PB064"


class Problems:
    """Collects what the compiler finds."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def add(self, node: Any, message: str, attribute: str | None = None, hint: str | None = None) -> None:
        """No Model can be made because of an element, or one of its attributes."""
        self._report(REFUSED, node, message, attribute, hint)

    def later(self, node: Any, message: str) -> None:
        """An element that the compiler does not know yet."""
        self._report(LATER, node, message, None, None)

    def remark(self, node: Any, message: str, attribute: str | None = None) -> None:
        """Something that has no effect."""
        self._report("PB027", node, message, attribute, None)

    def _report(self, code: str, node: Any, message: str, attribute: str | None, hint: str | None) -> None:
        span = node.span if attribute is None else node.attribute_span(attribute)
        self.findings.add(code, span, message, hint=hint, source=node.source)

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return self.findings.failed
