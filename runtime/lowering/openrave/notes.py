"""Findings of the lowering: errors, decisions and elements without effect, each at its element."""

from __future__ import annotations

from typing import Any

from polybody.diagnostics import Findings, Policy, ValidationError

REFUSED, UNREAD = "PB063", "PB064"
UNUSED, DECIDED, DIFFERS, WITHOUT = "PB061", "PB087", "PB088", "PB040"
MASSLESS = "PB062"


class Notes:
    """Findings under a policy. Counted ones are reported once per kind, with their number."""

    def __init__(self, policy: Policy) -> None:
        self.findings = Findings(policy)
        self.failed = False
        self._kinds: dict[tuple[str, str], tuple[Any, int]] = {}

    def refuse(self, node: Any, message: str, hint: str | None = None, code: str = REFUSED) -> None:
        """Report that the document cannot become a Model."""
        self.failed = True
        self.add(code, node, message, hint)

    def differs(self, node: Any, message: str, hint: str | None = None) -> None:
        """Report a decision where specification and OpenRAVE differ; the message says what the Model has."""
        self.add(DIFFERS, node, message, hint)

    def counted(self, code: str, node: Any, message: str) -> None:
        """Count a finding; it is reported once, at its first element, with the number of elements."""
        first, count = self._kinds.get((code, message), (node, 0))
        self._kinds[code, message] = first, count + 1

    def add(self, code: str, node: Any, message: str, hint: str | None = None) -> None:
        self.findings.add(code, node.span, message, hint=hint, source=node.source)

    def settle(self) -> None:
        """Report the counted findings.

        Raises:
            ValidationError: a finding is an error.
        """
        for (code, message), (node, count) in self._kinds.items():
            times = f" ({count} times)" if count > 1 else ""
            self.add(code, node, message + times)
        self._kinds.clear()
        if self.failed or self.findings.failed:
            raise ValidationError(self.findings.sorted())
