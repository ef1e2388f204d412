"""Which documents' Models are judged: what judging needs is imported for those alone."""

from __future__ import annotations

from itertools import islice
from typing import Any

from polybody.base import Node
from polybody.diagnostics import Findings, Policy
from polybody.document.notations import Document
from polybody.document.registry import format_of, is_built_in
from polybody.lowering import has_models, report_not_simulated
from polybody.lowering.copies import CopiesBounded, TooManyCopies

JUDGED: Policy = "warn"
"""The policy under which documents become Models that are judged, unless a milder one was asked for."""
UNJUDGED = "PB122"


def judge(document: Any, findings: Findings, most: int, **options: Any) -> None:
    """Add findings about the Model of a document: those of lowering, and what is implausible.

    The document was read with these findings. If one of them leaves its meaning unknown, or if its format has
    no Models, nothing is added. Remarks of lowering are not added: `polybody info` lists them.

    most: the number of elements, copies included, up to which a document is judged; see Limits.
    options: of the format's lowering.
    """
    policy = _policy(findings)
    if policy is None or not _is_model(document):
        return
    form = document.FORMAT if isinstance(document, Document) else format_of(document).name
    count = len(findings.items)
    if isinstance(document, Node):
        with findings.about(form):
            report_not_simulated(document, findings, code=UNJUDGED, before="the Model is not judged: ")
    if len(findings.items) > count:
        return
    from polybody.plausibility.judgement import judge_model

    with findings.about(form):
        try:
            if isinstance(document, Node) and any(islice(document.walk(), most, None)):
                raise TooManyCopies
            with CopiesBounded(most):
                judge_model(document, form, findings, policy, options)
        except TooManyCopies:
            message = f"the Model is not judged: with copies, it has more than {most:,} elements"
            hint = "`polybody info` reports what prevents the Model from being loaded"
            whole = document if isinstance(document, Node) else None
            span, source = (None, None) if whole is None else (whole.span, whole.source)
            findings.add(UNJUDGED, span, message, hint=hint, source=source)


def _policy(findings: Findings) -> Policy | None:
    """The policy under which the document becomes a Model; None if it does not."""
    if findings.failed:
        return JUDGED if findings.accepting() == JUDGED else None
    return "lenient" if findings.policy == "lenient" else JUDGED


def _is_model(document: Any) -> bool:
    """Whether it is a document of a format of which Models are made."""
    if not isinstance(document, Node):
        return isinstance(document, Document)
    form = format_of(document)
    return is_built_in(form) and has_models(form)
