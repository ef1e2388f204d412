"""Selection of findings: by code, by severity, and by comments in the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from polybody.diagnostics.catalogue import CATALOGUE
from polybody.diagnostics.catalogue.engines import TEXT
from polybody.diagnostics.diagnostic import Diagnostic
from polybody.diagnostics.suppressions import Suppressions
from polybody.suggest import did_you_mean

SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection of findings: without some codes, and with a minimum severity.

    Raises:
        ValueError: there is no such code or severity.
    """

    ignore: frozenset[str] = frozenset()
    least: str = "info"

    def __post_init__(self) -> None:
        for code in sorted(self.ignore - CATALOGUE.keys()):
            hint = did_you_mean(code, CATALOGUE) or "`polybody explain` lists all codes"
            raise ValueError(f"unknown code {code!r}; {hint}")
        if self.least not in SEVERITIES:
            raise ValueError(f"unknown severity {self.least!r}: expected one of {', '.join(SEVERITIES)}")

    def of(
        self, checked: Sequence[tuple[str, Sequence[Diagnostic]]], text: Callable[[str], bytes | None]
    ) -> list[Diagnostic]:
        """The selected findings, with findings about comments that suppress nothing.

        Args:
            checked: the files that were checked, each with its findings sorted by place.
            text: returns the text of a file in UTF-8, or None if there is none.
        """
        comments = cache(lambda path: Suppressions(path, text(path) or b""))
        kept = [[each for each in found if each not in comments(each.path)] for _, found in checked]
        partial = {each.path for _, found in checked for each in found if each.code in TEXT}
        judged: set[str] = set()
        for (path, found), own in zip(checked, kept, strict=True):
            for name in dict.fromkeys([path, *(each.path for each in found)]):
                if name not in judged:
                    own += comments(name).faults(complete=name not in partial)
                    judged.add(name)
            own.sort(key=lambda each: (each.path, each.line, each.column))
        return [each for own in kept for each in own if self._takes(each)]

    def _takes(self, finding: Diagnostic) -> bool:
        """Whether a finding is severe enough and its code is not ignored."""
        severe = SEVERITIES.index(finding.severity) >= SEVERITIES.index(self.least)
        return severe and finding.code not in self.ignore
