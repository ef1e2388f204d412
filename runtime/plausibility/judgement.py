"""The Model of a document that was read, judged: the findings of lowering, and of the rules about Models."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
from polybody.base import Node
from polybody.diagnostics import Diagnostic, Findings, Policy, ValidationError
from polybody.diagnostics.warned import RemarksUnread
from polybody.errors import ModelError
from polybody.lowering import lowered_as_read
from polybody.lowering.images import ImagesUnneeded
from polybody.plausibility.doubts import Doubt, elements, place_of, span_of
from polybody.plausibility.facts import Facts
from polybody.plausibility.rules import RULES, Rule
from polybody.validation.xpaths import locate

UNSTEPPED = "PB121"
UNKNOWN_PACKAGE = "PB037"


def judge_model(
    document: Any, form: str, findings: Findings, policy: Policy, options: dict[str, Any]
) -> None:
    """Make the Model of a document under a policy, and add the findings about it."""
    with RemarksUnread(), ImagesUnneeded():
        try:
            lowered = lowered_as_read(document, policy=policy, checked=policy != "lenient", **options)
        except ValidationError as error:
            if not findings.failed:  # otherwise they may be consequences of what the document shows
                _take(findings, error.diagnostics)
        else:
            _take(findings, lowered.findings)
            _apply(Facts(lowered.model, document, form, options), findings)
        if isinstance(document, Node):
            locate(document, findings)


def _take(findings: Findings, found: Iterable[Diagnostic]) -> None:
    """Add findings of lowering that are not remarks, except for those that the document showed already."""
    known: dict[tuple[str, str], list[Diagnostic]] = {}
    for each in findings.items:
        known.setdefault((each.code, each.path), []).append(each)
    for each in found:
        said = known.get((each.code, each.path), ())
        if each.severity != "info" and not any(_same(each, other) for other in said):
            findings.take(each)


def _same(one: Diagnostic, other: Diagnostic) -> bool:
    """Whether one of two findings with the same code is at a part of what the other is at: in its tag, or
    below its element and about the same named element; or both are about the same unknown package.
    """
    if one.code == UNKNOWN_PACKAGE and _package(one) == _package(other):
        return True
    outer, inner = sorted((one, other), key=_begin)
    if _begin(inner) <= (outer.end_line, outer.end_column):
        return True
    below, above = sorted((f"{one.xpath}/", f"{other.xpath}/"), key=len, reverse=True)
    return one.about == other.about and below.startswith(above)


def _package(finding: Diagnostic) -> str:
    """The message about an unknown package without the first reference to it, of which each reader has
    another.
    """
    return finding.message.partition("`: ")[2]


def _begin(finding: Diagnostic) -> tuple[int, int]:
    return finding.line, finding.column


def _apply(facts: Facts, findings: Findings) -> None:
    """Add the findings of all rules."""
    if facts.model.nbody < 2:
        return  # nothing but the world
    met = {each.code for each in findings.items}
    doubts: list[tuple[str, Doubt]] = []
    with np.errstate(all="ignore"):
        for rule in RULES:
            if met.isdisjoint(rule.unless) and all(getattr(facts.model, size) for size in rule.needs):
                found = _found(rule, facts, findings.limit)
                doubts += found
                met |= {code for code, _ in found}
    if doubts:
        _report(facts, doubts, findings)


def _found(rule: Rule, facts: Facts, most: int) -> list[tuple[str, Doubt]]:
    """The first doubts of a rule. What it cannot compute, the first step cannot either."""
    try:
        return [(rule.code, doubt) for doubt in islice(rule.find(facts), most)]
    except ModelError as error:
        hint = "steps are refused until it is repaired"
        return [(UNSTEPPED, Doubt(None, str(problem), hint)) for problem in error.problems]


def _report(facts: Facts, doubts: list[tuple[str, Doubt]], findings: Findings) -> None:
    """Add doubts at their elements, unless a finding with that code is there already."""
    rows = {doubt.at for _, doubt in doubts if isinstance(doubt.at, tuple)}
    places = {row: place_of(facts.model, row) for row in rows}
    nodes = elements(facts.document, places.values())
    said = {(each.code, each.path, each.line, each.column) for each in findings.items}
    for code, doubt in doubts:
        at: Any = doubt.at
        node = nodes.get(places[at]) if isinstance(at, tuple) else at
        span = span_of(places[at]) if isinstance(at, tuple) else None
        if node is None and span is None:
            node = facts.document
        if node is not None:
            span = node.attribute_span(doubt.attribute) if doubt.attribute else node.span
        if span is None or (code, span.path, span.line, span.column) not in said:
            source = None if node is None else node.source
            findings.add(code, span, doubt.message, hint=doubt.hint, source=source)
