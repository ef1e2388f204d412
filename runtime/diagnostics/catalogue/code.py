"""The description of a code of findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from polybody.diagnostics.diagnostic import Policy, Severity


class Severities(NamedTuple):
    strict: Severity
    warn: Severity
    lenient: Severity


ALWAYS = Severities("error", "error", "error")  # the meaning of the document is unknown
UNTOLERATED = Severities("error", "error", "warning")  # engines refuse it; the rest has a meaning
TOLERATED = Severities("error", "warning", "warning")  # engines accept it in practice
NOTABLE = Severities("warning", "warning", "warning")
REMARK = Severities("info", "info", "info")


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding.

    ``bad`` is a minimal document that has it, and no error with another code; ``good`` is the corrected
    document. ``beside`` are files in the same folder, by name.
    """

    code: str
    title: str
    severities: Severities
    explanation: str
    bad: str | bytes | None = None
    good: str | None = None
    beside: Mapping[str, str] = field(default_factory=dict)

    def severity(self, policy: Policy) -> Severity:
        return self.severities[("strict", "warn", "lenient").index(policy)]
