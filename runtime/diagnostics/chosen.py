"""Selection of findings: by code, by severity, and by comments in the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from polybody.diagnostics.catalogue import CATALOGUE
from polybody.diagnostics.catalogue.engines import TEXT
from polybody.diagnostics.diagnostic import Diagnostic
from polybody.diagnostics.suppressions import Suppressions
from polybody.suggest import did_you_mean

if TYPE_CHECKING:
    from polybody.diagnostics.identity import Text

SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection of findings: without some codes, and with a minimum severity.

    Attributes:
        ignore: the codes of all files.
        least: the minimum severity.
        local: further codes for the files whose paths a function accepts.

    Raises:
        ValueError: there is no such code or severity.
    """

    ignore: frozenset[str] = frozenset()
    least: str = "info"
    local: tuple[tuple[Callable[[str], bool], frozenset[str]], ...] = ()

    def __post_init__(self) -> None:
        for code in sorted(self.ignore.union(*(codes for _, codes in self.local)) - CATALOGUE.keys()):
            hint = did_you_mean(code, CATALOGUE) or "`polybody explain` lists all codes"
            raise ValueError(f"unknown code {code!r}; {hint}")
        if self.least not in SEVERITIES:
            raise ValueError(f"unknown severity {self.least!r}: expected one of {', '.join(SEVERITIES)}")

    def of(self, checked: Sequence[tuple[str, Sequence[Diagnostic]]], text: Text) -> list[Diagnostic]:
        """The selected findings; arguments as in `unsuppressed`."""
        return [each for _, found in unsuppressed(checked, text) for each in found if self.takes(each)]

    def takes(self, finding: Diagnostic) -> bool:
        """Whether a finding is severe enough and its code is not ignored."""
        severe = SEVERITIES.index(finding.severity) >= SEVERITIES.index(self.least)
        if not severe or finding.code in self.ignore:
            return False
        return not any(finding.code in codes and applies(finding.path) for applies, codes in self.local)


def unsuppressed(
    checked: Sequence[tuple[str, Sequence[Diagnostic]]], text: Text
) -> list[tuple[str, list[Diagnostic]]]:
    """Each file with the findings that no comment suppresses, and those about comments that suppress nothing.

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
    return [(path, own) for (path, _), own in zip(checked, kept, strict=True)]
