"""Findings as a report of tests in JUnit's XML, as Jenkins and GitLab read it.

Each document is a suite and each finding a test, which fails if the finding makes the check fail. Consumers
compare reports by the names of tests, so these are unique and contain no positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from polybody.diagnostics.diagnostic import Diagnostic
from polybody.diagnostics.identity import without_lines
from polybody.escaping import printable

NONE = "no findings"


def junit(checked: Iterable[tuple[str, Sequence[Diagnostic]]], failing: Container[str]) -> str:
    """The report.

    Args:
        checked: the documents with their findings.
        failing: the severities of findings that make the check fail.
    """
    names: Counter[tuple[str, str]] = Counter()
    suites = [_suite(document, found, failing, names) for document, found in checked]
    inner = "".join(text for text, _, _ in suites)
    tests, failures = sum(n for _, n, _ in suites), sum(n for _, _, n in suites)
    head = f'<testsuites name="polybody" tests="{tests}" failures="{failures}" errors="0">\n'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{inner}</testsuites>\n'


def _suite(
    document: str, found: Sequence[Diagnostic], failing: Container[str], names: Counter[tuple[str, str]]
) -> tuple[str, int, int]:
    """The suite of a document, and its number of tests and of failures."""
    cases = [_case(finding, finding.severity in failing, names) for finding in found]
    if not cases:
        cases = [f"{_opened(document, NONE, names)}/>\n"]
    failures = sum(finding.severity in failing for finding in found)
    name = quoteattr(printable(document))
    head = f'  <testsuite name={name} tests="{len(cases)}" failures="{failures}" errors="0" skipped="0">\n'
    return f"{head}{''.join(cases)}  </testsuite>\n", len(cases), failures


def _case(finding: Diagnostic, fails: bool, names: Counter[tuple[str, str]]) -> str:
    about = f" (in {finding.about})" if finding.about and finding.about not in finding.message else ""
    opened = _opened(finding.path, f"{finding.code}: {without_lines(finding.message)}{about}", names)
    text = escape(str(finding))
    if fails:
        message = quoteattr(finding.message)
        inner = f"<failure type={quoteattr(finding.severity)} message={message}>{text}</failure>"
    else:
        inner = f"<system-out>{text}</system-out>"
    return f"{opened}>\n      {inner}\n    </testcase>\n"


def _opened(path: str, name: str, names: Counter[tuple[str, str]]) -> str:
    """The beginning of a test's start tag; a name that is used again gets a number."""
    names[path, name] += 1
    again = names[path, name]
    name = f"{name} ({again})" if again > 1 else name
    return f"    <testcase classname={quoteattr(printable(path))} name={quoteattr(name)}"
