"""Findings of a lowering: what refuses the document, and what was decided, each at its element."""

from __future__ import annotations

from typing import Any

from polybody.diagnostics import Findings, Policy, ValidationError

REFUSED, UNREAD = "PB063", "PB064"
UNUSED, DECIDED, DIFFERS, WITHOUT = "PB061", "PB087", "PB088", "PB040"
MASSLESS = "PB062"


class Notes:
    """Findings under a policy, those of a kind once with their number."""

    def __init__(self, policy: Policy) -> None:
        self.findings = Findings(policy)
        self.failed = False
        self._kinds: dict[tuple[str, str], tuple[Any, int]] = {}

    def refuse(self, node: Any, message: str, hint: str | None = None, code: str = REFUSED) -> None:
        """There is no Model of a document that says this."""
        self.failed = True
        self.add(code, node, message, hint)

    def differs(self, node: Any, message: str, hint: str | None = None) -> None:
        """The format's document and its reader differ about this; the message says what the Model has."""
        self.add(DIFFERS, node, message, hint)

    def counted(self, code: str, node: Any, message: str) -> None:
        """A finding that is made once, at its first place, with the number of places."""
        first, count = self._kinds.get((code, message), (node, 0))
        self._kinds[code, message] = first, count + 1

    def add(self, code: str, node: Any, message: str, hint: str | None = None) -> None:
        self.findings.add(code, node.span, message, hint=hint, source=node.source)

    def settle(self) -> None:
        """Make the findings that were counted.

        Raises:
            ValidationError: one of all findings refuses the document.
        """
        for (code, message), (node, count) in self._kinds.items():
            times = f" ({count} times)" if count > 1 else ""
            self.add(code, node, message + times)
        self._kinds.clear()
        if self.failed or self.findings.failed:
            raise ValidationError(self.findings.sorted())
