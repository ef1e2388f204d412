"""What `polybody check` prints."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from polybody.diagnostics import Diagnostic
    from polybody.diagnostics.baseline import Checked

Form = Literal["full", "concise", "json", "sarif", "github", "junit"]


class Report(NamedTuple):
    """The documents with the findings to report, and the number of further findings that a baseline lists."""

    checked: Checked
    known: int = 0

    @property
    def findings(self) -> list[Diagnostic]:
        return [finding for _, found in self.checked for finding in found]

    def failing(self, most: int | None) -> frozenset[str]:
        """The severities of findings that make the check fail: errors, and warnings if there are more than
        ``most``.
        """
        warnings = sum(finding.severity == "warning" for finding in self.findings)
        return frozenset({"error"} if most is None or warnings <= most else {"error", "warning"})

    def print(
        self,
        form: Form,
        texts: dict[str, bytes],
        failing: frozenset[str],
        fingerprints: Callable[[list[Diagnostic]], list[str]],
    ) -> None:
        """Print the report.

        Args:
            form: the format.
            texts: the contents of sources that are not files, such as standard input.
            failing: the severities of findings that make the check fail.
            fingerprints: returns the fingerprints of findings.
        """
        from polybody.diagnostics import output

        found = self.findings
        if form == "full":
            self._print_full(found, texts)
            return
        if form == "junit":
            from polybody.diagnostics.junit import junit

            text = junit(self.checked, failing)
        elif form == "json":
            text = output.as_json(found, fingerprints(found))
        elif form == "sarif":
            text = output.sarif(found, fingerprints(found))
        else:
            text = output.concise(found) if form == "concise" else output.github(found)
        sys.stdout.write(text)
        sys.stdout.flush()

    def _print_full(self, found: list[Diagnostic], texts: dict[str, bytes]) -> None:
        """For people: with source lines and, on a terminal, colours."""
        from polybody.diagnostics import output
        from polybody.document.source_lines import source_lines

        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        text = output.full(found, source_lines(texts), colour)
        text += output.summary(found, len(self.checked), self.known)
        if colour:  # names in the text are already escaped
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
